"""Pumps a command's output to its reader until the command ends or a bound ends it.

Belongs here: the bounds of a command, and backpressure. Does not: how a runtime starts a command,
asks for its state or kills it. Concept: spec 004, "Runtime limits".
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Literal

from tcab_dagster.containers.protocol import Bounds, OnOutput, Stream

Chunk = tuple[Stream, bytes]
Ended = Literal["exited", "timeout", "idle", "canceled", "disk"]

TICK = 0.1
"""Seconds between two looks at the bounds."""
ASK_AFTER_SILENCE = 1.0
"""A command whose children keep its output open is only seen to have ended by asking."""
DRAIN = 10.0


class Output:
    """A command's output, read by a thread into a short queue: a flood waits, it never piles up."""

    def __init__(self, chunks: Iterator[Chunk], close: Callable[[], None]) -> None:
        """`chunks` ends, or raises, when the stream does; `close` wakes a blocked read."""
        self._queue: queue.Queue[Chunk | None] = queue.Queue(maxsize=32)
        self._close = close
        self._abandoned = threading.Event()
        self._thread = threading.Thread(target=self._read, args=(chunks,), daemon=True)
        self._thread.start()
        self.at_end = False

    def next(self, seconds: float) -> Chunk | None:
        """The next chunk, or None where none came in time or there will be none (`at_end`)."""
        if self.at_end:
            return None
        try:
            chunk = self._queue.get(timeout=seconds)
        except queue.Empty:
            return None
        self.at_end = chunk is None
        return chunk

    def close(self) -> None:
        self._abandoned.set()
        self._close()

    def _read(self, chunks: Iterator[Chunk]) -> None:
        # A broken stream is an ended one: what became of the command is asked of the runtime.
        with contextlib.suppress(OSError, ValueError):
            for chunk in chunks:
                self._put(chunk)
        self._put(None)

    def _put(self, chunk: Chunk | None) -> None:
        waiting = True
        while waiting and not self._abandoned.is_set():
            with contextlib.suppress(queue.Full):
                self._queue.put(chunk, timeout=0.5)
                waiting = False


def pump(
    output: Output,
    bounds: Bounds,
    on_output: OnOutput,
    *,
    running: Callable[[], bool],
    disk_full: threading.Event,
    started: float,
) -> Ended:
    """Returns when the command has ended or a bound is due; `running` asks the runtime.

    What comes out while `on_output` works waits in the container, and is not silence.
    """
    last_byte = asked = started
    while True:
        chunk = output.next(TICK)
        if chunk is not None:
            on_output(*chunk)
            last_byte = asked = time.monotonic()
        elif output.at_end or time.monotonic() - asked >= ASK_AFTER_SILENCE:
            if not running():
                return "exited"
            asked = time.monotonic()
            if output.at_end:
                time.sleep(TICK)
        ended = _due(bounds, started, last_byte, disk_full)
        if ended is not None:
            return ended


def drain(output: Output, on_output: OnOutput, *, done: Callable[[], bool]) -> None:
    """Hands on what was written before the command ended, then lets the stream go.

    Reads on, also what is no longer handed on, until the command's end is `done`: an engine tells
    nobody of an end before the output that precedes it has been taken.
    """
    deadline = time.monotonic() + DRAIN
    while not output.at_end:
        late = time.monotonic() >= deadline
        if late and done():
            break
        chunk = output.next(TICK)
        if chunk is not None and not late:
            on_output(*chunk)
    output.close()


def _due(
    bounds: Bounds, started: float, last_byte: float, disk_full: threading.Event
) -> Ended | None:
    now = time.monotonic()
    if bounds.cancel is not None and bounds.cancel.is_set():
        return "canceled"
    if bounds.idle is not None and now - last_byte >= bounds.idle:
        return "idle"
    if bounds.timeout is not None and now - started >= bounds.timeout:
        return "timeout"
    return "disk" if disk_full.is_set() else None
