"""What a run's end means: its state, whose fault it is, and one line that says so.

Belongs here: the decision, as pure functions of what was seen. Does not: seeing it (driver.py), or
validation, which decides between `completed` and `catastrophic`.
Concept: facts of docs/runs.md, "States" and "Faults".
"""

from __future__ import annotations

from dataclasses import dataclass

from tcab_dagster.containers.protocol import ExecResult
from tcab_dagster.harnesses.protocol import SessionReading
from tcab_dagster.records import Fault, State

EVIDENCE = 300
"""Characters of evidence that a detail ends with."""

_NAMED_BY_THE_HARNESS = frozenset({Fault.PROVIDER, Fault.OPERATOR})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `keeps_tree`: whether its tree is collected at all."""

    state: State
    fault: Fault | None = None
    detail: str | None = None
    keeps_tree: bool = False
    keeps_totals: bool = False


class StageFailed(Exception):
    """A stage other than the session failed: the run is `infrastructure`."""

    def __init__(self, detail: str, fault: Fault) -> None:
        super().__init__(detail)
        self.detail = detail
        self.fault = fault

    @property
    def outcome(self) -> Outcome:
        return Outcome(State.INFRASTRUCTURE, self.fault, self.detail)


def one_line(text: str, limit: int = EVIDENCE) -> str:
    """The end of a text, its line breaks and runs of spaces closed up."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else "…" + flat[-(limit - 1) :]


def session_outcome(
    harness: str,
    ended: ExecResult,
    reading: SessionReading,
    last_words: str,
    *,
    max_runtime_hours: float,
    idle_seconds: float,
) -> Outcome:
    """The outcome of a session that the sandbox ran to its end.

    `last_words`: the end of what the harness wrote to stderr. `ended` is not `canceled`: that is
    no outcome. Where both bounds were due at once the sandbox says `idle`, so `hung` wins.
    """
    evidence = one_line(reading.detail or last_words)
    tail = f": {evidence}" if evidence else ""
    match ended.ended:
        case "idle":
            silent = f"{harness} wrote nothing for {idle_seconds / 60:g} minutes"
            return Outcome(State.HUNG, _fault_of_silence(reading), silent + tail)
        case "timeout":
            stopped = f"{harness} was stopped at the maximum runtime of {max_runtime_hours:g} h"
            return Outcome(State.TIMED_OUT, _fault_of_overrun(reading), stopped + tail)
        case "disk":
            full = f"{harness}'s session wrote past the container's own disk limit{tail}"
            return _harness_error(Fault.AGENT, full)
        case _ if ended.exit_code == 0:
            return Outcome(State.COLLECTED, keeps_tree=True, keeps_totals=True)
        case _ if ended.host_oom:
            short = f"the host ran out of memory under {harness}'s session{tail}"
            return Outcome(State.INFRASTRUCTURE, Fault.INFRASTRUCTURE, short)
        case _ if ended.oom_killed and ended.exit_code == 137:
            killed = f"{harness} was killed by the container's own memory limit{tail}"
            return _harness_error(Fault.AGENT, killed)
    memory = " after its container's memory limit killed a process" if ended.oom_killed else ""
    exited = f"{harness} exited with {ended.exit_code}{memory}{tail}"
    return _harness_error(reading.fault, exited)


def _harness_error(fault: Fault, detail: str) -> Outcome:
    return Outcome(State.HARNESS_ERROR, fault, detail, keeps_tree=True, keeps_totals=True)


def _fault_of_overrun(reading: SessionReading) -> Fault:
    """A model that was at work and did not finish in time is the agent's own doing."""
    if reading.fault in _NAMED_BY_THE_HARNESS:
        return reading.fault
    return Fault.AGENT if reading.model_spoke else Fault.UNKNOWN


def _fault_of_silence(reading: SessionReading) -> Fault:
    """A command of the agent's that never returns is its own; a silent request is nobody's."""
    if reading.fault in _NAMED_BY_THE_HARNESS:
        return reading.fault
    return Fault.AGENT if reading.call_open else Fault.UNKNOWN
