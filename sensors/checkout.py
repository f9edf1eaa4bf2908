"""Ingests when the catalog's checkout is at a new commit.

Belongs here: comparing the commit with the last one seen. Does not: reading git
(resources/checkout.py) or ingesting (assets/ingest.py). A dirty tree is someone's work in progress:
it does not fire.
"""

import dagster as dg

from assets.ingest import ingest_catalog_job
from resources import HomeResource
from resources.checkout import Checkout, changed_versions
from tcab_dagster.errors import TcabError

NAMED = 20


def change_line(versions: tuple[str, ...]) -> str:
    """What changed, short enough for a tag."""
    named = ", ".join(versions[:NAMED])
    more = len(versions) - NAMED
    return named if more <= 0 else f"{named} and {more} more"


@dg.sensor(
    name="catalog_checkout",
    job=ingest_catalog_job,
    minimum_interval_seconds=10,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Re-ingests the catalog on every new commit of its checkout.",
)
def catalog_checkout(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult:
    try:
        checkout = Checkout(home.settings().checkout)
        head = checkout.head()
    except TcabError as error:
        return dg.SensorResult(skip_reason=error.message)
    seen = context.cursor
    if head == seen:
        return dg.SensorResult(skip_reason=f"still at {head[:12]}")
    paths = checkout.changed_paths(seen, head) if seen else None
    if paths == ():
        return dg.SensorResult(
            skip_reason=f"{head[:12]} touches no test case and no game jam", cursor=head
        )
    changed = "everything" if paths is None else change_line(changed_versions(paths))
    return dg.SensorResult(
        run_requests=[dg.RunRequest(tags={"tcab/commit": head, "tcab/changed": changed})],
        cursor=head,
    )
