"""`tcab prompt`: the instruction that a harness would be handed.

Belongs here: printing. Does not: rendering (seeding.py).
"""

from __future__ import annotations

from typing import Annotated

import typer

from tcab_dagster.cli.opened import (
    CaseArgument,
    RootOption,
    VariantOption,
    open_catalog,
    open_settings,
)
from tcab_dagster.cli.output import stdout
from tcab_dagster.records import checked_hours
from tcab_dagster.seeding import render_prompt

app = typer.Typer()


@app.command()
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
    hours = version.max_runtime_hours if max_runtime is None else checked_hours(max_runtime)
    text = render_prompt(version, version.variant(variant), max_runtime_hours=hours)
    stdout.file.write(text)
