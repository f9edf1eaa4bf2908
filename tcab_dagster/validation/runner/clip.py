"""A clip of a whole drive, in real time.

Belongs here: recording what the compositor shows and encoding it. Playwright's own recorder adds a
second to every clip, so a clip's length would not be the drive's.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import tempfile
import time
from pathlib import Path
from typing import Any

from .page import Page, PageFailed
from .pictures import store_thumbnail

FRAMES_A_SECOND = 25
ENCODING_SECONDS = 120.0
LAST_FRAME_SECONDS = 2.0

_ENCODER = (
    "nice", "-n", "10", "ffmpeg", "-loglevel", "error", "-y",
    "-f", "concat", "-i", "frames.txt", "-fps_mode", "vfr",
    "-an", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-threads", "1",
    "-crf", "12", "-b:v", "1500k", "-pix_fmt", "yuv420p",
    "-fflags", "+bitexact", "-flags:v", "+bitexact",
)  # fmt: skip


class Clip:
    """Keeps the newest picture of each frame's time; only pictures that differ are encoded."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: dict[int, bytes] = {}
        self._began = 0.0
        self._length = 0.0
        self._acknowledging: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        self._page.on("Page.screencastFrame", self._frame)
        self._began = time.time()
        self._frames[0] = await self._page.jpeg()
        await self._page.send(
            "Page.startScreencast",
            {"format": "jpeg", "quality": 85, "maxWidth": 1280, "maxHeight": 720},
        )

    async def stop(self) -> None:
        """Ends the recording; what was recorded until then stays, even of a page that hangs."""
        self._length = time.time() - self._began
        with contextlib.suppress(PageFailed, TimeoutError):
            async with asyncio.timeout(LAST_FRAME_SECONDS):
                self._frames[self._last] = await self._page.jpeg()
                await self._page.send("Page.stopScreencast")
        for task in self._acknowledging:
            task.cancel()

    async def encode(self, out: Path) -> bool:
        """Writes the `.webm`; False where the encoder failed."""
        with tempfile.TemporaryDirectory() as folder:
            self._write_frames(Path(folder))
            try:
                encoder = await asyncio.create_subprocess_exec(
                    *_ENCODER, str(out.resolve()), cwd=folder, stderr=asyncio.subprocess.DEVNULL
                )
            except OSError:
                return False
            try:
                async with asyncio.timeout(ENCODING_SECONDS):
                    ended = await encoder.wait()
            except TimeoutError:
                encoder.kill()
                await encoder.wait()
                return False
        if ended != 0 or not out.is_file() or out.stat().st_size == 0:
            return False
        middle = sorted(self._frames)[len(self._frames) // 2]
        await asyncio.to_thread(store_thumbnail, self._frames[middle], out)
        return True

    def _write_frames(self, folder: Path) -> None:
        numbers = sorted(n for n in self._frames if n <= self._last)
        lines = ["ffconcat version 1.0"]
        for number, following in zip(numbers, [*numbers[1:], self._last + 1], strict=True):
            (folder / f"{number}.jpg").write_bytes(self._frames[number])
            shown = (following - number) / FRAMES_A_SECOND
            lines += [f"file {number}.jpg", f"duration {shown:.2f}"]
        (folder / "frames.txt").write_text("\n".join(lines))

    @property
    def _last(self) -> int:
        return max(round(self._length * FRAMES_A_SECOND) - 1, 0)

    def _frame(self, event: dict[str, Any]) -> None:
        at = float(event["metadata"].get("timestamp") or time.time()) - self._began
        self._frames[max(int(at * FRAMES_A_SECOND), 0)] = base64.b64decode(event["data"])
        task = asyncio.ensure_future(self._acknowledge(event["sessionId"]))
        self._acknowledging.add(task)
        task.add_done_callback(self._acknowledging.discard)

    async def _acknowledge(self, session: int) -> None:
        # The browser sends two pictures and waits: late answers keep it from drawing, reading back
        # and packing sixty a second of which half would be thrown away.
        await asyncio.sleep(2 / FRAMES_A_SECOND)
        with contextlib.suppress(PageFailed):
            await self._page.send("Page.screencastFrameAck", {"sessionId": session})
