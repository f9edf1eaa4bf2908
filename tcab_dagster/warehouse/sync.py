"""Bringing the warehouse up to what the store and the run records say.

Belongs here: finding what is missing or old, and writing it. Does not: a row's content (rows.py).

A driver may die between its record and its rows, and a folder may be removed by hand: whatever
happened, one `sync` mends it. Rows are current if their file bears the modification time of the
document that they were made from, taken before that was read; so a sync with nothing to do opens
no file, however many runs there are. Rows of a run whose record is gone are kept: a run is never
lost by tidying up a disk.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial

from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store
from tcab_dagster.errors import TcabError, UsageError
from tcab_dagster.home import Home
from tcab_dagster.warehouse.files import Row, Stored, WarehouseFolder
from tcab_dagster.warehouse.rows import case_row, run_row

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
    folder = WarehouseFolder.of(home)
    entries, rows = store.stamps(), folder.stamps("cases")
    folder.put(
        "cases",
        (
            Stored(key, [row], stamp)
            for key, stamp in sorted(entries.items())
            if rows.get(key) != stamp
            for row in _made(key, partial(_case_row, store, key), report.cases_written, report)
        ),
    )
    for key in sorted(rows.keys() - entries.keys()):
        folder.empty_out("cases", key)
        report.cases_removed.append(key)


def _case_row(store: Store, key: str) -> Row:
    entry = store.entry(key)
    if entry is None:
        raise UsageError(f"{key} was removed from the store meanwhile")
    if entry.hidden:
        case = replace(store.load(entry.digest), errata_digest=entry.errata_digest)
    else:
        case = store.current(key)
    return case_row(case, hidden=entry.hidden)


def _sync_runs(home: Home, store: Store, report: SyncReport) -> bool:
    """Whether any was written, so that its record may have changed meanwhile."""
    folder = WarehouseFolder.of(home)
    rows = folder.stamps("runs")
    load = cache(store.load)
    before = len(report.runs_written)
    folder.put(
        "runs",
        (
            Stored(run_id, [row], stamp)
            for run_id, stamp in _record_stamps(home)
            if rows.get(run_id) != stamp and run_id not in report.problems
            for row in _made(
                run_id, partial(_run_row, home, load, run_id), report.runs_written, report
            )
        ),
    )
    return len(report.runs_written) > before


def _record_stamps(home: Home) -> Iterator[tuple[str, int]]:
    for run_id in home.recorded_run_ids():
        with contextlib.suppress(FileNotFoundError):
            yield run_id, home.run(run_id).record.stat().st_mtime_ns


def _run_row(home: Home, load: Callable[[str], CaseVersion], run_id: str) -> Row:
    record = home.record(run_id)
    if record is None:
        raise UsageError(f"the run {run_id} was removed meanwhile")
    return run_row(record, load(record.definition_digest))


def _made(
    name: str, row: Callable[[], Row], written: list[str], report: SyncReport
) -> Iterator[Row]:
    """The row, noted as written; nothing but the problem, where it cannot be made."""
    try:
        made = row()
    except (TcabError, FileNotFoundError) as error:
        report.problems[name] = str(error)
        return
    yield made
    written.append(name)
