"""A collected run gets its final state, and what the automation could not do decides nothing."""

from __future__ import annotations

import pytest

from tcab_dagster import warehouse
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.errors import UsageError
from tcab_dagster.execution import execute, validate_run
from tcab_dagster.records import Fault, RunRecord, State
from tests.execution.bench import PAGE, Bench, says

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("validator_image")]


def collected(bench: Bench, runtime: EngineRuntime, page: str | None = PAGE) -> RunRecord:
    written = [] if page is None else [{"path": "index.html", "text": page}]
    request = bench.replay({"writes": written, "output": says("done")})
    record = execute(request, bench.home, runtime, bench.settings)
    assert record.state is State.COLLECTED, record.detail
    return record


def states_in_the_warehouse(bench: Bench, run_id: str) -> list[tuple[object, ...]]:
    with warehouse.connect(bench.home) as connection:
        return connection.execute("SELECT state FROM runs WHERE run_id = ?", [run_id]).fetchall()


def test_a_tree_that_builds_and_loads_completes_its_run_and_can_be_validated_again(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    run_id = collected(bench, own_runtime).run_id

    for _ in range(2):
        record = validate_run(run_id, bench.home, own_runtime, bench.settings)

        assert record.state is State.COMPLETED, record.detail
        assert record == bench.home.record(run_id)
        assert record.fault is None
        assert record.validation is not None
        assert [v.verdict for v in record.validation.verdicts] == ["pass"]
        assert record.durations.validation is not None
        assert record.durations.session is not None
        folder = bench.home.run(run_id)
        assert {m.name for m in record.validation.media} <= {f.name for f in folder.media.iterdir()}
        assert (folder.site / "index.html").read_text() == PAGE
        assert not any(e.name.startswith(".") for e in folder.path.iterdir())
        assert not folder.journal.exists()
        assert states_in_the_warehouse(bench, run_id) == [("completed",)]
        assert own_runtime.sandboxes() == []


def test_a_tree_that_does_not_build_is_catastrophic_by_its_own_fault(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    run_id = collected(bench, own_runtime, page=None).run_id

    record = validate_run(run_id, bench.home, own_runtime, bench.settings)

    assert (record.state, record.fault) == (State.CATASTROPHIC, Fault.AGENT)
    assert record.detail


def test_without_the_validators_image_a_run_stays_what_it_was(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    run_id = collected(bench, own_runtime).run_id
    blind = bench.with_environment({"TCAB_CONTAINER_IMAGE_VALIDATOR": "no-such-image:none"})

    record = validate_run(run_id, bench.home, own_runtime, blind)

    assert record.state is State.COLLECTED
    assert "no-such-image:none" in (record.detail or "")

    completed = validate_run(run_id, bench.home, own_runtime, bench.settings)
    assert completed.state is State.COMPLETED
    assert completed.detail is None

    assert validate_run(run_id, bench.home, own_runtime, blind) == completed


def test_a_run_without_a_tree_has_nothing_to_validate_and_says_so(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.replay({"output": says("x")}, {"exit": 1})
    ended = execute(request, bench.home, own_runtime, bench.settings)
    said: list[str] = []

    record = validate_run(
        request.run_id, bench.home, own_runtime, bench.settings, progress=said.append
    )

    assert record == ended
    assert said == [f"nothing to validate: {request.run_id} ended as harness_error"]


def test_a_run_that_is_not_recorded_is_a_usage_error(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    with pytest.raises(UsageError, match="is not recorded"):
        validate_run("tiny@v1.0.0~none", bench.home, own_runtime, bench.settings)


class Terminated(BaseException):
    """As Dagster interrupts a step: no Exception."""


def test_an_interrupted_validation_leaves_the_run_collected(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    before = collected(bench, own_runtime)

    def interrupt(words: str) -> None:
        if words.startswith("build"):
            raise Terminated

    with pytest.raises(Terminated):
        validate_run(before.run_id, bench.home, own_runtime, bench.settings, progress=interrupt)

    assert bench.home.record(before.run_id) == before
    assert own_runtime.sandboxes() == []
    folder = bench.home.run(before.run_id)
    assert not folder.media.exists()
    assert not folder.journal.exists()
    assert not any(e.name.startswith(".") for e in folder.path.iterdir())
    assert validate_run(before.run_id, bench.home, own_runtime, bench.settings).state is (
        State.COMPLETED
    )
