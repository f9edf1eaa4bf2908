"""Something that a document declares, together with where it stands.

Belongs here: keeping a value and its place together, and the two rules that every kind of id
shares: unique in its set, and known where it is named. Does not: any one kind (its own module).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tcab_dagster.catalog.diagnostics import Code, Located, Report, did_you_mean
from tcab_dagster.catalog.manifest import Table
from tcab_dagster.catalog.toml_file import KeyPath, Spot, Step, TomlFile

T = TypeVar("T", bound=Table)
U = TypeVar("U", bound=Table)


@dataclass(frozen=True, slots=True)
class Declared(Generic[T]):
    """A table of a document."""

    table: T
    file: TomlFile
    path: KeyPath

    def key(self, *below: Step) -> Spot:
        return self.file.key(*self.path, *below)

    def value(self, *below: Step) -> Spot:
        return self.file.value(*self.path, *below)

    def each(self, tables: Sequence[U], *key: Step) -> list[Declared[U]]:
        """The entries of an array of tables below this one."""
        return [Declared(t, self.file, (*self.path, *key, i)) for i, t in enumerate(tables)]


def unique(
    declared: Iterable[Declared[T]], key: str, what: str, report: Report, code: Code
) -> None:
    """Reports each entry whose `key` an earlier one has already: compared without case, since
    ids become file names."""
    first: dict[str, Declared[T]] = {}
    for entry in declared:
        name = str(getattr(entry.table, key))
        if not name:
            continue
        earlier = first.setdefault(name.casefold(), entry)
        if earlier is not entry:
            report.error(
                code,
                entry.value(key),
                f"the {what} `{name}` is declared twice",
                "give one of them another name",
                [(earlier.value(key), "first declared here")],
            )


def require(
    name: str,
    place: Located,
    known: Mapping[str, Collection[str]],
    what: str,
    report: Report,
    code: Code,
) -> None:
    """Reports `name` where one of the variants, by slug, does not know it."""
    lacking = [variant for variant, names in known.items() if name not in names]
    if not lacking:
        return
    everywhere = {n for names in known.values() for n in names}
    if name in everywhere:
        variants = " and ".join(f"`{v}`" for v in lacking)
        report.error(
            code,
            place,
            f"`{name}` is no {what} of the variant {variants}",
            "what is common must resolve for every variant: declare it in each, or in common",
        )
    else:
        report.error(
            code,
            place,
            f"there is no {what} `{name}`",
            did_you_mean(name, everywhere) or f"no {what} is declared",
        )
