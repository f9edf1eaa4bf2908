"""`tcab query`: SQL over the warehouse's views.

Belongs here: printing rows. Does not: the tables (warehouse/, docs/tables.md).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from tcab_dagster.cli.opened import RootOption, open_home, open_settings
from tcab_dagster.cli.output import Format, FormatOption, print_json, print_rows
from tcab_dagster.errors import UsageError
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
        _require_distinct(columns)
        print_json([dict(zip(columns, map(_plain, row), strict=True)) for row in rows])
    else:
        print_rows(columns, rows)


def _require_distinct(columns: Sequence[str]) -> None:
    """Raises UsageError where one key of an object would have to hold two columns."""
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise UsageError(
            f"the query gives two columns called `{twice[0]}`", help="name them apart with AS"
        )


def _plain(value: object) -> object:
    """A value of DuckDB's as JSON has it: no number there is infinite, no text is bytes."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case bytes():
            return value.hex()
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case _:
            return value
