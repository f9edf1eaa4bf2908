"""What the runner is asked to do, and the limits it keeps.

Belongs here: the request's shape and its reading. Does not: what is written back (report.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

VIEWPORT = (1280, 720)

Action = Mapping[str, str | float]


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds. `call` bounds one answer of the page, `script` a whole drive."""

    script: float = 120.0
    call: float = 30.0
    handle: float = 10.0
    flat: float = 10.0
    navigation: float = 30.0


@dataclass(frozen=True, slots=True)
class Mockup:
    """A reference to render: `path` below the case's folder."""

    view: str
    path: str


@dataclass(frozen=True, slots=True)
class CheckRequest:
    view: str
    reference: str
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class OutputRequest:
    id: str
    kind: Literal["image", "video"]


@dataclass(frozen=True, slots=True)
class Drive:
    """One run of one script for one verdict unit.

    `backs` are the verdict ids whose units name this script: it may return no other. None, in
    direct use, takes whatever it returns, and whatever media it captures.
    """

    verdict_id: str
    script: str
    outputs: tuple[OutputRequest, ...]
    backs: tuple[str, ...] | None

    @property
    def video(self) -> OutputRequest | None:
        return next((o for o in self.outputs if o.kind == "video"), None)


@dataclass(frozen=True, slots=True)
class Request:
    """`site` and `case` are folders; `proofs` are pictures and clips to make thumbnails of."""

    case: Path
    site: Path | None = None
    handle: str | None = None
    tick_hz: float | None = None
    mockups: tuple[Mockup, ...] = ()
    checks: tuple[CheckRequest, ...] = ()
    drives: tuple[Drive, ...] = ()
    proofs: Path | None = None
    limits: Limits = field(default_factory=Limits)


def read(path: Path) -> Request:
    """Reads `request.json`; its folders are relative to it."""
    document: dict[str, Any] = json.loads(path.read_bytes())
    here = path.parent

    def folder(name: str) -> Path | None:
        return here / document[name] if document.get(name) else None

    return Request(
        case=here / document["case"],
        site=folder("site"),
        handle=document.get("handle"),
        tick_hz=document.get("tick_hz"),
        mockups=tuple(Mockup(**m) for m in _list(document, "mockups")),
        checks=tuple(
            CheckRequest(c["view"], c["reference"], tuple(c["actions"]))
            for c in _list(document, "checks")
        ),
        drives=tuple(
            Drive(
                d["verdict_id"],
                d["script"],
                tuple(OutputRequest(**o) for o in d["outputs"]),
                None if d["backs"] is None else tuple(d["backs"]),
            )
            for d in _list(document, "drives")
        ),
        proofs=folder("proofs"),
        limits=Limits(**document.get("limits", {})),
    )


def _list(document: Mapping[str, Any], name: str) -> Sequence[Any]:
    found = document.get(name, [])
    if not isinstance(found, list):
        raise ValueError(f"{name} is not a list")
    return found
