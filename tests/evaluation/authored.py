"""Cases and records written by hand, for tests of what they are worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Literal

from tcab_dagster.catalog.model import (
    BuildCommands,
    CaseVersion,
    Domain,
    Erratum,
    Output,
    Point,
    ReviewItem,
    Validation,
    Variant,
)
from tcab_dagster.records import Fault, RunRecord, State
from tcab_dagster.validation.result import (
    CommandReport,
    LoadReport,
    ValidationResult,
    Verdict,
)

Decision = Literal["pass", "fail", "undecided"]
DIGEST = "d" * 64
SOMETIME = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def point(verdict_id: str, weight: Fraction | int, *, automated: bool = True) -> Point:
    return Point(
        verdict_id=verdict_id,
        item_id=verdict_id.partition(".")[0],
        title=verdict_id.rpartition(".")[2].title(),
        text=None,
        weight=Fraction(weight),
        domain="gameplay",
        reference=None,
        proof=None,
        validation=Validation(f"validation/{verdict_id}.mjs", (Output("shot", "Shot", "image"),))
        if automated
        else None,
    )


def item(item_id: str, *points: Point) -> ReviewItem:
    return ReviewItem(id=item_id, title=item_id.title(), text=None, points=points)


def whole(item_id: str, weight: Fraction | int, *, automated: bool = True) -> ReviewItem:
    return item(item_id, point(item_id, weight, automated=automated))


def split(item_id: str, weight: Fraction | int, *subs: str, automated: bool = True) -> ReviewItem:
    share = Fraction(weight) / len(subs)
    return item(item_id, *(point(f"{item_id}.{s}", share, automated=automated) for s in subs))


def variant(slug: str, *items: ReviewItem) -> Variant:
    return Variant(
        slug=slug,
        name=slug.title(),
        description=None,
        workspace=None,
        reference_implementation=None,
        specs=(),
        references=(),
        proofs=(),
        checks=(),
        domains=(Domain("gameplay", "Gameplay", "How it plays."),),
        items=items,
    )


def erratum(
    review: str | None, *, only: str | None = None, exclude: bool = True, id: str = "e"
) -> Erratum:
    return Erratum(
        id=id,
        title="A known issue",
        body="It is known.",
        date="2026-02-01",
        severity="minor",
        affects_scoring=exclude,
        resolved_in=None,
        variant=only,
        review=review,
        exclude_from_score=exclude,
    )


def case(
    *variants: Variant,
    slug: str = "pong",
    version: str = "v1.0.0",
    errata: Iterable[Erratum] = (),
    digest: str = DIGEST,
    experimental: bool = False,
) -> CaseVersion:
    return CaseVersion(
        slug=slug,
        version=version,
        type="end-to-end",
        folder=Path("/nowhere"),
        name=slug.title(),
        difficulty="easy",
        tags=("arcade", "paddle"),
        summary="A game.",
        description=None,
        changelog="First.",
        prompt="prompt.hbs",
        max_runtime_hours=1.5,
        experimental=experimental,
        init=None,
        build=BuildCommands("npm ci", "npm run build"),
        instrumentation=None,
        assets=(),
        packages=(),
        audio_packs=(),
        variants=variants,
        errata=tuple(errata),
        digest=digest,
        errata_digest=f"{hash(tuple(errata)) & 0xFFFF:064x}",
    )


def verdicts(decided: Mapping[str, Decision]) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(verdict_id=id, verdict=decision, script=f"validation/{id}.mjs")
        for id, decision in decided.items()
    )


def validation(decided: Mapping[str, Decision], digest: str = DIGEST) -> ValidationResult:
    return ValidationResult(
        outcome="completed",
        definition_digest=digest,
        install=CommandReport(command="npm ci", status="passed", exit_code=0),
        build=CommandReport(command="npm run build", status="passed", exit_code=0),
        site="dist",
        load=LoadReport(status="loaded"),
        verdicts=verdicts(decided),
    )


def record(
    of: CaseVersion,
    decided: Mapping[str, Decision] | None = None,
    *,
    run: int = 1,
    variant: str = "base",
    state: State = State.COMPLETED,
    fault: Fault | None = None,
    **changed: object,
) -> RunRecord:
    made = RunRecord(
        run_id=f"{of.key}~{run:026d}",
        slug=of.slug,
        version=of.version,
        variant=variant,
        definition_digest=of.digest,
        harness="replay",
        model="imperfect",
        launched_by="tcab",
        max_runtime_hours=1.5,
        state=state,
        fault=fault,
        requested_at=SOMETIME,
        started_at=SOMETIME,
        ended_at=SOMETIME,
        validation=None if decided is None else validation(decided, of.digest),
    )
    return made.model_copy(update=changed)


def with_errata(of: CaseVersion, *errata: Erratum) -> CaseVersion:
    return replace(of, errata=errata, errata_digest=f"{hash(errata) & 0xFFFF:064x}")
