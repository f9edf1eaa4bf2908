"""The runner's command line: with --request in the sandbox, without it for a script's author.

Belongs here: arguments and printing. Progress goes to stderr.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

from .checks import MockupFailed
from .report import run, write
from .request import CheckRequest, Drive, Limits, Mockup, OutputRequest, Request, read


def main() -> int:
    # It warns of a browser's process that ended before it was asked after, which harms nothing.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    options = _options()
    request = read(options.request) if options.request else _direct(options)
    out = options.out or Path(tempfile.mkdtemp(prefix="validation-"))
    out.mkdir(parents=True, exist_ok=True)
    try:
        document = asyncio.run(run(request, out, say))
    except MockupFailed as error:
        say(f"error: {error}")
        return 1
    write(document, out)
    if not options.request:
        return _print(document, out)
    return 0


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tcab_dagster.validation.runner",
        description="Drives a built site in a browser and writes what it saw.",
    )
    parser.add_argument("--request", type=Path, help="a request.json: as validation uses it")
    parser.add_argument("--out", type=Path, help="where media and result.json go")
    parser.add_argument("--site", type=Path, help="the folder of a built site")
    parser.add_argument("--case", type=Path, default=Path(), help="the version folder")
    parser.add_argument("--handle", help="the window property of the debug API")
    parser.add_argument("--tick-hz", type=float)
    parser.add_argument("--script", action="append", default=[], help="below --case; repeatable")
    parser.add_argument("--check", action="append", default=[], metavar="VIEW=MOCKUP")
    parser.add_argument("--video", action="store_true", help="record each script's drive")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one script")
    options = parser.parse_args()
    if not options.request and not options.site:
        parser.error("--site or --request is needed")
    if options.script and not options.handle:
        parser.error("--script needs --handle")
    return options


def _direct(options: argparse.Namespace) -> Request:
    outputs = (OutputRequest("clip", "video"),) if options.video else ()
    pairs = [c.partition("=") for c in options.check]
    return Request(
        case=options.case,
        site=options.site,
        handle=options.handle,
        tick_hz=options.tick_hz,
        mockups=tuple(Mockup(view, path) for view, _, path in pairs),
        checks=tuple(CheckRequest(view, view, ()) for view, _, _ in pairs),
        drives=tuple(
            Drive(s.replace("/", ".").removesuffix(".mjs"), s, outputs, None)
            for s in options.script
        ),
        limits=Limits(script=options.limit),
    )


def _print(document: dict[str, Any], out: Path) -> int:
    if document["browser"]:
        print(document["browser"])
        return 3
    for error in document["load"]["console_errors"]:
        print(f"console: {error}")
    failed = document["load"]["status"] != "loaded"
    for drive in document["drives"]:
        failed |= drive["verdict"] != "pass"
        print(f"{drive['verdict_id']}: {drive['verdict']} ({drive['calls']} calls)")
        for verdict_id, decided in drive["decided"].items():
            print(f"  {verdict_id}: {decided['verdict']}")
            for finding in decided["findings"]:
                mark = "ok  " if finding["passed"] else "FAIL"
                values = f" expected {finding['expected']}, actual {finding['actual']}"
                print(f"    {mark} {finding['label']}{values if finding['actual'] else ''}")
        for name in ("reason", "notes", "log"):
            if drive[name]:
                print(f"  {name}: {drive[name].strip()}")
    print(f"media in {out / 'media'}; seconds: {document['stages']}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
