"""One version folder, resolved: from its documents to effective variants, or to what is wrong.

Belongs here: the order of the rules, and the rules that span a whole case. Does not: the rules of
one concern (checklist.py, seeded.py, errata.py, prose.py). Concept: spec 000, "Manifests".
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tcab_dagster.catalog import checklist
from tcab_dagster.catalog.declared import Declared, require, unique
from tcab_dagster.catalog.diagnostics import (
    CatalogError,
    Code,
    Diagnostic,
    Located,
    Place,
    Report,
    did_you_mean,
)
from tcab_dagster.catalog.digests import definition_entries, digest, errata_entries
from tcab_dagster.catalog.effective import (
    Effective,
    declared_names,
    is_mockup,
    resolved_variant,
    seeded_files,
)
from tcab_dagster.catalog.errata import check_errata, read_errata, resolved_errata
from tcab_dagster.catalog.manifest import CaseManifest, VariantManifest
from tcab_dagster.catalog.model import BuildCommands, CaseVersion, Erratum, Instrumentation, Variant
from tcab_dagster.catalog.names import version_order
from tcab_dagster.catalog.packages import SHIPPABLE
from tcab_dagster.catalog.prose import SeededText, check_prose
from tcab_dagster.catalog.salvage import UNKNOWN
from tcab_dagster.catalog.seeded import (
    Secrets,
    SeededFile,
    check_destinations,
    check_never_seeded,
)
from tcab_dagster.catalog.shape import parse
from tcab_dagster.catalog.templates import check_template
from tcab_dagster.catalog.toml_file import TomlFile, read_toml
from tcab_dagster.catalog.version_folder import (
    BASELINES,
    ERRATA,
    VersionFolder,
    report_unreadable,
)
from tcab_dagster.templating import SPEC_SHAPE, prompt_shape

MANIFEST = "test-case.toml"
JAM_MANIFEST = "game-jam.toml"

_OTHER_TYPES = ("full-stack", "asset-generation", "adversarial", "performance")


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of one version folder. `case` is None where an error stands in the way;
    `slug` is what its manifest says, where that could be read. It keeps no document: a catalog
    holds many of these."""

    folder: Path
    name: str
    version: str
    slug: str | None
    experimental: bool
    case: CaseVersion | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def key(self) -> str | None:
        return None if self.slug is None else f"{self.slug}@{self.version}"


def resolve_version(folder: Path, root: Path | None = None) -> CaseVersion:
    """The version that lies in `folder`, whose name is the version.

    Raises CatalogError with every diagnostic; they show paths relative to `root`.
    """
    folder = folder.absolute()
    found = resolve(folder, shown_path(folder, (root or folder).absolute()))
    if found.case is None:
        raise CatalogError(f"{folder} does not resolve", found.diagnostics)
    return found.case


def shown_path(path: Path, root: Path) -> str:
    """`path` as diagnostics show it: relative to `root`, the root itself as nothing."""
    shown = os.path.relpath(path, root)
    return "" if shown == "." else Path(shown).as_posix()


def resolve(path: Path, name: str) -> Resolution:
    """Reads every document of a version folder and applies every rule, in one pass."""
    report = Report()
    folder = VersionFolder.scan(path, name, report)
    version = path.name
    _check_version(folder, version, report)
    file = read_toml(path / MANIFEST, folder.shown(MANIFEST), report)
    slug = file.values.get("slug") if file is not None else None
    known_slug = slug if isinstance(slug, str) else None
    case = None
    try:
        if file is not None and _is_supported(file, report):
            case = _resolve_case(folder, version, file, report)
        else:
            check_errata(read_errata(folder, report), [], report)
    except OSError as error:
        report_unreadable(folder, error, report)
    return Resolution(
        folder=path,
        name=name,
        version=version,
        slug=known_slug,
        experimental=file is not None and file.values.get("experimental") is True,
        case=case,
        diagnostics=report.of_version(known_slug, version),
    )


def _resolve_case(
    folder: VersionFolder, version: str, file: TomlFile, report: Report
) -> CaseVersion | None:
    manifest = parse(CaseManifest, file, report)
    if manifest is None:
        check_errata(read_errata(folder, report), [], report)
        return None
    case = Declared(manifest, file, ())
    variants = _read_variants(case, folder, report)
    effective = [Effective(case, variant) for variant in variants]
    _check_case(case, folder, report)
    checklist.check_grammar(case, variants, report)
    checklist.check_instrumented(case, variants, report)
    secrets = _secrets(case, variants, folder, report)
    stand_in = Declared(VariantManifest(slug="x"), file, ())
    is_whole = (
        folder.is_sound
        and len(variants) == len(manifest.variants)
        and all(d.file.is_whole for d in checklist.documents(case, variants))
    )
    for one in effective or [Effective(case, stand_in)]:
        _check_sets(one, folder, report)
        _check_seeding(one, folder, secrets, is_whole, report)
    _check_names(case, effective, report)
    _check_templates(case, effective, folder, report)
    resolved = [resolved_variant(one) for one in effective]
    errata = read_errata(folder, report)
    check_errata(errata, resolved if is_whole else [], report)
    if report.has_errors:
        return None
    return _built(case, folder, version, resolved, resolved_errata(errata))


def _built(
    case: Declared[CaseManifest],
    folder: VersionFolder,
    version: str,
    variants: Sequence[Variant],
    errata: tuple[Erratum, ...],
) -> CaseVersion:
    table = case.table
    handle = table.instrumentation
    case_version = CaseVersion(
        slug=table.slug,
        version=version,
        type=table.type,
        folder=folder.root,
        name=table.name,
        difficulty=table.difficulty,
        tags=tuple(table.tags),
        summary=table.summary,
        description=None if table.description is None else posixpath.normpath(table.description),
        changelog=posixpath.normpath(table.changelog),
        prompt=posixpath.normpath(table.prompt),
        max_runtime_hours=float(table.max_runtime_hours),
        experimental=table.experimental,
        init=table.init,
        build=BuildCommands(table.build.install, table.build.build),
        instrumentation=(
            None if handle is None else Instrumentation(handle.handle, handle.tick_hz)
        ),
        assets=tuple(posixpath.normpath(asset) for asset in table.assets),
        packages=tuple(table.packages),
        audio_packs=tuple(table.audio.packs) if table.audio is not None else (),
        variants=tuple(variants),
        errata=errata,
        digest="",
        errata_digest=digest(folder, version, errata_entries(folder)),
    )
    definition = definition_entries(folder, case_version.implementations)
    return replace(case_version, digest=digest(folder, version, definition))


def _check_version(folder: VersionFolder, version: str, report: Report) -> None:
    try:
        version_order(version)
    except ValueError:
        report.error(
            Code.BAD_VERSION,
            Place(folder.shown(MANIFEST)),
            f"the version folder `{version}` is no semantic version",
            "name it vMAJOR.MINOR.PATCH, such as v1.0.0",
        )


def _is_supported(file: TomlFile, report: Report) -> bool:
    """Whether the case is of a type whose rules are known; another's would all look wrong."""
    written = file.values.get("type", "end-to-end")
    if written == "game-jam":
        report.error(
            Code.NOT_SUPPORTED,
            file.value("type"),
            "a game jam is no test case",
            f"declare it in game-jams/<slug>/<version>/{JAM_MANIFEST}, without `type`",
        )
        return False
    if written in _OTHER_TYPES:
        report.error(
            Code.NOT_SUPPORTED,
            file.value("type"),
            f"test cases of the type `{written}` are not supported",
            "`end-to-end` is the type that runs",
        )
        return False
    return True


def _read_variants(
    case: Declared[CaseManifest], folder: VersionFolder, report: Report
) -> list[Declared[VariantManifest]]:
    variants: list[Declared[VariantManifest]] = []
    seen: dict[str, Located] = {}
    for i, path in enumerate(case.table.variants):
        place = case.value("variants", i)
        entry = folder.file(path, place, report)
        if entry is None:
            continue
        earlier = seen.setdefault(entry.path, place)
        if earlier != place:
            report.error(
                Code.DUPLICATE_VARIANT,
                place,
                f"the variant file `{path}` is listed twice",
                "list each variant once; the first is the default",
                [(earlier, "first listed here")],
            )
            continue
        file = read_toml(folder.root / entry.path, folder.shown(entry.path), report)
        manifest = None if file is None else parse(VariantManifest, file, report)
        if file is not None and manifest is not None:
            variants.append(Declared(manifest, file, ()))
    unique(variants, "slug", "variant", report, Code.DUPLICATE_VARIANT)
    return variants


def _check_case(case: Declared[CaseManifest], folder: VersionFolder, report: Report) -> None:
    """The keys that no variant has a part in."""
    table = case.table
    for key in ("description", "changelog", "prompt"):
        path = getattr(table, key)
        if path is not None and path != UNKNOWN:
            folder.file(path, case.value(key), report)
    if table.workspace is not None:
        folder.folder(table.workspace, case.value("workspace"), report)
    for i, package in enumerate(table.packages):
        if package not in SHIPPABLE:
            report.error(
                Code.UNKNOWN_PACKAGE,
                case.value("packages", i),
                f"`{package}` is no package that a case may ship",
                did_you_mean(package, SHIPPABLE) or "no package ships yet: remove it",
            )
    if table.audio is not None and table.audio.packs:
        report.error(
            Code.NOT_SUPPORTED,
            case.value("audio", "packs"),
            "runs are not staged with audio yet",
            "remove `[audio]`, or leave `packs` empty",
        )


def _secrets(
    case: Declared[CaseManifest],
    variants: Sequence[Declared[VariantManifest]],
    folder: VersionFolder,
    report: Report,
) -> Secrets:
    """What no run of any variant may see, by the paths that the files really have."""
    files = {
        MANIFEST: "a manifest",
        JAM_MANIFEST: "a manifest",
        ERRATA: "the errata",
    }
    folders = {BASELINES: "a baseline"}
    quiet = Report()  # each of these paths is checked, with its own diagnostic, elsewhere
    named: list[tuple[str | None, str]] = [
        (case.table.description, "the description"),
        (case.table.changelog, "the changelog"),
        *((path, "a variant file") for path in case.table.variants),
    ]
    for manifest in checklist.documents(case, variants):
        named += [
            (r.path, "a mockup's source")
            for r in manifest.table.reference
            if r.path is not None and is_mockup(r.path)
        ]
        named += [
            (script.validation.table.script, "a validation script")
            for script in checklist.scripts_of(manifest)
        ]
    for path, what in named:
        entry = folder.file(path, case.file.start, quiet) if path else None
        if entry is not None:
            files.setdefault(entry.path, what)
    for variant in variants:
        written = variant.table.reference_implementation
        if written is None:
            continue
        place = variant.value("reference_implementation")
        entry = folder.folder(written, place, report)
        if entry is not None and entry.path == "":
            report.error(
                Code.BAD_PATH,
                place,
                "the reference implementation is the version folder itself",
                "put it in a folder of its own, such as reference-impl/base",
            )
        elif entry is not None:
            folders[entry.path] = "a reference implementation"
    return Secrets(files, folders)


def _check_sets(effective: Effective, folder: VersionFolder, report: Report) -> None:
    """The rules inside one effective set. What is wrong in common is found once a variant and
    reported once."""
    unique(effective.references, "view", "reference view", report, Code.DUPLICATE_ID)
    unique(effective.proofs, "id", "proof", report, Code.DUPLICATE_ID)
    unique(effective.domains, "id", "domain", report, Code.DUPLICATE_ID)
    checks = effective.case.each(effective.case.table.check, "check")
    unique(checks, "view", "check of the view", report, Code.DUPLICATE_ID)
    checklist.check_items(effective.manifests, folder, report)


def _check_seeding(
    effective: Effective, folder: VersionFolder, secrets: Secrets, is_whole: bool, report: Report
) -> None:
    """What a run of the variant would be given. Its prose is read only where all of it is known:
    a missing spec does not also fail to mention a proof."""
    own = Report()
    seeded, proofs = seeded_files(effective, folder, own)
    report.extend(own)
    check_destinations(check_never_seeded(seeded, secrets, report), proofs, report)
    if not is_whole or own.has_errors:
        return
    handle = effective.case.table.instrumentation
    check_prose(
        _texts(effective, seeded, folder),
        seeded,
        proofs,
        None
        if handle is None
        else (handle.handle, effective.case.value("instrumentation", "handle")),
        report,
    )


def _texts(
    effective: Effective, seeded: Sequence[SeededFile], folder: VersionFolder
) -> list[SeededText]:
    """The seeded specs and Markdown files; what is no text in them is not the catalog's matter."""
    specs = {s.value("source" if s.table.dest is None else "dest") for s in effective.specs}
    texts = []
    for file in seeded:
        is_spec = file.place in specs
        if file.source is None or not (is_spec or file.dest.lower().endswith(".md")):
            continue
        name = folder.shown(file.source)
        text = (folder.root / file.source).read_text(errors="replace")
        texts.append(SeededText(name, file.dest, text, is_spec))
    return texts


def _check_templates(
    case: Declared[CaseManifest],
    effective: Sequence[Effective],
    folder: VersionFolder,
    report: Report,
) -> None:
    """The prompt and every spec that is rendered, each once."""
    quiet = Report()  # that they exist is checked elsewhere
    prompt = folder.file(case.table.prompt, case.value("prompt"), quiet)
    if prompt is not None:
        check_template(folder, prompt.path, prompt_shape(case.table.type), report)
    sources = {s.table.source for e in effective for s in e.specs if s.table.is_template}
    for source in sorted(sources):
        spec = folder.file(source, case.value("spec"), quiet)
        if spec is not None:
            check_template(folder, spec.path, SPEC_SHAPE, report)


def _check_names(
    case: Declared[CaseManifest], effective: Sequence[Effective], report: Report
) -> None:
    """Whatever names a reference, a proof or a domain names one that exists where it is used."""
    references = {e.slug: e.known("reference", "view") for e in effective}
    proofs = {e.slug: e.known("proof", "id") for e in effective}
    common = {"": declared_names([case], "domain", "id")}
    checklist.check_names(case, common, references, proofs, report)
    for one in effective:
        slug = one.slug
        checklist.check_names(
            one.variant,
            {slug: one.known("domain", "id")},
            {slug: references[slug]},
            {slug: proofs[slug]},
            report,
        )
    for check in case.each(case.table.check, "check"):
        name, place = check.table.reference, check.value("reference")
        require(name, place, references, "reference view", report, Code.UNKNOWN_REFERENCE)
        for one in effective:
            for reference in one.references:
                if reference.table.view == name and reference.table.path is None:
                    report.error(
                        Code.NOT_RENDERED,
                        place,
                        f"a check compares with a rendered screenshot, but `{name}` is served "
                        "as it is",
                        "name a reference with a `path`, whose mockup is rendered",
                        [(reference.value("media"), "static media")],
                    )
