"""The checklist, in either grammar, made one: review items with their points.

Belongs here: both grammars, what excludes what, and the rules of automated validation. Does not:
scores (evaluation/). Concept: spec 000, "Sub-items", "Automated validation" and "The categories
grammar".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tcab_dagster.catalog.declared import Declared, require, unique
from tcab_dagster.catalog.diagnostics import Code, Located, Report
from tcab_dagster.catalog.manifest import (
    CaseManifest,
    CategoryItemTable,
    CategoryTable,
    OutputTable,
    ReviewItemTable,
    SubItemTable,
    ValidationTable,
    VariantManifest,
)
from tcab_dagster.catalog.model import Output, Point, ReviewItem, Validation
from tcab_dagster.catalog.names import humanized
from tcab_dagster.catalog.version_folder import VersionFolder

Manifest = Declared[CaseManifest] | Declared[VariantManifest]


@dataclass(frozen=True, slots=True)
class Script:
    """A validation table and the verdict that it backs."""

    validation: Declared[ValidationTable]
    verdict_id: str


def documents(
    case: Declared[CaseManifest], variants: Sequence[Declared[VariantManifest]]
) -> list[Manifest]:
    """The manifest and its variant files."""
    return [case, *variants]


def items_of(manifest: Manifest) -> list[Declared[ReviewItemTable]]:
    return manifest.each(manifest.table.review_item, "review_item")


def categories_of(manifest: Manifest) -> list[Declared[CategoryTable]]:
    review = manifest.table.review
    return [] if review is None else manifest.each(review.categories, "review", "categories")


def check_grammar(
    case: Declared[CaseManifest], variants: Sequence[Declared[VariantManifest]], report: Report
) -> None:
    """One grammar a case: the manifest opts into categories, variants follow."""
    for manifest in documents(case, variants):
        if case.table.review is not None and manifest.table.review_item:
            report.error(
                Code.TWO_GRAMMARS,
                manifest.value("review_item", 0),
                "`[[review_item]]` in a case whose checklist is written in categories",
                "write it as `[[review.categories.items]]`, or remove `[review]`",
                [(case.value("review"), "the categories grammar is chosen here")],
            )
        if "review" not in case.file.values and manifest.table.review is not None:
            report.error(
                Code.TWO_GRAMMARS,
                manifest.value("review"),
                "categories in a variant of a case that has not chosen the categories grammar",
                "add `[review]` with `format = 2` to test-case.toml, or use `[[review_item]]`",
            )


def check_items(manifests: Sequence[Manifest], folder: VersionFolder, report: Report) -> None:
    """The rules inside one effective checklist, common and a variant's own."""
    items = [item for manifest in manifests for item in items_of(manifest)]
    categories = [c for manifest in manifests for c in categories_of(manifest)]
    unique(items, "id", "review item", report, Code.DUPLICATE_ID)
    unique(categories, "id", "category", report, Code.DUPLICATE_ID)
    for item in items:
        _check_sub_items(item, report)
    for category in categories:
        unique(_category_items(category), "id", "item", report, Code.DUPLICATE_ID)
    scripts = [script for manifest in manifests for script in scripts_of(manifest)]
    for script in scripts:
        _check_script(script.validation, folder, report)
    if categories:
        _check_scripts_differ(scripts, report)


def check_names(
    manifest: Manifest,
    domains: Mapping[str, frozenset[str]],
    references: Mapping[str, frozenset[str]],
    proofs: Mapping[str, frozenset[str]],
    report: Report,
) -> None:
    """What the items of `manifest` name must exist in each of the variants that have them."""
    items = items_of(manifest)
    for item in items:
        if item.table.domain is not None:
            require(
                item.table.domain,
                item.value("domain"),
                domains,
                "common domain" if isinstance(manifest.table, CaseManifest) else "domain",
                report,
                Code.UNKNOWN_DOMAIN,
            )
    leaves: list[Declared[ReviewItemTable] | Declared[CategoryItemTable]] = [
        *items,
        *(leaf for category in categories_of(manifest) for leaf in _category_items(category)),
    ]
    for leaf in leaves:
        if leaf.table.reference is not None:
            require(
                leaf.table.reference,
                leaf.value("reference"),
                references,
                "reference view",
                report,
                Code.UNKNOWN_REFERENCE,
            )
        if leaf.table.proof is not None:
            require(
                leaf.table.proof, leaf.value("proof"), proofs, "proof", report, Code.UNKNOWN_PROOF
            )


def scripts_of(manifest: Manifest) -> Iterator[Script]:
    """Every validation table of a document, in the order of its points."""
    for item in items_of(manifest):
        if item.table.validation is not None:
            yield Script(_validation(item, item.table.validation), item.table.id)
        for sub in _sub_items(item):
            if sub.table.validation is not None:
                verdict_id = f"{item.table.id}.{sub.table.id}"
                yield Script(_validation(sub, sub.table.validation), verdict_id)
    for category in categories_of(manifest):
        for leaf in _category_items(category):
            if leaf.table.validation is not None:
                verdict_id = f"{category.table.id}.{leaf.table.id}"
                yield Script(_validation(leaf, leaf.table.validation), verdict_id)


def check_instrumented(
    case: Declared[CaseManifest], variants: Sequence[Declared[VariantManifest]], report: Report
) -> None:
    """A script needs a handle to drive."""
    if case.table.instrumentation is not None or "instrumentation" in case.file.values:
        return
    for manifest in documents(case, variants):
        for script in scripts_of(manifest):
            report.error(
                Code.NO_INSTRUMENTATION,
                script.validation.value("script"),
                "a validation script, but the case names no debug API to drive",
                'add `[instrumentation]` with `handle = "__game"` to test-case.toml',
            )
            return


def resolved_items(manifests: Sequence[Manifest]) -> tuple[ReviewItem, ...]:
    """One effective checklist; nothing after this knows which grammar wrote it."""
    return (
        *(_legacy(item.table) for m in manifests for item in items_of(m)),
        *(_category(category.table) for m in manifests for category in categories_of(m)),
    )


def _legacy(item: ReviewItemTable) -> ReviewItem:
    def point(
        verdict_id: str, title: str, weight: Fraction, validation: ValidationTable | None
    ) -> Point:
        return Point(
            verdict_id=verdict_id,
            item_id=item.id,
            title=title,
            text=item.text,
            weight=weight,
            domain=item.domain,
            reference=item.reference,
            proof=item.proof,
            validation=_resolved(validation),
        )

    subs = item.sub_items or item.sub_item or []
    weight = Fraction(str(item.weight))
    points = tuple(
        point(f"{item.id}.{sub.id}", sub.title, weight / len(subs), sub.validation) for sub in subs
    ) or (point(item.id, item.title, weight, item.validation),)
    return ReviewItem(item.id, item.title, item.text, points)


def _category(category: CategoryTable) -> ReviewItem:
    points = [
        Point(
            verdict_id=f"{category.id}.{item.id}",
            item_id=category.id,
            title=item.title,
            text=item.description,
            weight=Fraction(str(item.weight)),
            domain=None,
            reference=item.reference,
            proof=item.proof,
            validation=_resolved(item.validation),
        )
        for item in category.items
    ]
    return ReviewItem(category.id, category.title, None, tuple(points))


def _resolved(validation: ValidationTable | None) -> Validation | None:
    if validation is None:
        return None
    outputs = (Output(o.id, o.name or humanized(o.id), o.kind) for o in validation.outputs)
    return Validation(validation.script, tuple(outputs))


def _check_sub_items(item: Declared[ReviewItemTable], report: Report) -> None:
    table = item.table
    if table.sub_items is not None and table.sub_item is not None:
        report.error(
            Code.ONE_OF,
            item.key("sub_item", 0),
            "sub-items both as `sub_items` and as `[[review_item.sub_item]]`",
            "the two say the same: keep one of them",
            [(item.key("sub_items"), "also declared here")],
        )
    subs = _sub_items(item)
    unique(subs, "id", "sub-item", report, Code.DUPLICATE_ID)
    if subs and table.validation is not None:
        report.error(
            Code.VALIDATION_ON_ITEM,
            item.key("validation"),
            f"`{table.id}` is graded by its sub-items, so it has no verdict of its own to validate",
            "move `validation` to the sub-items, one script each",
            [(subs[0].value(), "the first sub-item")],
        )


def _check_script(
    validation: Declared[ValidationTable], folder: VersionFolder, report: Report
) -> None:
    folder.file(validation.table.script, validation.value("script"), report)
    outputs: list[Declared[OutputTable]] = validation.each(validation.table.outputs, "outputs")
    unique(outputs, "id", "output", report, Code.DUPLICATE_ID)
    videos = [output for output in outputs if output.table.kind == "video"]
    for video in videos[1:]:
        report.error(
            Code.TWO_VIDEOS,
            video.value("kind"),
            "a second video of one script",
            "a script records one video, over its whole drive: make this one an image",
            [(videos[0].value("kind"), "the first video")],
        )


def _check_scripts_differ(scripts: Sequence[Script], report: Report) -> None:
    first: dict[str, Located] = {}
    for script in scripts:
        place = script.validation.value("script")
        earlier = first.setdefault(posixpath.normpath(script.validation.table.script), place)
        if earlier != place:
            report.error(
                Code.SCRIPT_REUSED,
                place,
                f"`{script.validation.table.script}` drives a second review item",
                "under categories a script drives one item: give this one its own",
                [(earlier, "first used here")],
            )


def _sub_items(item: Declared[ReviewItemTable]) -> list[Declared[SubItemTable]]:
    return [
        *item.each(item.table.sub_items or [], "sub_items"),
        *item.each(item.table.sub_item or [], "sub_item"),
    ]


def _category_items(category: Declared[CategoryTable]) -> list[Declared[CategoryItemTable]]:
    return category.each(category.table.items, "items")


def _validation(
    owner: Declared[ReviewItemTable] | Declared[SubItemTable] | Declared[CategoryItemTable],
    table: ValidationTable,
) -> Declared[ValidationTable]:
    return Declared(table, owner.file, (*owner.path, "validation"))
