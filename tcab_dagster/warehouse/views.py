"""The public tables, as views over the stored files.

Belongs here: their SQL. Does not: what a file holds (files.py), or what each column means, which
docs/tables.md says: names and types here are a public interface.

Nothing that is derived is stored: the views work scores out of verdicts, weights and the errata
as they are now. They agree with evaluation/score.py to the last digit, since sums are over whole
units and a quotient of whole numbers below 2**53 is correctly rounded.

The schema `stored` is private: the files themselves, what is hidden, what is excluded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from tcab_dagster.warehouse.files import SHAPES, WarehouseFolder, quoted

_STORED = {
    "exclusions": """
        SELECT slug, version, list(DISTINCT erratum.review)
                   FILTER (erratum.variant IS NULL) AS everywhere,
               list(DISTINCT erratum.variant || '/' || erratum.review) AS by_variant
        FROM (SELECT slug, version, unnest(errata) AS erratum FROM stored.cases)
        WHERE erratum.exclude_from_score AND erratum.review IS NOT NULL
        GROUP BY slug, version
    """,
    "shown_cases": "SELECT * FROM stored.cases WHERE NOT hidden",
    "shown_metrics": """
        SELECT * FROM stored.metrics
        ANTI JOIN (SELECT slug, version FROM stored.cases WHERE hidden) USING (slug, version)
    """,
    "shown_runs": """
        SELECT run.*,
               coalesce(run.definition_digest = current.definition_digest, false)
                   AS definition_current,
               coalesce(exclusion.everywhere, []::VARCHAR[]) || list_transform(
                   list_filter(
                       coalesce(exclusion.by_variant, []::VARCHAR[]),
                       lambda name: starts_with(name, run.variant || '/')
                   ),
                   lambda name: name[length(run.variant) + 2:]
               ) AS excluded_ids
        FROM stored.runs AS run
        LEFT JOIN stored.cases AS current USING (slug, version)
        LEFT JOIN stored.exclusions AS exclusion USING (slug, version)
        WHERE NOT coalesce(current.hidden, false)
    """,
    # verdicts[i] decides the point verdict_ids[i], worth weight_units[i].
    "scored_runs": """
        SELECT *,
               coalesce(list_sum(list_transform(counted, lambda verdict, i:
                   CASE WHEN verdict = 'pass' THEN weight_units[i] ELSE 0 END
               )), 0)::BIGINT AS earned_units,
               coalesce(list_sum(list_transform(counted, lambda verdict, i:
                   CASE WHEN verdict IN ('pass', 'fail') THEN weight_units[i] ELSE 0 END
               )), 0)::BIGINT AS available_units,
               len(list_filter(counted, lambda verdict: verdict = 'undecided')) AS undecided,
               len(list_filter(counted, lambda verdict: verdict = 'fail')) AS gating_failures
        FROM (
            SELECT *, CASE WHEN len(excluded_ids) = 0 THEN verdicts
                ELSE list_transform(verdicts, lambda verdict, i:
                    CASE WHEN list_contains(excluded_ids, verdict_ids[i]) THEN 'excluded'
                         ELSE verdict END
                ) END AS counted
            FROM stored.shown_runs
        )
    """,
}

_PUBLIC = {
    "cases": """
        SELECT slug, version, type, name, difficulty, tags, summary, description, changelog,
               max_runtime_hours, experimental,
               row_number() OVER (
                   PARTITION BY slug
                   ORDER BY list_transform(
                       string_split(version[2:], '.'), lambda part: try_cast(part AS BIGINT)
                   ) DESC
               ) = 1 AS latest,
               definition_digest, errata_digest
        FROM stored.shown_cases
    """,
    "variants": """
        SELECT slug, version, v.variant AS variant, position, v.name AS name,
               v.description AS description, len(v.points) AS points,
               coalesce(list_sum(list_transform(v.points, lambda p: p.weight_units)), 0)::BIGINT
                   / v.units_per_point AS weight
        FROM (
            SELECT slug, version, unnest(variants) AS v,
                   generate_subscripts(variants, 1) AS position
            FROM stored.shown_cases
        )
    """,
    "review_points": """
        SELECT slug, version, variant, position, p.verdict_id AS verdict_id,
               p.item_id AS item_id, p.item_title AS item_title, p.title AS title,
               p."text" AS "text", p.weight_units / units_per_point AS weight,
               p.weight_units AS weight_units, units_per_point, p."domain" AS "domain",
               p.reference AS reference, p.proof AS proof, p.script IS NOT NULL AS automated,
               p.script AS script, p.graded AS graded,
               coalesce(
                   list_contains(exclusion.everywhere, p.verdict_id)
                       OR list_contains(exclusion.by_variant, variant || '/' || p.verdict_id),
                   false
               ) AS excluded
        FROM (
            SELECT slug, version, v.variant AS variant, v.units_per_point AS units_per_point,
                   unnest(v.points) AS p, generate_subscripts(v.points, 1) AS position
            FROM (SELECT slug, version, unnest(variants) AS v FROM stored.shown_cases)
        )
        LEFT JOIN stored.exclusions AS exclusion USING (slug, version)
    """,
    "errata": """
        SELECT slug, version, e.id AS id, e.title AS title, e.body AS body, e."date" AS "date",
               e.severity AS severity, e.affects_scoring AS affects_scoring,
               e.resolved_in AS resolved_in, e.variant AS variant, e.review AS review,
               e.exclude_from_score AS exclude_from_score
        FROM (SELECT slug, version, unnest(errata) AS e FROM stored.shown_cases)
    """,
    "runs": """
        SELECT run_id, slug, version, variant, harness, harness_version, model, state, fault,
               detail,
               CASE WHEN available_units > 0 THEN earned_units / available_units END
                   AS score_auto,
               earned_units / units_per_point AS earned,
               available_units / units_per_point AS available,
               undecided, gating_failures,
               earned_units, available_units, units_per_point,
               requested_at, started_at, ended_at,
               setup_seconds, session_seconds, teardown_seconds, validation_seconds,
               uncached_input_tokens, cached_input_tokens, output_tokens, reasoning_tokens,
               cost_usd, tree_files, tree_bytes, tree_digest, refused_entries,
               install_status, build_status, load_status, load_reason,
               launched_by, max_runtime_hours, runtime, image, image_digest, seed_commit,
               definition_digest, definition_current, record_digest
        FROM stored.scored_runs
    """,
    "verdicts": """
        SELECT run_id, slug, version, variant, harness, model, state, position, verdict_id,
               p.item_id AS item_id, p.title AS title, p."domain" AS "domain",
               units / units_per_point AS weight, units AS weight_units, units_per_point,
               p.automated AS automated, p.graded AS graded, verdict,
               list_contains(excluded_ids, verdict_id) AS excluded,
               p.reason AS reason, p.findings AS findings, p.seconds AS seconds,
               definition_digest
        FROM (
            SELECT * EXCLUDE (verdict_ids, weight_units, verdicts, points),
                   unnest(verdict_ids) AS verdict_id, unnest(weight_units) AS units,
                   unnest(verdicts) AS verdict, unnest(points) AS p,
                   generate_subscripts(verdict_ids, 1) AS position
            FROM stored.shown_runs
        )
    """,
    "checks": """
        SELECT run_id, slug, version, variant, harness, model, c."view" AS "view",
               c.name AS name, c.similarity AS similarity, c.reason AS reason
        FROM (SELECT * EXCLUDE (checks), unnest(checks) AS c FROM stored.shown_runs)
    """,
    "proofs": """
        SELECT run_id, slug, version, variant, harness, model, p.proof AS proof, p.name AS name,
               p.dest AS dest, p.kind AS kind, p.present AS present, p.media AS media
        FROM (SELECT * EXCLUDE (proofs), unnest(proofs) AS p FROM stored.shown_runs)
    """,
    "media": """
        SELECT run_id, slug, version, variant, m.name AS name, m.kind AS kind, m."role" AS "role",
               m.verdict_id AS verdict_id, m.output_id AS output_id, m.bytes AS bytes,
               m.sha256 AS sha256, 'runs/' || run_id || '/media/' || m.name AS path
        FROM (SELECT * EXCLUDE (media), unnest(media) AS m FROM stored.shown_runs)
    """,
    "tool_calls": """
        SELECT run_id, slug, version, variant, harness, model, t.tool AS tool, t.calls AS calls
        FROM (SELECT * EXCLUDE (tool_calls), unnest(tool_calls) AS t FROM stored.shown_runs)
    """,
    "metrics": """
        SELECT * EXCLUDE (points) FROM stored.shown_metrics
    """,
    "point_metrics": """
        SELECT slug, version, variant, definition_digest, harness, model,
               p.verdict_id AS verdict_id, p.decided AS decided, p.passed AS passed,
               p.rate AS rate, p.low AS low, p.high AS high
        FROM (SELECT * EXCLUDE (points), unnest(points) AS p FROM stored.shown_metrics)
    """,
}

TABLES = tuple(_PUBLIC)
"""The names of the public tables, in the order of docs/tables.md."""


def statements(folder: WarehouseFolder) -> list[str]:
    """What makes `tcab.duckdb` for a warehouse that lies where `folder` does now."""
    files: dict[str, str] = {
        kind: f"SELECT * FROM read_parquet({quoted(folder.glob(kind))}, hive_partitioning = false)"
        for kind in SHAPES
    }
    views = [*_create("stored.", files), *_create("stored.", _STORED), *_create("main.", _PUBLIC)]
    digest = hashlib.sha256("\n".join(views).encode()).hexdigest()
    return [
        "CREATE SCHEMA stored",
        *views,
        f"CREATE VIEW stored.definition AS SELECT {quoted(digest)} AS digest",
    ]


def _create(schema: str, views: Mapping[str, str]) -> list[str]:
    return [f"CREATE VIEW {schema}{name} AS {query}" for name, query in views.items()]
