"""Makes runs that `tcab` made appear in Dagster.

Belongs here: which records are new, and the events that tell of them. Does not: the words of their
metadata (assets/metadata.py).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

import dagster as dg
from dagster import AssetCheckEvaluation as Evaluation

from assets.metadata import outcome_metadata, validation_metadata
from assets.partitions import checked, name_of, runs
from assets.runs import case_of
from assets.verdicts import builds_and_loads, no_gating_failures, session_ended_well
from resources import HomeResource
from tcab_dagster.errors import TcabError
from tcab_dagster.home import Home, UnreadableDocument
from tcab_dagster.records import RunRecord, State

MOST_PER_TICK = 100
OVERLAP_NS = 60 * 10**9
"""Two writers may rename in another order than they wrote: the last minute is compared by run."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the last tick saw: every record up to `until`, and those of `recent` besides.

    Times are the records' modification times in nanoseconds.
    """

    until: int = 0
    recent: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def parse(cls, cursor: str | None) -> Self:
        return cls() if cursor is None else cls(**json.loads(cursor))

    def cursor(self) -> str:
        return json.dumps({"until": self.until, "recent": dict(self.recent)})


def record_times(home: Home) -> dict[str, int]:
    """When each record was last written, by run."""
    times = {}
    for run_id in home.recorded_run_ids():
        try:
            times[run_id] = home.run(run_id).record.stat().st_mtime_ns
        except FileNotFoundError:
            continue
    return times


def newly_written(seen: Seen, now: Mapping[str, int], most: int) -> tuple[list[str], Seen]:
    """The runs whose record `seen` does not cover, oldest first, at most `most`; and what is seen
    once they are dealt with."""
    new = sorted(
        (run_id for run_id, at in now.items() if at > seen.until and seen.recent.get(run_id) != at),
        key=lambda run_id: (now[run_id], run_id),
    )[:most]
    recent = {**seen.recent, **{run_id: now[run_id] for run_id in new}}
    until = max(seen.until, max(recent.values(), default=0) - OVERLAP_NS)
    missed = min((now[r] for r in now.keys() - recent.keys() if now[r] > seen.until), default=None)
    if missed is not None:
        until = min(until, missed - 1)
    return new, Seen(until, {run_id: at for run_id, at in recent.items() if at > until})


@dg.sensor(
    name="recorded_runs",
    minimum_interval_seconds=10,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers the runs that `tcab` recorded, with what they came to.",
)
def recorded_runs(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult:
    opened = home.open()
    known = set(context.instance.get_dynamic_partitions(name_of(runs)))
    new, seen = newly_written(Seen.parse(context.cursor), record_times(opened), MOST_PER_TICK)
    foreign = [
        record
        for record in readable(opened, new, context.log.warning)
        if record.launched_by == "tcab" or record.run_id not in known
    ]
    if not foreign:
        return dg.SensorResult(skip_reason="no new record of `tcab`", cursor=seen.cursor())
    missing = checked(runs, sorted({record.run_id for record in foreign} - known))
    return dg.SensorResult(
        asset_events=[event for record in foreign for event in events_of(record, opened)],
        dynamic_partitions_requests=[runs.build_add_request(missing)] if missing else [],
        cursor=seen.cursor(),
    )


def readable(
    home: Home, run_ids: Iterable[str], warn: Callable[[str], None]
) -> Iterator[RunRecord]:
    """The records of these runs; one that cannot be read keeps no other from being seen."""
    for run_id in run_ids:
        try:
            record = home.record(run_id)
        except UnreadableDocument as error:
            warn(str(error))
            continue
        if record is not None:
            yield record


def events_of(record: RunRecord, home: Home) -> list[dg.AssetMaterialization | Evaluation]:
    """What the assets would have reported, had Dagster made this run: nothing where they would
    have failed."""
    if record.state is State.INFRASTRUCTURE:
        return []
    folder = home.run(record.run_id)
    events: list[dg.AssetMaterialization | Evaluation] = [
        dg.AssetMaterialization(
            "run_outcome", partition=record.run_id, metadata=outcome_metadata(record, folder)
        ),
        evaluation("run_outcome", session_ended_well(record)),
    ]
    if record.state is State.COLLECTED:
        return events
    try:
        case = case_of(home, record)
        shown = validation_metadata(record, case, folder)
        checks = [builds_and_loads(record), no_gating_failures(record, case)]
    except TcabError as error:
        shown, checks = {"validation": error.message}, [builds_and_loads(record)]
    events.append(
        dg.AssetMaterialization("validation_media", partition=record.run_id, metadata=shown)
    )
    return [*events, *(evaluation("validation_media", check) for check in checks)]


def evaluation(asset: str, result: dg.AssetCheckResult) -> Evaluation:
    """A check's result as an event outside any of Dagster's runs."""
    assert result.check_name is not None
    return Evaluation(
        asset_key=dg.AssetKey(asset),
        check_name=result.check_name,
        passed=result.passed,
        metadata=result.metadata,
        severity=result.severity,
        description=result.description,
    )
