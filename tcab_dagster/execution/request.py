"""What a run is asked to be, and what makes asking for it pointless.

Belongs here: making a request, and refusing one before anything is started. Does not: filing it
(home.py) or launching it. Concept: docs/runs.md, "Launching".
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Literal

from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.errors import UsageError
from tcab_dagster.harnesses.protocol import SessionCommand, SessionOrder
from tcab_dagster.harnesses.registry import harness as find_harness
from tcab_dagster.home import new_run_id
from tcab_dagster.records import RunRequest
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
    named = model or adapter.default_model
    if named is None:
        raise UsageError(f"the harness `{harness}` needs a model", help="name one with --model")
    hours = case.max_runtime_hours if max_runtime_hours is None else max_runtime_hours
    if not (math.isfinite(hours) and hours > 0):
        raise UsageError(f"a maximum runtime of {hours:g} hours is no time for a session")
    return RunRequest(
        run_id=new_run_id(case.key),
        slug=case.slug,
        version=case.version,
        variant=variant.slug,
        definition_digest=case.digest,
        harness=harness,
        model=named,
        max_runtime_hours=hours,
        requested_at=datetime.now(UTC),
        launched_by=launched_by,
    )


def check_launch(request: RunRequest, settings: Settings) -> SessionCommand:
    """The session command of a request, as it would be started here and now.

    Raises UsageError for a key, a model or a recording that is missing: before anything starts.
    """
    return find_harness(request.harness).session(
        SessionOrder(
            slug=request.slug,
            model=request.model,
            environment=settings.environment,
            recordings=settings.recordings,
        )
    )
