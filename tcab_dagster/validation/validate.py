"""One validation, in order: a tree becomes a result and its media.

Belongs here: the order, and which files are taken. Does not: building (building/), driving
(validator.py, runner/), what a failure decides (decisions.py).
Concept: spec 000, "Automated validation"; docs/validation.md.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tcab_dagster.catalog.model import CaseVersion, Output, Point, Proof, Variant
from tcab_dagster.containers.extraction import ExtractionError
from tcab_dagster.containers.protocol import Progress, Runtime, SandboxError
from tcab_dagster.errors import UsageError
from tcab_dagster.validation.building.site import LEFT_OUT, build_site
from tcab_dagster.validation.decisions import decide
from tcab_dagster.validation.reading import (
    RunnerDocument,
    UnreadableResult,
    read_document,
    take,
    take_thumbnails,
)
from tcab_dagster.validation.result import Media, ProofReport, ValidationResult
from tcab_dagster.validation.validator import Task, run_validator

SUFFIX = {"image": "png", "video": "webm"}


def validate_tree(
    tree: Path,
    case: CaseVersion,
    variant: Variant,
    runtime: Runtime,
    *,
    run_id: str,
    media: Path,
    site: Path,
    environment: Mapping[str, str],
    progress: Progress,
    limits: Mapping[str, float] | None = None,
) -> ValidationResult:
    """Builds, loads and drives `tree`; the built site lands in `site`, what it showed in `media`.

    Both folders are replaced. Raises nothing of a collected tree's or the runtime's: the outcome
    says whose fault a failure is. Raises UsageError for a tree that none could be collected as.
    `limits` shortens the runner's (runner/request.py), in seconds.
    """
    began = time.monotonic()
    _require_collectable(tree)
    for before in (site, media):
        shutil.rmtree(before, ignore_errors=True)
    media.mkdir(parents=True)
    built = build_site(
        tree, case, runtime, site, run_id=run_id, environment=environment, progress=progress
    )
    proofs = _proofs(tree, variant.proofs)
    task = Task(
        case=case,
        references=tuple(
            variant.reference(v) for v in sorted({c.reference for c in variant.checks})
        ),
        site=site if built.failed is None else None,
        checks=variant.checks,
        points=tuple(p for p in variant.points if p.validation is not None),
        proofs=dict(proofs.values()),
        limits=limits or {},
    )
    document, trouble = None, None
    with tempfile.TemporaryDirectory(prefix="tcab-validated-") as folder:
        out = Path(folder) / "out"
        if built.failed is None:
            try:
                run_validator(
                    task, runtime, out, run_id=run_id, environment=environment, progress=progress
                )
                document = read_document(out)
                trouble = document.browser
            except (SandboxError, ExtractionError, UnreadableResult) as error:
                trouble = str(error)
        captured = _media(out / "media", media, task, proofs, document)
    decision = decide(variant, task.points, built, document if trouble is None else None, trouble)
    return ValidationResult(
        outcome=decision.outcome,
        detail=decision.detail,
        definition_digest=case.digest,
        install=built.install,
        build=built.build,
        site=built.site,
        load=decision.load,
        checks=decision.checks,
        proofs=_proof_reports(variant.proofs, proofs, captured),
        verdicts=decision.verdicts,
        media=tuple(captured),
        notes=(*built.notes, *(document.notes if document else ())),
        seconds=round(time.monotonic() - began, 3),
        stages={
            name: round(seconds, 3)
            for name, seconds in {**built.seconds, **(document.stages if document else {})}.items()
        },
    )


def _require_collectable(tree: Path) -> None:
    """Only a folder of the caller's own can hold a pipe, a socket or a device: extraction lets none
    in, and no container could be given one."""
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for path in (Path(folder, name) for name in files):
            if not (path.is_symlink() or path.is_file()):
                raise UsageError(
                    f"{path} is no file, folder or link: it cannot be validated",
                    help="remove it, or validate a copy without it",
                )


def _proofs(tree: Path, proofs: tuple[Proof, ...]) -> dict[str, tuple[str, Path]]:
    """Those that are present, by id: the name that each gets as media, and its file.

    A link, or a file that a linked folder leads to, is not the tree's own: not present.
    """
    found = {}
    root = tree.resolve()
    for proof in proofs:
        path = tree / proof.dest
        own = path.resolve() == root / proof.dest
        if own and path.is_file() and path.stat().st_size > 0:
            found[proof.id] = (f"proof__{proof.id}{path.suffix.lower()}", path)
    return found


def _proof_reports(
    proofs: tuple[Proof, ...], found: Mapping[str, tuple[str, Path]], captured: list[Media]
) -> tuple[ProofReport, ...]:
    taken = {m.name for m in captured}
    names = {id: name for id, (name, _) in found.items()}
    return tuple(
        ProofReport(
            id=p.id,
            name=p.name,
            dest=p.dest,
            kind=p.kind,
            present=p.id in found,
            media=names[p.id] if names.get(p.id) in taken else None,
        )
        for p in proofs
    )


def output_name(point: Point, output: Output) -> str:
    """The flat name under which an output is captured, for a run and for the baseline."""
    return f"{point.verdict_id}__{output.id}.{SUFFIX[output.kind]}"


def _media(
    source: Path,
    media: Path,
    task: Task,
    proofs: Mapping[str, tuple[str, Path]],
    document: RunnerDocument | None,
) -> list[Media]:
    """Takes what was asked for by its expected name, and nothing else that may lie there."""
    taken = [take(path, media, name, "proof") for name, path in proofs.values()]
    if document is not None:
        taken.append(take(source / "load.png", media, "load.png", "load"))
        for check in task.checks:
            name = f"check__{check.view}.png"
            taken.append(take(source / name, media, name, "check"))
        for point in task.points:
            assert point.validation is not None
            for output in point.validation.outputs:
                name = output_name(point, output)
                taken.append(
                    take(
                        source / name,
                        media,
                        name,
                        "output",
                        verdict_id=point.verdict_id,
                        output_id=output.id,
                    )
                )
    captured = [m for m in taken if m is not None]
    take_thumbnails(source, media, [m.name for m in captured])
    return captured
