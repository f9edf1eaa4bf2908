"""A variant's rendered reference screenshots, in the store, rendered where they are not yet.

Belongs here: rendering once, whoever asks first, and putting the pictures in place whole. Does not:
the rendering (validation/). Concept: docs/runs.md, "The stages".
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.catalog.store import Store
from tcab_dagster.containers.protocol import Progress, Runtime
from tcab_dagster.home import Home, file_lock
from tcab_dagster.validation import render_references


def ensure_references(
    case: CaseVersion,
    variant: Variant,
    home: Home,
    runtime: Runtime,
    *,
    environment: Mapping[str, str],
    progress: Progress,
) -> Path | None:
    """The folder of `<view>.png`; None for a variant whose references are all static media.

    The lock bears the name that the rendering's sandbox is labelled with, so that the reaper knows
    a living one from a lost one.
    """
    rendered = [r for r in variant.references if r.path is not None]
    if not rendered:
        return None
    folder = Store(home).references(case.digest) / variant.slug
    with file_lock(home.locks / "runs" / f"references~{case.key}", wait=True):
        if all((folder / f"{r.view}.png").is_file() for r in rendered):
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{variant.slug}.") as made:
            out = Path(made) / "out"
            out.mkdir()
            render_references(
                case, variant, runtime, out, environment=environment, progress=progress
            )
            with contextlib.suppress(FileNotFoundError):
                folder.rename(Path(made) / "incomplete")
            out.rename(folder)
    return folder
