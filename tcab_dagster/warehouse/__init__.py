"""The warehouse: everything queryable, as Parquet files and DuckDB views over them.

Belongs here: what is written to it and read from it. Does not: the truth, which is the catalog's
store and the run records; all of this can be made again from those (`sync`).
Concept: docs/storage.md, "The warehouse"; docs/tables.md.
"""

from tcab_dagster.warehouse.connection import Answer, connect, query
from tcab_dagster.warehouse.files import WarehouseError
from tcab_dagster.warehouse.metrics import GroupMetrics, compute_metrics, stale_metrics
from tcab_dagster.warehouse.sync import SyncReport, sync
from tcab_dagster.warehouse.writing import (
    remove_case,
    write_case,
    write_cases,
    write_run,
    write_runs,
)

__all__ = [
    "Answer",
    "GroupMetrics",
    "SyncReport",
    "WarehouseError",
    "compute_metrics",
    "connect",
    "query",
    "remove_case",
    "stale_metrics",
    "sync",
    "write_case",
    "write_cases",
    "write_run",
    "write_runs",
]
