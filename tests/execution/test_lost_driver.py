"""Drivers that are killed: kill -9 at every stage, and signals that let them clean up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

import pytest

from tcab_dagster import warehouse
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.protocol import LABEL_INSTALLATION
from tcab_dagster.execution import execute, reap
from tcab_dagster.execution.journal import read_journal
from tcab_dagster.home import Home
from tcab_dagster.records import Fault, RunRequest, State
from tests.execution.bench import Bench, says

pytestmark = pytest.mark.engine

STAGES = (
    *("seed", "pull_image", "start_container", "install_harness", "probe_harness", "init"),
    *("session", "at work", "collect", "teardown", "record"),
)


def start(bench: Bench, request: RunRequest, *where: str) -> subprocess.Popen[str]:
    """A driver at work on a request, once it has come to where it was told to."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.execution.driver_process", request.run_id, *where],
        env={**os.environ, **bench.settings.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    said = process.stdout.readline()
    assert said == "here\n", process.stderr.read()
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=20)


def rows(home: Home, run_id: str) -> list[tuple[object, ...]]:
    with warehouse.connect(home) as connection:
        return connection.execute("SELECT state FROM runs WHERE run_id = ?", [run_id]).fetchall()


def networks(runtime: EngineRuntime, bench: Bench) -> list[Mapping[str, object]]:
    found: list[Mapping[str, object]] = runtime.api.networks(
        filters={"label": f"{LABEL_INSTALLATION}={bench.home.installation}"}
    )
    return found


@pytest.mark.parametrize("where", STAGES)
def test_a_driver_killed_at_any_stage_leaves_one_infrastructure_record_and_nothing_else(
    where: str, bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("at work")}, init="true")
    process = start(bench, request, where)
    assert reap(bench.home, own_runtime) == [], "a living driver's run is nobody else's"
    kill(process)
    stage = "session" if where == "at work" else where

    reaped = reap(bench.home, own_runtime)

    record = bench.home.record(request.run_id)
    assert record is not None
    assert (record.state, record.fault) == (State.INFRASTRUCTURE, Fault.INFRASTRUCTURE)
    assert f"driver lost at {stage}" in (record.detail or "")
    assert [r.what for r in reaped if r.what != "sandbox"] == ["recorded"]
    assert own_runtime.sandboxes() == []
    assert networks(own_runtime, bench) == []
    assert {entry.name for entry in bench.home.run(request.run_id).path.iterdir()} <= {
        *("record.json", "raw.jsonl", "events.jsonl", "stderr.log")
    }
    assert rows(bench.home, request.run_id) == [("infrastructure",)]

    assert reap(bench.home, own_runtime) == []
    assert bench.home.record(request.run_id) == record


def test_a_lost_run_can_be_run_again_and_has_one_row(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("at work")})
    kill(start(bench, request, "at work"))
    reap(bench.home, own_runtime)

    record = execute(request, bench.home, own_runtime, bench.settings)

    assert record.state is State.COLLECTED
    assert rows(bench.home, request.run_id) == [("collected",)]
    assert reap(bench.home, own_runtime) == []


def test_a_driver_killed_between_its_record_and_its_rows_loses_neither(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("at work")})
    kill(start(bench, request, "rows"))
    record = bench.home.record(request.run_id)
    assert record is not None
    assert record.state is State.COLLECTED

    reap(bench.home, own_runtime)

    assert bench.home.record(request.run_id) == record
    assert rows(bench.home, request.run_id) == [("collected",)]
    assert (bench.home.run(request.run_id).tree / "spec.md").is_file()
    assert read_journal(bench.home.run(request.run_id).journal) is None
    assert reap(bench.home, own_runtime) == []


def test_a_request_that_was_never_started_is_left_alone(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("x")})

    assert reap(bench.home, own_runtime) == []
    assert bench.home.request(request.run_id) == request


def test_another_installations_sandboxes_are_never_touched(
    bench: Bench, own_runtime: EngineRuntime, runtime: EngineRuntime, home: Home
) -> None:
    request = bench.replay({"output": says("at work")})
    process = start(bench, request, "at work")
    try:
        assert [ref.run_id for ref in own_runtime.sandboxes()] == [request.run_id]
        reap(Home.open(home.path.parent / "another"), runtime)
        assert [ref.run_id for ref in own_runtime.sandboxes()] == [request.run_id]
    finally:
        kill(process)
        reap(bench.home, own_runtime)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_disturb_the_cleaning_up_after_the_first(
    number: signal.Signals, bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("at work")}, {"delay": 60})
    process = start(bench, request)

    for _ in range(6):
        process.send_signal(number)
        time.sleep(0.05)
    _, complaint = process.communicate(timeout=30)

    assert process.returncode != 0
    assert "KeyboardInterrupt" in complaint
    assert own_runtime.sandboxes() == []
    assert not bench.home.run(request.run_id).path.exists()
    assert bench.home.request_ids() == []
    assert reap(bench.home, own_runtime) == []
