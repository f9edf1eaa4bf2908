"""The docs say what is: columns and types, queries that run, a worked example that adds up."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from tcab_dagster.catalog.model import Point
from tcab_dagster.evaluation import gating_failures, score_auto
from tcab_dagster.home import Home
from tcab_dagster.warehouse import connect, query
from tcab_dagster.warehouse.views import TABLES
from tests.evaluation.authored import point, verdicts

DOCS = Path(__file__).parents[2] / "docs"


def tables_in(text: str) -> list[list[list[str]]]:
    """The body rows of every Markdown table."""
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]]
        for block in blocks
    ]


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_table_is_documented_with_its_columns_and_types_in_order(home: Home) -> None:
    documented = sections((DOCS / "tables.md").read_text())
    with connect(home) as connection:
        for table in TABLES:
            [rows] = tables_in(documented[table])
            described = connection.execute(f"DESCRIBE {table}").fetchall()
            assert [tuple(row[:2]) for row in rows] == [row[:2] for row in described], table
    assert set(documented) == {*TABLES, "Queries to start from"}


def test_the_documented_queries_run(home: Home) -> None:
    queries = re.findall(r"```sql\n(.*?)```", (DOCS / "tables.md").read_text(), re.DOTALL)

    assert len(queries) >= 4
    for sql in queries:
        assert query(home, sql).rows == []


@pytest.mark.parametrize(("row", "excluded"), [(0, set()), (1, {"score"})])
def test_the_worked_example_adds_up(row: int, excluded: set[str]) -> None:
    worked = sections((DOCS / "scores.md").read_text())["A worked example"]
    points_table, scores_table = tables_in(worked)
    points: list[Point] = [point(name, Fraction(weight)) for name, weight, _ in points_table]
    decided = verdicts({name: verdict for name, _, verdict in points_table})
    _, earned, available, ratio, undecided, gates = scores_table[row]

    score = score_auto(points, decided, excluded)

    assert str(score.earned) == earned
    assert str(score.available) == available
    assert f"{score.ratio:.4f}" == ratio
    assert str(score.undecided) == undecided
    assert ", ".join(gating_failures(points, decided, excluded)) == gates
