"""The one browser, and the contexts that it gives out: one for each drive, never reused.

Belongs here: launching, what a page is refused, closing, relaunching after a crash. Does not: what
is asked of a page (page.py).

A page reaches the origin that serves it and nothing else: everything but the served ports goes to
a proxy that does not exist, which holds for web sockets and workers too, costs nothing per request
and cannot be seen or undone by the page.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Sequence
from typing import TypeVar

from playwright.async_api import Browser, BrowserContext, Error, Playwright, async_playwright
from playwright.async_api import Page as PlaywrightPage

from .page import Page
from .request import VIEWPORT, Limits

T = TypeVar("T")

CLOSING_SECONDS = 10.0
LAUNCH_SECONDS = 60.0

FLAGS = (
    # The sandbox around all of this has neither capabilities nor user namespaces to give.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    # Games start their sound without a click, and draw with WebGL without a graphics card.
    "--autoplay-policy=no-user-gesture-required",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-process-crash-limit",
    "--disable-domain-blocking-for-3d-apis",
    # The same page gives the same picture everywhere.
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class BrowserMissing(Exception):
    """No browser could be started: nothing can be decided."""


class Chrome:
    """Launches on demand and again after a crash. `origins` are all that pages may reach."""

    def __init__(self, origins: Sequence[str], limits: Limits) -> None:
        self._origins = origins
        ports = ";".join(o.removeprefix("http://") for o in origins)
        self._flags = [
            *FLAGS,
            "--proxy-server=http://127.0.0.1:9",
            f"--proxy-bypass-list=<-loopback>;{ports}",
        ]
        self._limits = limits
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def another(self) -> Chrome:
        """One more browser of the same kind, with its own process."""
        return Chrome(self._origins, self._limits)

    async def _launched(self) -> Browser:
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        await self.close()
        try:
            async with asyncio.timeout(LAUNCH_SECONDS):
                self._playwright = await async_playwright().start()
                self._browser = await self._playwright.chromium.launch(
                    executable_path=os.environ.get("TCAB_CHROMIUM", "/usr/bin/chromium"),
                    args=self._flags,
                    ignore_default_args=["--disable-popup-blocking"],
                )
        except (Error, OSError, TimeoutError) as error:
            await self.close()
            raise BrowserMissing(f"no browser could be started: {error}".strip()) from error
        return self._browser

    @contextlib.asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        """A page in a fresh context. Leaving it kills whatever the page is doing.

        Raises BrowserMissing.
        """
        try:
            context, page = await self._opened()
        except (Error, TimeoutError):
            # The browser died just now, under the page before: once more, on a new one.
            await self.close()
            try:
                context, page = await self._opened()
            except (Error, TimeoutError) as error:
                raise BrowserMissing(f"the browser opens no page: {error}") from error
        try:
            yield page
        finally:
            try:
                async with asyncio.timeout(CLOSING_SECONDS):
                    await context.close()
            except (Error, TimeoutError):
                await self.close()

    async def _opened(self) -> tuple[BrowserContext, Page]:
        browser = await self._launched()
        async with asyncio.timeout(LAUNCH_SECONDS):
            context = await browser.new_context(
                viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]},
                device_scale_factor=1,
                service_workers="block",
                accept_downloads=False,
                permissions=[],
                locale="en-US",
                timezone_id="UTC",
            )
            tab = await context.new_page()
            context.on("page", lambda opened: _close_popup(opened, tab))
            return context, await Page.open(tab, await context.new_cdp_session(tab), self._limits)

    async def close(self) -> None:
        """Ends the browser and its driver, answering or not."""
        browser, playwright = self._browser, self._playwright
        self._browser = self._playwright = None
        if browser is not None:
            await _within_closing(browser.close())
        if playwright is not None:
            await _within_closing(playwright.stop())


_closing: set[asyncio.Task[None]] = set()


def _close_popup(opened: PlaywrightPage, own: PlaywrightPage) -> None:
    if opened is not own:
        task = asyncio.ensure_future(_within_closing(opened.close()))
        _closing.add(task)
        task.add_done_callback(_closing.discard)


async def _within_closing(closing: Awaitable[T]) -> None:
    with contextlib.suppress(Error, TimeoutError, OSError):
        await asyncio.wait_for(closing, CLOSING_SECONDS)
