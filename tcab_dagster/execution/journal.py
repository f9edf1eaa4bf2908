"""The journal of a living driver: the stage it is in, and its heartbeat.

Belongs here: `runs/<run id>/journal.json`. Does not: whether the driver lives, which its lock
tells. A journal is what is left of a driver that was killed; one that ends takes it away.
Concept: docs/runs.md, "A lost driver".
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from tcab_dagster.home import write_atomically
from tcab_dagster.records import Document

HEARTBEAT_SECONDS = 5.0

Stage = Literal[
    "seed",
    "pull_image",
    "start_container",
    "install_harness",
    "probe_harness",
    "init",
    "session",
    "collect",
    "teardown",
    "record",
    "validation",
]


class JournalEntry(Document):
    """`started_at` is the attempt's, so that a record tells whether it is of this attempt."""

    stage: Stage
    pid: int
    started_at: datetime
    heartbeat: datetime


class Journal:
    """Written at every stage, and every few seconds by a thread of its own."""

    def __init__(self, path: Path, started_at: datetime, stage: Stage) -> None:
        self.path = path
        self._started_at = started_at
        self._stage: Stage = stage
        self._guard = threading.Lock()
        self._done = threading.Event()

    @property
    def stage(self) -> Stage:
        return self._stage

    def enter(self, stage: Stage) -> None:
        self._stage = stage
        self._write()

    @contextlib.contextmanager
    def kept(self) -> Iterator[Journal]:
        """Keeps it while the block runs, and takes it away when the block ends.

        Where the block raises it stays: what it stands for is not settled.
        """
        self._write()
        heart = threading.Thread(target=self._beat, name="tcab-heartbeat", daemon=True)
        heart.start()
        try:
            yield self
        finally:
            with self._guard:
                self._done.set()
        self.path.unlink(missing_ok=True)

    def _beat(self) -> None:
        while not self._done.wait(HEARTBEAT_SECONDS):
            with contextlib.suppress(OSError):
                self._write()

    def _write(self) -> None:
        with self._guard:
            if self._done.is_set():
                return
            entry = JournalEntry(
                stage=self._stage,
                pid=os.getpid(),
                started_at=self._started_at,
                heartbeat=datetime.now(UTC),
            )
            write_atomically(self.path, entry.model_dump_json().encode())


def read_journal(path: Path) -> JournalEntry | None:
    """What a driver last wrote; None where there is none, or none that can be read."""
    try:
        return JournalEntry.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
