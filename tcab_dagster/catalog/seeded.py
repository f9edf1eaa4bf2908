"""What a variant seeds, and what it must not: destinations, collisions, the never-seeded rule.

Belongs here: the list of seeded files by destination, and its rules. Does not: writing them
(tcab_dagster/seeding.py). Concept: spec 004, "Seeding"; docs/author-a-case.md, "What is seeded".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tcab_dagster.catalog.diagnostics import Code, Located, Report
from tcab_dagster.catalog.version_folder import Entry, VersionFolder, plain_path

SCRIPTS = "validation"
"""By convention the folder of the validation scripts, whose shared modules no manifest names."""


@dataclass(frozen=True, slots=True)
class SeededFile:
    """One file of the seeded repository. `source` is relative to the version folder, None for a
    rendered screenshot; `place` is the key that seeds it."""

    dest: str
    source: str | None
    place: Located


@dataclass(frozen=True, slots=True)
class Secrets:
    """What no run may ever see: files and whole folders, each with what it is."""

    files: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)

    def what_is(self, source: str) -> str | None:
        if source in self.files:
            return self.files[source]
        if source.startswith(f"{SCRIPTS}/") and any(
            f.startswith(f"{SCRIPTS}/") for f in self.files
        ):
            return "a module beside the validation scripts"
        for folder, what in self.folders.items():
            if source.startswith(f"{folder}/"):
                return what
        return None


def spec_dest(source: str, dest: str | None) -> str:
    """`dest`, or the source without a trailing `.hbs`."""
    return source.removesuffix(".hbs") if dest is None else dest


def seeded_tree(
    folder: VersionFolder, path: Entry, at: str, place: Located, report: Report
) -> Iterator[SeededFile]:
    """Every file below a workspace or an asset folder, at its path below `at`."""
    below = f"{path.path}/" if path.path else ""
    for entry in folder.below(path.path):
        inner = entry.path[len(below) :]
        if entry.kind == "link":
            report.error(
                Code.SEEDED_LINK,
                place,
                f"`{entry.path}` is a link inside a seeded folder",
                "put the file itself there",
            )
        else:
            yield SeededFile(f"{at}/{inner}" if at else inner, entry.path, place)


def check_never_seeded(
    seeded: Sequence[SeededFile], secrets: Secrets, report: Report
) -> list[SeededFile]:
    """What is kept from the model must not reach it by another key. Returns what the keys
    without this fault seed."""
    reported: set[Located] = set()
    for file in seeded:
        what = None if file.source is None else secrets.what_is(file.source)
        if what is not None and file.place not in reported:
            reported.add(file.place)
            report.error(
                Code.NEVER_SEEDED,
                file.place,
                f"this would seed `{file.source}`, {what}",
                "a run never sees it: move it out of what is seeded",
            )
    return [file for file in seeded if file.place not in reported]


def check_destinations(
    seeded: Sequence[SeededFile], proofs: Sequence[SeededFile], report: Report
) -> None:
    """No two files share a destination, nor is one a folder of the other; proofs included.
    Compared without case, since a run's tree may be unpacked where case does not tell."""
    taken: dict[str, SeededFile] = {}
    folders: dict[str, SeededFile] = {}
    reported: set[tuple[Located, Located]] = set()
    for file in (*seeded, *proofs):
        name = file.dest.casefold()
        parents = _parents(name)
        rival = (
            taken.get(name)
            or folders.get(name)
            or next((taken[parent] for parent in parents if parent in taken), None)
        )
        if ".git" in name.split("/"):
            _report_git(file, reported, report)
        elif rival is not None:
            _report_rivals(file, rival, file in proofs, reported, report)
        taken.setdefault(name, file)
        for parent in parents:
            folders.setdefault(parent, file)


def destination(written: str, place: Located, report: Report) -> str | None:
    """A destination in the run's repository, plain. None, reported, where it cannot be one."""
    path = plain_path(written, place, report, within="the run's repository")
    if path == "":
        report.error(Code.BAD_PATH, place, f"`{written}` is the repository itself", "name a file")
        return None
    return path


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _report_git(file: SeededFile, reported: set[tuple[Located, Located]], report: Report) -> None:
    if (file.place, file.place) not in reported:
        reported.add((file.place, file.place))
        report.error(
            Code.BAD_PATH,
            file.place,
            f"`{file.dest}` would lie in the repository's own `.git`",
            "a run's repository is made fresh: seed no git metadata",
        )


def _report_rivals(
    file: SeededFile,
    rival: SeededFile,
    is_proof: bool,
    reported: set[tuple[Located, Located]],
    report: Report,
) -> None:
    if (file.place, rival.place) in reported:
        return
    reported.add((file.place, rival.place))
    shared = file.dest if file.dest == rival.dest else f"{rival.dest}` and `{file.dest}"
    if is_proof:
        report.error(
            Code.PROOF_COLLISION,
            file.place,
            f"the proof's `{shared}` cannot be told from what lies there already",
            "a proof is what the build writes: give it a destination of its own",
            [(rival.place, "taken here")],
        )
        return
    report.error(
        Code.SEEDED_COLLISION,
        file.place,
        f"two seeded files would share `{shared}`",
        "give one of them another destination (upper and lower case do not tell them apart)",
        [(rival.place, "taken here")],
    )
