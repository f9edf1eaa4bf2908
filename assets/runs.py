"""The assets of one run: its outcome, and what validation made of it.

Belongs here: names, partitions, checks and colours. Does not: running (execution/) or judging
(validation/). Concept: spec 004; docs/operate.md, "Colours".

The two are apart so that a validation can be repeated without paying for the session again. No edge
leads here from `case_definition`: every run would depend on every version, and each new version
would call them all stale.
"""

from dataclasses import replace

import dagster as dg

from assets.failures import told_in_one_line
from assets.metadata import failure_line, outcome_metadata, validation_metadata
from assets.partitions import retire, runs
from assets.verdicts import builds_and_loads, no_gating_failures, session_ended_well
from resources import EngineResource, HomeResource
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store
from tcab_dagster.execution import execute, validate_run
from tcab_dagster.home import Home, LockHeld, UnreadableDocument
from tcab_dagster.records import Event, RunRecord, State

GROUP = "runs"
SANDBOX_POOL = "sandbox"


@dg.asset(
    partitions_def=runs,
    pool=SANDBOX_POOL,
    group_name=GROUP,
    kinds={"docker"},
    check_specs=[
        dg.AssetCheckSpec(
            "session_ended_well",
            asset="run_outcome",
            description="The harness ended its session by itself, inside its time.",
        )
    ],
)
def run_outcome(
    context: dg.AssetExecutionContext, home: HomeResource, engine: EngineResource
) -> dg.MaterializeResult:
    """One run, from its request to the collected tree.

    Succeeds for every outcome that is the session's own; fails for `infrastructure`.
    """
    run_id, opened, settings = context.partition_key, home.open(), home.settings()

    def note(event: Event) -> None:
        if event.kind == "system":
            context.log.info(" ".join(filter(None, [event.stage, event.text])))
        elif event.kind in {"error", "warning"}:
            context.log.warning(event.text)

    try:
        with told_in_one_line(), engine.runtime(home) as runtime:
            record = execute(opened.request(run_id), opened, runtime, settings, on_event=note)
    except dg.DagsterExecutionInterruptedError:
        take_back(context.instance, opened, run_id)
        raise
    if record.state is State.INFRASTRUCTURE:
        raise failure(record, opened)
    return dg.MaterializeResult(
        metadata=outcome_metadata(record, opened.run(run_id)),
        check_results=[session_ended_well(record)],
    )


@dg.asset(
    partitions_def=runs,
    deps=[run_outcome],
    pool=SANDBOX_POOL,
    group_name=GROUP,
    kinds={"playwright"},
    check_specs=[
        dg.AssetCheckSpec(
            "builds_and_loads",
            asset="validation_media",
            description="The collected tree installs, builds and paints something.",
        ),
        dg.AssetCheckSpec(
            "no_gating_failures",
            asset="validation_media",
            description="No automatic point failed, save those that an erratum excludes.",
        ),
    ],
)
def validation_media(
    context: dg.AssetExecutionContext, home: HomeResource, engine: EngineResource
) -> dg.MaterializeResult:
    """The build, the drives and their pictures, and the run's final state.

    A run without a tree has nothing to validate, which is no failure.
    """
    run_id, opened = context.partition_key, home.open()
    with told_in_one_line(), engine.runtime(home) as runtime:
        before = opened.record(run_id)
        record = validate_run(run_id, opened, runtime, home.settings(), progress=context.log.info)
        case = case_of(opened, record)
    if undecided(before, record):
        raise failure(record, opened)
    return dg.MaterializeResult(
        metadata=validation_metadata(record, case, opened.run(run_id)),
        check_results=[builds_and_loads(record), no_gating_failures(record, case)],
    )


def undecided(before: RunRecord | None, after: RunRecord) -> bool:
    """Whether a validation that was due decided nothing, by no fault of the tree.

    The run stays `collected`, or what an earlier validation made of it, and can be validated again.
    """
    if after.state is State.COLLECTED:
        return True
    return (
        before is not None
        and before.validation is not None
        and after.validation == before.validation
    )


run_job = dg.define_asset_job(
    "run_job",
    selection=[run_outcome, validation_media],
    executor_def=dg.in_process_executor,
    description="One run and its validation. The sensor `run_requests` starts it.",
    tags={"dagster/max_retries": "0"},
)


def case_of(home: Home, record: RunRecord) -> CaseVersion:
    """The definition that a run pins, with the errata known by now.

    Raises UsageError where it is not stored any more.
    """
    store = Store(home)
    errata = store.current(record.case_key)
    pinned = store.load(record.definition_digest)
    return replace(pinned, errata=errata.errata, errata_digest=errata.errata_digest)


def take_back(instance: dg.DagsterInstance, home: Home, run_id: str) -> None:
    """Removes what is left of a run that was killed before its tree was collected: the request
    and the partition. A run that another process drives is left alone."""
    try:
        with home.run_lock(run_id):
            if home.record(run_id) is not None:
                return
            home.remove_run(run_id)
    except (LockHeld, UnreadableDocument):
        return
    retire(instance, runs, [run_id])


def failure(record: RunRecord, home: Home) -> dg.Failure:
    """What the run page shows in red: one line, and where to look."""
    return dg.Failure(
        description=failure_line(record),
        metadata=outcome_metadata(record, home.run(record.run_id)),
        allow_retries=False,
    )
