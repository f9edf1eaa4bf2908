"""A record or a request that does not parse is named, kept as it is, and stops nothing else."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import create_autospec

import pytest

from sensors.recorded import readable
from sensors.requests import waiting_requests
from tcab_dagster import ingestion, warehouse
from tcab_dagster.containers.protocol import Runtime
from tcab_dagster.execution import new_request, reap, validate_run
from tcab_dagster.execution.journal import JournalEntry
from tcab_dagster.home import Home, UnreadableDocument
from tcab_dagster.records import RunRequest, State
from tests.execution.bench import Bench

CUT_SHORT = '{"x":1'


@pytest.fixture(params=[b'{"x":1', b"\xff\xfe", b'{"x":1}'], ids=str)
def damage(request: pytest.FixtureRequest) -> bytes:
    assert isinstance(request.param, bytes)
    return request.param


def asked(bench: Bench) -> RunRequest:
    """A request of Dagster's that nobody has begun."""
    case = bench.case()
    request = new_request(case, case.variant(), "replay", "session", None, "dagster")
    bench.home.file_request(request)
    return request


def lost(bench: Bench) -> RunRequest:
    """A run whose driver died in its session."""
    request = asked(bench)
    folder, now = bench.home.run(request.run_id), datetime.now(UTC)
    folder.path.mkdir(parents=True)
    entry = JournalEntry(stage="session", pid=os.getpid(), started_at=now, heartbeat=now)
    folder.journal.write_text(entry.model_dump_json())
    return request


def with_damaged_record(bench: Bench, content: bytes) -> RunRequest:
    """A run with an unreadable record, and a leftover that a reaping wants to remove."""
    request = lost(bench)
    folder = bench.home.run(request.run_id)
    folder.record.write_bytes(content)
    (folder.path / ".leftover").write_text("half made")
    return request


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_damaged_record_is_named_and_kept_and_other_runs_are_settled(
    bench: Bench, damage: bytes
) -> None:
    damaged = with_damaged_record(bench, damage)
    other = lost(bench)
    folder = bench.home.run(damaged.run_id)
    before = contents(folder.path)

    for _ in range(2):
        reaped = [one for one in reap(bench.home, None) if one.run_id == damaged.run_id]

        assert [one.what for one in reaped] == ["unreadable"]
        assert str(folder.record) in reaped[0].detail
        assert contents(folder.path) == before

    recorded = bench.home.record(other.run_id)
    assert recorded is not None
    assert recorded.state is State.INFRASTRUCTURE


def test_a_damaged_request_of_a_lost_run_is_named_and_kept_and_other_runs_are_settled(
    bench: Bench, damage: bytes
) -> None:
    damaged, other = lost(bench), lost(bench)
    path = bench.home.requests / f"{damaged.run_id}.json"
    path.write_bytes(damage)
    before = contents(bench.home.run(damaged.run_id).path)

    reaped = {one.run_id: one for one in reap(bench.home, None)}

    assert reaped[damaged.run_id].what == "unreadable"
    assert str(path) in reaped[damaged.run_id].detail
    assert path.read_bytes() == damage
    assert contents(bench.home.run(damaged.run_id).path) == before
    assert reaped[other.run_id].what == "recorded"


def test_an_unreadable_document_says_where_what_and_the_mend(home: Home) -> None:
    record = home.run("pong@v1.0.0~1").record
    record.parent.mkdir(parents=True)
    record.write_text(CUT_SHORT)

    with pytest.raises(UnreadableDocument) as raised:
        home.record("pong@v1.0.0~1")

    assert str(record) in raised.value.message
    assert "EOF" in raised.value.message
    assert "\n" not in raised.value.message
    assert raised.value.help is not None
    assert str(record.parent) in raised.value.help


def test_a_document_that_lacks_something_is_told_by_its_place(bench: Bench) -> None:
    request = lost(bench)
    path = bench.home.requests / f"{request.run_id}.json"
    document = json.loads(path.read_text())
    del document["harness"]
    path.write_text(json.dumps(document))

    with pytest.raises(UnreadableDocument, match=r"harness: Field required"):
        bench.home.request(request.run_id)


def test_a_run_with_a_damaged_record_is_not_validated_and_keeps_it(bench: Bench) -> None:
    damaged = with_damaged_record(bench, CUT_SHORT.encode())
    before = contents(bench.home.run(damaged.run_id).path)

    with pytest.raises(UnreadableDocument, match="is no record that this release reads"):
        validate_run(damaged.run_id, bench.home, create_autospec(Runtime), bench.settings)

    assert contents(bench.home.run(damaged.run_id).path) == before


def test_a_run_whose_record_cannot_be_read_holds_its_version(bench: Bench) -> None:
    damaged = with_damaged_record(bench, CUT_SHORT.encode())

    assert damaged.case_key in ingestion.keys_in_use(bench.home)


def test_one_damaged_request_keeps_no_other_from_being_started(bench: Bench) -> None:
    first, second, third = (asked(bench) for _ in range(3))
    (bench.home.requests / f"{second.run_id}.json").write_text(CUT_SHORT)
    warned: list[str] = []

    waiting = {request.run_id for request in waiting_requests(bench.home, warned.append)}

    assert waiting == {first.run_id, third.run_id}
    assert len(warned) == 1
    assert second.run_id in warned[0]


def test_one_damaged_record_keeps_no_other_from_dagster_and_the_tables(bench: Bench) -> None:
    damaged, other = with_damaged_record(bench, CUT_SHORT.encode()), lost(bench)
    reap(bench.home, None)
    warned: list[str] = []

    seen = list(readable(bench.home, bench.home.recorded_run_ids(), warned.append))
    problems = warehouse.sync(bench.home).problems

    assert [record.run_id for record in seen] == [other.run_id]
    assert len(warned) == 1
    assert set(problems) == {damaged.run_id}
