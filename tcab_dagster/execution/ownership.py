"""Who works on a run, and what is removed when nobody does any more.

Belongs here: the run's lock, its folder's leftovers, its sandboxes. Does not: what a run is worth
keeping for (driver.py, reaping.py). Concept: docs/runs.md, "Ending a run".
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from datetime import datetime

from tcab_dagster.containers.protocol import Runtime, SandboxError
from tcab_dagster.errors import UsageError
from tcab_dagster.home import Home, LockHeld, RunFolder


@contextlib.contextmanager
def owned(home: Home, run_id: str) -> Iterator[None]:
    """Holds the run's lock. Raises UsageError where a living driver holds it."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(home.run_lock(run_id))
        except LockHeld:
            raise UsageError(
                f"the run {run_id} is being worked on by another process",
                help="wait for it, or end that process",
            ) from None
        yield


def take_back(home: Home, run_id: str, started_at: datetime | None) -> None:
    """Leaves nothing of an attempt that is not recorded; an earlier record stays as it was."""
    record = home.record(run_id)
    if record is None:
        home.remove_run(run_id)
    elif record.started_at != started_at:
        clear(home.run(run_id))


def remove_sandboxes(runtime: Runtime, run_id: str) -> None:
    """Removes whatever runs under a run's label, as far as the runtime answers."""
    with contextlib.suppress(SandboxError):
        for ref in runtime.sandboxes(run_id):
            with contextlib.suppress(SandboxError):
                runtime.remove(ref)


def clear(folder: RunFolder) -> None:
    """Removes everything of an attempt but a record."""
    if folder.path.is_dir():
        for entry in folder.path.iterdir():
            if entry != folder.record:
                shutil.rmtree(entry, ignore_errors=True)
                entry.unlink(missing_ok=True)
