"""Bringing the warehouse up to what the store and the run records say.

Belongs here: finding what is missing or old, and writing it. Does not: a row's content (rows.py).

A driver may die between its record and its rows, and a folder may be removed by hand: whatever
happened, one `sync` mends it. Rows are compared by digest, so that nothing is written twice. Rows
of a run whose record is gone are kept: a run is never lost by tidying up a disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial

from pydantic import ValidationError

from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store, StoreEntry
from tcab_dagster.errors import TcabError
from tcab_dagster.home import Home
from tcab_dagster.records import RunRecord
from tcab_dagster.warehouse.connection import connect
from tcab_dagster.warehouse.files import Row, WarehouseFolder
from tcab_dagster.warehouse.rows import case_row, run_row
from tcab_dagster.warehouse.writing import remove_case

_ROUNDS = 3
"""A record may be replaced while its rows are written: then once more."""


@dataclass(slots=True)
class SyncReport:
    """What one `sync` did; `problems` maps what could not be written to why."""

    cases_written: list[str] = field(default_factory=list)
    cases_removed: list[str] = field(default_factory=list)
    runs_written: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)


def sync(home: Home) -> SyncReport:
    """Writes the rows that versions and runs lack or have older ones of, and removes those of
    versions that the store no longer has. What cannot be written is reported, and stops nothing.
    """
    report = SyncReport()
    store = Store(home)
    _sync_cases(home, store, report)
    for _ in range(_ROUNDS):
        if not _sync_runs(home, store, report):
            break
    WarehouseFolder.of(home).sweep()
    return report


def _sync_cases(home: Home, store: Store, report: SyncReport) -> None:
    with connect(home) as connection:
        rows = {
            key: (digest, errata_digest, hidden)
            for key, digest, errata_digest, hidden in connection.execute(
                "SELECT slug || '@' || version, definition_digest, errata_digest, hidden "
                "FROM stored.cases"
            ).fetchall()
        }
    entries = {entry.key: entry for entry in store.entries()}
    WarehouseFolder.of(home).put(
        "cases",
        (
            (key, [row])
            for key, entry in entries.items()
            if rows.get(key) != (entry.digest, entry.errata_digest, entry.hidden)
            for row in _written(key, partial(_case_row, store, entry), report.cases_written, report)
        ),
    )
    for key in sorted(rows.keys() - entries.keys()):
        remove_case(home, key)
        report.cases_removed.append(key)


def _case_row(store: Store, entry: StoreEntry) -> Row:
    if entry.hidden:
        case = replace(store.load(entry.digest), errata_digest=entry.errata_digest)
    else:
        case = store.current(entry.key)
    return case_row(case, hidden=entry.hidden)


def _sync_runs(home: Home, store: Store, report: SyncReport) -> bool:
    """Whether any was written, so that its record may have changed meanwhile."""
    with connect(home) as connection:
        rows = dict(connection.execute("SELECT run_id, record_digest FROM stored.runs").fetchall())
    load = cache(store.load)
    before = len(report.runs_written)
    WarehouseFolder.of(home).put(
        "runs",
        (
            (run_id, [row])
            for run_id in home.recorded_run_ids()
            if run_id not in report.problems and _is_old(home, run_id, rows.get(run_id))
            for row in _written(
                run_id, partial(_run_row, home, load, run_id), report.runs_written, report
            )
        ),
    )
    return len(report.runs_written) > before


def _is_old(home: Home, run_id: str, row_digest: str | None) -> bool:
    try:
        return _digest(home.run(run_id).record.read_bytes()) != row_digest
    except FileNotFoundError:
        return False


def _run_row(home: Home, load: Callable[[str], CaseVersion], run_id: str) -> Row:
    content = home.run(run_id).record.read_bytes()
    record = RunRecord.model_validate_json(content)
    # Of the bytes as they are: an older release may have written them otherwise than this one.
    return {**run_row(record, load(record.definition_digest)), "record_digest": _digest(content)}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _written(
    name: str, row: Callable[[], Row], written: list[str], report: SyncReport
) -> Iterator[Row]:
    """The row, noted as written; nothing but the problem, where it cannot be made."""
    try:
        made = row()
    except (TcabError, ValidationError, FileNotFoundError) as error:
        report.problems[name] = str(error)
        return
    yield made
    written.append(name)
