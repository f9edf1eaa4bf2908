"""What a run is asked to be, and what makes asking for it pointless.

Belongs here: making a request, and refusing one before anything is started. Does not: filing it
(home.py) or launching it. Concept: docs/runs.md, "Launching".
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.containers.slots import harness_slots, machine_slots
from tcab_dagster.errors import UsageError
from tcab_dagster.harnesses.protocol import SessionCommand, SessionOrder
from tcab_dagster.harnesses.registry import harness as find_harness
from tcab_dagster.home import new_run_id
from tcab_dagster.records import RunRequest, checked_hours
from tcab_dagster.settings import Settings


def new_request(
    case: CaseVersion,
    variant: Variant,
    harness: str,
    model: str | None,
    max_runtime_hours: float | None,
    launched_by: Literal["dagster", "tcab"],
) -> RunRequest:
    """A request with a run id of its own; without hours of its own it has the case's.

    Raises UsageError for an unknown harness, a missing model, or hours that are no time.
    """
    adapter = find_harness(harness)
    named = adapter.default_model if model is None else model
    if not named:
        raise UsageError(f"the harness `{harness}` needs a model", help="name one with --model")
    hours = case.max_runtime_hours if max_runtime_hours is None else max_runtime_hours
    return RunRequest(
        run_id=new_run_id(case.key),
        slug=case.slug,
        version=case.version,
        variant=variant.slug,
        definition_digest=case.digest,
        harness=harness,
        model=named,
        max_runtime_hours=checked_hours(hours),
        requested_at=datetime.now(UTC),
        launched_by=launched_by,
    )


def check_launch(request: RunRequest, settings: Settings) -> SessionCommand:
    """The session command of a request, as it would be started here and now.

    Raises UsageError for a key, a model or a recording that is missing, and for slots that are no
    number: before anything starts.
    """
    harness_slots(request.harness, settings.environment, machine_slots(settings.environment))
    return find_harness(request.harness).session(
        SessionOrder(
            slug=request.slug,
            model=request.model,
            environment=settings.environment,
            recordings=settings.recordings,
        )
    )
