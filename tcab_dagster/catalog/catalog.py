"""The catalog of a checkout: every version below it, and every fault.

Belongs here: putting discovery, resolution and the rules between versions together, and finding a
version by name. Does not: what is kept of it (store.py). Concept: spec 000, "Manifests".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tcab_dagster.catalog.diagnostics import (
    CatalogJson,
    Diagnostic,
    diagnostic_json,
    did_you_mean,
    in_order,
)
from tcab_dagster.catalog.discovery import CASES, JAMS, discover
from tcab_dagster.catalog.identity import case_folder, check_slugs
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.names import version_order
from tcab_dagster.catalog.resolution import Resolution, resolve
from tcab_dagster.errors import UsageError


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
    slug, at, version = name.partition("@")
    of_slug = [key for key in known if key.partition("@")[0] == slug]
    if not of_slug:
        slugs = {key.partition("@")[0] for key in known}
        raise UsageError(
            f"there is no case `{slug}`",
            help=did_you_mean(slug, slugs) or "the catalog is empty",
        )
    if not at:
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
    ambiguous, conflicts = check_slugs(resolutions)
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
                *conflicts,
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
        "cases": len({r.slug if r.slug is not None else case_folder(r) for r in found}),
        "versions": len(found),
        "diagnostics": [diagnostic_json(d) for d in catalog.diagnostics],
    }
