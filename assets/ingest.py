"""The job `ingest_catalog`: the checkout into the store, the warehouse and the partitions.

Belongs here: what Dagster must hear of an ingest. Does not: the ingest itself
(tcab_dagster/ingestion.py). One run whatever the catalog's size: it reports what changed, key by
key, and leaves the rest alone. Concept: docs/operate.md, "The catalog".
"""

from collections.abc import Mapping
from dataclasses import dataclass

import dagster as dg
from pydantic import Field

from assets import markdown as md
from assets.failures import told_in_one_line
from assets.markdown import Metadata
from assets.metadata import case_metadata, data_version
from assets.partitions import case_versions, in_flight, name_of, register, retire
from resources import HomeResource
from resources.checkout import Checkout
from tcab_dagster.catalog import render_diagnostics
from tcab_dagster.catalog.ingest import IngestReport
from tcab_dagster.catalog.store import Store
from tcab_dagster.ingestion import ingest_catalog

DATA_VERSION_TAG = "dagster/data_version"
MOST_NAMED = 100
CASE_DEFINITION = dg.AssetKey("case_definition")


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """What Dagster does not know yet of the stored catalog, as `slug@version` keys."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def partition_change(
    known: frozenset[str], reported: Mapping[str, str], stored: Mapping[str, str]
) -> PartitionChange:
    """Compares the registered keys and the data versions last reported with the stored ones.

    So what `tcab catalog ingest` stored meanwhile, or what an earlier run left unreported when it
    was killed, is reported by the next run.
    """
    return PartitionChange(
        added=tuple(sorted(stored.keys() - known)),
        changed=tuple(
            sorted(key for key in stored.keys() & known if reported.get(key) != stored[key])
        ),
        removed=tuple(sorted(known - stored.keys())),
    )


class Ingest(dg.Config):
    """How to ingest."""

    force: bool = Field(
        default=False, description="Resolve every version anew, whatever its digests say."
    )
    fast_forward: bool = Field(
        default=False,
        description="First fast-forward the checkout from its upstream. Nothing else moves it.",
    )


@dg.op(name="ingest", description="Resolves what changed and reports it, version by version.")
def ingest_op(context: dg.OpExecutionContext, config: Ingest, home: HomeResource) -> None:
    with told_in_one_line():
        settings = home.settings()
        checkout = Checkout(settings.checkout)
        if config.fast_forward:
            context.log.info(f"fast-forwarded to {checkout.fast_forward()}")
        opened = home.open()
        report = ingest_catalog(opened, settings, force=config.force)
        change = report_change(context, Store(opened))
    context.add_output_metadata(ingest_metadata(report, change))
    if errors := [d for d in report.diagnostics if d.severity == "error"]:
        raise dg.Failure(
            description=(
                f"{len(errors)} errors in the catalog; the versions that have any keep what was "
                "stored of them before"
            ),
            metadata=ingest_metadata(report, change),
            allow_retries=False,
        )


@dg.job(
    name="ingest_catalog",
    executor_def=dg.in_process_executor,
    description="Brings store, warehouse and partitions up to the checkout, incrementally.",
)
def ingest_catalog_job() -> None:
    ingest_op()


def report_change(
    context: dg.OpExecutionContext | dg.AssetExecutionContext,
    store: Store,
    *,
    but: frozenset[str] = frozenset(),
) -> PartitionChange:
    """Brings the partitions up to the store and logs a materialization for each key that
    changed, save those of `but`. Measured: 11 ms a key, most of it Dagster's own database."""
    instance = context.instance
    stored = stored_versions(store)
    known = frozenset(instance.get_dynamic_partitions(name_of(case_versions)))
    change = partition_change(known, reported_versions(instance), stored)
    register(instance, case_versions, change.added)
    for key in (*change.added, *change.changed):
        if key not in but:
            context.log_event(case_materialization(store, key))
    kept = in_flight(instance) | store.unreadable()
    retire(instance, case_versions, set(change.removed) - kept)
    return change


def case_materialization(store: Store, key: str) -> dg.AssetMaterialization:
    case = store.current(key)
    return dg.AssetMaterialization(
        CASE_DEFINITION,
        partition=key,
        metadata=case_metadata(case),
        tags={DATA_VERSION_TAG: data_version(case.digest, case.errata_digest).value},
    )


def reported_versions(instance: dg.DagsterInstance) -> dict[str, str]:
    """The data version that each key was last reported with."""
    tags = instance.event_log_storage.get_latest_tags_by_partition(
        CASE_DEFINITION, dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION_TAG]
    )
    return {key: of_key[DATA_VERSION_TAG] for key, of_key in tags.items()}


def stored_versions(store: Store) -> dict[str, str]:
    """The data version of each stored key that is shown."""
    return {
        entry.key: data_version(entry.digest, entry.errata_digest).value
        for entry in store.entries()
        if not entry.hidden
    }


def ingest_metadata(report: IngestReport, change: PartitionChange) -> Metadata:
    """What changed, by key, and the diagnostics as `tcab catalog check` prints them."""
    shown: Metadata = {
        "commit": report.commit or "not in git",
        "dirty": report.dirty,
        "added": len(change.added),
        "changed": len(change.changed),
        "removed": len(change.removed),
    }
    named = {
        "added": change.added,
        "changed": change.changed,
        "removed": change.removed,
        "refused": sorted(report.refused),
        "kept for its runs": sorted(report.spared),
    }
    rows = [[word, md.text(key)] for word, keys in named.items() for key in keys[:MOST_NAMED]]
    if rows:
        shown["versions"] = dg.MetadataValue.md(md.table(["", "version"], rows))
    if report.diagnostics:
        text = render_diagnostics(report.diagnostics, color=False)
        shown["diagnostics"] = dg.MetadataValue.md(md.code(text, lines=200))
    return shown
