"""`replay`: plays a recorded session inside the container, so that no key and no model is needed.

Belongs here: finding the recording, and reading what the player prints. Does not: the player
(player.mjs, which runs in the container as the run user) or any recording (`recordings/`).
Concept: docs/add-a-harness.md, "Recorded sessions".

A recording is `recordings/<slug>/<name>.jsonl`, `name` being the model of the request. Each line is
a step: `{"delay": seconds, "output"?: str, "writes"?: [{"path", "text" | "base64"}], "deletes"?:
[path], "usage"?: {...}, "exit"?: status}`; delays add up from the session's start.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tcab_dagster.errors import UsageError
from tcab_dagster.harnesses.protocol import (
    SESSION_FILES,
    SessionCommand,
    SessionOrder,
    SessionReading,
)
from tcab_dagster.harnesses.stream import (
    EVENT_KINDS,
    Json,
    Tally,
    count,
    dollars,
    event,
    parse_line,
    part,
    text,
    unknown,
)
from tcab_dagster.records import Event, Fault, Usage

PLAYER = Path(__file__).parent / "player.mjs"
_CALLS = frozenset({"command", "read", "write", "search", "list"})
_SPOKEN = frozenset({"agent", "reasoning"})


class Replay:
    """The adapter of the recorded sessions."""

    slug = "replay"
    name = "Replay"
    seen_version = None
    default_model = "flawed"

    def install(self) -> None:
        return None

    def probe(self) -> None:
        return None

    def session(self, order: SessionOrder) -> SessionCommand:
        recording = find_recording(order.recordings, order.slug, order.model or self.default_model)
        return SessionCommand(
            argv=("node", f"{SESSION_FILES}/player.mjs", f"{SESSION_FILES}/recording.jsonl"),
            files={"player.mjs": PLAYER.read_bytes(), "recording.jsonl": recording.read_bytes()},
            takes_prompt=False,
        )

    def secrets(self, environment: Mapping[str, str]) -> Sequence[str]:
        return ()

    def reader(self) -> ReplayReader:
        return ReplayReader()


def recordings_of(root: Path, slug: str) -> list[str]:
    """The names of a case's recorded sessions."""
    return sorted(f.stem for f in (root / slug).glob("*.jsonl"))


def find_recording(root: Path, slug: str, name: str) -> Path:
    """The recording of that name. Raises UsageError with those that exist."""
    names = recordings_of(root, slug)
    if name in names:
        return root / slug / f"{name}.jsonl"
    near = difflib.get_close_matches(name, names, n=1)
    shown = ", ".join(f"`{n}`" for n in names)
    raise UsageError(
        f"`{slug}` has no recorded session `{name}` in {root}",
        help=(f"did you mean `{near[0]}`? " if near else "")
        + (f"there are {shown}: name one as the model" if names else "this case has none"),
    )


class ReplayReader:
    """Reads what the player prints: `{"kind", "text"}`, and beside them `usage` and `fault`."""

    def __init__(self) -> None:
        self._tally = Tally()

    def reading(self) -> SessionReading:
        return self._tally.reading()

    def feed(self, line: bytes, at: float) -> list[Event]:
        message = parse_line(line)
        kind, words = text(message, "kind"), text(message, "text")
        if message is None or kind not in EVENT_KINDS:
            return [unknown(at, line)]
        if kind in _SPOKEN:
            self._tally.spoke()
        elif kind in _CALLS:
            self._tally.called(text(message, "tool") or kind, "", done=True)
        elif kind in ("error", "warning"):
            self._tally.erred(_recorded_fault(message), words)
        elif kind == "usage":
            self._tally.usage = _recorded_usage(part(message, "usage"))
            words = self._tally.usage.model_dump_json(exclude_none=True)
        return [event(at, kind, words)]


def _recorded_fault(message: Json) -> Fault | None:
    named = text(message, "fault")
    return Fault(named) if re.fullmatch("agent|provider|operator|infrastructure", named) else None


def _recorded_usage(usage: Json) -> Usage:
    return Usage(
        uncached_input=count(usage, "uncached_input"),
        cached_input=count(usage, "cached_input"),
        output=count(usage, "output"),
        reasoning=count(usage, "reasoning"),
        cost_usd=dollars(usage, "cost_usd"),
    )
