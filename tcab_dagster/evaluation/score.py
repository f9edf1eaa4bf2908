"""The automatic score of a run, and the failures that gate it.

Belongs here: the arithmetic, exact. Does not: weights of sub-items and categories, which the
catalog has already worked out into points; the same derivation in SQL (warehouse/views.py), which
must agree with this one to the last digit.
Concept: spec 000, "Sub-items", "The categories grammar", "Errata"; docs/scores.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tcab_dagster.catalog.model import Point
from tcab_dagster.errors import TcabError
from tcab_dagster.validation.result import Verdict

Decision = Literal["pass", "fail", "undecided"]


class VerdictMismatch(TcabError):
    """Verdicts do not fit the points that they are to be scored against."""


@dataclass(frozen=True, slots=True)
class Score:
    """Points earned of those available, exact, with how many points nothing has decided yet."""

    earned: Fraction
    available: Fraction
    undecided: int

    @property
    def ratio(self) -> float | None:
        """`earned / available` in 0..1; None where nothing is decided."""
        return float(self.earned / self.available) if self.available else None


def score_auto(
    points: Iterable[Point], verdicts: Iterable[Verdict], excluded: Set[str] = frozenset()
) -> Score:
    """The score of one run over the points that the automation decided.

    `points` are those of the run's own definition and variant, `excluded` the verdict ids that
    an erratum takes out: such a point leaves both sides and is not counted as undecided. A point
    without a verdict is undecided: a person decides it. Raises VerdictMismatch.
    """
    earned = available = Fraction(0)
    undecided = 0
    for point, decision in decisions(points, verdicts):
        if point.verdict_id in excluded:
            continue
        if decision == "undecided":
            undecided += 1
            continue
        available += point.weight
        if decision == "pass":
            earned += point.weight
    return Score(earned, available, undecided)


def gating_failures(
    points: Iterable[Point], verdicts: Iterable[Verdict], excluded: Set[str] = frozenset()
) -> tuple[str, ...]:
    """The verdict ids, in checklist order, that the automation failed and no erratum excludes.

    Raises VerdictMismatch.
    """
    return tuple(
        point.verdict_id
        for point, decision in decisions(points, verdicts)
        if decision == "fail" and point.verdict_id not in excluded
    )


def decisions(
    points: Iterable[Point], verdicts: Iterable[Verdict]
) -> tuple[tuple[Point, Decision], ...]:
    """Each point with what the automation decided of it, in checklist order.

    Raises VerdictMismatch for a verdict that is of none of these points, or decided twice: the
    verdicts are then of another definition, and any score would be wrong.
    """
    points = tuple(points)
    known = {point.verdict_id for point in points}
    decided: dict[str, Decision] = {}
    for verdict in verdicts:
        if verdict.verdict_id not in known:
            raise VerdictMismatch(
                f"the verdict `{verdict.verdict_id}` is of no point of the definition that it is "
                "scored against",
                help="validate the run again: its verdicts are of another definition",
            )
        if verdict.verdict_id in decided:
            raise VerdictMismatch(f"the point `{verdict.verdict_id}` has two verdicts")
        decided[verdict.verdict_id] = verdict.verdict
    return tuple((point, decided.get(point.verdict_id, "undecided")) for point in points)
