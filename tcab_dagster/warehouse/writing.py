"""Writing to the warehouse: case versions and runs.

Belongs here: the writes that the ingest and the driver make. Does not: the metrics (metrics.py),
or finding what is missing (sync.py). Each is idempotent and replaces one file whole.
"""

from __future__ import annotations

from collections.abc import Iterable

from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store
from tcab_dagster.home import Home
from tcab_dagster.records import RunRecord
from tcab_dagster.warehouse.files import Stored, WarehouseFolder
from tcab_dagster.warehouse.rows import case_row, content_digest, record_digest, run_row


def write_case(home: Home, case: CaseVersion, *, hidden: bool = False) -> None:
    """The rows of a version as it is now: `cases`, `variants`, `review_points`, `errata`.

    Those of a hidden one are stored, and left out of every table, its runs' too.
    """
    write_cases(home, [(case, hidden)])


def write_cases(home: Home, cases: Iterable[tuple[CaseVersion, bool]]) -> None:
    """As `write_case`, for many versions, each with whether it is hidden, at a fifth of the time
    each."""
    store = Store(home)
    WarehouseFolder.of(home).put(
        "cases",
        (
            Stored(case.key, [case_row(case, hidden=hidden)], _entry_stamp(store, case, hidden))
            for case, hidden in cases
        ),
    )


def remove_case(home: Home, key: str) -> None:
    """Takes the version `slug@version` out of the tables of the catalog. Its runs stay."""
    WarehouseFolder.of(home).empty_out("cases", key)


def write_run(home: Home, record: RunRecord, case: CaseVersion) -> None:
    """Every row of a run, at once: the old ones, if any, give way to the new.

    `case` is the definition that the run pins. Raises WarehouseError for any other, and
    VerdictMismatch where the record's verdicts do not fit it.
    """
    write_runs(home, [(record, case)])


def write_runs(home: Home, runs: Iterable[tuple[RunRecord, CaseVersion]]) -> None:
    """As `write_run`, for many at a fifth of the time each."""
    WarehouseFolder.of(home).put(
        "runs",
        (
            Stored(record.run_id, [run_row(record, case)], _record_stamp(home, record))
            for record, case in runs
        ),
    )


def _entry_stamp(store: Store, case: CaseVersion, hidden: bool) -> int | None:
    stamp, entry = store.stamps().get(case.key), store.entry(case.key)
    of_entry = entry and (entry.digest, entry.errata_digest, entry.hidden)
    return stamp if of_entry == (case.digest, case.errata_digest, hidden) else None


def _record_stamp(home: Home, record: RunRecord) -> int | None:
    path = home.run(record.run_id).record
    try:
        stamp, content = path.stat().st_mtime_ns, path.read_bytes()
    except FileNotFoundError:
        return None
    return stamp if content_digest(content) == record_digest(record) else None
