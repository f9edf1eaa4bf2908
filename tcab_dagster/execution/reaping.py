"""What a dead driver left: its containers removed, its run recorded, its rows written.

Belongs here: settling runs whose lock nobody holds. Does not: anything of a living driver's, or of
another installation: all is found by label and by lock, never by difference of listings.
Concept: docs/runs.md, "A lost driver".
"""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from tcab_dagster import warehouse
from tcab_dagster.containers.protocol import Runtime, SandboxError
from tcab_dagster.errors import UsageError
from tcab_dagster.execution.journal import JournalEntry, read_journal
from tcab_dagster.home import Home, LockHeld, RunFolder, UnreadableDocument
from tcab_dagster.records import Fault, RunRecord, State


@dataclass(frozen=True, slots=True)
class Reaped:
    """One thing that was settled.

    `sandbox`: a container without a living driver was removed; `recorded`: a lost run was recorded
    as `infrastructure`; `tidied`: what a driver left beside a settled run was removed;
    `unreadable`: the run's record or request does not parse, so nothing of it was touched;
    `unwritten`: the warehouse could not be given a run's or a version's rows. `detail` says why.
    """

    run_id: str
    what: Literal["sandbox", "recorded", "tidied", "unreadable", "unwritten"]
    detail: str


def reap(home: Home, runtime: Runtime | None) -> list[Reaped]:
    """Settles every run whose driver is dead, and brings the warehouse up to the records.

    A request that was never started is left alone, and so is a sandbox whose label names no lock
    that anybody ever held. Without a runtime no container is looked for.
    """
    sandboxes = {ref.run_id for ref in runtime.sandboxes()} if runtime is not None else set()
    reaped = []
    known = {run_id for run_id in sandboxes if (home.locks / "runs" / run_id).is_file()}
    for run_id in sorted(known | _unsettled(home)):
        # What cannot be removed now is tried again by the next reaping, and is not settled before.
        with contextlib.suppress(LockHeld, SandboxError), home.run_lock(run_id):
            # Only now is it certain that nobody starts another one.
            if runtime is not None:
                for ref in runtime.sandboxes(run_id):
                    runtime.remove(ref)
                    reaped.append(Reaped(run_id, "sandbox", f"{ref.role} {ref.id[:12]}"))
            try:
                reaped += _settle(home, run_id)
            except UnreadableDocument as error:
                reaped.append(Reaped(run_id, "unreadable", str(error)))
    told = {one.run_id for one in reaped if one.what == "unreadable"}
    problems = warehouse.sync(home).problems
    return reaped + [
        Reaped(name, "unwritten", problem) for name, problem in problems.items() if name not in told
    ]


def _unsettled(home: Home) -> set[str]:
    """Runs with a journal, with half-made parts, or with a folder and no record."""
    if not home.runs.is_dir():
        return set()
    return {
        path.name
        for path in home.runs.iterdir()
        if path.is_dir()
        and (
            not RunFolder(path).record.exists()
            or RunFolder(path).journal.exists()
            or any(entry.name.startswith(".") for entry in path.iterdir())
        )
    }


def _settle(home: Home, run_id: str) -> list[Reaped]:
    folder = home.run(run_id)
    if not folder.path.is_dir():
        return []
    journal, record = read_journal(folder.journal), home.record(run_id)
    reaped = []
    if journal is not None and (record is None or record.started_at != journal.started_at):
        lost = _record_of_lost(home, run_id, journal)
        if lost is None:
            shutil.rmtree(folder.path, ignore_errors=True)
            return [Reaped(run_id, "tidied", "its request was taken back")]
        home.write_record(lost)
        reaped.append(Reaped(run_id, "recorded", lost.detail or ""))
        _remove(folder, keep=("record.json", "raw.jsonl", "stderr.log", "events.jsonl"))
    elif record is None:
        shutil.rmtree(folder.path, ignore_errors=True)
        return [Reaped(run_id, "tidied", "a folder without a run")]
    else:
        _remove(folder, keep=None)
        reaped.append(Reaped(run_id, "tidied", f"recorded as {record.state}"))
    folder.journal.unlink(missing_ok=True)
    return reaped


def _record_of_lost(home: Home, run_id: str, journal: JournalEntry) -> RunRecord | None:
    """The record of a run whose driver died; None where its request was being taken back."""
    try:
        request = home.request(run_id)
    except UsageError:
        return None
    return RunRecord(
        **request.model_dump(),
        started_at=journal.started_at,
        ended_at=datetime.now(UTC),
        state=State.INFRASTRUCTURE,
        fault=Fault.INFRASTRUCTURE,
        detail=(
            f"driver lost at {journal.stage}: process {journal.pid} was last heard of at "
            f"{journal.heartbeat:%Y-%m-%d %H:%M:%S} UTC"
        ),
    )


def _remove(folder: RunFolder, *, keep: tuple[str, ...] | None) -> None:
    """Removes what is not kept; without a list, only half-made parts."""
    for entry in folder.path.iterdir():
        gone = entry.name.startswith(".") if keep is None else entry.name not in keep
        if gone and entry != folder.journal:
            shutil.rmtree(entry, ignore_errors=True)
            entry.unlink(missing_ok=True)
