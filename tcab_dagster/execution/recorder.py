"""A session's output on its way to disk: redacted, split into lines, read, and written as it comes.

Belongs here: `raw.jsonl`, `stderr.log`, `events.jsonl` and the caps that keep a flood from filling
the host. Does not: what a line means (harnesses/). Concept: docs/runs.md, "A run's folder".
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tcab_dagster.containers.protocol import Stream
from tcab_dagster.harnesses.protocol import SessionReading, StreamReader
from tcab_dagster.harnesses.redaction import Redaction
from tcab_dagster.home import RunFolder
from tcab_dagster.records import Event

LONGEST_LINE = 8 * 2**20
MOST_BYTES = 512 * 2**20
"""Of raw output, and of events, that are kept of one run."""
LAST_WORDS = 4000

OnEvent = Callable[[Event], None]


class Recorder:
    """Everything that a run says, from its first stage to its last."""

    def __init__(self, folder: RunFolder, redaction: Redaction, on_event: OnEvent) -> None:
        self._redaction = redaction
        self._on_event = on_event
        self._began = time.monotonic()
        folder.path.mkdir(parents=True, exist_ok=True)
        self._raw = _Capped(folder.raw)
        self._errors = _Capped(folder.stderr)
        self._events = _Capped(folder.events)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in (self._raw, self._errors, self._events):
            file.close()

    @property
    def elapsed(self) -> float:
        """Seconds since the run started."""
        return time.monotonic() - self._began

    def say(self, event: Event) -> None:
        """Writes an event and tells whoever watches; a watcher's failure is not the run's."""
        marked = event.model_copy(update={"text": self._redaction.mark_text(event.text)})
        self._events.write(marked.model_dump_json(exclude_none=True).encode() + b"\n")
        with contextlib.suppress(Exception):
            self._on_event(marked)

    def enter(self, stage: str) -> None:
        self.say(Event(at=self.elapsed, kind="system", stage=stage))

    def warn(self, text: str) -> None:
        self.say(Event(at=self.elapsed, kind="warning", text=text))

    def session(self, reader: StreamReader) -> SessionRecording:
        return SessionRecording(self, reader)


class SessionRecording:
    """The session's two streams. `take` is the sandbox's `on_output`."""

    def __init__(self, recorder: Recorder, reader: StreamReader) -> None:
        self._recorder = recorder
        self._reader = reader
        self._streams = {
            "stdout": recorder._redaction.stream(),
            "stderr": recorder._redaction.stream(),
        }
        self._lines = _Lines()
        self._last_words = bytearray()

    def take(self, stream: Stream, data: bytes) -> None:
        self._keep(stream, self._streams[stream].feed(data))

    def end(self) -> SessionReading:
        """Writes what was held back, and says what the stream amounts to."""
        for stream in ("stdout", "stderr"):
            self._keep(stream, self._streams[stream].end())
        self._read(self._lines.end())
        return self._reader.reading()

    @property
    def last_words(self) -> str:
        """The end of stderr."""
        return self._last_words.decode(errors="replace")

    def _keep(self, stream: str, data: bytes) -> None:
        if not data:
            return
        if stream == "stderr":
            self._recorder._errors.write(data)
            self._last_words += data
            del self._last_words[:-LAST_WORDS]
        else:
            self._recorder._raw.write(data)
            self._read(self._lines.feed(data))

    def _read(self, lines: list[bytes]) -> None:
        for line in lines:
            for event in self._reader.feed(line, self._recorder.elapsed):
                self._recorder.say(event)


class _Lines:
    """Splits a stream into lines; one without end is handed on cut off, and its rest dropped."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        *whole, rest = data.split(b"\n")
        lines = []
        for piece in whole:
            line = bytes(self._held) + piece
            self._held.clear()
            if not self._skipping and line.strip():
                lines.append(line[:LONGEST_LINE])
            self._skipping = False
        if not self._skipping:
            self._held += rest
            if len(self._held) > LONGEST_LINE:
                lines.append(bytes(self._held[:LONGEST_LINE]))
                self._held.clear()
                self._skipping = True
        return lines

    def end(self) -> list[bytes]:
        line = bytes(self._held)
        self._held.clear()
        return [line] if line.strip() else []


class _Capped:
    """A file that is written as it comes, up to a cap, and never a part of a piece."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._left = MOST_BYTES

    def write(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left >= 0:
            self._file.write(data)
            self._file.flush()

    def close(self) -> None:
        self._file.close()
