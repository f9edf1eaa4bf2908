"""Asks for the metrics of the versions whose runs or errata changed.

Belongs here: which to ask for now. Does not: finding out which are stale (warehouse/).
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import dagster as dg

from assets.metrics import metrics_job
from assets.partitions import PARTITION_TAG, case_versions, in_flight, name_of
from resources import HomeResource
from tcab_dagster.errors import TcabError
from tcab_dagster.warehouse import stale_metrics as stale_versions

MOST_PER_TICK = 20
REST = timedelta(hours=1)
"""How long a version whose metrics failed is left alone."""


def askable(stale: Iterable[str], known: Iterable[str], asked: Iterable[str]) -> list[str]:
    """The stale versions that are in the catalog and not being worked on, in order."""
    return sorted((set(stale) & set(known)) - set(asked))[:MOST_PER_TICK]


@dg.sensor(
    name="stale_metrics",
    job=metrics_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Derives metrics anew where runs or errata changed.",
)
def stale_metrics(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult:
    try:
        stale = stale_versions(home.open())
    except TcabError as error:
        return dg.SensorResult(skip_reason=error.message)
    known = context.instance.get_dynamic_partitions(name_of(case_versions))
    asked = in_flight(context.instance, metrics_job.name) | failed_lately(context.instance)
    keys = askable(stale, known, asked)
    if not keys:
        return dg.SensorResult(skip_reason="the metrics of every version are up to date")
    return dg.SensorResult(run_requests=[dg.RunRequest(partition_key=key) for key in keys])


def failed_lately(instance: dg.DagsterInstance) -> frozenset[str]:
    """The versions whose metrics could not be derived within the last hour."""
    failed = instance.get_runs(
        dg.RunsFilter(
            job_name=metrics_job.name,
            statuses=[dg.DagsterRunStatus.FAILURE],
            created_after=datetime.now(UTC) - REST,
        )
    )
    return frozenset(run.tags[PARTITION_TAG] for run in failed if PARTITION_TAG in run.tags)
