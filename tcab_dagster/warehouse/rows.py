"""A resolved case version and a run's record, as the rows that the warehouse stores.

Belongs here: pure mappings. Does not: writing them (files.py) or the public tables (views.py).

Weights are kept as whole units, so that SQL sums them exactly: a variant's `units_per_point` is
the least common denominator of its weights, and a third of a point is then a whole number of units.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from math import inf, lcm

from tcab_dagster.catalog.model import CaseVersion, Point, Variant
from tcab_dagster.evaluation.score import decisions
from tcab_dagster.records import RunRecord
from tcab_dagster.warehouse.files import Row, WarehouseError

EXACT_INTEGERS = 2**53
"""Below it every whole number is a double too, so that SQL's division is correctly rounded."""


def case_row(case: CaseVersion, *, hidden: bool) -> Row:
    """Raises WarehouseError for weights too fine to be summed exactly."""
    return {
        "slug": case.slug,
        "version": case.version,
        "type": case.type,
        "name": case.name,
        "difficulty": case.difficulty,
        "tags": list(case.tags),
        "summary": case.summary,
        "description": case.description,
        "changelog": case.changelog,
        "max_runtime_hours": case.max_runtime_hours,
        "experimental": case.experimental,
        "hidden": hidden,
        "definition_digest": case.digest,
        "errata_digest": case.errata_digest,
        "variants": [_variant_row(case, variant) for variant in case.variants],
        "errata": [
            {
                "id": erratum.id,
                "title": erratum.title,
                "body": erratum.body,
                "date": erratum.date,
                "severity": erratum.severity,
                "affects_scoring": erratum.affects_scoring,
                "resolved_in": erratum.resolved_in,
                "variant": erratum.variant,
                "review": erratum.review,
                "exclude_from_score": erratum.exclude_from_score,
            }
            for erratum in case.errata
        ],
    }


def run_row(record: RunRecord, case: CaseVersion) -> Row:
    """Raises WarehouseError where `case` is not the definition that the run pinned, or its
    validation used another; VerdictMismatch where the verdicts do not fit it."""
    _check_definition(record, case)
    validation = record.validation
    decided = decisions(
        case.variant(record.variant).points, validation.verdicts if validation else ()
    )
    verdicts = {v.verdict_id: v for v in validation.verdicts} if validation else {}
    points = [point for point, _ in decided]
    units = units_per_point(case, points)
    return {
        "run_id": record.run_id,
        "slug": record.slug,
        "version": record.version,
        "variant": record.variant,
        "definition_digest": record.definition_digest,
        "harness": record.harness,
        "harness_version": record.harness_version,
        "model": record.model,
        "launched_by": record.launched_by,
        "max_runtime_hours": record.max_runtime_hours,
        "runtime": record.runtime,
        "image": record.image,
        "image_digest": record.image_digest,
        "seed_commit": record.seed_commit,
        "state": record.state.value,
        "fault": record.fault.value if record.fault else None,
        "detail": record.detail,
        "requested_at": _utc(record.requested_at),
        "started_at": _utc(record.started_at),
        "ended_at": _utc(record.ended_at),
        "setup_seconds": record.durations.setup,
        "session_seconds": record.durations.session,
        "teardown_seconds": record.durations.teardown,
        "validation_seconds": record.durations.validation,
        "uncached_input_tokens": _count(record.usage.uncached_input),
        "cached_input_tokens": _count(record.usage.cached_input),
        "output_tokens": _count(record.usage.output),
        "reasoning_tokens": _count(record.usage.reasoning),
        "cost_usd": _amount(record.usage.cost_usd),
        "tree_files": record.tree.files if record.tree else None,
        "tree_bytes": record.tree.bytes if record.tree else None,
        "tree_digest": record.tree.digest if record.tree else None,
        "refused_entries": len(record.tree.refused) if record.tree else None,
        "install_status": validation.install.status if validation else None,
        "build_status": validation.build.status if validation else None,
        "load_status": validation.load.status if validation else None,
        "load_reason": validation.load.reason if validation else None,
        "units_per_point": units,
        "verdict_ids": [point.verdict_id for point in points],
        "weight_units": [int(point.weight * units) for point in points],
        "verdicts": [decision for _, decision in decided],
        "points": [
            {
                "item_id": point.item_id,
                "title": point.title,
                "domain": point.domain,
                "automated": point.validation is not None,
                "graded": point.graded,
                "reason": verdict.reason if verdict else None,
                "seconds": verdict.seconds if verdict else None,
                "findings": [finding.model_dump() for finding in verdict.findings]
                if verdict
                else [],
            }
            for point, verdict in ((point, verdicts.get(point.verdict_id)) for point in points)
        ],
        "checks": [check.model_dump() for check in validation.checks] if validation else [],
        "proofs": [
            {
                "proof": proof.id,
                "name": proof.name,
                "dest": proof.dest,
                "kind": proof.kind,
                "present": proof.present,
                "media": proof.media,
            }
            for proof in (validation.proofs if validation else ())
        ],
        "media": [media.model_dump() for media in validation.media] if validation else [],
        "tool_calls": [
            {"tool": tool, "calls": _count(calls)}
            for tool, calls in sorted(record.tool_calls.items())
        ],
        "record_digest": record_digest(record),
    }


def record_digest(record: RunRecord) -> str:
    """The digest of the record as home.py writes it."""
    return content_digest(record.model_dump_json(indent=2).encode())


def content_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def units_per_point(case: CaseVersion, points: Iterable[Point]) -> int:
    """The least common denominator of the weights. Raises WarehouseError where the sum of all
    in such units is beyond what a double holds exactly."""
    weights = [point.weight for point in points]
    units = lcm(*(weight.denominator for weight in weights))
    if sum(weights) * units >= EXACT_INTEGERS:
        raise WarehouseError(
            f"the weights of {case.key} are too fine to be summed exactly: their common "
            f"denominator is {units}",
            help="give its items weights with fewer decimals",
        )
    return units


def _variant_row(case: CaseVersion, variant: Variant) -> Row:
    units = units_per_point(case, variant.points)
    return {
        "variant": variant.slug,
        "name": variant.name,
        "description": variant.description,
        "units_per_point": units,
        "points": [
            {
                "verdict_id": point.verdict_id,
                "item_id": item.id,
                "item_title": item.title,
                "title": point.title,
                "text": point.text,
                "weight_units": int(point.weight * units),
                "domain": point.domain,
                "reference": point.reference,
                "proof": point.proof,
                "script": point.validation.script if point.validation else None,
                "graded": point.graded,
            }
            for item in variant.items
            for point in item.points
        ],
    }


def _check_definition(record: RunRecord, case: CaseVersion) -> None:
    if (case.key, case.digest) != (record.case_key, record.definition_digest):
        raise WarehouseError(
            f"run {record.run_id} was given {record.case_key} as of {record.definition_digest[:12]}"
            f" and cannot be scored against {case.key} as of {case.digest[:12]}",
            help="load the definition that the run pins from the store",
        )
    validation = record.validation
    if validation is not None and validation.definition_digest != record.definition_digest:
        raise WarehouseError(
            f"run {record.run_id} was given its case as of {record.definition_digest[:12]} and "
            f"validated as of {validation.definition_digest[:12]}",
            help="validate the run again",
        )


def _count(told: int | None) -> int | None:
    """A count that an agent's own output told; NULL where it cannot be one."""
    return told if told is not None and 0 <= told < 2**63 else None


def _amount(told: float | None) -> float | None:
    return told if told is not None and 0 <= told < inf else None


def _utc(moment: datetime) -> datetime:
    """Naive and in UTC, which the tables' TIMESTAMPs are."""
    return (
        (moment if moment.tzinfo else moment.replace(tzinfo=UTC))
        .astimezone(UTC)
        .replace(tzinfo=None)
    )
