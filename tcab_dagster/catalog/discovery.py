"""Which folders of a checkout are versions, and which only look like one.

Belongs here: walking the two trees. Does not: anything inside a version (resolution.py).
Concept: docs/author-a-case.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tcab_dagster.catalog.diagnostics import Code, Diagnostic, Place, Report
from tcab_dagster.catalog.resolution import JAM_MANIFEST, MANIFEST

CASES = "test-cases"
JAMS = "game-jams"


@dataclass(frozen=True, slots=True)
class Discovery:
    """The version folders of a checkout, relative to its root, and what else was met."""

    versions: tuple[str, ...]
    unread: tuple[str, ...]
    """Folders that could not be listed: nothing is known below them."""
    diagnostics: tuple[Diagnostic, ...]


def discover(root: Path) -> Discovery:
    """Finds every version folder below `root`. A folder with a manifest, at the depth where
    manifests belong, is a version; what only looks like one is reported."""
    walk = _Walk(root)
    for tree in (_CASE_TREE, _JAM_TREE):
        if (root / tree.name).is_dir():
            walk.tree(tree)
    return Discovery(tuple(sorted(walk.versions)), tuple(walk.unread), tuple(walk.report))


@dataclass(frozen=True, slots=True)
class _Tree:
    """One of the two trees: where its versions lie, and whose manifest does not belong there."""

    name: str
    depth: int
    layout: str
    manifest: str
    foreign: str
    foreign_message: str
    foreign_help: str


_CASE_LAYOUT = f"{CASES}/<type>/<difficulty>/<folder>/<version>/"
_JAM_LAYOUT = f"{JAMS}/<slug>/<version>/"
_CASE_TREE = _Tree(
    CASES,
    4,
    _CASE_LAYOUT,
    MANIFEST,
    JAM_MANIFEST,
    f"a game jam's manifest below {CASES}/",
    f"jams live in {_JAM_LAYOUT}{JAM_MANIFEST}",
)
_JAM_TREE = _Tree(
    JAMS,
    2,
    _JAM_LAYOUT,
    JAM_MANIFEST,
    MANIFEST,
    f"a test case's manifest below {JAMS}/",
    f"cases live in {_CASE_LAYOUT}{MANIFEST}",
)
_LOOKS_LIKE_A_VERSION = re.compile(r"v?\d+(\.\d+)+")
_BEYOND = 2
"""How many levels below the right one a misplaced manifest is still looked for."""


@dataclass(slots=True)
class _Walk:
    root: Path
    versions: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    found: Report = field(default_factory=Report)

    @property
    def report(self) -> list[Diagnostic]:
        return self.found.diagnostics

    def tree(self, tree: _Tree) -> None:
        waiting = [tree.name]
        while waiting:
            folder = waiting.pop()
            entries = self._list(folder)
            names = {entry.name for entry in entries}
            self._judge(tree, folder, names)
            is_inner = tree.manifest not in names and tree.foreign not in names
            if is_inner and folder.count("/") < tree.depth + _BEYOND:
                waiting += self._folders(folder, entries)

    def _list(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root / folder) as listing:
                return list(listing)
        except OSError as error:
            self.unread.append(folder)
            self.found.error(
                Code.UNREADABLE,
                Place(folder),
                f"the folder cannot be listed: {error.strerror or error}",
                "make it readable to the user that tcab runs as",
            )
            return []

    def _judge(self, tree: _Tree, folder: str, names: set[str]) -> None:
        level = folder.count("/")
        if tree.foreign in names:
            place = Place(f"{folder}/{tree.foreign}")
            self.found.error(Code.WRONG_MANIFEST, place, tree.foreign_message, tree.foreign_help)
        if tree.manifest in names:
            place = Place(f"{folder}/{tree.manifest}")
            if level != tree.depth:
                how = "deep" if level > tree.depth else "shallow"
                self.found.warn(
                    Code.MISPLACED_MANIFEST,
                    place,
                    f"a manifest too {how} in the tree is no version",
                    f"a version's folder is {tree.layout}",
                )
            elif tree is _JAM_TREE:
                self.found.error(
                    Code.NOT_SUPPORTED,
                    place,
                    "game jams are not supported yet",
                    f"take it out until they are; what is in {CASES}/ is not affected",
                )
            else:
                self.versions.append(folder)
        elif tree.foreign not in names and _LOOKS_LIKE_A_VERSION.match(folder.split("/")[-1]):
            self.found.warn(
                Code.NO_MANIFEST,
                Place(folder),
                f"looks like a version, but has no {tree.manifest}",
                f"add {tree.manifest}, or remove the folder",
            )

    def _folders(self, folder: str, entries: list[os.DirEntry[str]]) -> Iterator[str]:
        """The folders to look into; a link in place of one is not followed, but told."""
        for entry in entries:
            path = f"{folder}/{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield path
            elif entry.is_symlink() and not (self.root / path).is_file():
                self.unread.append(path)
                self.found.error(
                    Code.LINK_NOT_FOLLOWED,
                    Place(path),
                    "a link in the catalog's tree is not followed",
                    "put the folder itself there",
                )
