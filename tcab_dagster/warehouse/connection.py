"""Reading the warehouse: a connection with the public tables, and one query.

Belongs here: opening `tcab.duckdb`, and remaking it when the home has moved or the views have
changed. Does not: the views (views.py). Concept: docs/storage.md, "The warehouse".

A DuckDB file locks out every other process while one writes it. So nobody ever does: it holds
views alone, is made beside its place and renamed over the old one, and is opened read-only.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import duckdb

from tcab_dagster.errors import UsageError
from tcab_dagster.home import Home
from tcab_dagster.warehouse.files import WarehouseError, WarehouseFolder
from tcab_dagster.warehouse.views import TABLES, statements

ANSWERED = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN})
"""What changes nothing. DESCRIBE, SUMMARIZE and SHOW are selections to DuckDB."""


class Answer(NamedTuple):
    """What a query gave."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


def connect(home: Home) -> duckdb.DuckDBPyConnection:
    """A read-only connection to the public tables, which hold what lies on disk at each query.

    Works on a home without any run, and after the home was moved. Any other DuckDB client may
    open `warehouse/tcab.duckdb` read-only too.
    """
    folder = WarehouseFolder.of(home)
    wanted = statements(folder)
    try:
        if not _is_current(folder.database, wanted):
            _make(folder.database, wanted)
        return _open(folder.database)
    except duckdb.Error as error:
        raise _unreadable(home, error) from None


def query(home: Home, sql: str) -> Answer:
    """The answer to one query over the public tables.

    Raises UsageError for SQL that DuckDB refuses, WarehouseError where it fails on the data.
    """
    with connect(home) as connection:
        try:
            asked = connection.extract_statements(_text(sql))
            if len(asked) != 1:
                raise UsageError(f"one query is asked at a time, not {len(asked)}")
            if asked[0].type not in ANSWERED:
                raise UsageError(
                    f"{asked[0].type.name} is no query: the warehouse is read here, not changed",
                    help="begin with SELECT, FROM, WITH, DESCRIBE, SUMMARIZE or EXPLAIN",
                )
            result = connection.execute(asked[0])
            columns = tuple(str(column[0]) for column in result.description or ())
            return Answer(columns, result.fetchall())
        except duckdb.Error as error:
            _require_readable(home, connection)
            raise UsageError(
                f"DuckDB refuses the query: {error}",
                help="the tables are " + ", ".join(TABLES) + " (docs/tables.md)",
            ) from None


def _text(sql: str) -> str:
    """Raises UsageError for what a terminal passed on that is no text."""
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise UsageError("the query is not valid UTF-8") from None
    return sql


def _require_readable(home: Home, connection: duckdb.DuckDBPyConnection) -> None:
    """Tells a query at fault from a file at fault. Raises WarehouseError for the latter."""
    try:
        for table in TABLES:
            connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    except duckdb.Error as error:
        raise _unreadable(home, error) from None


def _is_current(database: Path, wanted: list[str]) -> bool:
    if not database.exists():
        return False
    try:
        with _open(database) as connection:
            found = connection.execute("SELECT digest FROM stored.definition").fetchone()
    except duckdb.Error:
        return False
    return found is not None and f"'{found[0]}'" in wanted[-1]


def _make(database: Path, wanted: list[str]) -> None:
    with tempfile.TemporaryDirectory(
        dir=database.parent, prefix=".views.", suffix=".part"
    ) as scratch:
        made = Path(scratch) / database.name
        with duckdb.connect(str(made)) as connection:
            for statement in wanted:
                connection.execute(statement)
        made.replace(database)


def _open(database: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(
        str(database), read_only=True, config={"autoinstall_known_extensions": "false"}
    )


def _unreadable(home: Home, error: duckdb.Error) -> WarehouseError:
    return WarehouseError(
        f"the warehouse at {home.warehouse} cannot be read: {error}",
        help="everything in it is derived: remove the folder and let it be made anew",
    )
