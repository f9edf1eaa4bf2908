"""What a validation found: the document that lands in the run record.

Belongs here: shapes. Does not: how any of it is found.
Concept: spec 000, "Automated validation"; docs/validation.md.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CommandReport(_Part):
    """The install or the build: `sh -c command`, its end and the end of its output."""

    command: str
    status: Literal["passed", "failed", "not_run"]
    exit_code: int | None = None
    attempts: int = 1
    seconds: float = 0.0
    output_tail: str = ""
    note: str | None = None


class LoadReport(_Part):
    """Whether the built site showed anything. `unknown` without a browser."""

    status: Literal["loaded", "failed", "unknown"]
    reason: str | None = None
    console_errors: tuple[str, ...] = ()


class CheckReport(_Part):
    """`similarity` is 0..1: the mean SSIM over luma; 0 when the view was not reached."""

    view: str
    name: str
    similarity: float | None
    reason: str | None = None


class ProofReport(_Part):
    id: str
    name: str
    dest: str
    kind: Literal["image", "video"]
    present: bool
    media: str | None = None


class Finding(_Part):
    """One labelled observation that a script returned for a verdict."""

    label: str
    passed: bool
    expected: str | None = None
    actual: str | None = None


class Verdict(_Part):
    """What the automation decided of one point. `undecided` is never a failure."""

    verdict_id: str
    verdict: Literal["pass", "fail", "undecided"]
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    script: str
    seconds: float = 0.0


class Media(_Part):
    """A captured file below the run's `media/`: `<verdict id>__<output id>.<ext>`, a check's
    screenshot `check__<view>.png`, a proof's copy `proof__<id>.<ext>`, `load.png`."""

    name: str
    kind: Literal["image", "video"]
    role: Literal["output", "check", "proof", "load"]
    verdict_id: str | None = None
    output_id: str | None = None
    bytes: int
    sha256: str


class ValidationResult(_Part):
    """A whole validation. `outcome` is the state that a cleanly ended session takes on:

    completed: it builds and loads; catastrophic: by the tree's own fault it does not;
    infrastructure: the network, registry or disk failed it: nothing is decided and it can be
    repeated; degraded: no browser answered: loads and verdicts are undecided.
    """

    outcome: Literal["completed", "catastrophic", "infrastructure", "degraded"]
    detail: str | None = None
    definition_digest: str
    install: CommandReport
    build: CommandReport
    site: str | None = None
    """Which of dist, build, out was served."""
    load: LoadReport
    checks: tuple[CheckReport, ...] = ()
    proofs: tuple[ProofReport, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    media: tuple[Media, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    stages: dict[str, float] = {}
    """Seconds by stage: install, build, load, checks, scripts, media."""
