"""The command tree: which commands there are, and where each one lies.

Belongs here: composition. Does not: any command (one module per subject). A module is imported
when one of its commands is asked for: `tcab prompt` waits for no database and no container engine.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

GROUPS = ("catalog", "images")
COMMANDS = {
    "seed": "seed",
    "prompt": "prompt",
    "run": "runs",
    "validate": "runs",
    "capture-baselines": "baselines",
    "query": "tables",
    "harnesses": "machine",
    "doctor": "machine",
    "reap": "runs",
}


class _Commands(TyperGroup):
    """Finds a command in its module."""

    def list_commands(self, _context: Any) -> list[str]:
        return [*GROUPS, *COMMANDS]

    def get_command(self, _context: Any, name: str) -> Any:
        if name not in (*GROUPS, *COMMANDS):
            return None
        module = import_module(f"tcab_dagster.cli.{COMMANDS.get(name, name)}")
        group = typer.main.get_group(module.app)
        if name in GROUPS:
            group.name = name
            return group
        return group.commands[name]


app = typer.Typer(
    name="tcab",
    cls=_Commands,
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
