"""What verdicts are worth, worked by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tcab_dagster.evaluation import VerdictMismatch, gating_failures, score_auto
from tests.evaluation.authored import (
    Decision,
    case,
    erratum,
    item,
    point,
    split,
    variant,
    verdicts,
    whole,
)

BALL = (whole("ball", 1), split("paddle", 1, "up", "down", "stop"), whole("score", 2))

HAND_WORKED: list[tuple[str, dict[str, Decision], set[str], tuple[str, str, int, float | None]]] = [
    (
        "everything passes",
        {"ball": "pass", "paddle.up": "pass", "paddle.down": "pass", "paddle.stop": "pass",
         "score": "pass"},
        set(), ("4", "4", 0, 1.0),
    ),
    (
        "a third of an item",
        {"ball": "fail", "paddle.up": "pass", "paddle.down": "fail", "paddle.stop": "fail",
         "score": "fail"},
        set(), ("1/3", "4", 0, 1 / 12),
    ),
    (
        "three thirds are one, not 0.9999",
        {"paddle.up": "pass", "paddle.down": "pass", "paddle.stop": "pass"},
        set(), ("1", "1", 2, 1.0),
    ),
    (
        "two thirds of what was decided",
        {"paddle.up": "pass", "paddle.down": "pass", "paddle.stop": "fail"},
        set(), ("2/3", "1", 2, 2 / 3),
    ),
    ("nothing is decided", {}, set(), ("0", "0", 5, None)),
    (
        "undecided is neither earned nor available",
        {"ball": "undecided", "score": "pass"},
        set(), ("2", "2", 4, 1.0),
    ),
    (
        "an excluded failure leaves both sides",
        {"ball": "pass", "score": "fail"},
        {"score"}, ("1", "1", 3, 1.0),
    ),
    (
        "an excluded pass leaves both sides",
        {"ball": "fail", "score": "pass"},
        {"score"}, ("0", "1", 3, 0.0),
    ),
    (
        "an excluded sub-item leaves the other two thirds",
        {"paddle.up": "pass", "paddle.down": "pass", "paddle.stop": "fail"},
        {"paddle.stop"}, ("2/3", "2/3", 2, 1.0),
    ),
    (
        "all decided points are excluded",
        {"ball": "pass"},
        {"ball"}, ("0", "0", 4, None),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("decided", "excluded", "expected"),
    [row[1:] for row in HAND_WORKED],
    ids=[row[0] for row in HAND_WORKED],
)
def test_a_score_is_what_was_worked_out_by_hand(
    decided: dict[str, Decision],
    excluded: set[str],
    expected: tuple[str, str, int, float | None],
) -> None:
    earned, available, undecided, ratio = expected

    score = score_auto(variant("base", *BALL).points, verdicts(decided), excluded)

    assert (score.earned, score.available) == (Fraction(earned), Fraction(available))
    assert score.undecided == undecided
    assert score.ratio == ratio


def test_items_of_a_category_are_worth_their_own_weights() -> None:
    spin = item(
        "spin",
        point("spin.moving", 1),
        point("spin.visible", Fraction("0.1")),
        point("spin.fast", 3),
    )
    decided: dict[str, Decision] = {
        "spin.moving": "pass",
        "spin.visible": "pass",
        "spin.fast": "fail",
    }

    score = score_auto(spin.points, verdicts(decided))

    assert (score.earned, score.available) == (Fraction(11, 10), Fraction(41, 10))
    assert score.ratio == 11 / 41


def test_an_erratum_of_one_variant_excludes_nothing_in_another() -> None:
    both = case(
        variant("base", *BALL), variant("frenzy", *BALL), errata=[erratum("score", only="frenzy")]
    )
    decided = verdicts({"ball": "pass", "score": "fail"})

    scores = {
        v.slug: score_auto(v.points, decided, both.excluded_points(v.slug)).ratio
        for v in both.variants
    }

    assert scores == {"base": 1 / 3, "frenzy": 1.0}


def test_an_erratum_that_does_not_exclude_changes_no_score() -> None:
    noted = case(variant("base", *BALL), errata=[erratum("score", exclude=False)])

    assert noted.excluded_points("base") == frozenset()


def test_a_failed_point_gates_unless_an_erratum_excludes_it() -> None:
    points = variant("base", *BALL).points
    decided = verdicts(
        {"score": "fail", "ball": "fail", "paddle.up": "pass", "paddle.down": "undecided"}
    )

    assert gating_failures(points, decided) == ("ball", "score")
    assert gating_failures(points, decided, {"ball"}) == ("score",)
    assert gating_failures(points, decided, {"ball", "score"}) == ()


def test_verdicts_of_another_definition_are_refused_rather_than_scored() -> None:
    points = variant("base", *BALL).points

    with pytest.raises(VerdictMismatch, match="`spin` is of no point"):
        score_auto(points, verdicts({"ball": "pass", "spin": "pass"}))
    with pytest.raises(VerdictMismatch, match="two verdicts"):
        score_auto(points, [*verdicts({"ball": "pass"}), *verdicts({"ball": "fail"})])
