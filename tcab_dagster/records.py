"""A run's request and its record: the two documents that a run is.

Belongs here: their shapes, the states and the faults. Does not: where they lie (home.py), how
they come about (execution/), what they are worth (evaluation/).
Concept: spec 004, "Runtime limits"; docs/runs.md.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tcab_dagster.errors import UsageError
from tcab_dagster.validation.result import ValidationResult

MOST_HOURS = 720.0
"""A month: beyond it a number of hours is a mistake, and the clock's own limits draw near."""


class State(StrEnum):
    """How a run ended. Outcome and score are separate things."""

    COLLECTED = "collected"
    COMPLETED = "completed"
    CATASTROPHIC = "catastrophic"
    TIMED_OUT = "timed_out"
    HUNG = "hung"
    HARNESS_ERROR = "harness_error"
    INFRASTRUCTURE = "infrastructure"
    CANCELED = "canceled"


class Fault(StrEnum):
    """Whose a bad end is. What nobody recognizes is `unknown`, never the model's."""

    AGENT = "agent"
    PROVIDER = "provider"
    OPERATOR = "operator"
    INFRASTRUCTURE = "infrastructure"
    UNKNOWN = "unknown"


class Document(BaseModel):
    """A JSON document that tcab writes and reads back: closed and immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def checked_hours(hours: float) -> float:
    """`hours` as a maximum runtime. Raises UsageError for what is no time for a session."""
    if not 0 < hours <= MOST_HOURS:
        raise UsageError(
            f"a maximum runtime of {hours:g} hours is no time for a session",
            help=f"give more than 0 and at most {MOST_HOURS:g} hours",
        )
    return hours


class RunRequest(Document):
    """What one run is asked to be, pinned: `requests/<run id>.json`."""

    run_id: str
    slug: str
    version: str
    variant: str
    definition_digest: str
    harness: str
    model: str | None
    max_runtime_hours: float = Field(gt=0)
    requested_at: datetime
    launched_by: Literal["dagster", "tcab"]

    @property
    def case_key(self) -> str:
        return f"{self.slug}@{self.version}"


class Usage(Document):
    """Tokens in four classes and dollars; what a harness does not report is null, never 0."""

    uncached_input: int | None = None
    cached_input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cost_usd: float | None = None


class Durations(Document):
    """Seconds. Queueing is none of them; null where the stage was not reached."""

    setup: float | None = None
    session: float | None = None
    teardown: float | None = None
    validation: float | None = None


class RefusedEntry(Document):
    """An entry of the produced tree that the extractor left out, and why."""

    path: str
    reason: str


class CollectedTree(Document):
    """The collected tree. `digest` is SHA-256 over sorted (path, mode, content)."""

    files: int
    bytes: int
    digest: str
    refused: tuple[RefusedEntry, ...] = ()
    has_git: bool = False


class RunRecord(Document):
    """What became of a run: `runs/<run id>/record.json`, replaced whole."""

    format: Literal[1] = 1
    run_id: str
    slug: str
    version: str
    variant: str
    definition_digest: str
    harness: str
    harness_version: str | None = None
    model: str | None
    launched_by: Literal["dagster", "tcab"]
    max_runtime_hours: float
    runtime: str | None = None
    image: str | None = None
    image_digest: str | None = None
    seed_commit: str | None = None
    state: State
    fault: Fault | None = None
    detail: str | None = None
    requested_at: datetime
    started_at: datetime
    ended_at: datetime
    durations: Durations = Durations()
    usage: Usage = Usage()
    tool_calls: dict[str, int] = Field(default_factory=dict)
    tree: CollectedTree | None = None
    validation: ValidationResult | None = None

    @property
    def case_key(self) -> str:
        return f"{self.slug}@{self.version}"


class Event(Document):
    """One normalized line of `events.jsonl`. `at` counts seconds since the run started."""

    at: float
    kind: Literal[
        "agent", "reasoning", "command", "read", "write", "search", "list",
        "usage", "error", "warning", "system", "unknown",
    ]  # fmt: skip
    text: str = ""
    stage: str | None = None
    """For `system`: pull_image, start_container, install_harness, probe_harness, init,
    session, collect, teardown."""
