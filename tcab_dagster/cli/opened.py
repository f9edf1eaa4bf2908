"""What the commands work on: the settings, the home and the catalog, opened when asked for.

Belongs here: the options that every command shares, and opening what they name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tcab_dagster.catalog import Catalog, load_catalog
from tcab_dagster.home import Home
from tcab_dagster.settings import Settings

RootOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="The catalog's checkout. Default: TCAB_CHECKOUT, or the current folder's.",
        show_default=False,
    ),
]
CaseArgument = Annotated[
    str, typer.Argument(metavar="SLUG[@VERSION]", help="Without a version, the newest.")
]
VariantOption = Annotated[
    str | None, typer.Option("--variant", help="Default: the case's first.", show_default=False)
]


def open_settings(root: Path | None) -> Settings:
    return Settings.load(root=root)


def open_home(settings: Settings) -> Home:
    return Home.open(settings.home)


def open_catalog(settings: Settings) -> Catalog:
    return load_catalog(settings.checkout, allow_experimental=settings.allow_experimental)
