"""The validator's sandbox: what goes in, one command, what comes out.

Belongs here: starting it without a network, the request, the runner put beside it. Does not: what
happens inside (runner/) or what a result means (validate.py).
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tcab_dagster.catalog.model import CaseVersion, Check, Point, Reference
from tcab_dagster.containers.extraction import extract
from tcab_dagster.containers.images import VALIDATOR, resolve_image
from tcab_dagster.containers.protocol import (
    WORKSPACE,
    Bounds,
    Progress,
    Runtime,
    SandboxError,
    SandboxSpec,
    Stream,
)
from tcab_dagster.validation import inputs

OUT = f"{WORKSPACE}/out"
START_SECONDS = 300.0
A_CHECK_SECONDS = 120.0
A_DRIVE_SECONDS = 240.0
RUNNER = Path(__file__).with_name("runner")
_LOG_TAIL = 2000


@dataclass(frozen=True, slots=True)
class Task:
    """What the sandbox is to do. Without a `site` it renders references and stops."""

    case: CaseVersion
    references: tuple[Reference, ...] = ()
    site: Path | None = None
    checks: tuple[Check, ...] = ()
    points: tuple[Point, ...] = ()
    proofs: Mapping[str, Path] = field(default_factory=dict)
    """Files to make thumbnails of, by the name that they get."""
    limits: Mapping[str, float] = field(default_factory=dict)


def run_validator(
    task: Task,
    runtime: Runtime,
    out: Path,
    *,
    run_id: str,
    environment: Mapping[str, str],
    progress: Progress,
) -> None:
    """Does the task in a fresh sandbox and extracts what it left into `out`.

    Raises SandboxError where the sandbox or the runner itself failed.
    """
    image = resolve_image(VALIDATOR, environment).reference
    runtime.ensure_image(image, progress)
    with tempfile.TemporaryDirectory(prefix="tcab-validator-") as folder:
        _prepare(task, Path(folder))
        spec = SandboxSpec(run_id=run_id, role="validator", image=image, network="none")
        sandbox = runtime.start(spec)
        try:
            sandbox.put(Path(folder), WORKSPACE)
            if task.site is not None:
                sandbox.put(task.site, f"{WORKSPACE}/site")
            said = _Lines(progress)
            ended = sandbox.exec(
                ["python3", "-m", "runner", "--request", "request.json", "--out", OUT],
                bounds=Bounds(timeout=_bound(task)),
                on_output=said.add,
            )
            if ended.exit_code != 0:
                how = f"exit status {ended.exit_code}" if ended.ended == "exited" else ended.ended
                raise SandboxError(f"the validator's runner ended with {how}: {said.last}")
            extract(sandbox.get(OUT), out, git_archive=None, skip=frozenset())
        finally:
            sandbox.stop()


def _bound(task: Task) -> float:
    checks, drives = len(task.checks), len(task.points)
    return START_SECONDS + A_CHECK_SECONDS * checks + A_DRIVE_SECONDS * drives


def _prepare(task: Task, folder: Path) -> None:
    shutil.copytree(RUNNER, folder / "runner", ignore=shutil.ignore_patterns("__pycache__"))
    case, inside = task.case, folder / "case"
    inside.mkdir()
    mockups = [r.path for r in task.references if r.path is not None]
    if mockups:
        inputs.copy_mockups(case.folder, mockups, case.assets, inside)
    inputs.copy_scripts(case.folder, [_script(p) for p in task.points], inside)
    if task.proofs:
        (folder / "proofs").mkdir()
        for name, proof in task.proofs.items():
            shutil.copyfile(proof, folder / "proofs" / name)
    (folder / "request.json").write_text(json.dumps(_request(task)))


def _request(task: Task) -> dict[str, Any]:
    instrumentation = task.case.instrumentation
    backs: dict[str, list[str]] = {}
    for point in task.points:
        backs.setdefault(_script(point), []).append(point.verdict_id)
    return {
        "case": "case",
        "site": "site" if task.site is not None else None,
        "proofs": "proofs" if task.proofs else None,
        "handle": instrumentation.handle if instrumentation else None,
        "tick_hz": instrumentation.tick_hz if instrumentation else None,
        "mockups": [{"view": r.view, "path": r.path} for r in task.references],
        "checks": [
            {"view": c.view, "reference": c.reference, "actions": [dict(a) for a in c.actions]}
            for c in task.checks
        ],
        "drives": [
            {
                "verdict_id": p.verdict_id,
                "script": _script(p),
                "outputs": [{"id": o.id, "kind": o.kind} for o in p.validation.outputs],
                "backs": backs[_script(p)],
            }
            for p in task.points
            if p.validation is not None
        ],
        "limits": dict(task.limits),
    }


def _script(point: Point) -> str:
    assert point.validation is not None
    return point.validation.script


class _Lines:
    """The runner's stderr as progress, line by line; `last` is the end of it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._rest = b""
        self._tail = ""

    def add(self, stream: Stream, chunk: bytes) -> None:
        if stream != "stderr":
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[-_LOG_TAIL:]
        for line in lines:
            text = "".join(c for c in line.decode(errors="replace") if c.isprintable())[:500]
            self._tail = f"{self._tail}\n{text}"[-_LOG_TAIL:]
            self._progress(text)

    @property
    def last(self) -> str:
        lines = f"{self._tail}\n{self._rest.decode(errors='replace')}".strip().splitlines()
        return lines[-1] if lines else "it said nothing"
