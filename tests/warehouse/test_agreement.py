"""SQL and Python derive one score: to the last digit, whatever the weights."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcab_dagster.catalog.model import CaseVersion, ReviewItem
from tcab_dagster.evaluation import gating_failures, score_auto
from tcab_dagster.home import Home
from tcab_dagster.records import RunRecord
from tcab_dagster.warehouse import WarehouseError, connect, write_case, write_runs
from tests.evaluation.authored import case, erratum, record, split, variant, whole

WEIGHTS = st.one_of(
    st.integers(1, 10_000).map(Fraction),
    st.integers(1, 9_999).map(lambda hundredths: Fraction(hundredths, 100)),
)


@st.composite
def checklists(draw: st.DrawFn) -> list[ReviewItem]:
    items = []
    for n in range(draw(st.integers(1, 6))):
        subs = draw(st.integers(0, 7))
        weight = draw(WEIGHTS)
        names = [f"s{i}" for i in range(subs)]
        items.append(split(f"i{n}", weight, *names) if names else whole(f"i{n}", weight))
    return items


@st.composite
def scored_runs(draw: st.DrawFn) -> tuple[CaseVersion, list[RunRecord]]:
    variants = [variant("base", *draw(checklists())), variant("b", *draw(checklists()))]
    ids = sorted({p.verdict_id for v in variants for p in v.points})
    errata = draw(
        st.lists(
            st.builds(
                erratum,
                st.sampled_from(ids),
                only=st.sampled_from([None, "base", "b"]),
                exclude=st.booleans(),
            ),
            max_size=4,
        )
    )
    of = case(*variants, errata=errata)
    decisions = st.sampled_from(["pass", "fail", "undecided"])
    records = []
    for n in range(6):
        chosen = draw(st.sampled_from(variants))
        decided = {
            point.verdict_id: draw(decisions) for point in chosen.points if draw(st.booleans())
        }
        records.append(record(of, decided, run=n, variant=chosen.slug))
    return of, records


@pytest.fixture(scope="module")
def one_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    path: Path = tmp_path_factory.mktemp("agreement")
    return Home.open(path / "home")


@pytest.fixture(scope="module")
def connection(one_home: Home) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(one_home) as opened:
        yield opened


@given(scored=scored_runs())
@settings(max_examples=25, deadline=None)
def test_the_runs_table_says_what_score_auto_says(
    one_home: Home,
    connection: duckdb.DuckDBPyConnection,
    scored: tuple[CaseVersion, list[RunRecord]],
) -> None:
    of, records = scored
    write_case(one_home, of)
    expected = []
    for made in records:
        assert made.validation is not None
        points = of.variant(made.variant).points
        excluded = of.excluded_points(made.variant)
        score = score_auto(points, made.validation.verdicts, excluded)
        gating = gating_failures(points, made.validation.verdicts, excluded)
        expected.append((
            made.run_id, score.ratio, float(score.earned), float(score.available),
            score.earned, score.available, score.undecided, len(gating),
        ))  # fmt: skip

    write_runs(one_home, ((made, of) for made in records))

    found = connection.execute(
        "SELECT run_id, score_auto, earned, available, earned_units, available_units, "
        "units_per_point, undecided, gating_failures FROM runs ORDER BY run_id"
    ).fetchall()

    assert [
        (*row[:4], Fraction(row[4], row[6]), Fraction(row[5], row[6]), *row[7:]) for row in found
    ] == expected


def test_weights_too_fine_to_sum_exactly_are_refused_with_the_mend(one_home: Home) -> None:
    binary = case(variant("base", whole("a", Fraction(0.1)), whole("b", Fraction(0.3))))

    with pytest.raises(WarehouseError, match="fewer decimals"):
        write_case(one_home, binary)
