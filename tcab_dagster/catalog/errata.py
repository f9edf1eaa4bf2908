"""errata.toml: known issues with a version that shipped, found beside its manifest.

Belongs here: reading it and its rules against the resolved checklist. Does not: what an exclusion
does to a score (evaluation/). Concept: spec 000, "Errata".
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from tcab_dagster.catalog.declared import Declared, unique
from tcab_dagster.catalog.diagnostics import Code, Report, did_you_mean, one_of
from tcab_dagster.catalog.manifest import ErrataManifest, ErratumTable
from tcab_dagster.catalog.model import Erratum, Variant
from tcab_dagster.catalog.shape import parse
from tcab_dagster.catalog.toml_file import read_toml
from tcab_dagster.catalog.version_folder import ERRATA, VersionFolder


def read_errata(folder: VersionFolder, report: Report) -> list[Declared[ErratumTable]]:
    """The declared errata; none where the version has no errata.toml."""
    if ERRATA not in folder.entries:
        return []
    return read_errata_file(folder.root / ERRATA, folder.shown(ERRATA), report)


def read_errata_file(path: Path, name: str, report: Report) -> list[Declared[ErratumTable]]:
    """The errata of one file."""
    file = read_toml(path, name, report)
    manifest = None if file is None else parse(ErrataManifest, file, report)
    if file is None or manifest is None:
        return []
    whole = Declared(manifest, file, ())
    return whole.each(manifest.erratum, "erratum")


def check_errata(
    errata: Sequence[Declared[ErratumTable]], variants: Sequence[Variant], report: Report
) -> None:
    """Each erratum's variant and point exist. `variants` is empty where the case is too broken
    to tell."""
    unique(errata, "id", "erratum", report, Code.DUPLICATE_ID)
    for erratum in errata:
        table = erratum.table
        if table.date is not None and not _is_date(table.date):
            report.error(
                Code.BAD_DATE,
                erratum.value("date"),
                f"`{table.date}` is no date",
                "there is no such day: write it as YYYY-MM-DD",
            )
        if table.exclude_from_score and table.review is None:
            report.error(
                Code.NOTHING_TO_EXCLUDE,
                erratum.key("exclude_from_score"),
                "`exclude_from_score` without a point to exclude",
                "name the point with `review`",
            )
        if variants:
            _check_links(erratum, variants, report)


def resolved_errata(errata: Sequence[Declared[ErratumTable]]) -> tuple[Erratum, ...]:
    return tuple(Erratum(**erratum.table.model_dump()) for erratum in errata)


def _check_links(
    erratum: Declared[ErratumTable], variants: Sequence[Variant], report: Report
) -> None:
    table = erratum.table
    meant = [v for v in variants if table.variant in (None, v.slug)]
    if not meant:
        report.error(
            Code.UNKNOWN_VARIANT,
            erratum.value("variant"),
            f"there is no variant `{table.variant}`",
            did_you_mean(table.variant or "", (v.slug for v in variants)),
        )
        meant = list(variants)
    if table.review is None:
        return
    verdicts = {point.verdict_id for v in meant for point in v.points}
    if table.review in verdicts:
        return
    items = {item.id: item for v in meant for item in v.items}
    if table.review in items:
        report.error(
            Code.UNKNOWN_VERDICT,
            erratum.value("review"),
            f"`{table.review}` is graded point by point and has no verdict of its own",
            one_of(point.verdict_id for point in items[table.review].points),
        )
        return
    scope = f" of the variant `{table.variant}`" if table.variant else ""
    report.error(
        Code.UNKNOWN_VERDICT,
        erratum.value("review"),
        f"`{table.review}` is no point of the checklist{scope}",
        did_you_mean(table.review, verdicts) or "the checklist has no points",
    )


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
