"""Starts the runs that `launch_runs` asked for, and takes back those canceled in the queue.

Belongs here: which requests wait for Dagster. Does not: filing them (assets/launch.py).
"""

from collections.abc import Callable, Iterator

import dagster as dg

from assets.partitions import PARTITION_TAG, name_of, runs
from assets.runs import run_job, take_back
from resources import HomeResource
from tcab_dagster.errors import UsageError
from tcab_dagster.home import Home, UnreadableDocument
from tcab_dagster.records import RunRequest

MOST_PER_TICK = 100


def waiting_requests(home: Home, warn: Callable[[str], None]) -> Iterator[RunRequest]:
    """Requests of Dagster's own that no driver has begun and no record ends; one that cannot be
    read keeps no other from being started."""
    for run_id in sorted(set(home.request_ids()) - set(home.recorded_run_ids())):
        if home.run(run_id).path.exists():
            continue
        try:
            request = home.request(run_id)
        except UsageError:  # taken back since it was listed
            continue
        except UnreadableDocument as error:
            warn(str(error))
            continue
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


def latest_status(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus | None:
    """How the newest of Dagster's runs for this partition stands; None where there is none."""
    found = instance.get_runs(dg.RunsFilter(tags={PARTITION_TAG: run_id}), limit=1)
    return found[0].status if found else None


@dg.sensor(
    name="run_requests",
    job=run_job,
    minimum_interval_seconds=5,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Starts a run for each request that `launch_runs` filed.",
)
def run_requests(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult:
    opened, instance = home.open(), context.instance
    starting: list[RunRequest] = []
    for request in waiting_requests(opened, context.log.warning):
        status = latest_status(instance, request.run_id)
        if status is None:
            starting.append(request)
        elif status is dg.DagsterRunStatus.CANCELED:
            context.log.info(f"{request.run_id} was canceled in the queue: taken back")
            take_back(instance, opened, request.run_id)
        if len(starting) == MOST_PER_TICK:
            break
    if not starting:
        return dg.SensorResult(skip_reason="no request waits")
    known = instance.get_dynamic_partitions(name_of(runs))
    missing = sorted({request.run_id for request in starting} - set(known))
    return dg.SensorResult(
        run_requests=[run_request(request) for request in starting],
        dynamic_partitions_requests=[runs.build_add_request(missing)] if missing else [],
    )
