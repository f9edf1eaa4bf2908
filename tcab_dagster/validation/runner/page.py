"""One page under test, and everything that is ever asked of it.

Belongs here: calls into the page, each with its own deadline, so that a page that hangs takes
nobody along. Does not: what the answers mean.

The page can lie through its own debug API and touch nothing else, so answers are taken past its
JavaScript where they can be: values are copied by the engine rather than by JSON or a library in
the page, pictures come from the compositor, sizes and frames from an isolated world whose globals
the page cannot reach.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from PIL import Image
from playwright.async_api import CDPSession, Error
from playwright.async_api import Page as PlaywrightPage

from .request import VIEWPORT, Limits

T = TypeVar("T")

LONGEST_ANSWER = 16 * 2**20
LONGEST_MESSAGE = 500
MOST_SOUNDS = 10_000
KEY_PRESS_MS = 50.0
SAME_PICTURE_SECONDS = 5.0
NAVIGATING_SECONDS = 0.2

# Runs before anything of the page does, and keeps what it needs to itself: the page can start
# sounds, which is the truth, but neither see nor call the report.
_SOUND_WATCH = """(() => {
  const report = globalThis.__tcabSound;
  delete globalThis.__tcabSound;
  if (typeof report !== "function") return;
  const clock = performance, now = performance.now, apply = Reflect.apply, text = String;
  const time = globalThis.BaseAudioContext &&
    Object.getOwnPropertyDescriptor(BaseAudioContext.prototype, "currentTime").get;
  const owner = globalThis.AudioNode &&
    Object.getOwnPropertyDescriptor(AudioNode.prototype, "context").get;
  let left = MOST_SOUNDS;
  const say = (delay) => {
    if (left-- > 0) report(text((apply(now, clock, []) / 1000) + delay));
  };
  const watch = (type, name, delayOf) => {
    const prototype = globalThis[type] && globalThis[type].prototype;
    if (!prototype || typeof prototype[name] !== "function") return;
    const original = prototype[name];
    prototype[name] = new Proxy(original, { apply(target, self, args) {
      const result = apply(target, self, args);
      say(delayOf(self, args));
      return result;
    } });
  };
  const scheduled = (self, args) => {
    const at = +args[0], delay = at - apply(time, apply(owner, self, []), []);
    return delay > 0 ? delay : 0;
  };
  watch("AudioScheduledSourceNode", "start", scheduled);
  watch("AudioBufferSourceNode", "start", scheduled);
  watch("HTMLMediaElement", "play", () => 0);
})();""".replace("MOST_SOUNDS", str(MOST_SOUNDS))

_LARGEST_CANVAS = """(() => {
  let best = null;
  for (const canvas of document.querySelectorAll("canvas")) {
    const r = canvas.getBoundingClientRect();
    if (!best || r.width * r.height > best.width * best.height) best = r;
  }
  return best && {x: best.x, y: best.y, width: best.width, height: best.height};
})()"""

_TWO_FRAMES = """new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
})"""

_FIRST_PAINT = """(() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return paint ? performance.timeOrigin + paint.startTime : null;
})()"""


_PROTOCOL = re.compile(r"^CDPSession\.send: Protocol error \([\w.]+\): ")


class PageFailed(Exception):
    """The page threw, hung, crashed or has no such thing. The message says which, in one line."""


class PageSilent(PageFailed):
    """The page did not answer in time, or is gone: nothing more can be asked of it."""


class Page:
    """`Page.open` makes one; whoever gave the context closes it."""

    def __init__(self, tab: PlaywrightPage, session: CDPSession, limits: Limits) -> None:
        self._tab = tab
        self._session = session
        self._limits = limits
        self._world: int | None = None
        self._crashed = False
        self._picture: tuple[float, Image.Image, dict[str, float] | None] | None = None
        self.sounds: list[float] = []

    @classmethod
    async def open(cls, tab: PlaywrightPage, session: CDPSession, limits: Limits) -> Page:
        page = cls(tab, session, limits)
        tab.on("crash", lambda _: page._crash())
        session.on("Runtime.bindingCalled", page._sound)
        await session.send("Page.enable")
        await session.send("Runtime.enable")
        await session.send("Runtime.addBinding", {"name": "__tcabSound"})
        await session.send("Page.addScriptToEvaluateOnNewDocument", {"source": _SOUND_WATCH})
        return page

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        """Listens to an event of the DevTools protocol."""
        # Playwright writes an attribute on a bound method's owner: a lambda has none.
        self._session.on(event, lambda sent: handler(sent))

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Asks over the DevTools protocol, under the deadline of one call."""
        answer: dict[str, Any] = await self._within(
            self._limits.call, self._session.send(method, params), method
        )
        return answer

    async def goto(self, url: str, *, until: Any = "load") -> None:
        """Raises PageSilent where the page does not get there in time."""
        seconds = self._limits.navigation
        try:
            await self._within(
                seconds + 1,
                self._tab.goto(url, wait_until=until, timeout=seconds * 1000),
                "navigation",
            )
        except PageSilent:
            raise
        except PageFailed as error:
            raise PageSilent(f"the page did not load: {error}") from error

    async def ask(self, expression: str, what: str) -> Any:
        """Evaluates in the page's own world and copies the settled value out of it."""
        answer = await self._evaluated(expression, what, None)
        return answer.get("value", answer.get("unserializableValue"))

    async def look(self, expression: str) -> Any:
        """Evaluates in a world that shares the document with the page and nothing else."""
        for again in (True, False):
            if self._world is None:
                frames = await self.send("Page.getFrameTree")
                made = await self.send(
                    "Page.createIsolatedWorld",
                    {"frameId": frames["frameTree"]["frame"]["id"], "worldName": "tcab"},
                )
                self._world = made["executionContextId"]
            try:
                answer = await self._evaluated(expression, "looking at it", self._world)
                return answer.get("value")
            except PageSilent:
                raise
            except PageFailed:
                self._world = None  # a navigation ends a world
                if not again:
                    raise
        raise AssertionError("unreachable")

    async def frames(self) -> None:
        """Returns when what the page last did is on the screen."""
        await self.look(_TWO_FRAMES)

    async def first_paint(self) -> float | None:
        """When content was first painted, in milliseconds since the epoch."""
        painted = await self.look(_FIRST_PAINT)
        return None if painted is None else float(painted)

    async def png(self) -> bytes:
        """The viewport as it is now, packed fast rather than small (pictures.py)."""
        return await self._shot({"format": "png", "optimizeForSpeed": True})

    async def jpeg(self) -> bytes:
        return await self._shot({"format": "jpeg", "quality": 85})

    async def _shot(self, format: dict[str, Any]) -> bytes:
        for again in (True, False):
            try:
                shot = await self.send("Page.captureScreenshot", format)
            except PageSilent:
                raise
            except PageFailed:
                # In the moment of a navigation there is no page to take a picture of.
                if not again:
                    raise
                await asyncio.sleep(NAVIGATING_SECONDS)
            else:
                return base64.b64decode(shot["data"])
        raise AssertionError("unreachable")

    async def pixel(self, u: float, v: float) -> dict[str, int]:
        """The colour on the screen at fractions of the largest canvas.

        Reads that follow one another come from one picture, until something else is asked of the
        page (`touched`): a grid of points is one moment, and costs one picture.
        """
        picture, box = await self._seen()
        if box is None:
            raise PageFailed("the page has no canvas")
        x = _within_span(box["x"], box["width"], u)
        y = _within_span(box["y"], box["height"], v)
        if not (0 <= x < VIEWPORT[0] and 0 <= y < VIEWPORT[1]):
            raise PageFailed(f"the canvas's point ({u}, {v}) is outside the viewport")
        r, g, b, a = picture.getpixel((x, y))  # type: ignore[misc]
        return {"r": r, "g": g, "b": b, "a": a}

    async def _seen(self) -> tuple[Image.Image, dict[str, float] | None]:
        if self._picture is None or time.monotonic() - self._picture[0] > SAME_PICTURE_SECONDS:
            await self.frames()
            box = await self.look(_LARGEST_CANVAS)
            picture = Image.open(io.BytesIO(await self.png())).convert("RGBA")
            self._picture = (time.monotonic(), picture, box)
        return self._picture[1:]

    def touched(self) -> None:
        """What was on the screen may be so no longer."""
        self._picture = None

    async def press(self, key: str, hold_ms: float = KEY_PRESS_MS) -> None:
        keyboard = self._tab.keyboard
        await self._input(keyboard.press(key, delay=hold_ms), hold_ms, f"the key {key}")

    async def click(self, x: float, y: float) -> None:
        await self._input(self._tab.mouse.click(x, y), 0, "a click")

    async def call(self, handle: str, name: str, args: Sequence[Any]) -> dict[str, Any]:
        """Calls a method of the handle; `{}` or `{"value": ...}`, as `undefined` has no JSON."""
        given = ", ".join(json.dumps(a) for a in args)
        asked = f"globalThis[{json.dumps(handle)}][{json.dumps(name)}]({given})"
        answer = await self._evaluated(asked, name, None)
        return {"value": answer["value"]} if "value" in answer else {}

    async def probe(self, handle: str, names: Sequence[str]) -> Any:
        owner = f"globalThis[{json.dumps(handle)}]"
        types = ", ".join(f"[{json.dumps(n)}]: typeof {owner}[{json.dumps(n)}]" for n in names)
        return await self.ask(f"({{version: {owner}.version, types: {{{types}}}}})", "probe")

    async def handle_appears(self, handle: str) -> None:
        """Raises PageFailed where the handle is not there in time."""
        deadline = time.monotonic() + self._limits.handle
        while True:
            owner = f"globalThis[{json.dumps(handle)}]"
            kind = await self.ask(f"{owner} === null ? 'null' : typeof {owner}", "the handle")
            if kind in ("object", "function"):
                return
            if time.monotonic() > deadline:
                raise PageFailed(
                    f"window.{handle} did not appear within {self._limits.handle:g} s"
                    + ("" if kind == "undefined" else f" (it is {kind})")
                )
            await asyncio.sleep(0.02)

    async def _input(self, doing: Awaitable[None], extra_ms: float, what: str) -> None:
        await self._within(self._limits.call + extra_ms / 1000, doing, what)

    async def _evaluated(self, expression: str, what: str, world: int | None) -> dict[str, Any]:
        params: dict[str, Any] = {
            "expression": expression,
            "returnByValue": True,
            "awaitPromise": True,
        }
        if world is not None:
            params["contextId"] = world
        answer = await self._within(
            self._limits.call, self._session.send("Runtime.evaluate", params), what
        )
        thrown = answer.get("exceptionDetails")
        if thrown is not None:
            raise PageFailed(f"{what} threw: {thrown_text(thrown)}")
        result: dict[str, Any] = answer["result"]
        value = result.get("value")
        if isinstance(value, (str, dict, list)) and _too_long(value):
            raise PageFailed(f"{what} answered with more than {LONGEST_ANSWER} bytes")
        return result

    async def _within(self, seconds: float, asking: Awaitable[T], what: str) -> T:
        if self._crashed:
            raise PageSilent("the page crashed")
        try:
            async with asyncio.timeout(seconds):
                return await asking
        except TimeoutError:
            raise PageSilent(f"the page did not answer {what} within {seconds:g} s") from None
        except Error as error:
            line = one_line(_PROTOCOL.sub("", error.message))
            if self._crashed or self._tab.is_closed() or "closed" in line or "crashed" in line:
                raise PageSilent("the page crashed or closed itself") from None
            raise PageFailed(f"{what} failed: {line}") from None

    def _crash(self) -> None:
        self._crashed = True

    def _sound(self, event: dict[str, Any]) -> None:
        if event.get("name") == "__tcabSound" and len(self.sounds) < MOST_SOUNDS:
            self.sounds.append(round(float(event["payload"]), 4))


def _within_span(start: float, length: float, fraction: float) -> int:
    """The pixel at a fraction of a span, never beyond its ends."""
    at = round(start + fraction * length - 0.5)
    return min(max(at, round(start)), round(start + length) - 1)


def thrown_text(details: dict[str, Any]) -> str:
    """One line for an exception as the DevTools protocol describes it."""
    thrown = details.get("exception", {})
    text = thrown.get("description") or thrown.get("value") or details.get("text", "")
    return one_line(str(text))


def one_line(text: str) -> str:
    """The first line, shortened, without half characters and controls.

    What a page says is as long and as broken as it likes.
    """
    first = next((line for line in text.splitlines() if line.strip()), "").strip()
    first = "".join(c if c.isprintable() else "\ufffd" for c in first[: LONGEST_MESSAGE + 1])
    return first if len(first) <= LONGEST_MESSAGE else first[: LONGEST_MESSAGE - 1] + "…"


def _too_long(value: str | dict[str, Any] | list[Any]) -> bool:
    return len(value if isinstance(value, str) else json.dumps(value)) > LONGEST_ANSWER
