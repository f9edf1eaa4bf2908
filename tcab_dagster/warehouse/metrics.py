"""The metrics of one case version: how often, how well, how long, how dear.

Belongs here: which runs count, and the grouping. Does not: the intervals (evaluation/), or scores,
which the `runs` view derives. Concept: docs/scores.md, "Metrics"; docs/tables.md, `metrics`.

Groups are split by variant, harness and model, and by the definition that the runs were given:
runs of a version before and after an edit are never averaged. Each row carries the digests of what
it was derived from, by which `stale_metrics` knows the versions to compute again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

import duckdb

from tcab_dagster.evaluation.intervals import bootstrap_mean, wilson
from tcab_dagster.home import Home
from tcab_dagster.warehouse.connection import connect
from tcab_dagster.warehouse.files import Stored, WarehouseFolder

Group = tuple[object, ...]

_GROUP = "variant, definition_digest, harness, model"
_STAGES = ("setup", "session", "teardown", "validation")
_AVERAGED = (
    "uncached_input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens", "cost_usd",
)  # fmt: skip
_COUNTS = "state = 'completed' AND score_auto IS NOT NULL"
_COUNTS_AS_ZERO = """
    (state = 'catastrophic' AND coalesce(fault, 'agent') = 'agent')
    OR (state = 'timed_out' AND fault = 'agent')
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    state: str
    fault: str | None
    runs: int


@dataclass(frozen=True, slots=True)
class PointRate:
    """How often a point passed where the automation decided it, with the 95% Wilson interval."""

    verdict_id: str
    decided: int
    passed: int
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Quartiles:
    q1: float
    median: float
    q3: float


@dataclass(frozen=True, slots=True)
class GroupMetrics:
    """One row of `metrics`; docs/tables.md says what each column is."""

    slug: str
    version: str
    variant: str
    definition_digest: str
    harness: str
    model: str | None
    runs: int
    outcomes: tuple[Outcome, ...]
    n: int
    score_auto_mean: float | None
    score_auto_low: float | None
    score_auto_high: float | None
    n_strict: int
    score_auto_strict_mean: float | None
    score_auto_strict_low: float | None
    score_auto_strict_high: float | None
    setup_seconds: Quartiles | None
    session_seconds: Quartiles | None
    teardown_seconds: Quartiles | None
    validation_seconds: Quartiles | None
    uncached_input_tokens_mean: float | None
    cached_input_tokens_mean: float | None
    output_tokens_mean: float | None
    reasoning_tokens_mean: float | None
    cost_usd_mean: float | None
    points: tuple[PointRate, ...]
    errata_digest: str | None
    runs_digest: str


def compute_metrics(home: Home, key: str) -> tuple[GroupMetrics, ...]:
    """Works out the metrics of the version `slug@version` and replaces its rows."""
    slug, _, version = key.partition("@")
    with connect(home) as connection:
        # The digests come first: a run that arrives after them leaves the rows stale, not wrong.
        runs_digest = _runs_digests(connection).get(key, "")
        errata_digest = _errata_digests(connection).get(key)
        groups = tuple(_groups(connection, slug, version, errata_digest, runs_digest))
    folder = WarehouseFolder.of(home)
    if groups:
        folder.put("metrics", [Stored(key, [asdict(group) for group in groups])])
    else:
        folder.empty_out("metrics", key)
    return groups


def stale_metrics(home: Home) -> tuple[str, ...]:
    """The versions, as `slug@version`, whose metrics are missing or derived from other runs or
    errata than there are now."""
    with connect(home) as connection:
        runs, errata = _runs_digests(connection), _errata_digests(connection)
        derived = {
            key: (runs_digest, errata_digest)
            for key, runs_digest, errata_digest in connection.execute(
                "SELECT DISTINCT slug || '@' || version, runs_digest, errata_digest FROM metrics"
            ).fetchall()
        }
    wanted = {key: (digest, errata.get(key)) for key, digest in runs.items()}
    return tuple(
        sorted(key for key in wanted.keys() | derived.keys() if wanted.get(key) != derived.get(key))
    )


def _groups(
    connection: duckdb.DuckDBPyConnection,
    slug: str,
    version: str,
    errata_digest: str | None,
    runs_digest: str,
) -> Iterator[GroupMetrics]:
    outcomes = _outcomes(connection, slug, version)
    points = _points(connection, slug, version)
    quartiles = ", ".join(
        f"quantile_cont({stage}_seconds, [0.25, 0.5, 0.75]) FILTER (state = 'completed')"
        for stage in _STAGES
    )
    means = ", ".join(f"avg({column}) FILTER (state = 'completed')" for column in _AVERAGED)
    for *group, runs, scores, zeros, q0, q1, q2, q3, t0, t1, t2, t3, cost in connection.execute(
        f"""
        SELECT {_GROUP}, count(*),
               coalesce(list(score_auto) FILTER ({_COUNTS}), []),
               count(*) FILTER ({_COUNTS_AS_ZERO}),
               {quartiles}, {means}
        FROM runs WHERE slug = ? AND version = ?
        GROUP BY {_GROUP} ORDER BY {_GROUP}
        """,
        [slug, version],
    ).fetchall():
        variant, definition_digest, harness, model = group
        plain, strict = _mean(scores), _mean([*scores, *[0.0] * zeros])
        yield GroupMetrics(
            slug=slug,
            version=version,
            variant=variant,
            definition_digest=definition_digest,
            harness=harness,
            model=model,
            runs=runs,
            outcomes=tuple(outcomes[tuple(group)]),
            n=plain.n,
            score_auto_mean=plain.mean,
            score_auto_low=plain.low,
            score_auto_high=plain.high,
            n_strict=strict.n,
            score_auto_strict_mean=strict.mean,
            score_auto_strict_low=strict.low,
            score_auto_strict_high=strict.high,
            setup_seconds=_quartiles(q0),
            session_seconds=_quartiles(q1),
            teardown_seconds=_quartiles(q2),
            validation_seconds=_quartiles(q3),
            uncached_input_tokens_mean=t0,
            cached_input_tokens_mean=t1,
            output_tokens_mean=t2,
            reasoning_tokens_mean=t3,
            cost_usd_mean=cost,
            points=tuple(points[tuple(group)]),
            errata_digest=errata_digest,
            runs_digest=runs_digest,
        )


def _outcomes(
    connection: duckdb.DuckDBPyConnection, slug: str, version: str
) -> Mapping[Group, list[Outcome]]:
    found: dict[Group, list[Outcome]] = defaultdict(list)
    for *group, state, fault, runs in connection.execute(
        f"""
        SELECT {_GROUP}, state, fault, count(*) FROM runs WHERE slug = ? AND version = ?
        GROUP BY ALL ORDER BY ALL
        """,
        [slug, version],
    ).fetchall():
        found[tuple(group)].append(Outcome(state, fault, runs))
    return found


def _points(
    connection: duckdb.DuckDBPyConnection, slug: str, version: str
) -> Mapping[Group, list[PointRate]]:
    found: dict[Group, list[PointRate]] = defaultdict(list)
    for *group, verdict_id, decided, passed in connection.execute(
        f"""
        SELECT {_GROUP}, verdict_id,
               count(*) FILTER (verdict IN ('pass', 'fail')), count(*) FILTER (verdict = 'pass')
        FROM verdicts WHERE slug = ? AND version = ? AND state = 'completed'
        GROUP BY {_GROUP}, verdict_id ORDER BY {_GROUP}, min(position)
        """,
        [slug, version],
    ).fetchall():
        interval = wilson(passed, decided)
        found[tuple(group)].append(
            PointRate(
                verdict_id,
                decided,
                passed,
                passed / decided if decided else None,
                interval.low if interval else None,
                interval.high if interval else None,
            )
        )
    return found


def _runs_digests(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """What the runs of each version are, as one digest."""
    return dict(
        connection.execute(
            """
            SELECT slug || '@' || version,
                   sha256(string_agg(run_id || ' ' || record_digest, chr(10) ORDER BY run_id))
            FROM runs GROUP BY slug, version
            """
        ).fetchall()
    )


def _errata_digests(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    return dict(
        connection.execute("SELECT slug || '@' || version, errata_digest FROM cases").fetchall()
    )


@dataclass(frozen=True, slots=True)
class _Mean:
    n: int
    mean: float | None
    low: float | None
    high: float | None


def _mean(scores: Sequence[float]) -> _Mean:
    interval = bootstrap_mean(scores)
    return _Mean(
        len(scores),
        fmean(scores) if scores else None,
        interval.low if interval else None,
        interval.high if interval else None,
    )


def _quartiles(found: Sequence[float] | None) -> Quartiles | None:
    return Quartiles(*found) if found else None
