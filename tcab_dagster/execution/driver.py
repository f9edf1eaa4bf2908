"""One run, from its request to its record, or to nothing.

Belongs here: what a run must hold while it runs, and what is taken back when it is interrupted.
Does not: the run's stages (attempt.py). Concept: spec 004; docs/runs.md.
"""

from __future__ import annotations

import threading

from tcab_dagster.containers.protocol import Runtime
from tcab_dagster.containers.slots import slot
from tcab_dagster.errors import Canceled, UsageError
from tcab_dagster.execution.attempt import Attempt
from tcab_dagster.execution.cancellation import Interruption
from tcab_dagster.execution.ownership import owned, remove_sandboxes, take_back
from tcab_dagster.execution.recorder import OnEvent
from tcab_dagster.execution.request import check_launch
from tcab_dagster.harnesses.redaction import Redaction
from tcab_dagster.harnesses.registry import harness as find_harness
from tcab_dagster.home import Home
from tcab_dagster.records import Event, RunRecord, RunRequest, State
from tcab_dagster.settings import Settings

IDLE_SECONDS = 30 * 60.0
"""The idle watchdog's window: far below what any platform allows a silent stream."""


def _ignore(_event: Event) -> None:
    return None


def execute(
    request: RunRequest,
    home: Home,
    runtime: Runtime,
    settings: Settings,
    *,
    on_event: OnEvent = _ignore,
    cancel: threading.Event | None = None,
    idle_seconds: float = IDLE_SECONDS,
) -> RunRecord:
    """Set-up, session and collection of one run; writes its record and its rows.

    Raises UsageError where it cannot be started at all, or is recorded already. A run that is
    canceled, or interrupted in any other way before its session has ended, leaves no record, no
    folder and no request, and raises Canceled or what interrupted it.
    `idle_seconds` is for tests: a benchmark has one window.
    """
    command = check_launch(request, settings)
    harness = find_harness(request.harness)
    redaction = Redaction(harness.secrets(settings.environment))
    with owned(home, request.run_id), Interruption().watched() as interruption:
        earlier = home.record(request.run_id)
        if earlier is not None and earlier.state is not State.INFRASTRUCTURE:
            raise UsageError(
                f"the run {request.run_id} is recorded already, as {earlier.state}",
                help="launch another trial",
            )
        attempt: Attempt | None = None
        cancel = cancel or threading.Event()
        try:
            with slot(
                home,
                request.harness,
                settings.environment,
                cancel=cancel,
                on_wait=lambda reason: on_event(Event(at=0, kind="system", text=reason)),
            ):
                attempt = Attempt(
                    request=request,
                    home=home,
                    runtime=runtime,
                    settings=settings,
                    harness=harness,
                    command=command,
                    redaction=redaction,
                    interruption=interruption,
                    cancel=cancel,
                    idle_seconds=idle_seconds,
                )
                return attempt.run(on_event)
        except BaseException as error:
            with interruption.deferred():
                remove_sandboxes(runtime, request.run_id)
                # What is no interruption is settled by the reaper: the run is not lost.
                if isinstance(error, Canceled) or not isinstance(error, Exception):
                    take_back(home, request.run_id, attempt.started_at if attempt else None)
            raise
