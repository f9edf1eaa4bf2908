"""`tcab seed`, `tcab prompt`, `tcab capture-baselines`: what a case is to a run.

Belongs here: printing. Does not: seeding (seeding.py), rendering or driving (validation/).
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
from tcab_dagster.errors import UsageError
from tcab_dagster.execution.ownership import owned
from tcab_dagster.execution.references import ensure_references
from tcab_dagster.ingestion import store_version
from tcab_dagster.seeding import render_prompt
from tcab_dagster.seeding import seed as seed_repository
from tcab_dagster.validation import capture_baselines as capture


def register(app: typer.Typer) -> None:
    app.command()(seed)
    app.command()(prompt)
    app.command("capture-baselines")(capture_baselines)


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


def prompt(
    case: CaseArgument,
    variant: VariantOption = None,
    max_runtime: Annotated[
        float | None,
        typer.Option("--max-runtime", metavar="HOURS", help="As of the run.", show_default=False),
    ] = None,
    root: RootOption = None,
) -> None:
    """Print the instruction that a harness would be handed, exactly."""
    version = open_catalog(open_settings(root)).find(case)
    hours = checked_hours(max_runtime) or version.max_runtime_hours
    text = render_prompt(version, version.variant(variant), max_runtime_hours=hours)
    stdout.file.write(text)


def capture_baselines(
    case: CaseArgument,
    variant: VariantOption = None,
    all_variants: Annotated[
        bool, typer.Option("--all-variants", help="Every variant that has an implementation.")
    ] = False,
    root: RootOption = None,
) -> None:
    """Drive the reference implementation and write validation-baseline/<variant>/."""
    if all_variants and variant is not None:
        raise UsageError("--variant and --all-variants exclude each other")
    settings = open_settings(root)
    version = open_catalog(settings).find(case)
    chosen = [version.variant(variant)]
    if all_variants:
        chosen = [v for v in version.variants if v.reference_implementation is not None]
    home = open_home(settings)
    with (
        owned(home, f"baseline~{version.key}"),
        open_runtime(settings, home) as runtime,
        live() as progress,
    ):
        for one in chosen:
            out = version.folder / "validation-baseline" / one.slug
            progress.say(f"{version.key} ({one.slug})")
            environment = settings.environment
            capture(version, one, runtime, out, environment=environment, progress=progress.now)
            progress.say(f"written to {out}")


def checked_hours(hours: float | None) -> float | None:
    """Raises UsageError unless the cap is a positive number of hours."""
    if hours is not None and not 0 < hours < float("inf"):
        raise UsageError(
            f"a maximum runtime of {hours} hours bounds nothing", help="give a positive number"
        )
    return hours
