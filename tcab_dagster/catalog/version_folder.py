"""What lies in a version folder: one scan, then look-ups that never leave it.

Belongs here: the scan, the confinement of paths after links are followed, which folders are build
leftovers. Does not: what a file is for. Concept: spec 000 ("must resolve inside the version
folder"); facts of the layout in docs/author-a-case.md.
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tcab_dagster.catalog.diagnostics import Code, Located, Place, Report, did_you_mean

ERRATA = "errata.toml"
BASELINES = "validation-baseline"
_NOT_IN_A_PATH = re.compile(r"[\\\x00-\x1f]")
LEFTOVERS = frozenset({"dist", "build", "out"})
"""What building a reference implementation leaves at its root."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, a folder or a link. `path` is relative to the version folder, with `/`."""

    path: str
    kind: Literal["file", "folder", "link"]
    executable: bool = False
    target: str | None = None
    """Of a link that stays inside: the real path, relative to the version folder."""


@dataclass
class VersionFolder:
    """The entries of one version folder by path; `name` is how diagnostics show the folder."""

    root: Path
    name: str
    entries: dict[str, Entry] = field(repr=False)
    is_sound: bool = True
    """Whether all of it could be listed, and no link leads astray."""

    @classmethod
    def scan(cls, root: Path, name: str, report: Report) -> VersionFolder:
        """Lists everything below `root` but `node_modules`, following no link.

        Reports links that dangle, loop or lead outside, and what is neither file nor folder.
        """
        real = Path(os.path.realpath(root))
        folder = cls(real, name, {})
        own = Report()
        for entry in sorted(_scan(folder, "", own), key=lambda e: e.path):
            folder.entries[entry.path] = entry
        folder.is_sound = not own.has_errors
        report.extend(own)
        return folder

    @classmethod
    def listing(cls, root: Path) -> VersionFolder:
        """The entries of a folder that has been found faultless."""
        return cls.scan(root, "", Report())

    def shown(self, path: str) -> str:
        """`path` as diagnostics show it."""
        return posixpath.join(self.name, path) if self.name else path

    def file(self, written: str, place: Located, report: Report) -> Entry | None:
        """The file that a manifest names at `place`. None, reported, where there is none."""
        entry = self._find(written, place, report)
        if entry is not None and entry.kind != "file":
            report.error(
                Code.NOT_A_FILE,
                place,
                f"`{written}` is a folder, not a file",
                "name one file; the key takes no folder",
            )
            return None
        return entry

    def folder(self, written: str, place: Located, report: Report) -> Entry | None:
        """The folder that a manifest names at `place`. None, reported, where there is none."""
        entry = self._find(written, place, report)
        if entry is not None and entry.kind != "folder":
            report.error(
                Code.NOT_A_FOLDER,
                place,
                f"`{written}` is a file, not a folder",
                "name the folder that holds it",
            )
            return None
        return entry

    def either(self, written: str, place: Located, report: Report) -> Entry | None:
        """The file or folder that a manifest names at `place`."""
        return self._find(written, place, report)

    def below(self, folder: str) -> Iterator[Entry]:
        """Everything inside `folder` but folders, in order."""
        prefix = f"{folder}/" if folder else ""
        for path, entry in self.entries.items():
            if path.startswith(prefix) and entry.kind != "folder":
                yield entry

    def _find(self, written: str, place: Located, report: Report) -> Entry | None:
        path = plain_path(written, place, report)
        if path is None:
            return None
        if path == "":
            return Entry("", "folder")
        real = self._follow(path)
        if real is None:
            return None  # a broken link, reported by the scan
        entry = self.entries.get(real)
        if entry is None:
            report.error(
                Code.NO_SUCH_FILE,
                place,
                f"there is no `{written}` in the version folder",
                self._suggest(path),
            )
        return entry

    def _follow(self, path: str) -> str | None:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            entry = self.entries.get("/".join(parts[:end]))
            if entry is not None and entry.kind == "link":
                if entry.target is None:
                    return None
                return self._follow("/".join(filter(None, [entry.target, *parts[end:]])))
        return path

    def _suggest(self, path: str) -> str:
        parent, name = posixpath.split(path)
        siblings = [posixpath.basename(p) for p in self.entries if posixpath.dirname(p) == parent]
        hint = did_you_mean(name, siblings)
        if hint is not None and hint.startswith("did you mean"):
            near = hint.split("`")[1]
            return f"did you mean `{posixpath.join(parent, near)}`?"
        return "paths are relative to the version folder and tell upper case from lower"


def report_unreadable(folder: VersionFolder, error: OSError, report: Report) -> None:
    """Tells that a file that was listed could not be read, or is gone by now."""
    path = os.path.relpath(str(error.filename or folder.root), folder.root)
    report.error(
        Code.UNREADABLE,
        Place(folder.shown(path)),
        f"the file cannot be read: {error.strerror or error}",
        "make it a file that the user tcab runs as may read",
    )


def plain_path(
    written: str, place: Located, report: Report, within: str = "the version folder"
) -> str | None:
    """A written path in its one plain form; `""` is the folder itself. None where it cannot be."""
    if _NOT_IN_A_PATH.search(written):
        report.error(
            Code.BAD_PATH,
            place,
            f"`{written}` is not a path with `/` between its parts",
            f"write it with `/`, relative to {within}",
        )
        return None
    path = posixpath.normpath(written)
    if path.startswith(("/", "../")) or path == "..":
        report.error(
            Code.OUTSIDE_FOLDER,
            place,
            f"`{written}` leads out of {within}",
            f"write it relative to {within}, without a leading `/` and without `..`",
        )
        return None
    return "" if path == "." else path


def _scan(folder: VersionFolder, below: str, report: Report) -> Iterator[Entry]:
    try:
        listing = list(os.scandir(folder.root / below if below else folder.root))
    except OSError as error:
        report.error(
            Code.UNREADABLE,
            Place(folder.shown(below) or "."),
            f"the folder cannot be read: {error.strerror or error}",
            "make it readable to the user that tcab runs as",
        )
        return
    for found in listing:
        path = f"{below}/{found.name}" if below else found.name
        if found.is_symlink():
            yield Entry(path, "link", target=_target(folder, path, report))
        elif found.is_dir(follow_symlinks=False):
            if found.name == "node_modules":
                continue
            yield Entry(path, "folder")
            yield from _scan(folder, path, report)
        elif found.is_file(follow_symlinks=False):
            try:
                mode = found.stat(follow_symlinks=False).st_mode
            except OSError as error:
                report_unreadable(folder, error, report)
                continue
            yield Entry(path, "file", executable=bool(mode & stat.S_IXUSR))
        else:
            report.error(
                Code.SPECIAL_FILE,
                Place(folder.shown(path)),
                "neither a file, a folder nor a link",
                "a version holds only what git can hold: remove it",
            )


def _target(folder: VersionFolder, path: str, report: Report) -> str | None:
    place = Place(folder.shown(path))
    try:
        real = os.path.realpath(folder.root / path, strict=True)
    except OSError as error:
        what = "loops" if error.errno == errno.ELOOP else "leads nowhere"
        target = (folder.root / path).readlink()
        report.error(Code.BROKEN_LINK, place, f"the link to `{target}` {what}", "mend or remove it")
        return None
    root = str(folder.root)
    if real == root:
        return ""
    if not real.startswith(root + os.sep):
        report.error(
            Code.OUTSIDE_FOLDER,
            place,
            "the link leads out of the version folder",
            "a version is self-contained: replace the link by the file",
        )
        return None
    return os.path.relpath(real, root).replace(os.sep, "/")
