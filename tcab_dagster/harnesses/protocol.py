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


@dataclass(frozen=True, slots=True)
class SessionCommand:
    """How a session is started inside the container, as the run user, in the workspace.

    `files` are folders of ours to put into the container first: folder on the host -> path.
    """

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionReading:
    """What a finished stream says: totals, and whose fault a bad end was."""

    usage: Usage
    tool_calls: Mapping[str, int]
    fault: Fault
    detail: str | None


class StreamReader(Protocol):
    """Reads one session's stdout, line by line; keeps what `finish` needs."""

    def feed(self, line: bytes, at: float) -> list[Event]:
        """One whole line, of any bytes; what is not understood becomes an `unknown` event."""
        ...

    def finish(self, exit_code: int | None) -> SessionReading:
        """`fault` is only meaningful for a session that ended badly."""
        ...


class Harness(Protocol):
    """One agent CLI."""

    slug: str
    name: str
    seen_version: str | None
    """The release against which the flags were checked; None where it could not be reached."""
    cooperative: bool
    """Whether a kill winds it down at a turn boundary (gg) instead of destroying the run."""

    def install(self) -> Sequence[str] | None:
        """The install command, run as the run user; None where nothing is installed."""
        ...

    def probe(self) -> Sequence[str] | None:
        """Prints the version and ends 0."""
        ...

    def default_model(self) -> str | None: ...

    def session(
        self, prompt: str, model: str | None, environment: Mapping[str, str]
    ) -> SessionCommand:
        """The session command. `environment` is the driver's: keys and base URLs come from it.

        Raises UsageError for a model or a key that is missing.
        """
        ...

    def secrets(self, environment: Mapping[str, str]) -> Sequence[str]:
        """Values to redact from everything recorded."""
        ...

    def reader(self) -> StreamReader: ...
