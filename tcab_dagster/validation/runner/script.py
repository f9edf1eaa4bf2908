"""One drive: a validation script against a fresh page, from navigation to its verdict.

Belongs here: the script's process, what its `api` does, and what every way to go wrong decides.
Does not: reading its return (verdicts.py). Concept: docs/validation.md, "Scripts".
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .browser import Chrome
from .clip import Clip
from .page import Page, PageFailed, PageSilent, one_line
from .pictures import store
from .request import Drive, Request
from .verdicts import Decision, Finding, Malformed, decisions

LONGEST_LINE = 64 * 2**20
LOG_TAIL = 2000
LONGEST_WAIT_MS = 120_000


@dataclass(slots=True)
class Driven:
    """What became of a drive. `decided` holds every verdict that the script returned."""

    verdict_id: str
    verdict: Literal["pass", "fail", "undecided"] = "fail"
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    decided: dict[str, Decision] = field(default_factory=dict)
    notes: str = ""
    log: str = ""
    media: list[str] = field(default_factory=list)
    seconds: float = 0.0
    calls: int = 0

    def failed(self, reason: str) -> None:
        self.verdict, self.reason = "fail", reason


class ScriptFailed(Exception):
    """The script ended otherwise than by returning."""

    def __init__(self, reason: str, *, precondition: bool = False) -> None:
        super().__init__(reason)
        self.precondition = precondition


async def drive(
    chrome: Chrome, origin: str, request: Request, unit: Drive, out: Path
) -> tuple[Driven, Clip | None]:
    """Runs one script; `finish` completes what it returns.

    Raises BrowserMissing; everything else that goes wrong is in what it returns.
    """
    driven = Driven(unit.verdict_id)
    began = time.monotonic()
    clip: Clip | None = None
    script = await _Script.start(request, unit)
    try:
        async with chrome.page() as page:
            try:
                async with asyncio.timeout(request.limits.script):
                    await page.goto(f"{origin}/")
                    assert request.handle is not None
                    await page.handle_appears(request.handle)
                    if unit.video is not None:
                        clip = Clip(page)
                        await clip.start()
                    returned = await script.run(page, request.handle, unit, out, driven)
                _decide(returned, unit, driven)
            except TimeoutError:
                driven.failed(f"its time is over: {request.limits.script:g} s")
            except ScriptFailed as error:
                driven.failed(str(error))
                if error.precondition:
                    driven.verdict = "undecided"
            except PageFailed as error:
                driven.failed(str(error))
            except Malformed as error:
                driven.failed(f"malformed return: {error}")
            if clip is not None:
                await clip.stop()
    finally:
        driven.log = await script.kill()
    driven.seconds = time.monotonic() - began
    return driven, clip


async def finish(driven: Driven, clip: Clip | None, unit: Drive, out: Path) -> Driven:
    """Packs stills and clip, which needs no page, and holds the drive to its declared outputs."""
    for still in driven.media:
        await asyncio.to_thread(store, (out / still).read_bytes(), out / still)
    if clip is not None and unit.video is not None:
        name = f"{unit.verdict_id}__{unit.video.id}.webm"
        if await clip.encode(out / name):
            driven.media.append(name)
    _require_outputs(unit, driven)
    return driven


def _decide(returned: Any, unit: Drive, driven: Driven) -> None:
    driven.decided, driven.notes = decisions(returned, unit.backs)
    if unit.backs is None:
        passed = all(d.verdict == "pass" for d in driven.decided.values())
        driven.verdict = "pass" if driven.decided and passed else "fail"
        return
    own = driven.decided.get(unit.verdict_id)
    if own is None:
        raise Malformed(f"it returned no verdict for `{unit.verdict_id}`")
    driven.verdict, driven.findings = own.verdict, own.findings
    if own.verdict == "fail":
        labels = [f.label for f in own.findings if not f.passed]
        driven.reason = "; ".join(labels)[:500] or driven.notes[:500] or None


def _require_outputs(unit: Drive, driven: Driven) -> None:
    """A declared output that was not produced fails a verdict that would have passed."""
    if driven.verdict == "undecided":
        return
    for output in unit.outputs:
        suffix = "webm" if output.kind == "video" else "png"
        if f"{unit.verdict_id}__{output.id}.{suffix}" not in driven.media:
            missing = f"its declared output `{output.id}` was never produced"
            driven.failed(missing if driven.reason is None else f"{driven.reason}; {missing}")


class _Script:
    """The Node process of one script."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._log = asyncio.ensure_future(_tail(process.stderr))

    @classmethod
    async def start(cls, request: Request, unit: Drive) -> _Script:
        """Started before its page is there, so that both get ready at once."""
        return cls(
            await asyncio.create_subprocess_exec(
                "node",
                str(Path(__file__).with_name("drive.mjs")),
                str(request.case / unit.script),
                json.dumps(request.tick_hz),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
            )
        )

    async def run(self, page: Page, handle: str, unit: Drive, out: Path, driven: Driven) -> Any:
        """Answers the script's requests until it returns. Raises ScriptFailed, PageSilent."""
        self._say({"begin": True})
        api = _Api(page, handle, unit, out, driven)
        assert self._process.stdout is not None
        while True:
            line = await self._process.stdout.readline()
            if not line:
                raise ScriptFailed("the script's process ended without a return")
            asked = json.loads(line)
            if "returned" in asked:
                return asked["returned"]
            if "failed" in asked:
                where = asked.get("where")
                raise ScriptFailed(
                    one_line(str(asked["failed"])) + (f" ({_place(where)})" if where else ""),
                    precondition=bool(asked.get("precondition")),
                )
            try:
                answer = await api.answer(asked)
            except PageSilent:
                raise
            except (PageFailed, ValueError, TypeError, KeyError) as error:
                self._say({"id": asked["id"], "error": one_line(str(error))})
            else:
                self._say({"id": asked["id"], **answer})

    async def kill(self) -> str:
        """Ends it, if it has not ended; returns the end of what it printed."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        return await self._log

    def _say(self, answer: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(json.dumps(answer).encode() + b"\n")


@dataclass(slots=True)
class _Api:
    """What each request of a script does to the page."""

    page: Page
    handle: str
    unit: Drive
    out: Path
    driven: Driven

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.driven.calls += 1
        match asked["op"]:
            case "call":
                self.page.touched()
                return await self.page.call(self.handle, asked["name"], asked["args"])
            case "wait":
                self.page.touched()
                await asyncio.sleep(min(float(asked["ms"]), LONGEST_WAIT_MS) / 1000)
            case "screenshot":
                await self._screenshot(asked["output"])
            case "pixel":
                return {"value": await self.page.pixel(float(asked["u"]), float(asked["v"]))}
            case "key":
                self.page.touched()
                await self.page.press(str(asked["code"]))
            case "click":
                self.page.touched()
                await self.page.click(float(asked["x"]), float(asked["y"]))
            case "audio":
                return {"value": list(self.page.sounds)}
            case "probe":
                return {"value": await self.page.probe(self.handle, asked["names"])}
            case op:
                raise ValueError(f"api has no {op}")
        return {}

    async def _screenshot(self, output: str) -> None:
        declared = {o.id: o.kind for o in self.unit.outputs}
        if self.unit.backs is not None and declared.get(output) != "image":
            raise ValueError(f"`{output}` is no declared image output of this script")
        if "/" in output or output.startswith("."):
            raise ValueError(f"`{output}` is no output id")
        await self.page.frames()
        name = f"{self.unit.verdict_id}__{output}.png"
        (self.out / name).write_bytes(await self.page.png())
        if name not in self.driven.media:
            self.driven.media.append(name)


def _place(where: str) -> str:
    """`file:line:column` of a stack's line, without the folders before it."""
    return where.rstrip(")").rpartition("/")[2]


async def _tail(stream: asyncio.StreamReader | None) -> str:
    assert stream is not None
    kept = b""
    while chunk := await stream.read(65536):
        kept = (kept + chunk)[-LOG_TAIL:]
    return kept.decode(errors="replace")
