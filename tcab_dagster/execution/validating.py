"""The validation of a collected run, and the final state that it decides.

Belongs here: owning the run meanwhile, putting its media in place whole, rewriting its record.
Does not: the validation itself (validation/). It can be repeated without paying for the session.
Concept: docs/runs.md, "Validation".
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tcab_dagster.catalog.store import Store
from tcab_dagster.containers.protocol import Progress, Runtime, SandboxError
from tcab_dagster.errors import UsageError
from tcab_dagster.execution.attempt import write_rows
from tcab_dagster.execution.cancellation import Interruption
from tcab_dagster.execution.journal import Journal
from tcab_dagster.execution.outcome import one_line
from tcab_dagster.execution.ownership import owned, remove_sandboxes
from tcab_dagster.home import Home
from tcab_dagster.records import Fault, RunRecord, State
from tcab_dagster.settings import Settings
from tcab_dagster.validation import validate_tree
from tcab_dagster.validation.result import ValidationResult

VALIDATED = frozenset({State.COLLECTED, State.COMPLETED, State.CATASTROPHIC})
"""The states of a session that ended cleanly: the others have nothing to validate."""


def _ignore(_words: str) -> None:
    return None


def validate_run(
    run_id: str,
    home: Home,
    runtime: Runtime,
    settings: Settings,
    *,
    progress: Progress = _ignore,
) -> RunRecord:
    """Validates a run's tree, keeps the media, and gives the run its final state.

    Returns the record as it stands for a run that has nothing to validate, and says so. What the
    automation itself could not do decides nothing: such a run stays `collected`, or what it was.
    Raises UsageError for a run that is not recorded. An interruption leaves the record as it is.
    """
    with owned(home, run_id), Interruption().watched() as interruption:
        record = home.record(run_id)
        if record is None:
            raise UsageError(
                f"the run {run_id} is not recorded", help="`tcab query` lists those that are"
            )
        if record.tree is None or record.state not in VALIDATED:
            progress(f"nothing to validate: {run_id} ended as {record.state}")
            return record
        journal = Journal(home.run(run_id).journal, record.started_at, "validation")
        try:
            with journal.kept():
                return _validate(record, home, runtime, settings, progress, interruption)
        finally:
            with interruption.deferred():
                remove_sandboxes(runtime, run_id)
                journal.path.unlink(missing_ok=True)


def _validate(
    record: RunRecord,
    home: Home,
    runtime: Runtime,
    settings: Settings,
    progress: Progress,
    interruption: Interruption,
) -> RunRecord:
    folder = home.run(record.run_id)
    case = Store(home).load(record.definition_digest)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=folder.path, prefix=".validation.") as temporary:
        media, site = Path(temporary) / "media", Path(temporary) / "site"
        try:
            result = validate_tree(
                folder.tree,
                case,
                case.variant(record.variant),
                runtime,
                run_id=record.run_id,
                media=media,
                site=site,
                environment=settings.environment,
                progress=progress,
            )
        except SandboxError as error:
            decided = _undecided(record, str(error))
        except Exception as error:  # noqa: BLE001 - our own fault decides nothing either
            decided = _undecided(record, f"{type(error).__name__}: {error}")
        else:
            decided = _decided(record, result)
        if decided is record:
            progress(f"this validation decided nothing: the run stays {record.state}")
            return record
        seconds = time.monotonic() - began
        decided = decided.model_copy(
            update={"durations": record.durations.model_copy(update={"validation": seconds})}
        )
        with interruption.deferred():
            if decided.validation is not record.validation:
                _replace(site, folder.site, Path(temporary))
                _replace(media, folder.media, Path(temporary))
            home.write_record(decided)
            write_rows(home, decided, case, progress)
    return decided


def _decided(record: RunRecord, result: ValidationResult) -> RunRecord:
    """The record with what a validation found."""
    if result.outcome in ("degraded", "infrastructure"):
        undecided = _undecided(record, result.detail or result.outcome)
        return (
            undecided
            if undecided is record
            else undecided.model_copy(update={"validation": result})
        )
    broken = result.outcome == "catastrophic"
    return record.model_copy(
        update={
            "state": State.CATASTROPHIC if broken else State.COMPLETED,
            "fault": Fault.AGENT if broken else None,
            "detail": result.detail,
            "validation": result,
        }
    )


def _undecided(record: RunRecord, why: str) -> RunRecord:
    """A validation that decided nothing takes nothing away from an earlier one that did."""
    if record.state is not State.COLLECTED:
        return record
    return record.model_copy(update={"detail": f"validation: {one_line(why)}"})


def _replace(made: Path, place: Path, temporary: Path) -> None:
    """Puts a folder, if one was made, where an earlier one may lie, which goes in any case."""
    if place.exists():
        place.rename(temporary / f"earlier-{place.name}")
    if made.exists():
        made.rename(place)
