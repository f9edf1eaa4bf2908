"""`tcab images`: build, list, resolve.

Belongs here: printing. Does not: which image a run gets and why (containers/images.py), or how
one is built (containers/building.py).
"""

from __future__ import annotations

import contextlib
from typing import Annotated

import docker.errors
import typer

from tcab_dagster.cli.opened import RootOption, open_settings
from tcab_dagster.cli.output import Format, FormatOption, live, print_json, print_table, stdout
from tcab_dagster.containers.building import IMAGES, build_images
from tcab_dagster.containers.images import (
    PREFIX,
    VALIDATOR,
    ResolvedImage,
    resolve_image,
    run_image_names,
)
from tcab_dagster.containers.runtimes import open_engine
from tcab_dagster.errors import UsageError

app = typer.Typer(help="The run images and the validator's.", no_args_is_help=True)

WHY = {
    "override": "{source} names it, verbatim",
    "registry": "{{registry}}/{{name}}:{{tag}}, the registry by {source}",
    "local": "{source} is empty: a local image",
}


@app.command()
def build(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Without the prefix too. Default: all."),
    ] = None,
    force: Annotated[bool, typer.Option(help="Also those that are up to date.")] = False,
    root: RootOption = None,
) -> None:
    """Build images from containers/, those that are missing or out of date."""
    settings = open_settings(root)
    wanted = [_full_name(name, IMAGES) for name in names or IMAGES]
    api = open_engine(settings.environment)
    with live() as progress:
        built = build_images(api, wanted, settings.environment, progress.now, force=force)
    for image in built:
        stdout.print(f"built {image}")
    if not built:
        stdout.print("up to date: " + ", ".join(wanted))


@app.command("list")
def list_images(root: RootOption = None, format: FormatOption = Format.TEXT) -> None:
    """List every image with where it would come from and whether the engine has it."""
    settings = open_settings(root)
    api = open_engine(settings.environment)
    rows = []
    for name in (*run_image_names(), VALIDATOR):
        shown = None
        resolved = resolve_image(name, settings.environment)
        with contextlib.suppress(docker.errors.NotFound):
            shown = api.inspect_image(resolved.reference)
        rows.append(
            {
                "name": name,
                "reference": resolved.reference,
                "present": shown is not None,
                "bytes": shown["Size"] if shown else None,
                "id": shown["Id"] if shown else None,
            }
        )
    if format is Format.JSON:
        print_json(rows)
        return
    print_table(
        ("image", "reference", "in the engine"),
        [(r["name"], r["reference"], _size(r["bytes"])) for r in rows],
    )


@app.command()
def resolve(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Default: all.")
    ] = None,
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Say which image a name stands for here, and which rule decided."""
    settings = open_settings(root)
    known = (*run_image_names(), VALIDATOR)
    wanted = [_full_name(name, known) for name in names or known]
    found = {name: resolve_image(name, settings.environment) for name in wanted}
    if format is Format.JSON:
        print_json(
            [
                {"name": n, "reference": r.reference, "rule": r.rule, "source": r.source}
                for n, r in found.items()
            ]
        )
    else:
        print_table(
            ("image", "reference", "because"),
            [(name, r.reference, _why(r)) for name, r in found.items()],
        )


def _size(size: object) -> str:
    return f"{size / 1e6:,.0f} MB" if isinstance(size, int) else "no"


def _why(resolved: ResolvedImage) -> str:
    return WHY[resolved.rule].format(source=resolved.source)


def _full_name(name: str, known: list[str] | tuple[str, ...]) -> str:
    full = name if name.startswith(PREFIX) else PREFIX + name
    base = full.removesuffix("-gg")
    if full not in known and base not in known:
        raise UsageError(
            f"there is no image `{name}`",
            help="the images are " + ", ".join(n.removeprefix(PREFIX) for n in known),
        )
    return full
