"""The code location: every asset, check, job, sensor, schedule and resource, put together.

Belongs here: composition, and the overrides that tests and deployments use. Does not: any
implementation. Concept: Dagster, "Definitions".
"""

from collections.abc import Mapping, Sequence

import dagster as dg

from assets import ALL_ASSETS, ingest_catalog_job, metrics_job, run_job
from assets.launch import known_cases, launch_job
from resources import default_resources
from sensors import ALL_SCHEDULES, ALL_SENSORS


def build_definitions(
    resources: Mapping[str, object] | None = None, cases: Sequence[str] | None = None
) -> dg.Definitions:
    """The code location with any resource replaced, such as a temporary home.

    `cases` are the choices of the job `launch_runs`; by default those of the environment's home.
    The executor runs a job's steps in the run's own process, so that terminating the run reaches
    the driver; runs, not steps, are what goes on side by side.
    """
    return dg.Definitions(
        assets=ALL_ASSETS,
        jobs=[
            ingest_catalog_job,
            launch_job(known_cases() if cases is None else cases),
            metrics_job,
            run_job,
        ],
        sensors=ALL_SENSORS,
        schedules=ALL_SCHEDULES,
        resources={**default_resources(), **(resources or {})},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
