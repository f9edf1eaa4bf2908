"""What a harness adapter is: how to install, probe, run and read one agent CLI.

Belongs here: the protocol. Does not: any harness (one module each) or the list (registry.py).
Concept: spec 004, "Harness install"; docs/add-a-harness.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tcab_dagster.records import Event, Fault, Usage

SESSION_FILES = "/opt/tcab/session"
"""Where the files of a session command lie in the container: outside the workspace."""


@dataclass(frozen=True, slots=True)
class SessionOrder:
    """What a session is asked to do, and with what.

    `environment` is the driver's: keys and base URLs come from it, and nothing else of it reaches
    the container. `recordings` is the checkout's folder of recorded sessions.
    """

    slug: str
    model: str | None
    environment: Mapping[str, str]
    recordings: Path


@dataclass(frozen=True, slots=True)
class SessionCommand:
    """How a session is started inside the container, as the run user, in the workspace.

    The prompt is appended to `argv` where `takes_prompt`. `files`, name to content, are put into
    `SESSION_FILES` first. `host_route` asks for the route to the run host, which a base URL that
    names `host.docker.internal` needs.
    """

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    takes_prompt: bool = True
    host_route: bool = False


@dataclass(frozen=True, slots=True)
class SessionReading:
    """What a stream says: totals, and whose fault a bad end was.

    `fault` is what the harness's own error lines since the model's last output say, `unknown`
    where there are none or nobody recognizes them. `model_spoke`: the model produced anything at
    all. `call_open`: a tool call had begun and had not come back.
    """

    usage: Usage
    tool_calls: Mapping[str, int]
    fault: Fault
    detail: str | None
    model_spoke: bool
    call_open: bool


class StreamReader(Protocol):
    """Reads one session's stdout, line by line. Whatever a line holds, it never raises."""

    def feed(self, line: bytes, at: float) -> list[Event]:
        """One whole line, of any bytes; what is not understood becomes an `unknown` event."""
        ...

    def reading(self) -> SessionReading:
        """What the lines so far amount to."""
        ...


class Harness(Protocol):
    """One agent CLI."""

    @property
    def slug(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def seen_version(self) -> str | None:
        """The release against which the flags were checked; None where none could be."""
        ...

    @property
    def default_model(self) -> str | None:
        """The model of a request that names none; None where one must be named."""
        ...

    def install(self) -> Sequence[str] | None:
        """The install command, run as the run user; None where nothing is installed."""
        ...

    def probe(self) -> Sequence[str] | None:
        """Prints the version and ends 0; None where nothing is installed."""
        ...

    def session(self, order: SessionOrder) -> SessionCommand:
        """The session command. Raises UsageError for a model, a key or a recording missing."""
        ...

    def secrets(self, environment: Mapping[str, str]) -> Sequence[str]:
        """Values to redact from everything recorded."""
        ...

    def reader(self) -> StreamReader: ...
