"""A folder of ours as the tar stream that goes into a container.

Belongs here: owner, times, modes and order of what goes in. Does not: what comes out, which is
hostile (extraction.py). Concept: spec 004, "Containerization": trees travel as streams, nothing
of the host is mounted.
"""

from __future__ import annotations

import os
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tcab_dagster.containers.protocol import RUN_USER, SandboxError

MTIME = 1_577_836_800
"""2020-01-01, for every entry: the same tree is the same stream, and zip tools accept it."""

OWNERS = {RUN_USER: 1000, "root": 0}


def pack(tree: Path, owner: str) -> IO[bytes]:
    """The content of `tree` as a tar file at its beginning; the caller closes it.

    Links go in as links, never followed. Raises SandboxError for what is no file, folder or link.
    """
    archive = tempfile.TemporaryFile()  # noqa: SIM115  (handed to the caller)
    try:
        with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path, name in _entries(tree, ""):
                _add(tar, path, name, owner)
        archive.seek(0)
    except BaseException:
        archive.close()
        raise
    return archive


def pack_folder(name: str, owner: str) -> bytes:
    """The tar of one empty folder."""
    with tempfile.TemporaryFile() as archive:
        with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
            tar.addfile(_info(name, tarfile.DIRTYPE, 0o755, owner))
        archive.seek(0)
        return archive.read()


def _entries(folder: Path, prefix: str) -> Iterator[tuple[Path, str]]:
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        name = prefix + entry.name
        yield Path(entry.path), name
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(Path(entry.path), name + "/")


def _add(tar: tarfile.TarFile, path: Path, name: str, owner: str) -> None:
    status = path.lstat()
    permissions = stat.S_IMODE(status.st_mode) & 0o777
    if stat.S_ISDIR(status.st_mode):
        tar.addfile(_info(name, tarfile.DIRTYPE, permissions | 0o700, owner))
    elif stat.S_ISLNK(status.st_mode):
        link = _info(name, tarfile.SYMTYPE, 0o777, owner)
        link.linkname = os.readlink(path)  # noqa: PTH115  (the text as it is)
        tar.addfile(link)
    elif stat.S_ISREG(status.st_mode):
        with path.open("rb") as content:
            file = _info(name, tarfile.REGTYPE, permissions | 0o400, owner)
            file.size = os.fstat(content.fileno()).st_size
            tar.addfile(file, content)
    else:
        raise SandboxError(f"{path} is no file, folder or link and cannot go into a container")


def _info(name: str, kind: bytes, mode: int, owner: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.mtime = kind, mode, MTIME
    info.uid = info.gid = OWNERS[owner]
    info.uname = info.gname = ""
    return info
