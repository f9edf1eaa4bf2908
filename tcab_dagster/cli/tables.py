"""`tcab query`: SQL over the warehouse's views.

Belongs here: printing rows. Does not: the tables (warehouse/, docs/tables.md).
"""

from __future__ import annotations

from typing import Annotated

import typer

from tcab_dagster.cli.opened import RootOption, open_home, open_settings
from tcab_dagster.cli.output import Format, FormatOption, print_json, print_table
from tcab_dagster.warehouse import query as run_query

app = typer.Typer()


@app.command()
def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="For instance: FROM runs")],
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Ask the warehouse. The tables are described in docs/tables.md."""
    columns, rows = run_query(open_home(open_settings(root)), sql)
    if format is Format.JSON:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(columns, rows)
