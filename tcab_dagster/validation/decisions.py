"""What a build, and a document of the runner where there is one, decide.

Belongs here: the decisions, pure. The tree's own failure fails every point; the registry's, the
network's and the disk's leave everything undecided, and so does a browser that is not there.
Concept: docs/validation.md, "Whose fault".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tcab_dagster.catalog.model import Point, Variant
from tcab_dagster.validation.building.site import Built
from tcab_dagster.validation.reading import DrivenUnit, RunnerDocument
from tcab_dagster.validation.result import CheckReport, Finding, LoadReport, Verdict


@dataclass(frozen=True, slots=True)
class Decision:
    outcome: Literal["completed", "catastrophic", "infrastructure", "degraded"]
    detail: str | None
    load: LoadReport
    checks: tuple[CheckReport, ...]
    verdicts: tuple[Verdict, ...]


def decide(
    variant: Variant,
    points: Sequence[Point],
    built: Built,
    document: RunnerDocument | None,
    trouble: str | None,
) -> Decision:
    """`document` is None where nothing was built or no browser answered: `trouble` says why."""
    if built.failed == "infrastructure":
        return _undecided("infrastructure", built.detail, variant, points)
    if built.failed is not None:
        return _catastrophic(built.detail, LoadReport(status="failed"), variant, points)
    if document is None or document.load is None:
        return _undecided("degraded", trouble or "the site was not loaded", variant, points)
    loaded = document.load
    load = LoadReport(
        status=loaded.status, reason=loaded.reason, console_errors=loaded.console_errors
    )
    if loaded.status == "failed":
        detail = f"the page does not load: {loaded.reason}"
        return _catastrophic(detail, load, variant, points)
    return Decision(
        outcome="completed",
        detail=None,
        load=load,
        checks=_checks(variant, document),
        verdicts=_verdicts(points, document),
    )


def _undecided(
    outcome: Literal["infrastructure", "degraded"],
    why: str | None,
    variant: Variant,
    points: Sequence[Point],
) -> Decision:
    return Decision(
        outcome=outcome,
        detail=why,
        load=LoadReport(status="unknown", reason=why),
        checks=tuple(
            CheckReport(view=c.view, name=c.name, similarity=None, reason=why)
            for c in variant.checks
        ),
        verdicts=tuple(_verdict(p, "undecided", why) for p in points),
    )


def _catastrophic(
    why: str | None, load: LoadReport, variant: Variant, points: Sequence[Point]
) -> Decision:
    return Decision(
        outcome="catastrophic",
        detail=why,
        load=load.model_copy(update={"reason": load.reason or why}),
        checks=tuple(
            CheckReport(view=c.view, name=c.name, similarity=0.0, reason=why)
            for c in variant.checks
        ),
        verdicts=tuple(_verdict(p, "fail", why) for p in points),
    )


def _checks(variant: Variant, document: RunnerDocument) -> tuple[CheckReport, ...]:
    seen = {c.view: c for c in document.checks}
    return tuple(
        CheckReport(
            view=c.view,
            name=c.name,
            similarity=seen[c.view].similarity if c.view in seen else None,
            reason=seen[c.view].reason if c.view in seen else "it was not run",
        )
        for c in variant.checks
    )


def _verdicts(points: Sequence[Point], document: RunnerDocument) -> tuple[Verdict, ...]:
    driven = {d.verdict_id: d for d in document.drives}
    return tuple(
        _driven(p, driven[p.verdict_id])
        if p.verdict_id in driven
        else _verdict(p, "undecided", "it was not driven")
        for p in points
    )


def _driven(point: Point, drive: DrivenUnit) -> Verdict:
    verdict = _verdict(point, drive.verdict, drive.reason)
    findings = tuple(
        Finding(label=f.label, passed=f.passed, expected=f.expected, actual=f.actual)
        for f in drive.findings
    )
    return verdict.model_copy(update={"findings": findings, "seconds": round(drive.seconds, 3)})


def _verdict(
    point: Point, verdict: Literal["pass", "fail", "undecided"], reason: str | None
) -> Verdict:
    assert point.validation is not None
    return Verdict(
        verdict_id=point.verdict_id,
        verdict=verdict,
        reason=reason,
        script=point.validation.script,
    )
