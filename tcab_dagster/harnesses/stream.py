"""What the adapters' stream readers share: a line as JSON, its parts by type, and the tally.

Belongs here: reading hostile JSON without ever raising, and what a session amounts to. Does not:
any harness's own line types. Concept: docs/add-a-harness.md, "The reader".
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

from tcab_dagster.harnesses.protocol import SessionReading
from tcab_dagster.records import Event, Fault, Usage

LONGEST_TEXT = 10_000
_GREATEST_COUNT = 2**53

EVENT_KINDS: frozenset[str] = frozenset(get_args(Event.model_fields["kind"].annotation))

Json = Mapping[str, Any]


def parse_line(line: bytes) -> Json | None:
    """The line's JSON object; None for anything else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def part(value: object, key: str) -> Json:
    """The object under a key; an empty one where there is none."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def parts(value: object, key: str) -> list[Json]:
    """The objects of the list under a key."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return [v for v in found if isinstance(v, Mapping)] if isinstance(found, list) else []


def text(value: object, key: str) -> str:
    """The string under a key; an empty one where there is none."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""


def count(value: object, key: str) -> int | None:
    """A count under a key: absent, negative or absurd is None, never 0."""
    found = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found if 0 <= found < _GREATEST_COUNT else None


def dollars(value: object, key: str) -> float | None:
    """An amount of dollars under a key, None where it is no amount."""
    found = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        amount = float(found)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


def event(at: float, kind: Any, words: str = "") -> Event:
    """An event whose text is cut where it is endless; the raw stream keeps all of it.

    Half of a surrogate pair, which JSON can spell and UTF-8 cannot, is replaced.
    """
    shown = words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1] + "…"
    return Event(at=at, kind=kind, text=shown.encode(errors="replace").decode())


def unknown(at: float, line: bytes) -> Event:
    return event(at, "unknown", line.decode(errors="replace"))


class Tally:
    """What a session amounts to so far."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.tool_calls: Counter[str] = Counter()
        self._open: set[str] = set()
        self._spoke = False
        self._errors: list[tuple[Fault | None, str]] = []

    def spoke(self) -> None:
        """The model produced something: errors before it were got over."""
        self._spoke = True
        self._errors.clear()

    def called(self, tool: str, call: str, *, done: bool = False) -> bool:
        """The model called a tool; False where this call is known already."""
        self.spoke()
        if call in self._open:
            return False
        self.tool_calls[tool[:100] or "unnamed"] += 1
        if not done:
            self._open.add(call)
        return True

    def returned(self, call: str) -> None:
        self._open.discard(call)

    def erred(self, fault: Fault | None, message: str) -> None:
        """The harness itself reported an error."""
        self._errors.append((fault, message))

    def reading(self) -> SessionReading:
        """The last error that is recognized names the fault: what follows it is its echo."""
        named = [fault for fault, _ in self._errors if fault is not None]
        return SessionReading(
            usage=self.usage,
            tool_calls=dict(self.tool_calls),
            fault=named[-1] if named else Fault.UNKNOWN,
            detail=self._errors[-1][1] if self._errors else None,
            model_spoke=self._spoke,
            call_open=bool(self._open),
        )
