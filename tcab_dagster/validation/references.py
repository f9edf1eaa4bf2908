"""Reference mockups rendered to the screenshots that a run is seeded with.

Belongs here: rendering a variant's mockups in the validator's sandbox, once for a definition.
Concept: spec 000, "[[reference]]".
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.containers.protocol import Progress, Runtime, SandboxError
from tcab_dagster.home import write_atomically
from tcab_dagster.validation.reading import media_kind
from tcab_dagster.validation.validator import Task, run_validator


def render_references(
    case: CaseVersion,
    variant: Variant,
    runtime: Runtime,
    out: Path,
    *,
    environment: Mapping[str, str],
    progress: Progress,
) -> tuple[Path, ...]:
    """Writes `<view>.png`, 1280x720, for each mockup that `out` lacks; returns all of them.

    `out` belongs to one definition digest, so what is there is right. Raises SandboxError.
    """
    mockups = [r for r in variant.references if r.path is not None]
    missing = tuple(r for r in mockups if not (out / f"{r.view}.png").is_file())
    if missing:
        progress(f"rendering {len(missing)} references of {case.key} ({variant.slug})")
        with tempfile.TemporaryDirectory(prefix="tcab-references-") as folder:
            rendered = Path(folder) / "out"
            run_validator(
                Task(case=case, references=missing),
                runtime,
                rendered,
                run_id=f"references~{case.key}",
                environment=environment,
                progress=progress,
            )
            for reference in missing:
                picture = rendered / f"{reference.view}.png"
                if media_kind(picture) is None:
                    raise SandboxError(f"the validator left no picture of `{reference.view}`")
                write_atomically(out / picture.name, picture.read_bytes())
    return tuple(out / f"{r.view}.png" for r in mockups)
