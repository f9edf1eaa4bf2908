"""The nightly re-ingest.

Belongs here: when. Does not: what an ingest is. With `TCAB_CHECKOUT_PULL=1` it first fast-forwards
the checkout; nothing else ever moves a user's checkout.
"""

import dagster as dg

from assets.ingest import ingest_catalog_job
from resources import HomeResource


@dg.schedule(
    name="nightly_ingest",
    job=ingest_catalog_job,
    cron_schedule="17 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Re-ingests the catalog every night, at 03:17 UTC.",
)
def nightly_ingest(context: dg.ScheduleEvaluationContext, home: HomeResource) -> dg.RunRequest:
    pull = home.settings().pull_checkout
    return dg.RunRequest(run_config={"ops": {"ingest": {"config": {"fast_forward": pull}}}})
