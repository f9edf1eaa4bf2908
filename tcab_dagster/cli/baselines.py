"""`tcab capture-baselines`: what the reference implementations show.

Belongs here: which variants, and progress. Does not: driving them (validation/).
"""

from __future__ import annotations

from typing import Annotated

import typer

from tcab_dagster.cli.opened import (
    CaseArgument,
    RootOption,
    VariantOption,
    open_catalog,
    open_home,
    open_settings,
)
from tcab_dagster.cli.output import live
from tcab_dagster.containers.runtimes import open_runtime
from tcab_dagster.errors import UsageError
from tcab_dagster.execution.ownership import owned
from tcab_dagster.validation import capture_baselines as capture

app = typer.Typer()


@app.command("capture-baselines")
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
