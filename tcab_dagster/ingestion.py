"""From a checkout to the store and the warehouse: the one way in, for `tcab` and for Dagster.

Belongs here: the order of the two writes, and which versions a run still needs. Does not: resolving
and comparing (catalog/) or rows (warehouse/). Concept: spec 000, "A whole-catalog ingest".
"""

from __future__ import annotations

import contextlib

from tcab_dagster.catalog.ingest import IngestReport, ingest
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store
from tcab_dagster.home import Home, UnreadableDocument, case_key_of
from tcab_dagster.records import State
from tcab_dagster.settings import Settings
from tcab_dagster.warehouse import WarehouseError, sync, write_case

LEAVES_NO_TRACE = frozenset({State.CANCELED, State.INFRASTRUCTURE})


def keys_in_use(home: Home) -> frozenset[str]:
    """The `slug@version` keys that a queued, running or recorded run refers to.

    A run that ended as canceled or infrastructure holds nothing; one whose record cannot be read
    may be any, and holds its version.
    """
    used = set()
    for run_id in {*home.request_ids(), *home.recorded_run_ids()}:
        with contextlib.suppress(UnreadableDocument):
            record = home.record(run_id)
            if record is not None and record.state in LEAVES_NO_TRACE:
                continue
        used.add(case_key_of(run_id))
    return frozenset(used)


def ingest_catalog(home: Home, settings: Settings, *, force: bool = False) -> IngestReport:
    """Brings the store and the warehouse up to the checkout, in one pass.

    A version whose definition is broken or frozen keeps its stored one; see the report. Raises
    WarehouseError where a version's rows could not be written; another ingest tries again.
    """
    report = ingest(
        home,
        settings.checkout,
        force=force,
        allow_experimental=settings.allow_experimental,
        in_use=keys_in_use(home),
    )
    unwritten = {k: why for k, why in sync(home).problems.items() if not case_key_of(k)}
    if unwritten:
        told = "; ".join(f"{key}: {why}" for key, why in sorted(unwritten.items()))
        raise WarehouseError(f"the store is up to date, but the warehouse lacks rows: {told}")
    return report


def store_version(home: Home, version: CaseVersion) -> None:
    """Stores one version and its rows: what a single run of it needs."""
    Store(home).put(version)
    write_case(home, version)
