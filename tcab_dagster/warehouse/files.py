"""The warehouse on disk: its folders, the shape of its Parquet files, and how one is written.

Belongs here: what a stored file looks like, which is private, and atomic writes of it. Does not:
the tables that a user queries (views.py), or what goes into a row (rows.py).
Concept: docs/storage.md, "The warehouse".

One file holds one run, one case version or the metrics of one, whole, with its parts nested as
lists: so a reader sees all of it or nothing. The folder is named after the format: files of two
formats never meet in one glob, and `sync` writes anew what an older release wrote.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb

from tcab_dagster.errors import TcabError
from tcab_dagster.home import Home, file_lock

FORMAT = 1
LEFTOVER_SECONDS = 3600.0


class WarehouseError(TcabError):
    """The warehouse cannot hold, or does not have, what was asked of it."""


Kind = Literal["cases", "runs", "metrics"]
Row = Mapping[str, object]

SHAPES: Mapping[Kind, Mapping[str, str]] = {
    "cases": {
        "slug": "VARCHAR",
        "version": "VARCHAR",
        "type": "VARCHAR",
        "name": "VARCHAR",
        "difficulty": "VARCHAR",
        "tags": "VARCHAR[]",
        "summary": "VARCHAR",
        "description": "VARCHAR",
        "changelog": "VARCHAR",
        "max_runtime_hours": "DOUBLE",
        "experimental": "BOOLEAN",
        "hidden": "BOOLEAN",
        "definition_digest": "VARCHAR",
        "errata_digest": "VARCHAR",
        "variants": """STRUCT(
            variant VARCHAR, name VARCHAR, description VARCHAR, units_per_point BIGINT,
            points STRUCT(
                verdict_id VARCHAR, item_id VARCHAR, item_title VARCHAR, title VARCHAR,
                "text" VARCHAR, weight_units BIGINT, "domain" VARCHAR, reference VARCHAR,
                proof VARCHAR, script VARCHAR, graded BOOLEAN
            )[]
        )[]""",
        "errata": """STRUCT(
            id VARCHAR, title VARCHAR, body VARCHAR, "date" VARCHAR, severity VARCHAR,
            affects_scoring BOOLEAN, resolved_in VARCHAR, variant VARCHAR, review VARCHAR,
            exclude_from_score BOOLEAN
        )[]""",
    },
    "runs": {
        "run_id": "VARCHAR",
        "slug": "VARCHAR",
        "version": "VARCHAR",
        "variant": "VARCHAR",
        "definition_digest": "VARCHAR",
        "harness": "VARCHAR",
        "harness_version": "VARCHAR",
        "model": "VARCHAR",
        "launched_by": "VARCHAR",
        "max_runtime_hours": "DOUBLE",
        "runtime": "VARCHAR",
        "image": "VARCHAR",
        "image_digest": "VARCHAR",
        "seed_commit": "VARCHAR",
        "state": "VARCHAR",
        "fault": "VARCHAR",
        "detail": "VARCHAR",
        "requested_at": "TIMESTAMP",
        "started_at": "TIMESTAMP",
        "ended_at": "TIMESTAMP",
        "setup_seconds": "DOUBLE",
        "session_seconds": "DOUBLE",
        "teardown_seconds": "DOUBLE",
        "validation_seconds": "DOUBLE",
        "uncached_input_tokens": "BIGINT",
        "cached_input_tokens": "BIGINT",
        "output_tokens": "BIGINT",
        "reasoning_tokens": "BIGINT",
        "cost_usd": "DOUBLE",
        "tree_files": "BIGINT",
        "tree_bytes": "BIGINT",
        "tree_digest": "VARCHAR",
        "refused_entries": "BIGINT",
        "install_status": "VARCHAR",
        "build_status": "VARCHAR",
        "load_status": "VARCHAR",
        "load_reason": "VARCHAR",
        # One list per column that a score needs, so that it reads nothing else.
        "units_per_point": "BIGINT",
        "verdict_ids": "VARCHAR[]",
        "weight_units": "BIGINT[]",
        "verdicts": "VARCHAR[]",
        "points": """STRUCT(
            item_id VARCHAR, title VARCHAR, "domain" VARCHAR, automated BOOLEAN, graded BOOLEAN,
            reason VARCHAR, seconds DOUBLE,
            findings STRUCT("label" VARCHAR, passed BOOLEAN, expected VARCHAR, actual VARCHAR)[]
        )[]""",
        "checks": 'STRUCT("view" VARCHAR, name VARCHAR, similarity DOUBLE, reason VARCHAR)[]',
        "proofs": """STRUCT(
            proof VARCHAR, name VARCHAR, dest VARCHAR, kind VARCHAR, present BOOLEAN, media VARCHAR
        )[]""",
        "media": """STRUCT(
            name VARCHAR, kind VARCHAR, "role" VARCHAR, verdict_id VARCHAR, output_id VARCHAR,
            bytes BIGINT, sha256 VARCHAR
        )[]""",
        "tool_calls": "STRUCT(tool VARCHAR, calls BIGINT)[]",
        "record_digest": "VARCHAR",
    },
    "metrics": {
        "slug": "VARCHAR",
        "version": "VARCHAR",
        "variant": "VARCHAR",
        "definition_digest": "VARCHAR",
        "harness": "VARCHAR",
        "model": "VARCHAR",
        "runs": "BIGINT",
        "outcomes": "STRUCT(state VARCHAR, fault VARCHAR, runs BIGINT)[]",
        "n": "BIGINT",
        "score_auto_mean": "DOUBLE",
        "score_auto_low": "DOUBLE",
        "score_auto_high": "DOUBLE",
        "n_strict": "BIGINT",
        "score_auto_strict_mean": "DOUBLE",
        "score_auto_strict_low": "DOUBLE",
        "score_auto_strict_high": "DOUBLE",
        "setup_seconds": "STRUCT(q1 DOUBLE, median DOUBLE, q3 DOUBLE)",
        "session_seconds": "STRUCT(q1 DOUBLE, median DOUBLE, q3 DOUBLE)",
        "teardown_seconds": "STRUCT(q1 DOUBLE, median DOUBLE, q3 DOUBLE)",
        "validation_seconds": "STRUCT(q1 DOUBLE, median DOUBLE, q3 DOUBLE)",
        "uncached_input_tokens_mean": "DOUBLE",
        "cached_input_tokens_mean": "DOUBLE",
        "output_tokens_mean": "DOUBLE",
        "reasoning_tokens_mean": "DOUBLE",
        "cost_usd_mean": "DOUBLE",
        "points": """STRUCT(
            verdict_id VARCHAR, decided BIGINT, passed BIGINT, rate DOUBLE, low DOUBLE, high DOUBLE
        )[]""",
        "errata_digest": "VARCHAR",
        "runs_digest": "VARCHAR",
    },
}


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows of one file. `stamp` is the modification time, in nanoseconds, of the document that
    they were made from; the file takes it on, so that one look tells whether they are of that
    document still. None where they are of no document on disk."""

    key: str
    rows: Iterable[Row]
    stamp: int | None = None


@dataclass(frozen=True, slots=True)
class WarehouseFolder:
    """`TCAB_HOME/warehouse/`, made with its empty tables on first use."""

    path: Path
    lock: Path
    """Held while a file takes its name or loses it."""

    @classmethod
    def of(cls, home: Home) -> WarehouseFolder:
        folder = cls(home.warehouse, home.locks / "warehouse")
        missing = [kind for kind in SHAPES if not folder.empty(kind).exists()]
        if missing:
            with memory() as connection:
                for kind in missing:
                    path = folder.empty(kind)
                    try:
                        folder._write(connection, kind, path, ())
                    except (duckdb.Error, OSError) as error:
                        raise WarehouseError(
                            f"the table of {kind} cannot be made at {path}: {error}",
                            help="mend that; the next use of the warehouse makes it",
                        ) from error
        return folder

    @property
    def database(self) -> Path:
        """Views only, for any DuckDB client."""
        return self.path / "tcab.duckdb"

    @property
    def tables(self) -> Path:
        return self.path / f"format-{FORMAT}"

    def empty(self, kind: Kind) -> Path:
        """A file with no rows: a glob that matches nothing is an error to DuckDB."""
        return self.tables / kind / "empty" / "empty.parquet"

    def live(self, kind: Kind, key: str) -> Path:
        return self.tables / kind / "live" / f"{key}.parquet"

    def glob(self, kind: Kind) -> str:
        """Every file of a kind, as a pattern that holds wherever the home lies."""
        literal = "".join(f"[{c}]" if c in "*?[" else c for c in str(self.tables / kind))
        return f"{literal}/*/*.parquet"

    def put(self, kind: Kind, files: Iterable[Stored]) -> None:
        """Replaces the file of each key whole. Raises WarehouseError where the disk refuses."""
        remaining = iter(files)
        first = next(remaining, None)
        if first is None:
            return
        with memory() as connection:
            for file in itertools.chain([first], remaining):
                path = self.live(kind, file.key)
                try:
                    self._write(connection, kind, path, file.rows, file.stamp)
                except (duckdb.Error, OSError) as error:
                    raise WarehouseError(
                        f"the rows of {file.key} cannot be written to {path}: {error}",
                        help="mend that; they are written by the next sync",
                    ) from error

    def empty_out(self, kind: Kind, key: str) -> None:
        """Replaces the file of a key, if there is one, by one without rows, to be swept later:
        a reader may have listed it and not opened it yet."""
        path = self.live(kind, key)
        if path.exists():
            with self._replacing(path, None) as temporary:
                shutil.copyfile(self.empty(kind), temporary)

    def stamps(self, kind: Kind) -> dict[str, int]:
        """The keys that have rows, with the stamps of their files. Opens none of them."""
        folder, nothing = self.live(kind, "").parent, self.empty(kind).stat().st_size
        if not folder.is_dir():
            return {}
        with os.scandir(folder) as entries:
            return {
                entry.name.removesuffix(".parquet"): entry.stat().st_mtime_ns
                for entry in entries
                if not entry.name.startswith(".") and entry.stat().st_size > nothing
            }

    def _write(
        self,
        connection: duckdb.DuckDBPyConnection,
        kind: Kind,
        path: Path,
        rows: Iterable[Row],
        stamp: int | None = None,
    ) -> None:
        with self._replacing(path, stamp) as temporary:
            _copy(connection, SHAPES[kind], rows, temporary)

    @contextlib.contextmanager
    def _replacing(self, path: Path, stamp: int | None) -> Iterator[Path]:
        """A file beside `path` that is synced and takes its place once it is written."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            _sync(temporary)
            temporary.chmod(0o644)
            if stamp is not None:
                os.utime(temporary, ns=(stamp, stamp))
            with file_lock(self.lock, wait=True):
                temporary.replace(path)
            _sync(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def sweep(self, now: float | None = None) -> None:
        """Removes what killed writers left, and emptied files, once no reader can want them."""
        limit = (time.time() if now is None else now) - LEFTOVER_SECONDS
        for leftover in self.path.glob("**/.*.part"):
            if _modified(leftover) < limit:
                _remove(leftover)
        with file_lock(self.lock, wait=True):
            for kind in SHAPES:
                self._sweep_emptied(kind, limit)

    def _sweep_emptied(self, kind: Kind, limit: float) -> None:
        nothing = self.empty(kind).read_bytes()
        for file in self.live(kind, "").parent.glob("*.parquet"):
            if (
                file.stat().st_size == len(nothing)
                and _modified(file) < limit
                and file.read_bytes() == nothing
            ):
                file.unlink()


def _modified(path: Path) -> float:
    """Now, for one that is gone already: its writer has renamed it."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def memory() -> duckdb.DuckDBPyConnection:
    """A DuckDB of its own in memory, which never reaches for the network."""
    return duckdb.connect(
        ":memory:", config={"autoinstall_known_extensions": "false", "threads": "1"}
    )


def quoted(text: str) -> str:
    """An SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def _copy(
    connection: duckdb.DuckDBPyConnection,
    shape: Mapping[str, str],
    rows: Iterable[Row],
    path: Path,
) -> None:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in shape.items())
    places = ", ".join("?" for _ in shape)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE stored ({columns})")
    for row in rows:
        connection.execute(f"INSERT INTO stored VALUES ({places})", [row[name] for name in shape])
    connection.execute(f"COPY stored TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
