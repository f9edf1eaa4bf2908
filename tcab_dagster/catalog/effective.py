"""A variant with the common parts folded in, still knowing where each part was declared.

Belongs here: what is common, what is a variant's own, what replaces what. Does not: the rules
over the result (resolution.py). Concept: spec 000, "Variant files".
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tcab_dagster.catalog.checklist import Manifest, resolved_items
from tcab_dagster.catalog.declared import Declared
from tcab_dagster.catalog.diagnostics import Code, Located, Report, one_of
from tcab_dagster.catalog.manifest import (
    CaseManifest,
    DomainTable,
    ProofTable,
    ReferenceTable,
    SpecTable,
    VariantManifest,
)
from tcab_dagster.catalog.model import (
    Action,
    Check,
    Domain,
    MediaKind,
    Proof,
    Reference,
    Spec,
    Variant,
)
from tcab_dagster.catalog.names import humanized
from tcab_dagster.catalog.seeded import SeededFile, destination, seeded_tree, spec_dest
from tcab_dagster.catalog.version_folder import VersionFolder

_IMAGES = ("png", "jpg", "jpeg", "webp", "gif")
PROOF_KINDS: dict[str, MediaKind] = {
    **dict.fromkeys(_IMAGES, "image"),
    "webm": "video",
    "mp4": "video",
}
REFERENCE_KINDS: dict[str, MediaKind] = {**dict.fromkeys(_IMAGES, "image"), "mp4": "video"}


@dataclass(frozen=True, slots=True)
class Effective:
    """One variant: the case's manifest and the variant's, in this order everywhere."""

    case: Declared[CaseManifest]
    variant: Declared[VariantManifest]

    @property
    def slug(self) -> str:
        return self.variant.table.slug

    @property
    def manifests(self) -> tuple[Manifest, Manifest]:
        return (self.case, self.variant)

    @property
    def specs(self) -> list[Declared[SpecTable]]:
        return [s for m in self.manifests for s in m.each(m.table.spec, "spec")]

    @property
    def references(self) -> list[Declared[ReferenceTable]]:
        return [r for m in self.manifests for r in m.each(m.table.reference, "reference")]

    @property
    def proofs(self) -> list[Declared[ProofTable]]:
        return [p for m in self.manifests for p in m.each(m.table.proof, "proof")]

    @property
    def domains(self) -> list[Declared[DomainTable]]:
        return [d for m in self.manifests for d in m.each(m.table.domain, "domain")]

    def known(self, array: str, key: str) -> frozenset[str]:
        """What may be named: what is declared, and what a faulty entry calls itself."""
        return declared_names(self.manifests, array, key)

    @property
    def workspace(self) -> tuple[str, Located] | None:
        """The variant's own, which replaces the common one."""
        for manifest in (self.variant, self.case):
            if manifest.table.workspace is not None:
                return manifest.table.workspace, manifest.value("workspace")
        return None


def declared_names(manifests: Sequence[Manifest], array: str, key: str) -> frozenset[str]:
    """The ids under `key` of an array of tables, faulty entries' included."""
    return frozenset(
        name
        for manifest in manifests
        for name in (
            *(str(getattr(entry, key)) for entry in getattr(manifest.table, array)),
            *manifest.file.forgotten_names(array, key=key),
        )
    )


def media_kind(
    path: str, kinds: dict[str, MediaKind], place: Located, report: Report
) -> MediaKind | None:
    """Image or video, by the extension. None, reported, for any other."""
    extension = PurePosixPath(path).suffix.removeprefix(".").lower()
    if extension in kinds:
        return kinds[extension]
    shown = f"`.{extension}`" if extension else "no extension"
    report.error(
        Code.BAD_EXTENSION,
        place,
        f"`{path}` has {shown}, so it is neither image nor video",
        one_of(f".{e}" for e in kinds),
    )
    return None


def seeded_files(
    effective: Effective, folder: VersionFolder, report: Report
) -> tuple[list[SeededFile], list[SeededFile]]:
    """What a run of this variant is seeded with, workspace first, and where its proofs go."""
    seeded: list[SeededFile] = []
    if effective.workspace is not None:
        written, place = effective.workspace
        entry = folder.folder(written, place, report)
        if entry is not None:
            seeded += seeded_tree(folder, entry, "", place, report)
    for spec in effective.specs:
        entry = folder.file(spec.table.source, spec.value("source"), report)
        place = spec.value("source" if spec.table.dest is None else "dest")
        dest = destination(spec_dest(spec.table.source, spec.table.dest), place, report)
        if dest is not None and entry is not None:
            seeded.append(SeededFile(dest, entry.path, place))
    for i, asset in enumerate(effective.case.table.assets):
        place = effective.case.value("assets", i)
        entry = folder.either(asset, place, report)
        if entry is None:
            continue
        at = posixpath.normpath(asset).removeprefix(".")
        if entry.kind == "folder":
            seeded += seeded_tree(folder, entry, at, place, report)
        else:
            seeded.append(SeededFile(at, entry.path, place))
    seeded += _seeded_references(effective, folder, report)
    proofs = []
    for proof in effective.proofs:
        place = proof.value("dest")
        media_kind(proof.table.dest, PROOF_KINDS, place, report)
        dest = destination(proof.table.dest, place, report)
        if dest is not None:
            proofs.append(SeededFile(dest, None, place))
    return seeded, proofs


def is_mockup(path: str) -> bool:
    """Whether a reference's `path` can be rendered."""
    return PurePosixPath(path).suffix.lower() in (".html", ".htm")


def _seeded_references(
    effective: Effective, folder: VersionFolder, report: Report
) -> list[SeededFile]:
    seeded = []
    views: set[str] = set()
    for reference in effective.references:
        table = reference.table
        if table.view.casefold() in views:
            continue  # a duplicate id
        views.add(table.view.casefold())
        if (table.path is None) == (table.media is None):
            found = "neither" if table.path is None else "both"
            report.error(
                Code.ONE_OF,
                reference.value(),
                f"the reference `{table.view}` has {found} of `path` and `media`",
                "a mockup to render is its `path`, an image or a video its `media`: say one",
            )
        elif table.path is not None:
            folder.file(table.path, reference.value("path"), report)
            if not is_mockup(table.path):
                report.error(
                    Code.BAD_EXTENSION,
                    reference.value("path"),
                    f"`{table.path}` is no HTML mockup",
                    "`path` names an `.html` file to render; an image or a video is `media`",
                )
            seeded.append(SeededFile(f"reference/{table.view}.png", None, reference.value("view")))
        elif table.media is not None:
            place = reference.value("media")
            kind = media_kind(table.media, REFERENCE_KINDS, place, report)
            entry = folder.file(table.media, place, report)
            dest = f"reference/{table.view}{PurePosixPath(table.media).suffix}"
            if entry is not None and kind is not None:
                seeded.append(SeededFile(dest, entry.path, place))
    return seeded


def resolved_variant(effective: Effective) -> Variant:
    """The shape that everything after the catalog works with; the rules have been kept."""
    own = effective.variant.table
    checks = effective.case.each(effective.case.table.check, "check")
    return Variant(
        slug=own.slug,
        name=own.name or humanized(own.slug),
        description=own.description,
        workspace=_plain(effective.workspace[0]) if effective.workspace else None,
        reference_implementation=_plain(own.reference_implementation),
        specs=tuple(
            Spec(
                posixpath.normpath(s.table.source),
                posixpath.normpath(spec_dest(s.table.source, s.table.dest)),
                s.table.kind,
            )
            for s in effective.specs
        ),
        references=tuple(_reference(r.table) for r in effective.references),
        proofs=tuple(
            Proof(
                p.table.id,
                p.table.name or humanized(p.table.id),
                posixpath.normpath(p.table.dest),
                _kind(p.table.dest, PROOF_KINDS),
            )
            for p in effective.proofs
        ),
        checks=tuple(
            Check(
                c.table.view,
                c.table.name or humanized(c.table.view),
                c.table.reference,
                tuple(_action(a.model_dump()) for a in c.table.actions),
            )
            for c in checks
        ),
        domains=tuple(
            Domain(d.table.id, d.table.name or humanized(d.table.id), d.table.description)
            for d in effective.domains
        ),
        items=resolved_items(effective.manifests),
    )


def _reference(table: ReferenceTable) -> Reference:
    kind: MediaKind = "image" if table.media is None else _kind(table.media, REFERENCE_KINDS)
    return Reference(table.view, _plain(table.path), _plain(table.media), kind)


def _kind(path: str, kinds: dict[str, MediaKind]) -> MediaKind:
    return kinds.get(PurePosixPath(path).suffix.removeprefix(".").lower(), "image")


def _action(values: dict[str, str | float]) -> Action:
    return values


def _plain(path: str | None) -> str | None:
    return None if path is None else posixpath.normpath(path)
