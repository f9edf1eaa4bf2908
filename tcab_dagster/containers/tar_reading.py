"""The standard library's tar reader, made to fail where it would believe a stream.

Belongs here: bounds on headers and on the stream, and the archive's true end. Does not: what
becomes of the members (extraction.py).
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from typing import IO

LONGEST_HEADER = 1 << 20
ZERO_BLOCK = 512
BUFFER = 1 << 18

HEADER_TYPES = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)

DAMAGE = (
    tarfile.TarError,
    ValueError,
    OverflowError,
    RecursionError,
    EOFError,
    KeyError,
    IndexError,
)


class TarDamaged(Exception):
    """The stream is no whole tar; `too_long` where it is only longer than allowed."""

    def __init__(self, message: str, *, too_long: bool = False) -> None:
        super().__init__(message)
        self.too_long = too_long


class GuardedTar:
    """The members of a stream, each to be read before the next."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        try:
            self._tar = tarfile.open(  # noqa: SIM115  (a stream of the caller's)
                fileobj=source,
                mode="r|",
                tarinfo=_Member,
                encoding="utf-8",
                errors="surrogateescape",
                bufsize=BUFFER,
            )
        except DAMAGE as error:
            raise TarDamaged(f"not a tar stream: {error}") from error

    def members(self) -> Iterator[tarfile.TarInfo]:
        """Raises TarDamaged where the archive breaks off or has a broken header.

        `tarfile` takes both for its end; the true one is a block of zeros and nothing after it.
        """
        while (member := self._next()) is not None:
            # Else the reader keeps every member for random access.
            self._tar.members = []  # type: ignore[attr-defined]
            yield member
        end = self._tar.offset
        for _ in iter(lambda: self._source.read(BUFFER), b""):
            pass
        if self._source.last_content > end or self._source.total < end + ZERO_BLOCK:
            raise TarDamaged(f"the stream is damaged or breaks off after {end} bytes")

    def _next(self) -> tarfile.TarInfo | None:
        try:
            return self._tar.next()
        except DAMAGE as error:
            raise TarDamaged(f"the stream is damaged: {str(error)[:200]}") from error

    def content(self, member: tarfile.TarInfo) -> IO[bytes]:
        """A regular member's bytes, whole, or TarDamaged from `read`."""
        content = self._tar.extractfile(member)
        assert content is not None
        return _Content(content, member.size)  # type: ignore[return-value]


class _Content:
    """A member's content that does not end early."""

    def __init__(self, content: IO[bytes], size: int) -> None:
        self._content = content
        self._left = size

    def read(self, size: int = -1) -> bytes:
        try:
            data = self._content.read(size)
        except DAMAGE as error:
            raise TarDamaged(f"the stream breaks off in a file: {error}") from error
        self._left -= len(data)
        if not data and self._left:
            raise TarDamaged("the stream breaks off in a file")
        return data


class _Member(tarfile.TarInfo):
    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        """The reader's own extension point: called with each raw header, before its data."""
        if self.type in HEADER_TYPES and self.size > LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {self.size} bytes")
        return super()._proc_member(tar)  # type: ignore[misc, no-any-return]


class _Source(io.RawIOBase):
    """An iterator of chunks as the file that `tarfile` wants; counts what passes."""

    def __init__(self, chunks: Iterator[bytes], limit: int) -> None:
        self._chunks = chunks
        self._limit = limit
        self._chunk = b""
        self._at = 0
        self.total = 0
        self.last_content = 0
        """Where the last byte stood that is not zero, counted from 1."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while self._at == len(self._chunk):
            chunk = next(self._chunks, None)
            if chunk is None:
                return b""
            content = chunk.rstrip(b"\0")
            if content:
                self.last_content = self.total + len(content)
            self.total += len(chunk)
            if self.total > self._limit:
                raise TarDamaged(f"the stream is longer than {self._limit} bytes", too_long=True)
            self._chunk, self._at = chunk, 0
        start = self._at
        self._at = len(self._chunk) if size < 0 else min(len(self._chunk), start + size)
        return self._chunk[start : self._at]


def open_stream(chunks: Iterator[bytes], limit: int) -> GuardedTar:
    """`limit`: of bytes in all. Raises TarDamaged, here and while it is read."""
    return GuardedTar(_Source(chunks, limit))
