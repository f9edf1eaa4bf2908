"""What a run produced, out of a tar stream that nobody vouches for, onto our disk.

Belongs here: which entries become files, and the caps. Does not: where the stream comes from.
Only regular files and folders are made, never a link: a second name of one file becomes a copy, as
compilers link what they build. `.git` stays an unopened archive, since a
repository's own configuration can make git run commands. Concept: spec 004, "Artifact collection".
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tarfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tcab_dagster.containers.tar_reading import GuardedTar, TarDamaged, open_stream
from tcab_dagster.records import CollectedTree, RefusedEntry

NODE_MODULES = frozenset({"node_modules"})
GIT = ".git"
RECORDED_REFUSALS = 100
PIECE = 1 << 20


class ExtractionError(Exception):
    """The stream is no whole tar of a folder: the runtime's fault. The message is one line."""


class CapsExceeded(ExtractionError):
    """The produced tree is larger than any we collect: the fault of who produced it."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What a collected tree may hold. Past the first three, nothing of it is kept; an entry
    past the last three is refused by itself."""

    entries: int = 200_000
    content_bytes: int = 4 * 2**30
    stream_bytes: int = 32 * 2**30
    """All that is read, with what is skipped: a sparse file arrives with all its zeros."""
    depth: int = 64
    name_bytes: int = 255
    path_bytes: int = 1024


def extract(
    stream: Iterator[bytes],
    out: Path,
    *,
    git_archive: Path | None,
    skip: frozenset[str] = NODE_MODULES,
    caps: Caps = Caps(),
) -> CollectedTree:
    """Makes the folder `out` from a tar whose members are below one folder's name.

    `git_archive` receives the top-level `.git` as a tar of its own; folders named in `skip` are
    left out anywhere. Raises ExtractionError, and then leaves neither of the two behind.
    """
    partial = out.with_name(f".{out.name}.partial")
    partial_git = (
        None if git_archive is None else git_archive.with_name(f".{git_archive.name}.partial")
    )
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with contextlib.ExitStack() as files:
            sink = None if partial_git is None else files.enter_context(_git_sink(partial_git))
            work = _Extraction(partial, sink, skip, caps)
            work.run(open_stream(stream, caps.stream_bytes))
        partial.replace(out)
        if partial_git is not None and git_archive is not None and work.has_git:
            partial_git.replace(git_archive)
    except TarDamaged as error:
        raise (CapsExceeded if error.too_long else ExtractionError)(str(error)) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if partial_git is not None:
            partial_git.unlink(missing_ok=True)
    return work.result()


@contextlib.contextmanager
def _git_sink(path: Path) -> Iterator[tarfile.TarFile]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(
        path, "w", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape"
    ) as tar:
        yield tar


@dataclass(slots=True)
class _Extraction:
    """One stream on its way to the disk."""

    out: Path
    git: tarfile.TarFile | None
    skip: frozenset[str]
    caps: Caps
    has_git: bool = False
    entries: int = 0
    content_bytes: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    digests: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    spelled: dict[str, str] = field(default_factory=dict)
    """Every path made, by its form without case: two that differ in case only would be one
    file on another machine."""
    refused_folders: set[str] = field(default_factory=set)
    refusals: list[RefusedEntry] = field(default_factory=list)
    refusal_count: int = 0

    def run(self, tar: GuardedTar) -> None:
        root: str | None = None
        for member in tar.members():
            head, _, path = member.name.partition("/")
            if root is None:
                if not member.isdir() or path or head in {"", ".", ".."}:
                    raise ExtractionError("what was to be collected is not a folder")
                root = head
            elif head != root or not path:
                self._refuse(member.name, "not below the collected folder")
            else:
                self._take(tar, member, path)
        if root is None:
            raise ExtractionError("the collected stream is empty")

    def _take(self, tar: GuardedTar, member: tarfile.TarInfo, path: str) -> None:
        parts = path.split("/")
        if self._is_skipped(parts, member.isdir()) or self._is_below_refused(path):
            return
        original = self._original(member)
        self.entries += 1
        self.content_bytes += member.size if member.isreg() else self.sizes.get(original, 0)
        if self.entries > self.caps.entries:
            raise CapsExceeded(f"the tree has more than {self.caps.entries} entries")
        if self.content_bytes > self.caps.content_bytes:
            raise CapsExceeded(f"the tree has more than {self.caps.content_bytes} bytes")
        reason = self._why_not(parts, path)
        is_git = reason is None and parts[0] == GIT
        if reason is None:
            reason = _kind_refused(member, links=is_git, linked=original in self.sizes)
        if reason is None and not is_git:
            reason = self._collision(parts, member.isdir())
        if reason is not None:
            self._refuse(path, reason)
            self.refused_folders.add(path)
        elif is_git:
            self._keep_git(tar, member, path)
        elif member.isdir():
            self._make_folders(parts)
        elif original in self.sizes:
            self._make_folders(parts[:-1])
            with (self.out / original).open("rb") as content:
                self._write(content, path, self.digests[original][0])
        else:
            self._make_folders(parts[:-1])
            self._write(tar.content(member), path, "755" if member.mode & 0o100 else "644")

    def _original(self, member: tarfile.TarInfo) -> str:
        """What a hard link names: the same file again, of which only the first is in the stream."""
        return member.linkname.partition("/")[2] if member.islnk() else ""

    def _is_skipped(self, parts: list[str], is_folder: bool) -> bool:
        return any(part in self.skip for part in (parts if is_folder else parts[:-1]))

    def _is_below_refused(self, path: str) -> bool:
        """Below a folder that was refused: recorded once, with the folder."""
        if not self.refused_folders:
            return False
        return any(
            path[:i] in self.refused_folders for i, letter in enumerate(path) if letter == "/"
        )

    def _why_not(self, parts: list[str], path: str) -> str | None:
        """What is wrong with a name, whatever it names."""
        encoded = path.encode("utf-8", "surrogateescape")
        if "" in parts or "." in parts or ".." in parts:
            return "a path with `..`, `.` or an empty part"
        if "\0" in path:
            return "a NUL in the name"
        try:
            encoded.decode("utf-8")
        except UnicodeDecodeError:
            return "a name that is not UTF-8"
        if len(parts) > self.caps.depth:
            return f"deeper than {self.caps.depth} folders"
        if len(encoded) > self.caps.path_bytes:
            return f"a path of more than {self.caps.path_bytes} bytes"
        if max(len(p.encode("utf-8", "surrogateescape")) for p in parts) > self.caps.name_bytes:
            return f"a name of more than {self.caps.name_bytes} bytes"
        repositories = [i for i, part in enumerate(parts) if part.casefold() == GIT]
        if repositories and (repositories[0] != 0 or len(repositories) > 1 or parts[0] != GIT):
            return "a nested .git" if repositories[0] else "a .git in other letters"
        return None

    def _collision(self, parts: list[str], is_folder: bool) -> str | None:
        """What is wrong with a path beside those made before; notes it where nothing is."""
        path = "/".join(parts)
        for length in range(1, len(parts) + 1):
            prefix = "/".join(parts[:length])
            spelled = self.spelled.get(_folded(prefix))
            if spelled is not None and spelled != prefix:
                return f"differs from {_shown(spelled)} in case only"
            if length < len(parts) and prefix in self.digests:
                return f"below {_shown(prefix)}, which is a file"
        if path in self.digests or (path in self.folders and not is_folder):
            return "a second entry of the same path"
        for length in range(1, len(parts) + 1):
            prefix = "/".join(parts[:length])
            self.spelled[_folded(prefix)] = prefix
        return None

    def _keep_git(self, tar: GuardedTar, member: tarfile.TarInfo, path: str) -> None:
        """Into the archive as it is, links too: nobody opens it here."""
        self.has_git = True
        if self.git is None:
            return
        member.name = path
        member.pax_headers = {}
        if member.islnk():
            member.linkname = member.linkname.partition("/")[2]
        if not member.isreg():
            member.size = 0
        self.git.addfile(member, tar.content(member) if member.isreg() else None)

    def _make_folders(self, parts: list[str]) -> None:
        for length in range(1, len(parts) + 1):
            folder = "/".join(parts[:length])
            if folder not in self.folders:
                (self.out / folder).mkdir()
                self.folders.add(folder)

    def _write(self, content: IO[bytes], path: str, mode: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        digest = hashlib.sha256()
        with os.fdopen(os.open(self.out / path, flags), "wb") as file:
            os.fchmod(file.fileno(), int(mode, 8))
            while piece := content.read(PIECE):
                digest.update(piece)
                file.write(piece)
            self.sizes[path] = file.tell()
        self.digests[path] = (mode, digest.digest())

    def _refuse(self, path: str, reason: str) -> None:
        self.refusal_count += 1
        if len(self.refusals) < RECORDED_REFUSALS:
            self.refusals.append(RefusedEntry(path=_shown(path), reason=reason))

    def result(self) -> CollectedTree:
        """The digest: of each file in the order of its path, path, mode and content's digest."""
        total = hashlib.sha256()
        for path, (mode, content) in sorted(self.digests.items()):
            total.update(f"{path}\0{mode}\0".encode() + content)
        more = self.refusal_count - len(self.refusals)
        rest = [RefusedEntry(path="", reason=f"{more} more entries were refused")] if more else []
        return CollectedTree(
            files=len(self.digests),
            bytes=sum(self.sizes.values()),
            digest=total.hexdigest(),
            refused=tuple(self.refusals + rest),
            has_git=self.has_git,
        )


def _kind_refused(member: tarfile.TarInfo, *, links: bool, linked: bool) -> str | None:
    if member.issparse():
        return "a sparse entry"
    is_link = member.issym() or member.islnk()
    if member.isreg() or member.isdir() or linked or (links and is_link):
        return None
    kinds = {
        tarfile.SYMTYPE: "a symbolic link",
        tarfile.LNKTYPE: "a hard link to nothing that was collected",
        tarfile.CHRTYPE: "a device",
        tarfile.BLKTYPE: "a device",
        tarfile.FIFOTYPE: "a fifo",
    }
    return kinds.get(member.type, "neither a file nor a folder")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _shown(path: str) -> str:
    """A hostile name as text of bounded length."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")[:200]
