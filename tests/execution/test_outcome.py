"""What an end means, decided from what was seen."""

from __future__ import annotations

import pytest

from tcab_dagster.containers.protocol import ExecResult
from tcab_dagster.execution.outcome import Outcome, session_outcome
from tcab_dagster.harnesses.protocol import SessionReading
from tcab_dagster.records import Fault, State, Usage


def reading(
    fault: Fault = Fault.UNKNOWN,
    *,
    detail: str | None = None,
    spoke: bool = True,
    call_open: bool = False,
) -> SessionReading:
    return SessionReading(Usage(), {}, fault, detail, spoke, call_open)


def decided(ended: ExecResult, read: SessionReading, last_words: str = "") -> Outcome:
    return session_outcome("codex", ended, read, last_words, max_runtime_hours=2, idle_seconds=1800)


TIMED_OUT = ExecResult(None, "timeout", 7200.0)
SILENT = ExecResult(None, "idle", 1800.0)


@pytest.mark.parametrize(
    ("read", "fault"),
    [
        (reading(), Fault.AGENT),
        (reading(spoke=False), Fault.UNKNOWN),
        (reading(Fault.PROVIDER), Fault.PROVIDER),
        (reading(Fault.PROVIDER, spoke=False), Fault.PROVIDER),
        (reading(Fault.OPERATOR, spoke=False), Fault.OPERATOR),
    ],
)
def test_a_session_past_its_time_is_the_agents_only_where_the_agent_was_at_work(
    read: SessionReading, fault: Fault
) -> None:
    outcome = decided(TIMED_OUT, read)

    assert (outcome.state, outcome.fault) == (State.TIMED_OUT, fault)
    assert not outcome.keeps_tree
    assert not outcome.keeps_totals
    assert "maximum runtime of 2 h" in (outcome.detail or "")


@pytest.mark.parametrize(
    ("read", "fault"),
    [
        (reading(), Fault.UNKNOWN),
        (reading(call_open=True), Fault.AGENT),
        (reading(Fault.PROVIDER, call_open=True), Fault.PROVIDER),
    ],
)
def test_silence_is_the_agents_only_where_its_own_command_does_not_return(
    read: SessionReading, fault: Fault
) -> None:
    outcome = decided(SILENT, read)

    assert (outcome.state, outcome.fault) == (State.HUNG, fault)
    assert not outcome.keeps_tree
    assert "nothing for 30 minutes" in (outcome.detail or "")


def test_an_exit_that_nobody_recognizes_is_never_the_models() -> None:
    outcome = decided(ExecResult(2, "exited", 5.0), reading(), "Segmentation\n   fault")

    assert (outcome.state, outcome.fault) == (State.HARNESS_ERROR, Fault.UNKNOWN)
    assert outcome.detail == "codex exited with 2: Segmentation fault"
    assert outcome.keeps_tree


def test_the_containers_own_memory_limit_is_named() -> None:
    killed = decided(ExecResult(137, "exited", 5.0, oom_killed=True), reading())
    survived = decided(ExecResult(1, "exited", 5.0, oom_killed=True), reading())
    unharmed = decided(ExecResult(0, "exited", 5.0, oom_killed=True), reading())

    assert (killed.state, killed.fault) == (State.HARNESS_ERROR, Fault.AGENT)
    assert "killed by the container's own memory limit" in (killed.detail or "")
    assert (survived.state, survived.fault) == (State.HARNESS_ERROR, Fault.UNKNOWN)
    assert "memory limit killed a process" in (survived.detail or "")
    assert unharmed.state is State.COLLECTED


def test_a_host_that_ran_out_of_memory_is_no_fault_of_the_harness() -> None:
    outcome = decided(ExecResult(137, "exited", 5.0, host_oom=True), reading())

    assert (outcome.state, outcome.fault) == (State.INFRASTRUCTURE, Fault.INFRASTRUCTURE)
    assert not outcome.keeps_tree


def test_a_run_past_its_own_disk_limit_is_no_infrastructure() -> None:
    outcome = decided(ExecResult(None, "disk", 5.0), reading())

    assert (outcome.state, outcome.fault) == (State.HARNESS_ERROR, Fault.AGENT)
    assert "own disk limit" in (outcome.detail or "")


def test_evidence_is_one_line_of_bounded_length() -> None:
    outcome = decided(ExecResult(1, "exited", 5.0), reading(), "x\n" * 5000)

    assert outcome.detail is not None
    assert "\n" not in outcome.detail
    assert len(outcome.detail) < 350
