"""The whole validation in the sandbox, in order, and the document it leaves.

Belongs here: the order (mockups, load, checks, drives, proofs) and `result.json`. Does not:
any of the steps. The document is read by validation/validator.py, which trusts none of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import checks, load, script
from .browser import BrowserMissing, Chrome
from .clip import Clip
from .pictures import store, thumbnail_proof
from .request import Drive, Request
from .script import Driven
from .server import serve

Say = Callable[[str], None]

LANES = 2


class Stages:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            spent = self.seconds.get(name, 0.0) + time.monotonic() - began
            self.seconds[name] = round(spent, 3)


async def run(request: Request, out: Path, say: Say) -> dict[str, Any]:
    """Does everything that was asked for; writes media below `out`, returns the document."""
    media = out / "media"
    media.mkdir(parents=True, exist_ok=True)
    document: dict[str, Any] = {"browser": None, "load": None, "checks": [], "drives": []}
    stages = Stages()
    with contextlib.ExitStack() as mockups, contextlib.ExitStack() as sites:
        case_origin = mockups.enter_context(serve(request.case))
        site_origin = sites.enter_context(serve(request.site)) if request.site else None
        chrome = Chrome([o for o in (case_origin, site_origin) if o], request.limits)
        try:
            references = {}
            with stages("mockups"):
                for mockup in request.mockups:
                    references[mockup.view] = await checks.render(chrome, case_origin, mockup)
                    store(references[mockup.view], out / f"{mockup.view}.png")
            # Closed before a page that is not the case's own is opened.
            mockups.close()
            if site_origin is not None:
                await _site(request, chrome, site_origin, references, media, document, stages, say)
        except BrowserMissing as error:
            document["browser"] = str(error)
        finally:
            await chrome.close()
    if request.proofs is not None:
        with stages("proofs"):
            for proof in sorted(request.proofs.iterdir()):
                await asyncio.to_thread(thumbnail_proof, proof, media)
    document["stages"] = stages.seconds
    return document


async def _site(
    request: Request,
    chrome: Chrome,
    origin: str,
    references: dict[str, bytes],
    media: Path,
    document: dict[str, Any],
    stages: Stages,
    say: Say,
) -> None:
    with stages("load"):
        loaded = await load.load(chrome, origin, request.limits, media)
    document["load"] = dataclasses.asdict(loaded)
    say(f"load: {loaded.status}" + (f": {loaded.reason}" if loaded.reason else ""))
    if loaded.status != "loaded":
        return
    with stages("checks"):
        for asked in request.checks:
            checked = await checks.check(
                chrome, origin, asked, references[asked.reference], request.limits, media
            )
            document["checks"].append(dataclasses.asdict(checked))
            say(f"check {asked.view}: similarity {checked.similarity:.3f}")
    with stages("scripts"):
        document["drives"] = await _drives(request, chrome, origin, media, say)


async def _drives(
    request: Request, chrome: Chrome, origin: str, media: Path, say: Say
) -> list[dict[str, Any]]:
    """Every drive, in the order of the checklist, over a few lanes.

    A drive spends most of its time waiting, so two share a machine well. Each lane has a browser
    of its own: one that a page kills takes no other drive with it. A clip is encoded while the
    next drive runs.
    """
    count, encoder = len(request.drives), asyncio.Lock()
    waiting = iter(enumerate(request.drives))
    finishing: dict[int, asyncio.Task[Driven]] = {}

    async def finished(number: int, unit: Drive, driven: Driven, clip: Clip | None) -> Driven:
        async with encoder:
            await script.finish(driven, clip, unit, media)
        ending = f": {driven.reason}" if driven.reason else ""
        say(
            f"drive {number + 1}/{count} {unit.verdict_id}: {driven.verdict}"
            f" ({driven.seconds:.1f} s){ending}"
        )
        return driven

    async def lane(browser: Chrome) -> None:
        for number, unit in waiting:
            driven, clip = await script.drive(browser, origin, request, unit, media)
            finishing[number] = asyncio.create_task(finished(number, unit, driven, clip))

    browsers = [chrome, *(chrome.another() for _ in range(min(LANES, count) - 1))]
    try:
        async with asyncio.TaskGroup() as lanes:
            for browser in browsers:
                lanes.create_task(lane(browser))
    except* BrowserMissing as missing:
        raise missing.exceptions[0] from None
    finally:
        await asyncio.gather(*finishing.values(), *(b.close() for b in browsers[1:]))
    return [dataclasses.asdict(finishing[number].result()) for number in range(count)]


def write(document: dict[str, Any], out: Path) -> None:
    """Written last and at once: a document that is there is whole."""
    temporary = out / ".result.json"
    temporary.write_text(json.dumps(document))
    temporary.replace(out / "result.json")
