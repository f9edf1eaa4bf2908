"""The intervals against scipy's, and where there is nothing to compute."""

from __future__ import annotations

import random

import pytest
from scipy import stats

from tcab_dagster.evaluation.intervals import RESAMPLES, bootstrap_mean, wilson


@pytest.mark.parametrize(("passed", "decided"), [(0, 1), (1, 1), (3, 10), (10, 10), (999, 1000)])
def test_the_wilson_interval_is_scipys(passed: int, decided: int) -> None:
    expected = stats.binomtest(passed, decided).proportion_ci(0.95, method="wilson")

    assert wilson(passed, decided) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_bootstrap_interval_is_scipys_within_its_own_noise() -> None:
    values = [random.Random(seed).betavariate(2, 3) for seed in range(40)]

    ours = bootstrap_mean(values)
    theirs = stats.bootstrap(
        (values,), lambda v, axis: v.mean(axis=axis), n_resamples=RESAMPLES, method="percentile",
        rng=1,
    ).confidence_interval  # fmt: skip

    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.004)
    assert bootstrap_mean(list(reversed(values))) == ours


def test_one_run_has_no_interval_and_equal_runs_have_a_point() -> None:
    assert bootstrap_mean([]) is None
    assert bootstrap_mean([0.5]) is None
    assert bootstrap_mean([0.5, 0.5, 0.5]) == (0.5, 0.5)
    assert wilson(0, 0) is None


def test_an_interval_holds_the_true_mean_about_as_often_as_it_says() -> None:
    source = random.Random(11)
    held = 0
    for _ in range(60):
        interval = bootstrap_mean([source.random() for _ in range(30)])
        assert interval is not None
        held += interval.low <= 0.5 <= interval.high

    assert held >= 51
