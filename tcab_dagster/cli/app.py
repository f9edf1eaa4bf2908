"""The command tree: which commands there are, and the words that describe them.

Belongs here: composition. Does not: any command (one module per subject).
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from tcab_dagster.cli import cases, catalog, images, machine, runs, tables

app = typer.Typer(
    name="tcab",
    help="Run a benchmark of coding agents that build web games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"tcab {version('tcab')}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="The version."),
    ] = False,
) -> None:
    """Run a benchmark of coding agents that build web games."""


app.add_typer(catalog.app, name="catalog")
app.add_typer(images.app, name="images")
cases.register(app)
runs.register(app)
tables.register(app)
machine.register(app)
