"""The metrics of one version: what counts, and when they are to be computed again."""

from __future__ import annotations

from dataclasses import replace

from tcab_dagster.evaluation.intervals import bootstrap_mean, wilson
from tcab_dagster.home import Home
from tcab_dagster.records import Durations, Fault, State, Usage
from tcab_dagster.warehouse import (
    compute_metrics,
    query,
    stale_metrics,
    write_case,
    write_run,
)
from tests.evaluation.authored import case, erratum, record, variant, whole, with_errata

PONG = case(variant("base", whole("ball", 1), whole("look", 3)), variant("hard", whole("ball", 1)))
HALF = {"ball": "pass", "look": "fail"}
ALL = {"ball": "pass", "look": "pass"}


def test_only_completed_runs_enter_the_mean_and_the_agents_failures_the_strict_one(
    home: Home,
) -> None:
    write_case(home, PONG)
    ends = [
        (State.COMPLETED, None, HALF),
        (State.COMPLETED, None, ALL),
        (State.COMPLETED, None, {}),
        (State.CATASTROPHIC, None, {}),
        (State.TIMED_OUT, Fault.AGENT, None),
        (State.TIMED_OUT, Fault.PROVIDER, None),
        (State.HUNG, Fault.UNKNOWN, None),
        (State.HARNESS_ERROR, Fault.OPERATOR, None),
        (State.INFRASTRUCTURE, Fault.INFRASTRUCTURE, None),
        (State.COLLECTED, None, None),
    ]
    for n, (state, fault, decided) in enumerate(ends):
        write_run(home, record(PONG, decided, run=n, state=state, fault=fault), PONG)

    [group] = compute_metrics(home, PONG.key)

    assert (group.runs, group.n, group.n_strict) == (10, 2, 4)
    assert group.score_auto_mean == (0.25 + 1) / 2
    assert group.score_auto_strict_mean == (0.25 + 1 + 0 + 0) / 4
    assert (group.score_auto_low, group.score_auto_high) == bootstrap_mean([0.25, 1.0])
    assert {(o.state, o.fault, o.runs) for o in group.outcomes} >= {
        ("completed", None, 3), ("timed_out", "agent", 1), ("timed_out", "provider", 1),
    }  # fmt: skip
    assert [(p.verdict_id, p.passed, p.decided) for p in group.points] == [
        ("ball", 2, 2), ("look", 1, 2),
    ]  # fmt: skip
    assert (group.points[1].low, group.points[1].high) == wilson(1, 2)


def test_the_rows_are_what_was_computed(home: Home) -> None:
    write_case(home, PONG)
    for n, seconds in enumerate((10.0, 20.0, 30.0, 50.0)):
        write_run(
            home,
            record(
                PONG, ALL, run=n, durations=Durations(session=seconds),
                usage=Usage(output=100 * n, cost_usd=None if n else 1.5),
            ),
            PONG,
        )  # fmt: skip

    [group] = compute_metrics(home, PONG.key)

    columns = query(home, "SELECT * FROM metrics").columns
    [row] = query(home, "SELECT * FROM metrics").rows
    shown = dict(zip(columns, row, strict=True))
    assert shown["score_auto_mean"] == group.score_auto_mean == 1.0
    assert (shown["score_auto_low"], shown["score_auto_high"]) == (1.0, 1.0)
    assert shown["session_seconds"] == {"q1": 17.5, "median": 25.0, "q3": 35.0}
    assert shown["setup_seconds"] is None
    assert shown["output_tokens_mean"] == 150.0
    assert shown["reasoning_tokens_mean"] is None
    assert shown["cost_usd_mean"] == 1.5
    assert query(home, "SELECT verdict_id, passed, rate FROM point_metrics").rows == [
        ("ball", 4, 1.0), ("look", 4, 1.0),
    ]  # fmt: skip


def test_groups_are_split_and_an_edited_definition_is_a_group_of_its_own(home: Home) -> None:
    edited = replace(case(variant("base", whole("ball", 1), whole("look", 1))), digest="e" * 64)
    write_case(home, edited)
    write_run(home, record(PONG, HALF, run=1), PONG)
    write_run(home, record(edited, HALF, run=2), edited)
    write_run(home, record(PONG, {"ball": "pass"}, run=3, variant="hard"), PONG)
    write_run(home, record(edited, ALL, run=4, model=None), edited)

    groups = compute_metrics(home, PONG.key)

    assert sorted(
        (g.variant, g.definition_digest[0], g.model or "", g.n, g.score_auto_mean) for g in groups
    ) == [
        ("base", "d", "imperfect", 1, 0.25),
        ("base", "e", "", 1, 1.0),
        ("base", "e", "imperfect", 1, 0.5),
        ("hard", "d", "imperfect", 1, 1.0),
    ]
    assert all(g.score_auto_low is None for g in groups)


def test_metrics_are_stale_until_computed_and_again_with_a_new_run_or_erratum(home: Home) -> None:
    other = replace(PONG, slug="other")
    for of in (PONG, other):
        write_case(home, of)
        write_run(home, record(of, HALF), of)
    assert stale_metrics(home) == (other.key, PONG.key)

    for of in (PONG, other):
        compute_metrics(home, of.key)
    assert stale_metrics(home) == ()

    write_run(home, record(PONG, ALL, run=2), PONG)
    assert stale_metrics(home) == (PONG.key,)
    compute_metrics(home, PONG.key)
    assert stale_metrics(home) == ()

    write_case(home, with_errata(other, erratum("look")))
    assert stale_metrics(home) == (other.key,)
    [group] = compute_metrics(home, other.key)
    assert group.score_auto_mean == 1.0
    assert stale_metrics(home) == ()


def test_a_version_without_runs_has_no_metrics_and_is_not_stale(home: Home) -> None:
    write_case(home, PONG)

    assert stale_metrics(home) == ()
    assert compute_metrics(home, PONG.key) == ()
    assert query(home, "SELECT * FROM metrics").rows == []


def test_a_hidden_version_is_neither_computed_nor_stale(home: Home) -> None:
    secret = replace(PONG, experimental=True)
    write_case(home, secret, hidden=True)
    write_run(home, record(secret, HALF), secret)

    assert stale_metrics(home) == ()
    write_case(home, secret)
    assert stale_metrics(home) == (secret.key,)
    compute_metrics(home, secret.key)
    write_case(home, secret, hidden=True)
    assert query(home, "SELECT * FROM metrics").rows == []
    assert stale_metrics(home) == ()


def test_the_same_runs_give_the_same_metrics_to_the_last_digit(home: Home) -> None:
    write_case(home, PONG)
    for n, decided in enumerate([HALF, ALL, ALL, HALF, ALL]):
        write_run(home, record(PONG, decided, run=n), PONG)

    [first], [second] = compute_metrics(home, PONG.key), compute_metrics(home, PONG.key)

    assert first == second
    assert first.score_auto_low is not None
