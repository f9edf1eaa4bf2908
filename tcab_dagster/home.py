"""`TCAB_HOME` on disk: where requests, records, trees, the store and the warehouse lie.

Belongs here: paths, atomic writes, the run's lock and the run ids. Does not: what is in any of the
files. Every write is atomic: a killed process leaves the old state or the new one.
Concept: docs/storage.md.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from ulid import ULID

from tcab_dagster.errors import EnvironmentMissing, TcabError, UsageError
from tcab_dagster.records import RunRecord, RunRequest


def new_run_id(case_key: str) -> str:
    """`slug@version~<ulid>`: the partition key of a run; sorts by time within a version."""
    return f"{case_key}~{ULID()}"


def case_key_of(run_id: str) -> str:
    """The `slug@version` that a run belongs to."""
    return run_id.rpartition("~")[0]


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a whole file beside `path` and renames it into place, synced to the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class UnreadableDocument(TcabError):
    """A file of the home is no document that this release reads. Nobody replaces or removes it on
    his own: what it held may be all that is left of a run."""


Shape = TypeVar("Shape", bound=BaseModel)


def read_document(path: Path, shape: type[Shape], *, what: str, mend: str) -> Shape:
    """Raises FileNotFoundError where there is none, UnreadableDocument where it does not parse."""
    try:
        return shape.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableDocument(f"{path} cannot be read: {error.strerror}", help=mend) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        wrong = f"{place}: {first['msg']}" if place else first["msg"]
        raise UnreadableDocument(
            f"{path} is no {what} that this release reads: {wrong}", help=mend
        ) from error


class LockHeld(Exception):
    """Another living process holds the lock."""


@contextlib.contextmanager
def file_lock(path: Path, *, wait: bool = False) -> Iterator[None]:
    """An advisory lock that the kernel frees when its holder dies. Raises LockHeld.

    The file itself stays: to delete it would let two holders lock two inodes of one name.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise LockHeld(str(path)) from None
            raise
        yield


@dataclass(frozen=True, slots=True)
class RunFolder:
    """`runs/<run id>/` and what lies in it."""

    path: Path

    @property
    def record(self) -> Path:
        return self.path / "record.json"

    @property
    def raw(self) -> Path:
        """The harness's output, byte for byte but for the redaction of keys."""
        return self.path / "raw.jsonl"

    @property
    def stderr(self) -> Path:
        """What the harness wrote to stderr, redacted likewise."""
        return self.path / "stderr.log"

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    @property
    def journal(self) -> Path:
        """The stage that the driver is in, and its heartbeat: what is left when it dies."""
        return self.path / "journal.json"

    @property
    def tree(self) -> Path:
        return self.path / "tree"

    @property
    def git_archive(self) -> Path:
        """The produced `.git`, as an unopened tar."""
        return self.path / "git.tar"

    @property
    def site(self) -> Path:
        """The built site that validation served."""
        return self.path / "site"

    @property
    def media(self) -> Path:
        return self.path / "media"


@dataclass(frozen=True, slots=True)
class Home:
    """One `TCAB_HOME`. Opening it makes the folder and its installation id."""

    path: Path

    @classmethod
    def open(cls, path: Path) -> Home:
        """Raises EnvironmentMissing for a home that cannot be made or written."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            home = cls(path.resolve())
            home._try_writing()
        except OSError as error:
            # Of a file in the folder's place mkdir only says that it exists.
            taken = isinstance(error, FileExistsError)
            why = os.strerror(errno.ENOTDIR) if taken else error.strerror
            raise EnvironmentMissing(
                f"TCAB_HOME {path} cannot be used: {why}",
                help="name a folder that this user may write with TCAB_HOME",
            ) from error
        return home

    def _try_writing(self) -> None:
        marker = self.path / "installation"
        if marker.exists():
            with tempfile.TemporaryFile(dir=self.path):
                return
        with file_lock(self.locks / "installation", wait=True):
            if not marker.exists():
                write_atomically(marker, f"{ULID()}\n".encode())

    @property
    def installation(self) -> str:
        """Labels this home's containers, so that nobody else's are ever touched."""
        return (self.path / "installation").read_text().strip()

    @property
    def requests(self) -> Path:
        return self.path / "requests"

    @property
    def runs(self) -> Path:
        return self.path / "runs"

    @property
    def catalog(self) -> Path:
        return self.path / "catalog"

    @property
    def warehouse(self) -> Path:
        return self.path / "warehouse"

    @property
    def dagster(self) -> Path:
        return self.path / "dagster"

    @property
    def locks(self) -> Path:
        return self.path / "locks"

    def file_request(self, request: RunRequest) -> None:
        write_atomically(
            self.requests / f"{request.run_id}.json", request.model_dump_json(indent=2).encode()
        )

    def request(self, run_id: str) -> RunRequest:
        """Raises UsageError where no such run was asked for, UnreadableDocument where what was
        asked cannot be read."""
        path = self.requests / f"{run_id}.json"
        if "/" in run_id or not path.is_file():
            raise UsageError(
                f"no run `{run_id}` was requested",
                help="launch one with `tcab run` or the job launch_runs",
            )
        return read_document(
            path,
            RunRequest,
            what="request",
            mend=f"restore it from a copy, or remove it and {self.run(run_id).path}",
        )

    def request_ids(self) -> list[str]:
        return _stems(self.requests, ".json")

    def withdraw_request(self, run_id: str) -> None:
        (self.requests / f"{run_id}.json").unlink(missing_ok=True)

    def run(self, run_id: str) -> RunFolder:
        if "/" in run_id or run_id in {"", ".", ".."}:
            raise UsageError(f"`{run_id}` is not a run id")
        return RunFolder(self.runs / run_id)

    def run_lock(self, run_id: str) -> contextlib.AbstractContextManager[None]:
        """Held by the living driver of a run; the reaper takes what nobody holds."""
        return file_lock(self.locks / "runs" / run_id)

    def record(self, run_id: str) -> RunRecord | None:
        """None for a run without one. Raises UnreadableDocument."""
        folder = self.run(run_id)
        try:
            return read_document(
                folder.record,
                RunRecord,
                what="record",
                mend=f"restore it from a copy, or give the run up: remove {folder.path} and "
                f"{self.requests / f'{run_id}.json'}",
            )
        except FileNotFoundError:
            return None

    def write_record(self, record: RunRecord) -> None:
        write_atomically(self.run(record.run_id).record, record.model_dump_json(indent=2).encode())

    def recorded_run_ids(self) -> list[str]:
        if not self.runs.is_dir():
            return []
        return sorted(f.name for f in self.runs.iterdir() if (f / "record.json").is_file())

    def remove_run(self, run_id: str) -> None:
        """Takes back everything of a run that left no record: its folder and its request."""
        # The request first: a folder without one is known for a leftover, whoever dies between.
        self.withdraw_request(run_id)
        shutil.rmtree(self.run(run_id).path, ignore_errors=True)


def _stems(folder: Path, suffix: str) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted(
        f.name[: -len(suffix)]
        for f in folder.iterdir()
        if f.name.endswith(suffix) and not f.name.startswith(".")
    )
