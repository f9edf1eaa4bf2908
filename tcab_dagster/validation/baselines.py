"""Baselines: what the reference implementation shows, captured once and committed.

Belongs here: driving it, refusing a drive that did not pass, and what a baseline depends on, so
that a stale one is told apart. Does not: showing it beside a run. Concept: spec 000, "Automated
validation"; docs/validation.md, "Baselines".
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.containers.protocol import Progress, Runtime
from tcab_dagster.errors import TcabError, UsageError
from tcab_dagster.validation.inputs import script_digest
from tcab_dagster.validation.result import ValidationResult
from tcab_dagster.validation.validate import output_name, validate_tree

MANIFEST = "baseline.json"
_MADE = frozenset({"node_modules", "dist", "build", "out", ".git"})


@dataclass(frozen=True, slots=True)
class BaselineState:
    """How a committed baseline stands to what it depends on; all empty when it is current."""

    missing: tuple[str, ...]
    stale: tuple[str, ...]
    orphaned: tuple[str, ...]


def capture_baselines(
    case: CaseVersion,
    variant: Variant,
    runtime: Runtime,
    out: Path,
    *,
    environment: Mapping[str, str],
    progress: Progress,
) -> ValidationResult:
    """Drives the variant's reference implementation and replaces `out` with what it showed.

    Raises UsageError where there is no reference implementation, TcabError, leaving `out` as it
    was, where it does not build, load or pass every drive: which, and why.
    """
    if variant.reference_implementation is None:
        raise UsageError(
            f"{case.key} has no reference implementation for `{variant.slug}`",
            help="name one with `reference_implementation` in the variant's file",
        )
    tree = case.folder / variant.reference_implementation
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        media = Path(folder) / "media"
        with tempfile.TemporaryDirectory(prefix="tcab-reference-") as source:
            shutil.copytree(
                tree,
                source,
                dirs_exist_ok=True,
                ignore=lambda at, names: _MADE & set(names) if Path(at) == tree else [],
            )
            result = validate_tree(
                Path(source),
                case,
                variant,
                runtime,
                run_id=f"baseline~{case.key}",
                media=media,
                site=Path(folder) / "site",
                environment=environment,
                progress=progress,
            )
        _refuse_failures(case, variant, result)
        wanted = {m.name for m in result.media if m.role == "output"}
        for captured in list(media.iterdir()):
            if captured.is_dir():
                shutil.rmtree(captured)
            elif captured.name not in wanted:
                captured.unlink()
        manifest = json.dumps(asdict(dependencies(case, variant)), indent=2, sort_keys=True) + "\n"
        (media / MANIFEST).write_text(manifest)
        _replace(media, out, Path(folder) / "before")
    return result


def baseline_state(case: CaseVersion, variant: Variant, folder: Path) -> BaselineState:
    """Compares what is committed below `folder` with what the case now declares.

    `stale` are verdict ids whose script, or whose implementation, changed since.
    """
    points = [p for p in variant.points if p.validation is not None]
    expected = frozenset(
        output_name(p, o)
        for p in points
        for o in (p.validation.outputs if p.validation is not None else ())
    )
    there = {f.name for f in folder.iterdir() if f.is_file()} if folder.is_dir() else set()
    try:
        recorded = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        recorded = {}
    now = dependencies(case, variant)
    rebuilt = recorded.get("implementation") != now.implementation
    scripts, before = now.scripts, recorded.get("scripts", {})
    return BaselineState(
        missing=tuple(sorted(expected - there)),
        stale=tuple(sorted(v for v in scripts if rebuilt or before.get(v) != scripts[v])),
        orphaned=tuple(sorted((there - expected) - {MANIFEST})),
    )


@dataclass(frozen=True, slots=True)
class Dependencies:
    """SHA-256 of the implementation, and of each verdict's script with what it imports."""

    implementation: str
    scripts: Mapping[str, str]


def dependencies(case: CaseVersion, variant: Variant) -> Dependencies:
    """What a baseline of this variant depends on, as it is now."""
    source = variant.reference_implementation
    return Dependencies(
        implementation="" if source is None else _tree_digest(case.folder / source),
        scripts={
            p.verdict_id: script_digest(case.folder, p.validation.script)
            for p in variant.points
            if p.validation is not None
        },
    )


def _refuse_failures(case: CaseVersion, variant: Variant, result: ValidationResult) -> None:
    who = f"the reference implementation of {case.key} ({variant.slug})"
    if result.outcome != "completed":
        raise TcabError(
            f"{who} cannot be driven: {result.outcome}: {result.detail}",
            help=(result.build.output_tail or result.install.output_tail).strip()[-1000:] or None,
        )
    bad = [v for v in result.verdicts if v.verdict != "pass"]
    if bad:
        listed = "\n".join(f"     {v.verdict_id}: {v.verdict}: {v.reason}" for v in bad)
        raise TcabError(
            f"{who} does not pass {len(bad)} of {len(result.verdicts)} drives:\n{listed}",
            help="no baseline was written; mend the implementation or the scripts",
        )


def _tree_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if inside.parts[0] in _MADE or "node_modules" in inside.parts or not path.is_file():
            continue
        content = path.read_bytes()
        digest.update(f"{inside.as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _replace(new: Path, out: Path, before: Path) -> None:
    """Two renames: at worst a kill between them leaves the old one under its hidden name."""
    if out.exists():
        out.rename(before)
    new.rename(out)
