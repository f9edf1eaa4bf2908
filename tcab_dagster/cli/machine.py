"""`tcab harnesses` and `tcab doctor`: what there is to run with, and what is missing.

Belongs here: looking at the machine, and printing. Does not: mending it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import docker.errors
import typer
from rich.markup import escape

from tcab_dagster.cli.opened import RootOption, open_home, open_settings
from tcab_dagster.cli.output import Format, FormatOption, print_json, print_table, stdout
from tcab_dagster.containers.images import PREFIX, VALIDATOR, resolve_image, run_image_name
from tcab_dagster.containers.runtimes import open_engine
from tcab_dagster.errors import EnvironmentMissing, TcabError
from tcab_dagster.harnesses.registry import HARNESSES
from tcab_dagster.settings import Settings

FREE_BYTES = 10 * 2**30


app = typer.Typer()


@app.command()
def harnesses(format: FormatOption = Format.TEXT) -> None:
    """List the harnesses and the release of each that was seen to work."""
    rows = [
        {
            "slug": harness.slug,
            "name": harness.name,
            "default_model": harness.default_model,
            "seen": harness.seen_version,
        }
        for harness in HARNESSES.values()
    ]
    if format is Format.JSON:
        print_json(rows)
    else:
        print_table(
            ("harness", "name", "default model", "seen to work"),
            [(r["slug"], r["name"], r["default_model"], r["seen"] or "not seen") for r in rows],
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a run needs: whether it is there, and what to do where it is not."""

    subject: str
    ok: bool
    found: str
    help: str | None = None


@app.command()
def doctor(
    engine: Annotated[bool, typer.Option("--engine", help="Look for the engine alone.")] = False,
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Say what this machine has and lacks. Ends 3 where a run could not start."""
    settings = open_settings(root)
    findings = list(_engine(settings)) if engine else list(_all(settings))
    if format is Format.JSON:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            mark = "[green]ok[/]     " if finding.ok else "[red]missing[/]"
            stdout.print(f"{mark} {finding.subject}: {escape(finding.found)}")
            if finding.help and not finding.ok:
                stdout.print(f"           = help: {escape(finding.help)}")
    raise typer.Exit(0 if all(f.ok for f in findings) else EnvironmentMissing.exit_status)


def _all(settings: Settings) -> Iterator[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", True, python)
    git = shutil.which("git")
    yield Finding("git", git is not None, git or "not on PATH", "sudo apt-get install git")
    yield from _engine(settings)
    yield from _images(settings)
    yield _home(settings)


def _engine(settings: Settings) -> Iterator[Finding]:
    try:
        api = open_engine(settings.environment)
    except TcabError as error:
        yield Finding("container engine", False, error.message, error.help)
        return
    where = settings.environment.get("DOCKER_HOST") or "a well-known socket"
    yield Finding("container engine", True, f"version {api.version()['Version']} at {where}")


def _home(settings: Settings) -> Finding:
    try:
        home = open_home(settings)
    except TcabError as error:
        return Finding("home", False, error.message, error.help)
    free = shutil.disk_usage(home.path).free
    return Finding(
        "home",
        free >= FREE_BYTES,
        f"{free / 2**30:.0f} GiB free at {home.path}",
        f"a run wants {FREE_BYTES // 2**30} GiB; make room, or move TCAB_HOME",
    )


def _images(settings: Settings) -> Iterator[Finding]:
    try:
        api = open_engine(settings.environment)
    except TcabError:
        return
    for name in (run_image_name("end-to-end"), VALIDATOR):
        resolved = resolve_image(name, settings.environment)
        try:
            api.inspect_image(resolved.reference)
            found = resolved.reference
        except docker.errors.NotFound:
            found = f"{resolved.reference} is not in the engine"
        present = found == resolved.reference
        if not present and resolved.rule != "local":
            found += "; it is pulled when a run needs it"
        yield Finding(
            "image",
            present or resolved.rule != "local",
            found,
            f"tcab images build {name.removeprefix(PREFIX)}",
        )
