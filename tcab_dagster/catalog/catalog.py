"""The catalog of a checkout: every version below it, and every fault.

Belongs here: discovery, and the rules between versions. Does not: what is inside one version
(resolution.py), what is kept of it (store.py). Concept: spec 000, "Manifests".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tcab_dagster.catalog.diagnostics import (
    CatalogJson,
    Code,
    Diagnostic,
    Located,
    Place,
    Report,
    diagnostic_json,
    did_you_mean,
    in_order,
)
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.names import version_order
from tcab_dagster.catalog.resolution import JAM_MANIFEST, MANIFEST, Resolution, resolve
from tcab_dagster.catalog.toml_file import read_toml
from tcab_dagster.errors import UsageError

CASES = "test-cases"
JAMS = "game-jams"


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a checkout declares. `versions` are those that resolved and are not hidden, by
    `slug@version`; `resolutions` are all that were found, `broken` those with an error."""

    root: Path
    versions: Mapping[str, CaseVersion]
    hidden: Mapping[str, CaseVersion]
    diagnostics: tuple[Diagnostic, ...]
    resolutions: tuple[Resolution, ...] = field(repr=False)
    broken: tuple[Resolution, ...] = field(repr=False)
    unread: tuple[str, ...] = ()
    """Folders, relative to the root, that could not be listed: nothing is known below them."""

    @property
    def ok(self) -> bool:
        return not any(d.severity == "error" for d in self.diagnostics)

    def find(self, name: str) -> CaseVersion:
        """The version that `slug` (its newest) or `slug@version` names. Raises UsageError."""
        return find(self.versions, name)


def find(versions: Mapping[str, CaseVersion], name: str) -> CaseVersion:
    """Raises UsageError with what was probably meant."""
    return versions[find_key(versions, name)]


def find_key(keys: Iterable[str], name: str) -> str:
    """The key that `slug` (its newest version) or `slug@version` names. Raises UsageError."""
    known = sorted(keys)
    slug, _, version = name.partition("@")
    of_slug = [key for key in known if key.partition("@")[0] == slug]
    if not of_slug:
        slugs = {key.partition("@")[0] for key in known}
        raise UsageError(
            f"there is no case `{slug}`",
            help=did_you_mean(slug, slugs) or "the catalog is empty",
        )
    if not version:
        return max(of_slug, key=lambda key: version_order(key.partition("@")[2]))
    if name not in of_slug:
        raise UsageError(
            f"`{slug}` has no version `{version}`",
            help=did_you_mean(version, (key.partition("@")[2] for key in of_slug)),
        )
    return name


def load_catalog(root: Path, *, allow_experimental: bool = False) -> Catalog:
    """Resolves every version below `root`. Faults are diagnostics, never exceptions.

    Raises UsageError where `root` holds neither `test-cases/` nor `game-jams/`: that is no
    catalog, rather than an empty one.
    """
    root = root.resolve()
    if not any((root / part).is_dir() for part in (CASES, JAMS)):
        raise UsageError(
            f"{root} holds neither {CASES}/ nor {JAMS}/",
            help="name the catalog's checkout with --root or TCAB_CHECKOUT",
        )
    discovery = discover(root)
    resolutions = [resolve(root / folder, folder) for folder in discovery.versions]
    report = Report()
    ambiguous = _check_slugs(resolutions, report)
    resolved = {
        r.case.key: r.case for r in resolutions if r.case is not None and r.name not in ambiguous
    }
    hidden = {k: c for k, c in resolved.items() if c.experimental and not allow_experimental}
    return Catalog(
        root=root,
        versions={key: case for key, case in resolved.items() if key not in hidden},
        hidden=hidden,
        diagnostics=in_order(
            [
                *discovery.diagnostics,
                *(d for r in resolutions for d in r.diagnostics),
                *report.diagnostics,
            ]
        ),
        resolutions=tuple(resolutions),
        broken=tuple(r for r in resolutions if r.case is None or r.name in ambiguous),
        unread=discovery.unread,
    )


def to_json(catalog: Catalog) -> CatalogJson:
    """The document of `tcab catalog check --format json`."""
    found = catalog.resolutions
    return {
        "ok": catalog.ok,
        "cases": len({r.slug if r.slug is not None else _case_folder(r) for r in found}),
        "versions": len(found),
        "diagnostics": [diagnostic_json(d) for d in catalog.diagnostics],
    }


@dataclass(frozen=True, slots=True)
class Discovery:
    """The version folders of a checkout, relative to its root, and what else was met."""

    versions: tuple[str, ...]
    unread: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def discover(root: Path) -> Discovery:
    """Finds `test-cases/<type>/<difficulty>/<folder>/<version>/` and `game-jams/<slug>/<version>/`.

    A folder with a manifest is a version; what only looks like one is reported.
    """
    report = Report()
    versions: list[str] = []
    unread: list[str] = []
    for tree, depth, own, foreign in (
        (CASES, 4, MANIFEST, JAM_MANIFEST),
        (JAMS, 2, JAM_MANIFEST, MANIFEST),
    ):
        if not (root / tree).is_dir():
            continue
        waiting = [tree]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(root / folder) as listing:
                    entries = sorted(listing, key=lambda e: e.name, reverse=True)
            except OSError as error:
                unread.append(folder)
                report.error(
                    Code.UNREADABLE,
                    Place(folder),
                    f"the folder cannot be listed: {error.strerror or error}",
                    "make it readable to the user that tcab runs as",
                )
                continue
            names = {entry.name for entry in entries}
            level = folder.count("/")
            if foreign in names:
                _report_foreign(f"{folder}/{foreign}", tree, report)
            if own in names and level == depth:
                if tree == JAMS:
                    _report_jam(f"{folder}/{own}", report)
                else:
                    versions.append(folder)
            elif own in names:
                _report_misplaced(f"{folder}/{own}", level > depth, tree, report)
            elif _LOOKS_LIKE_A_VERSION.match(folder.rpartition("/")[2]) and foreign not in names:
                report.warn(
                    Code.NO_MANIFEST,
                    Place(folder),
                    f"looks like a version, but has no {own}",
                    f"add {own}, or remove the folder",
                )
            if own in names or foreign in names or level >= depth + 2:
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}"
                if entry.name.startswith("."):
                    continue
                if entry.is_symlink() and not (root / path).is_file():
                    unread.append(path)
                    report.error(
                        Code.LINK_NOT_FOLLOWED,
                        Place(path),
                        "a link in the catalog's tree is not followed",
                        "put the folder itself there",
                    )
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
    return Discovery(tuple(sorted(versions)), tuple(unread), tuple(report.diagnostics))


_LOOKS_LIKE_A_VERSION = re.compile(r"v?\d+(\.\d+)+")


def _report_foreign(manifest: str, tree: str, report: Report) -> None:
    if tree == CASES:
        message = "a game jam's manifest below test-cases/"
        mend = f"jams live in {JAMS}/<slug>/<version>/{JAM_MANIFEST}"
    else:
        message = "a test case's manifest below game-jams/"
        mend = f"cases live in {CASES}/<type>/<difficulty>/<folder>/<version>/{MANIFEST}"
    report.error(Code.WRONG_MANIFEST, Place(manifest), message, mend)


def _report_jam(manifest: str, report: Report) -> None:
    report.error(
        Code.NOT_SUPPORTED,
        Place(manifest),
        "game jams are not supported yet",
        f"remove it until they are: nothing of it would be run or shown, and {CASES}/ stays",
    )


def _report_misplaced(manifest: str, too_deep: bool, tree: str, report: Report) -> None:
    where = (
        f"{CASES}/<type>/<difficulty>/<folder>/<version>/"
        if tree == CASES
        else f"{JAMS}/<slug>/<version>/"
    )
    report.warn(
        Code.MISPLACED_MANIFEST,
        Place(manifest),
        f"a manifest {'too deep' if too_deep else 'too shallow'} in the tree is no version",
        f"a version's folder is {where}",
    )


def _case_folder(resolution: Resolution) -> str:
    return resolution.name.rpartition("/")[0]


def _check_slugs(resolutions: Sequence[Resolution], report: Report) -> frozenset[str]:
    """One slug a folder, one folder a slug. Returns the folders of the versions that cannot be
    told apart from others, which are none of them kept."""
    ambiguous: set[str] = set()
    first_of_folder: dict[str, Resolution] = {}
    first_of_slug: dict[str, Resolution] = {}
    for found in resolutions:
        if found.slug is None:
            continue
        sibling = first_of_folder.setdefault(_case_folder(found), found)
        if sibling.slug != found.slug:
            _report_slug(
                Code.SLUG_MISMATCH,
                found,
                sibling,
                f"this version is `{found.slug}`, another of the same folder `{sibling.slug}`",
                "every version of a folder declares the same slug",
                report,
            )
            ambiguous |= {found.name, sibling.name}
        namesake = first_of_slug.setdefault(found.slug, found)
        if _case_folder(namesake) != _case_folder(found):
            _report_slug(
                Code.DUPLICATE_SLUG,
                found,
                namesake,
                f"the slug `{found.slug}` is another case's",
                "a slug is a case's identity: give one of them another",
                report,
            )
            ambiguous |= {
                r.name
                for r in resolutions
                if r.slug == found.slug
                and _case_folder(r) in (_case_folder(found), _case_folder(namesake))
            }
    return frozenset(ambiguous)


def _report_slug(
    code: Code, found: Resolution, other: Resolution, message: str, help: str, report: Report
) -> None:
    report.error(code, _slug_place(found), message, help, [(_slug_place(other), "declared here")])


def _slug_place(found: Resolution) -> Located:
    name = f"{found.name}/{MANIFEST}"
    file = read_toml(found.folder / MANIFEST, name, Report())
    return Place(name) if file is None else file.value("slug")
