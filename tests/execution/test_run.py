"""Whole runs in real containers: what each end leaves behind."""

from __future__ import annotations

import threading
import time

import pytest

from tcab_dagster import warehouse
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.errors import Canceled, UsageError
from tcab_dagster.execution import execute
from tcab_dagster.home import Home
from tcab_dagster.records import Event, Fault, State, Usage
from tests.execution.bench import Bench, says, stages

pytestmark = pytest.mark.engine


def rows(home: Home, run_id: str) -> list[tuple[object, ...]]:
    with warehouse.connect(home) as connection:
        return connection.execute("SELECT state FROM runs WHERE run_id = ?", [run_id]).fetchall()


def nothing_is_left(bench: Bench, runtime: EngineRuntime, run_id: str) -> bool:
    folder = bench.home.run(run_id).path
    return (
        runtime.sandboxes(run_id) == []
        and not folder.exists()
        and run_id not in bench.home.request_ids()
        and rows(bench.home, run_id) == []
    )


def only_whole_parts(bench: Bench, run_id: str) -> bool:
    """Neither a journal nor anything half-made beside the record."""
    names = [entry.name for entry in bench.home.run(run_id).path.iterdir()]
    return "journal.json" not in names and not any(name.startswith(".") for name in names)


def test_a_clean_session_is_collected_with_all_that_it_said(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay(
        {"output": says("I begin.")},
        {
            "delay": 0.2,
            "output": says("src/main.js", "write"),
            "writes": [{"path": "src/main.js", "text": "let a;\n"}],
        },
        {"usage": {"uncached_input": 7, "output": 3, "cost_usd": 0.5}},
    )
    seen: list[Event] = []

    record = execute(request, bench.home, own_runtime, bench.settings, on_event=seen.append)

    assert record.state is State.COLLECTED, record.detail
    assert (record.fault, record.detail) == (None, None)
    assert record == bench.home.record(request.run_id)
    assert record.usage == Usage(uncached_input=7, output=3, cost_usd=0.5)
    assert record.tool_calls == {"write": 1}
    assert record.runtime in ("docker", "podman")
    assert record.image == "test-cabinet-base-wasm:latest"
    assert record.image_digest
    assert record.tree is not None
    assert record.tree.has_git
    folder = bench.home.run(request.run_id)
    assert (folder.tree / "src/main.js").read_text() == "let a;\n"
    assert (folder.tree / "spec.md").is_file()
    assert not (folder.tree / ".git").exists()
    assert folder.git_archive.is_file()
    assert stages(bench.home, request.run_id) == [
        *("pull_image", "start_container", "install_harness", "probe_harness", "session"),
        *("collect", "teardown"),
    ]
    assert [e.kind for e in seen if e.kind != "system"] == ["agent", "write", "usage"]
    assert folder.raw.read_text().startswith(says("I begin.") + "\n")
    times = record.durations
    assert times.setup is not None
    assert times.session is not None
    assert times.teardown is not None
    assert times.session >= 0.2
    assert own_runtime.sandboxes(request.run_id) == []
    assert only_whole_parts(bench, request.run_id)
    assert rows(bench.home, request.run_id) == [("collected",)]


def test_a_session_stopped_in_its_midst_has_written_what_was_due_and_nothing_else(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    """The tree of a timed-out run is not collected, so the container itself is looked at."""
    request = bench.replay(
        {"writes": [{"path": "one", "text": "1"}]},
        {"delay": 0.5, "writes": [{"path": "two", "text": "2"}], "output": says("two is there")},
        {"delay": 60, "writes": [{"path": "three", "text": "3"}], "output": says("never")},
    )
    found: list[str] = []

    def look(event: Event) -> None:
        if event.text == "two is there":
            (ref,) = own_runtime.sandboxes(request.run_id)
            listed = own_runtime.api.exec_create(ref.id, ["ls", "/work"])
            found.extend(own_runtime.api.exec_start(listed["Id"]).decode().split())

    record = execute(
        request, bench.home, own_runtime, bench.settings, on_event=look, idle_seconds=6
    )

    assert {"one", "two"} <= set(found)
    assert "three" not in found
    assert record.state is State.HUNG
    assert "wrote nothing" in (record.detail or "")
    assert record.tree is None
    assert not bench.home.run(request.run_id).tree.exists()
    assert own_runtime.sandboxes(request.run_id) == []


def test_the_maximum_runtime_ends_a_busy_session(bench: Bench, own_runtime: EngineRuntime) -> None:
    busy = [{"delay": 0.3, "output": says(f"line {n}")} for n in range(40)]
    request = bench.replay(*busy, hours=3 / 3600)

    record = execute(request, bench.home, own_runtime, bench.settings)

    assert (record.state, record.fault) == (State.TIMED_OUT, Fault.AGENT)
    assert (record.tree, record.usage, record.tool_calls) == (None, Usage(), {})
    assert record.durations.session == pytest.approx(3, abs=1.5)
    assert own_runtime.sandboxes(request.run_id) == []


def test_a_session_that_ends_badly_keeps_its_tree_and_says_whose_fault_it_was(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay(
        {"writes": [{"path": "half.txt", "text": "half"}]},
        {"output": says("529 overloaded", "error", fault="provider")},
        {"exit": 3},
    )

    record = execute(request, bench.home, own_runtime, bench.settings)

    assert (record.state, record.fault) == (State.HARNESS_ERROR, Fault.PROVIDER)
    assert record.detail == "replay exited with 3: 529 overloaded"
    assert (bench.home.run(request.run_id).tree / "half.txt").read_text() == "half"


def test_a_missing_image_is_the_infrastructures_fault_and_can_be_repeated(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("hello")})
    broken = bench.with_environment({"TCAB_CONTAINER_IMAGE_BASE_WASM": "no-such-image:none"})

    record = execute(request, bench.home, own_runtime, broken)

    assert (record.state, record.fault) == (State.INFRASTRUCTURE, Fault.INFRASTRUCTURE)
    assert "no-such-image:none is not in the engine" in (record.detail or "")
    assert rows(bench.home, request.run_id) == [("infrastructure",)]

    repeated = execute(request, bench.home, own_runtime, bench.settings)

    assert repeated.state is State.COLLECTED
    assert rows(bench.home, request.run_id) == [("collected",)]
    with pytest.raises(UsageError, match="launch another trial"):
        execute(request, bench.home, own_runtime, bench.settings)


def test_a_definition_that_is_not_stored_is_the_operators_fault(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("hello")}).model_copy(
        update={"definition_digest": "0" * 64}
    )

    record = execute(request, bench.home, own_runtime, bench.settings)

    assert (record.state, record.fault) == (State.INFRASTRUCTURE, Fault.OPERATOR)


def test_init_that_fails_is_tried_three_times_and_ends_the_run_before_its_session(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay(
        {"output": says("never")},
        init="echo x >> /tmp/tries; cat /tmp/tries; echo oh no; exit 4",
    )

    record = execute(request, bench.home, own_runtime, bench.settings)

    assert (record.state, record.fault) == (State.INFRASTRUCTURE, Fault.INFRASTRUCTURE)
    assert "exited with 4, in 3 attempts: x x x oh no" in (record.detail or "")
    assert "session" not in stages(bench.home, request.run_id)
    assert own_runtime.sandboxes(request.run_id) == []


def test_init_that_leaves_a_declared_package_missing_fails_though_it_ends_well(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    lock = (
        '{"name": "tiny", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name":'
        ' "tiny", "version": "1.0.0", "dependencies": {"left": "^1.0.0"}},'
        ' "node_modules/left": {"version": "1.0.0"}}}'
    )
    case = bench.case(init="echo installed", files={"workspace/package-lock.json": lock})
    request = bench.request(case, model=bench.record({"output": says("never")}))

    record = execute(request, bench.home, own_runtime, bench.settings)

    assert record.state is State.INFRASTRUCTURE
    assert "1 packages of the lock file missing, such as node_modules/left" in (record.detail or "")
    assert "in 3 attempts" in (record.detail or "")


def test_init_past_its_time_is_not_tried_again(bench: Bench, own_runtime: EngineRuntime) -> None:
    request = bench.replay({"output": says("never")}, init="echo once; sleep 60", hours=2 / 3600)

    record = execute(request, bench.home, own_runtime, bench.settings)

    assert record.state is State.INFRASTRUCTURE
    assert (record.detail or "").endswith("ran out of time: once")
    assert record.durations.session is None


def canceled_at(
    text_or_stage: str, bench: Bench, runtime: EngineRuntime, *, init: str | None = None
) -> str:
    """Runs a session until an event is seen, cancels then, and gives the run's id."""
    request = bench.replay(
        {"output": says("at work"), "writes": [{"path": "a", "text": "a"}]},
        {"delay": 60},
        init=init,
    )
    cancel = threading.Event()

    def watch(event: Event) -> None:
        if text_or_stage in (event.text, event.stage):
            cancel.set()

    began = time.monotonic()
    with pytest.raises(Canceled):
        execute(request, bench.home, runtime, bench.settings, on_event=watch, cancel=cancel)
    assert time.monotonic() - began < 20
    return request.run_id


@pytest.mark.parametrize("moment", ["at work", "session", "start_container", "pull_image"])
def test_a_run_canceled_before_its_session_has_ended_leaves_nothing(
    moment: str, bench: Bench, own_runtime: EngineRuntime
) -> None:
    run_id = canceled_at(moment, bench, own_runtime)

    assert nothing_is_left(bench, own_runtime, run_id)


def test_a_run_canceled_during_init_leaves_nothing(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    run_id = canceled_at("init", bench, own_runtime, init="sleep 60")

    assert nothing_is_left(bench, own_runtime, run_id)


class Terminated(BaseException):
    """As Dagster interrupts a step: no Exception."""


def test_whatever_interrupts_a_session_is_raised_again_and_leaves_nothing(
    bench: Bench, own_runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = bench.replay({"output": says("at work")}, {"delay": 60})

    def interrupt(event: Event) -> None:
        if event.text == "at work":
            raise Terminated

    with pytest.raises(Terminated):
        execute(request, bench.home, own_runtime, bench.settings, on_event=interrupt)

    assert nothing_is_left(bench, own_runtime, request.run_id)


def test_an_interruption_during_collection_does_not_undo_what_is_paid_for(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("done")})
    cancel = threading.Event()

    def late(event: Event) -> None:
        if event.stage == "collect":
            cancel.set()

    record = execute(request, bench.home, own_runtime, bench.settings, on_event=late, cancel=cancel)

    assert record.state is State.COLLECTED


def test_a_watcher_that_fails_does_not_fail_the_run(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    def broken(event: Event) -> None:
        raise RuntimeError("nobody listens")

    request = bench.replay({"output": says("done")})

    assert (
        execute(request, bench.home, own_runtime, bench.settings, on_event=broken).state
        is State.COLLECTED
    )


def test_two_drivers_cannot_work_on_one_run(bench: Bench, own_runtime: EngineRuntime) -> None:
    request = bench.replay({"output": says("done")})

    with (
        bench.home.run_lock(request.run_id),
        pytest.raises(UsageError, match="another process"),
    ):
        execute(request, bench.home, own_runtime, bench.settings)

    assert request.run_id in bench.home.request_ids()


def test_a_missing_recording_is_refused_before_anything_starts(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    bench.record({"output": says("x")}, name="other")
    request = bench.request(bench.case(), model="nothere")

    with pytest.raises(UsageError, match="there are `other`"):
        execute(request, bench.home, own_runtime, bench.settings)

    assert not bench.home.run(request.run_id).path.exists()
    assert request.run_id in bench.home.request_ids()
