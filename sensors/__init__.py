"""What starts work by itself: the sensors and the schedule.

Belongs here: when something is due. Does not: doing it. Reading is apart from working out what
changed, which is a pure function over two snapshots. Concept: Dagster, "Sensors", "Schedules".
"""

from sensors.checkout import catalog_checkout
from sensors.metrics import stale_metrics
from sensors.reaper import reaper
from sensors.recorded import recorded_runs
from sensors.requests import run_requests
from sensors.schedules import nightly_ingest

ALL_SENSORS = [
    catalog_checkout,
    reaper,
    recorded_runs,
    run_requests,
    stale_metrics,
]
ALL_SCHEDULES = [nightly_ingest]

__all__ = ["ALL_SCHEDULES", "ALL_SENSORS"]
