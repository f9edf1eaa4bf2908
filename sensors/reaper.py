"""Clears up after drivers that died, and after partitions that nothing stands behind.

Belongs here: when, and telling Dagster. Does not: what counts as dead (execution/).
"""

from collections.abc import Collection, Iterable

import dagster as dg

from assets.partitions import PARTITION_TAG, name_of, runs
from resources import EngineResource, HomeResource
from tcab_dagster.errors import TcabError
from tcab_dagster.execution import reap
from tcab_dagster.home import Home

UNFINISHED = [
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


@dg.sensor(
    name="reaper",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Removes what a dead driver left, and records its run as infrastructure.",
)
def reaper(
    context: dg.SensorEvaluationContext, home: HomeResource, engine: EngineResource
) -> dg.SensorResult:
    opened = home.open()
    known = context.instance.get_dynamic_partitions(name_of(runs))
    try:
        with engine.runtime(home) as runtime:
            reaped = reap(opened, runtime)
    except TcabError as error:
        return dg.SensorResult(skip_reason=error.message)
    told = [f"{one.what}: {one.run_id}: {one.detail}" for one in reaped]
    for line in told:
        context.log.warning(line)
    fail_lost_runs(context.instance, {one.run_id for one in reaped if one.what == "recorded"})
    orphans = orphaned_keys(known, opened)
    return dg.SensorResult(
        skip_reason="; ".join(told[:10]) or "nothing was left behind",
        dynamic_partitions_requests=[runs.build_delete_request(orphans)] if orphans else [],
    )


def orphaned_keys(known: Iterable[str], home: Home) -> list[str]:
    """Partitions of runs that have neither a request nor a record any more.

    `known` is read before the home is, so that a run that is being launched is none of them.
    """
    return sorted(set(known) - set(home.request_ids()) - set(home.recorded_run_ids()))


def fail_lost_runs(instance: dg.DagsterInstance, lost: Collection[str]) -> None:
    """Ends Dagster's runs whose driver died together with the code server that watched it."""
    if not lost:
        return
    for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)):
        if run.tags.get(PARTITION_TAG) in lost:
            instance.report_run_failed(run, "the driver was lost; the reaper recorded its run")
