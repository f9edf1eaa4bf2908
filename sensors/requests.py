"""Starts the runs that `launch_runs` asked for, and takes back those canceled in the queue.

Belongs here: which requests wait for Dagster. Does not: filing them (assets/launch.py).
"""

from collections.abc import Iterable, Iterator

import dagster as dg

from assets.partitions import name_of, runs
from assets.runs import run_job, take_back
from resources import HomeResource
from tcab_dagster.home import Home
from tcab_dagster.records import RunRequest

MOST_PER_TICK = 100


def waiting_requests(home: Home) -> Iterator[RunRequest]:
    """Requests of Dagster's own that no driver has begun and no record ends."""
    for run_id in sorted(set(home.request_ids()) - set(home.recorded_run_ids())):
        if home.run(run_id).path.exists():
            continue
        request = home.request(run_id)
        if request.launched_by == "dagster":
            yield request


def run_request(request: RunRequest) -> dg.RunRequest:
    """`run_key` makes each run start once, however often it is asked for."""
    return dg.RunRequest(
        run_key=request.run_id,
        partition_key=request.run_id,
        tags={
            "tcab/case": request.case_key,
            "tcab/variant": request.variant,
            "tcab/harness": request.harness,
        },
    )


def missing_keys(wanted: Iterable[str], known: Iterable[str]) -> list[str]:
    return sorted(set(wanted) - set(known))


@dg.sensor(
    name="run_requests",
    job=run_job,
    minimum_interval_seconds=5,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Starts a run for each request that `launch_runs` filed.",
)
def run_requests(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult:
    waiting = list(waiting_requests(home.open()))[:MOST_PER_TICK]
    if not waiting:
        return dg.SensorResult(skip_reason="no request waits")
    known = context.instance.get_dynamic_partitions(name_of(runs))
    missing = missing_keys((request.run_id for request in waiting), known)
    return dg.SensorResult(
        run_requests=[run_request(request) for request in waiting],
        dynamic_partitions_requests=[runs.build_add_request(missing)] if missing else [],
    )


@dg.run_status_sensor(
    name="canceled_runs",
    run_status=dg.DagsterRunStatus.CANCELED,
    monitored_jobs=[run_job],
    minimum_interval_seconds=10,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Takes back the request and partition of a run that was canceled in the queue.",
)
def canceled_runs(context: dg.RunStatusSensorContext, home: HomeResource) -> None:
    run_id = context.dagster_run.tags.get("dagster/partition")
    if run_id is not None:
        take_back(context.instance, home.open(), run_id)
