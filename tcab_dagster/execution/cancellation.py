"""Ctrl-C, SIGTERM and Dagster's Terminate: taken once, and never in the midst of cleaning up.

Belongs here: signals. Does not: what a run then takes back (driver.py). Whoever installed a handler
before (Python, Dagster) says what is raised; we only say when.
Concept: spec 004, "Runtime limits"; docs/runs.md, "Ending a run".
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_Handler = Callable[[int, FrameType | None], object] | int | None


class Interruption:
    """One interruption of a block. The first raises; later ones find it under way already."""

    def __init__(self) -> None:
        self._earlier: dict[int, _Handler] = {}
        self._deferring = 0
        self._raised = False
        self._waiting: int | None = None

    @contextlib.contextmanager
    def watched(self) -> Iterator[Interruption]:
        """Takes the signals while the block runs; only the main thread gets any."""
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._earlier[number] = signal.signal(number, self._handle)
        try:
            yield self
        finally:
            for taken, handler in self._earlier.items():
                signal.signal(taken, handler)

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """A signal in this block waits until it is over, or is spent where one has raised."""
        self._deferring += 1
        try:
            yield
        finally:
            self._deferring -= 1
            if self._deferring == 0 and self._waiting is not None and not self._raised:
                number, self._waiting = self._waiting, None
                self._raise(number, None)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._raised:
            return
        if self._deferring:
            self._waiting = number
        else:
            self._raise(number, frame)

    def _raise(self, number: int, frame: FrameType | None) -> None:
        self._raised = True
        earlier = self._earlier.get(number)
        if callable(earlier):
            earlier(number, frame)
            # A handler that only took note: whatever it wants is not ours to end.
            self._raised = False
        else:
            raise KeyboardInterrupt
