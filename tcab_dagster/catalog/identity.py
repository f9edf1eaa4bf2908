"""The one namespace of slugs: one slug a folder, one folder a slug.

Belongs here: the rules between versions. Does not: a slug's form (manifest.py).
Concept: spec 000, "slug".
"""

from __future__ import annotations

from collections.abc import Sequence

from tcab_dagster.catalog.diagnostics import Code, Diagnostic, Located, Place, Report
from tcab_dagster.catalog.resolution import MANIFEST, Resolution
from tcab_dagster.catalog.toml_file import read_toml


def case_folder(found: Resolution) -> str:
    """The folder that holds a version's folder."""
    return found.name.rpartition("/")[0]


def check_slugs(resolutions: Sequence[Resolution]) -> tuple[frozenset[str], list[Diagnostic]]:
    """The folders of the versions whose identity is not clear, none of which may be kept, and
    why. A conflict of two folders is told once."""
    named = [r for r in resolutions if r.slug is not None]
    folders: dict[str, Resolution] = {}
    slugs: dict[str, dict[str, Resolution]] = {}
    ambiguous: set[str] = set()
    told: list[Diagnostic] = []
    for found in named:
        first = folders.setdefault(case_folder(found), found)
        if first.slug != found.slug:
            ambiguous |= {first.name, found.name}
            told += _conflict(
                Code.SLUG_MISMATCH,
                found,
                first,
                f"this version is `{found.slug}`, another of the same folder `{first.slug}`",
                "every version of a folder declares the same slug",
            )
        slugs.setdefault(str(found.slug), {}).setdefault(case_folder(found), found)
    shared = {slug: list(holders.values()) for slug, holders in slugs.items() if len(holders) > 1}
    for slug, (first, *others) in shared.items():
        for other in others:
            told += _conflict(
                Code.DUPLICATE_SLUG,
                other,
                first,
                f"the slug `{slug}` is another case's",
                "a slug is a case's identity: give one of them another",
            )
    ambiguous |= {r.name for r in named if r.slug in shared}
    return frozenset(ambiguous), told


def _conflict(
    code: Code, found: Resolution, other: Resolution, message: str, help: str
) -> tuple[Diagnostic, ...]:
    report = Report()
    report.error(code, _place(found), message, help, [(_place(other), "declared here")])
    return report.of_version(found.slug, found.version)


def _place(found: Resolution) -> Located:
    """Where a version declares its slug. Its document is not kept, so it is read again."""
    name = f"{found.name}/{MANIFEST}"
    file = read_toml(found.folder / MANIFEST, name, Report())
    return Place(name) if file is None else file.value("slug")
