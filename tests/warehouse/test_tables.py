"""What the public tables say of cases and runs."""

from __future__ import annotations

import resource
from dataclasses import replace
from fractions import Fraction

import pytest

from tcab_dagster.errors import UsageError
from tcab_dagster.home import Home
from tcab_dagster.records import State, Usage
from tcab_dagster.warehouse import (
    WarehouseError,
    connect,
    query,
    remove_case,
    write_case,
    write_run,
)
from tcab_dagster.warehouse.files import WarehouseFolder
from tcab_dagster.warehouse.views import TABLES
from tests.evaluation.authored import (
    case,
    erratum,
    record,
    split,
    validation,
    variant,
    whole,
    with_errata,
)

PONG = case(
    variant("base", whole("ball", 1), split("paddle", 1, "up", "down", "stop"), whole("look", 2)),
    variant("frenzy", whole("ball", 1), whole("bombs", Fraction("0.1"))),
)


def test_a_home_without_any_run_has_every_table_empty_and_typed(home: Home) -> None:
    for table in TABLES:
        assert query(home, f"SELECT * FROM {table}").rows == []
    assert query(home, "SELECT sum(score_auto), count(*) FROM runs").rows == [(None, 0)]


def test_a_run_is_scored_over_its_decided_points(home: Home) -> None:
    write_case(home, PONG)
    write_run(
        home, record(PONG, {"ball": "pass", "paddle.up": "pass", "paddle.down": "fail"}), PONG
    )

    assert query(
        home,
        "SELECT score_auto, earned, available, undecided, gating_failures, state FROM runs",
    ).rows == [(4 / 5, 4 / 3, 5 / 3, 2, 1, "completed")]


def test_a_new_erratum_rescores_old_runs_of_its_variant_alone(home: Home) -> None:
    write_case(home, PONG)
    write_run(home, record(PONG, {"ball": "fail"}), PONG)
    write_run(home, record(PONG, {"ball": "fail", "bombs": "pass"}, run=2, variant="frenzy"), PONG)
    scores = "SELECT variant, score_auto, undecided FROM runs ORDER BY variant"
    assert query(home, scores).rows == [("base", 0.0, 4), ("frenzy", 1 / 11, 0)]

    write_case(home, with_errata(PONG, erratum("ball", only="frenzy")))

    assert query(home, scores).rows == [("base", 0.0, 4), ("frenzy", 1.0, 0)]
    assert query(home, "SELECT variant FROM verdicts WHERE excluded").rows == [("frenzy",)]
    assert query(home, "SELECT variant, verdict_id FROM review_points WHERE excluded").rows == [
        ("frenzy", "ball")
    ]


def test_a_run_of_an_edited_version_keeps_the_points_it_was_given(home: Home) -> None:
    write_case(home, PONG)
    write_run(home, record(PONG, {"ball": "pass", "look": "fail"}), PONG)

    edited = replace(case(variant("base", whole("ball", 1), whole("look", 98))), digest="e" * 64)
    write_case(home, edited)

    assert query(home, "SELECT score_auto, definition_current FROM runs").rows == [(1 / 3, False)]
    with pytest.raises(WarehouseError, match="cannot be scored against"):
        write_run(home, record(PONG, {"ball": "pass"}), edited)
    mixed = record(PONG).model_copy(update={"validation": validation({}, digest="e" * 64)})
    with pytest.raises(WarehouseError, match="validated as of eeee"):
        write_run(home, mixed, PONG)


def test_writing_a_run_again_replaces_every_row_of_it(home: Home) -> None:
    write_run(home, record(PONG, state=State.INFRASTRUCTURE, tool_calls={"bash": 3}), PONG)
    write_run(home, record(PONG, {"ball": "pass"}, tool_calls={"edit": 1}), PONG)

    assert query(home, "SELECT state, score_auto FROM runs").rows == [("completed", 1.0)]
    assert query(home, "SELECT tool, calls FROM tool_calls").rows == [("edit", 1)]


def test_a_hidden_version_is_in_no_table_and_nor_are_its_runs(home: Home) -> None:
    secret = replace(PONG, slug="secret", experimental=True)
    write_case(home, PONG)
    write_case(home, secret, hidden=True)
    for of in (PONG, secret):
        write_run(home, record(of, {"ball": "pass"}), of)
    slugs = "SELECT DISTINCT slug FROM {} ORDER BY slug"
    tables = ("cases", "variants", "review_points", "runs", "verdicts")

    assert [query(home, slugs.format(t)).rows for t in tables] == [[("pong",)]] * 5
    write_case(home, secret)
    assert [query(home, slugs.format(t)).rows for t in tables] == [[("pong",), ("secret",)]] * 5


def test_a_removed_case_leaves_its_runs(home: Home) -> None:
    write_case(home, PONG)
    write_run(home, record(PONG, {"ball": "pass"}), PONG)

    remove_case(home, PONG.key)
    remove_case(home, "never@v1.0.0")

    assert query(home, "SELECT * FROM cases").rows == []
    assert query(home, "SELECT run_id, score_auto, definition_current FROM runs").rows == [
        (f"pong@v1.0.0~{1:026d}", 1.0, False)
    ]


def test_the_latest_version_is_the_greatest_not_the_last_of_the_alphabet(home: Home) -> None:
    for version in ("v1.9.0", "v1.10.0", "v0.99.99"):
        write_case(home, replace(PONG, version=version))

    assert query(home, "SELECT version FROM cases WHERE latest").rows == [("v1.10.0",)]


HOSTILE = ["a\0b", "'; DROP VIEW runs; --", "\x1b[31m", "\U0001f600", "x" * 1_000_000, ""]


def test_whatever_text_a_run_produced_is_stored_as_it_is(home: Home) -> None:
    for n, text in enumerate(HOSTILE):
        write_run(home, record(PONG, {"ball": "pass"}, run=n, detail=text), PONG)

    assert [row for (row,) in query(home, "SELECT detail FROM runs ORDER BY run_id").rows] == (
        HOSTILE
    )


def test_counts_that_cannot_be_true_are_null_and_do_not_lose_the_run(home: Home) -> None:
    impossible = Usage(output=2**70, reasoning=-1, cached_input=5, cost_usd=float("nan"))
    write_run(home, record(PONG, usage=impossible, tool_calls={"bash": 2**64, "edit": 1}), PONG)

    assert query(
        home, "SELECT output_tokens, reasoning_tokens, cached_input_tokens, cost_usd FROM runs"
    ).rows == [(None, None, 5, None)]
    assert query(home, "SELECT tool, calls FROM tool_calls ORDER BY tool").rows == [
        ("bash", None), ("edit", 1),
    ]  # fmt: skip


def test_a_disk_that_refuses_leaves_the_old_rows_and_says_what_to_do(home: Home) -> None:
    write_run(home, record(PONG, detail="old"), PONG)
    live = WarehouseFolder.of(home).live("runs", record(PONG).run_id)
    before = live.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        with pytest.raises(WarehouseError, match="next sync"):
            write_run(home, record(PONG, detail="new"), PONG)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert live.read_bytes() == before
    assert list(live.parent.glob(".*")) == []


@pytest.mark.parametrize(
    "sql", ["DROP VIEW runs", "CREATE TABLE x (i INT)", "INSTALL httpfs", "SET threads = 1"]
)
def test_what_is_no_query_is_refused_before_it_is_run(home: Home, sql: str) -> None:
    with pytest.raises(UsageError, match="is no query"):
        query(home, sql)


def test_a_damaged_file_is_not_taken_for_a_wrong_query(home: Home) -> None:
    write_case(home, case())
    (damaged,) = home.warehouse.rglob("live/*.parquet")
    damaged.write_bytes(b"not a table")

    with pytest.raises(WarehouseError, match="cannot be read"):
        query(home, "FROM cases")


def test_bad_sql_is_a_usage_error_that_names_the_tables(home: Home) -> None:
    for sql in ("SELEC 1", "SELECT scor FROM runs", "SELECT * FROM run", "SELECT 'x'::INT"):
        with pytest.raises(UsageError) as refused:
            query(home, sql)
        assert "runs, verdicts" in str(refused.value), sql


def test_one_query_is_asked_at_a_time(home: Home) -> None:
    for sql, count in (("", 0), ("-- nothing", 0), ("SELECT 1; SELECT 2", 2)):
        with pytest.raises(UsageError, match=f"not {count}"):
            query(home, sql)
    assert query(home, "SELECT 1 AS one;") == (("one",), [(1,)])


def test_the_connection_cannot_write(home: Home) -> None:
    with connect(home) as connection, pytest.raises(Exception, match="read-only"):
        connection.execute("CREATE TABLE x (i INT)")
