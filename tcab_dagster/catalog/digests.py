"""What a version is, in one number: the digests that pin it.

Belongs here: which files count and how they are framed. Does not: comparing (ingest.py).

A digest is SHA-256 over the files in the order of their paths' bytes, each framed as

    <version>/<path> NUL <mode> NUL <the 32 bytes of the content's SHA-256>

where mode is `f` for a file, `x` for an executable one and `l` for a link, whose content is the
text of its target. A path holds no NUL and the rest has a fixed length, so no two lists of files
frame alike. The version's name is part of every path: two versions with equal files differ.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from tcab_dagster.catalog.version_folder import BASELINES, ERRATA, LEFTOVERS, Entry, VersionFolder


def definition_entries(folder: VersionFolder, implementations: Iterable[str]) -> list[Entry]:
    """What defines a version: everything but its baselines, its errata, and what building its
    reference implementations left behind (`node_modules` anywhere, and `dist`, `build` and `out`
    at their roots), which git ignores and a checkout may or may not hold."""
    left_out = [BASELINES, *(f"{i}/{name}" for i in implementations for name in LEFTOVERS)]
    prefixes = tuple(f"{path}/" for path in left_out)
    return [
        entry
        for path, entry in folder.entries.items()
        if entry.kind != "folder" and path != ERRATA and not path.startswith(prefixes)
    ]


def errata_entries(folder: VersionFolder) -> list[Entry]:
    entry = folder.entries.get(ERRATA)
    return [] if entry is None else [entry]


def baseline_entries(folder: VersionFolder) -> list[Entry]:
    return list(folder.below(BASELINES))


def digest(folder: VersionFolder, version: str, entries: Iterable[Entry]) -> str:
    """The digest of these entries, in hexadecimal. Raises OSError where one cannot be read."""
    whole, root = hashlib.sha256(), str(folder.root)
    for entry in sorted(entries, key=lambda e: os.fsencode(e.path)):
        path = os.path.join(root, entry.path)  # noqa: PTH118 - a Path costs more than the hash
        if entry.kind == "link":
            mode, content = b"l", hashlib.sha256(os.fsencode(os.readlink(path))).digest()  # noqa: PTH115
        else:
            mode = b"x" if entry.executable else b"f"
            with open(path, "rb") as file:  # noqa: PTH123
                content = hashlib.file_digest(file, "sha256").digest()
        whole.update(os.fsencode(f"{version}/{entry.path}") + b"\0" + mode + b"\0" + content)
    return whole.hexdigest()
