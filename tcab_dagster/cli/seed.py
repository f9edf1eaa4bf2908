"""`tcab seed`: the repository that a run would be given.

Belongs here: printing. Does not: seeding (seeding.py) or rendering references (validation/).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tcab_dagster.cli.opened import (
    CaseArgument,
    RootOption,
    VariantOption,
    open_catalog,
    open_home,
    open_settings,
)
from tcab_dagster.cli.output import Format, FormatOption, live, print_json, stdout
from tcab_dagster.containers.runtimes import open_runtime
from tcab_dagster.execution.references import ensure_references
from tcab_dagster.ingestion import store_version
from tcab_dagster.seeding import seed as seed_repository

app = typer.Typer()


@app.command()
def seed(
    case: CaseArgument,
    out: Annotated[Path, typer.Option("--out", help="A folder that is empty or not there yet.")],
    variant: VariantOption = None,
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Write the repository that a run would be given, and leave it for inspection."""
    settings = open_settings(root)
    home = open_home(settings)
    version = open_catalog(settings).find(case)
    chosen = version.variant(variant)
    references = None
    if any(reference.path is not None for reference in chosen.references):
        store_version(home, version)
        with open_runtime(settings, home) as runtime, live() as progress:
            references = ensure_references(
                version,
                chosen,
                home,
                runtime,
                environment=settings.environment,
                progress=progress.now,
            )
    seeded = seed_repository(version, chosen, out, references=references)
    if format is Format.JSON:
        print_json({"commit": seeded.commit, "files": list(seeded.files), "path": str(out)})
        return
    stdout.print(
        f"{escape(version.key)} ({chosen.slug}) at {escape(str(out))}: "
        f"{len(seeded.files)} files, commit {seeded.commit}"
    )
