"""The assets of a case version: its definition, its visual targets and its baselines.

Belongs here: names, partitions and checks. Does not: resolving, rendering or capturing (catalog/,
validation/). Concept: spec 000, "Manifests"; docs/operate.md, "The catalog".
"""

from collections.abc import Mapping

import dagster as dg

from assets import markdown as md
from assets.failures import told_in_one_line
from assets.ingest import report_change
from assets.markdown import Metadata
from assets.metadata import case_metadata, data_version, folder_metadata
from assets.partitions import case_versions
from resources import EngineResource, HomeResource
from tcab_dagster.catalog.store import Store
from tcab_dagster.execution.references import ensure_references
from tcab_dagster.ingestion import ingest_catalog
from tcab_dagster.validation import baseline_state
from tcab_dagster.validation.baselines import BaselineState

GROUP = "catalog"
SANDBOX_POOL = "sandbox"


@dg.asset(partitions_def=case_versions, group_name=GROUP, kinds={"git"})
def case_definition(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """A version of the catalog as the checkout defines it.

    The job `ingest_catalog` reports it for every version that changed; materializing one here
    ingests as that job does.
    """
    key, opened = context.partition_key, home.open()
    with told_in_one_line():
        ingest_catalog(opened, home.settings())
        store = Store(opened)
        report_change(context, store, but=frozenset({key}))
        case = store.current(key)
    return dg.MaterializeResult(
        metadata=case_metadata(case),
        data_version=data_version(case.digest, case.errata_digest),
    )


@dg.asset(
    partitions_def=case_versions,
    deps=[case_definition],
    pool=SANDBOX_POOL,
    group_name=GROUP,
    kinds={"playwright"},
)
def reference_screenshots(
    context: dg.AssetExecutionContext, home: HomeResource, engine: EngineResource
) -> dg.MaterializeResult:
    """The mockups of a version as the screenshots that every run of it is seeded with.

    A run renders those that are missing; nobody has to ask for them here first.
    """
    opened = home.open()
    store = Store(opened)
    with told_in_one_line(), engine.runtime(home) as runtime:
        case = store.current(context.partition_key)
        for variant in case.variants:
            ensure_references(
                case,
                variant,
                opened,
                runtime,
                environment=home.settings().environment,
                progress=context.log.info,
            )
    folder = store.references(case.digest)
    return dg.MaterializeResult(
        metadata=folder_metadata(folder, sorted(folder.glob("*/*.png"))),
        data_version=dg.DataVersion(case.digest[:16]),
    )


@dg.asset(
    partitions_def=case_versions,
    deps=[case_definition],
    group_name=GROUP,
    kinds={"git"},
    check_specs=[
        dg.AssetCheckSpec(
            "baselines_present",
            asset="validation_baselines",
            description="Each variant has a committed baseline of the definition as it is now.",
        )
    ],
)
def validation_baselines(
    context: dg.AssetExecutionContext, home: HomeResource
) -> dg.MaterializeResult:
    """What the reference implementation shows, beside which a run is looked at.

    The committed ones are the truth, and an ingest copies them into the store: this looks at the
    copy. `tcab capture-baselines` makes them.
    """
    store = Store(home.open())
    with told_in_one_line():
        case = store.current(context.partition_key)
        states = {
            variant.slug: baseline_state(case, variant, store.baselines(case.key, variant.slug))
            for variant in case.variants
        }
        folders = [store.baselines(case.key, variant.slug) for variant in case.variants]
    pictures = [picture for folder in folders for picture in sorted(folder.glob("*.png"))]
    return dg.MaterializeResult(
        metadata=folder_metadata(folders[0].parent, pictures),
        check_results=[baselines_present(states)],
    )


def baselines_present(states: Mapping[str, BaselineState]) -> dg.AssetCheckResult:
    """A warning, not an error: a run is judged without baselines too, only not looked at."""
    rows = [
        [md.text(variant), word, md.text(name)]
        for variant, state in states.items()
        for word, names in (
            ("missing", state.missing),
            ("stale", state.stale),
            ("of no point any more", state.orphaned),
        )
        for name in names
    ]
    evidence: Metadata = {"variants": len(states), "faults": len(rows)}
    if rows:
        evidence["found"] = dg.MetadataValue.md(md.table(["variant", "", "what"], rows))
        evidence["mend"] = "`tcab capture-baselines --all-variants`, then commit and ingest"
    return dg.AssetCheckResult(
        check_name="baselines_present",
        passed=not rows,
        severity=dg.AssetCheckSeverity.WARN,
        metadata=evidence,
        description="every baseline is current" if not rows else f"{len(rows)} faults",
    )
