"""The load check: whether the built site shows anything at all.

Belongs here: what counts as loaded. A site fails on an uncaught error before anything was painted,
or when its picture is one flat colour for 10 s. Concept: docs/validation.md, "Load".
"""

from __future__ import annotations

import asyncio
import io
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from .browser import Chrome
from .page import Page, PageFailed, PageSilent, one_line, thrown_text
from .pictures import store
from .request import Limits

MOST_ERRORS = 50
LOOK_EVERY_SECONDS = 0.1
SETTLE_SECONDS = 0.3


@dataclass(slots=True)
class Loaded:
    status: Literal["loaded", "failed"] = "failed"
    reason: str | None = None
    console_errors: list[str] = field(default_factory=list)
    picture: str | None = None


@dataclass(slots=True)
class _Errors:
    """What the page reported; `first` is the first uncaught error and its time in ms."""

    lines: list[str] = field(default_factory=list)
    first: tuple[float, str] | None = None

    def thrown(self, event: dict[str, Any]) -> None:
        details = event["exceptionDetails"]
        # A rejected promise nobody waits for (sound refused, a file missing) stops nothing.
        rejected = "(in promise)" in str(details.get("text", ""))
        if self.first is None and not rejected:
            self.first = (float(event["timestamp"]), thrown_text(details))
        self._add(("unhandled rejection: " if rejected else "") + thrown_text(details))

    def console(self, event: dict[str, Any]) -> None:
        if event["type"] in ("error", "assert"):
            said = (a.get("description", a.get("value", "")) for a in event["args"])
            self._add(" ".join(str(s) for s in said))

    def logged(self, event: dict[str, Any]) -> None:
        entry = event["entry"]
        if entry["level"] == "error":
            self._add(f"{entry['text']} {entry.get('url', '')}".strip())

    def _add(self, text: str) -> None:
        if len(self.lines) < MOST_ERRORS:
            self.lines.append(one_line(text))


async def load(chrome: Chrome, origin: str, limits: Limits, out: Path) -> Loaded:
    """Opens the site once. Raises BrowserMissing."""
    loaded, errors = Loaded(), _Errors()
    async with chrome.page() as page:
        page.on("Runtime.exceptionThrown", errors.thrown)
        page.on("Runtime.consoleAPICalled", errors.console)
        page.on("Log.entryAdded", errors.logged)
        try:
            await page.send("Log.enable")
            await page.goto(f"{origin}/", until="domcontentloaded")
            loaded.reason = await _fault(page, limits, errors)
            if loaded.reason is None:
                await asyncio.sleep(SETTLE_SECONDS)
            await asyncio.to_thread(store, await page.png(), out / "load.png")
            loaded.picture = "load.png"
        except PageFailed as error:
            loaded.reason = loaded.reason or str(error)
    if loaded.reason is None:
        loaded.status = "loaded"
    # A served origin's port is another one each time: it says nothing.
    loaded.console_errors = [line.replace(origin, "") for line in errors.lines]
    return loaded


async def painted(page: Page, seconds: float) -> bool:
    """Whether the page shows more than one flat colour within a time."""
    deadline = time.monotonic() + seconds
    while is_flat(await page.png()):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(LOOK_EVERY_SECONDS)
    return True


async def _fault(page: Page, limits: Limits, errors: _Errors) -> str | None:
    deadline = time.monotonic() + limits.flat
    flat = True
    while flat:
        try:
            flat = is_flat(await page.png())
        except PageSilent:
            return "the page hangs: no picture could be taken of it"
        if errors.first is not None:
            shown = await page.first_paint()
            if (flat and shown is None) or (shown is not None and shown > errors.first[0]):
                return f"uncaught error before anything was painted: {errors.first[1]}"
            if flat and time.monotonic() > deadline:
                break
        if flat and time.monotonic() > deadline:
            break
        if flat:
            await asyncio.sleep(LOOK_EVERY_SECONDS)
    return f"its picture is one flat colour for {limits.flat:g} s" if flat else None


def is_flat(png: bytes) -> bool:
    extremes = Image.open(io.BytesIO(png)).convert("RGB").getextrema()
    return all(low == high for low, high in extremes)  # type: ignore[misc]
