"""The real handlebars.js, installed once per lock file into a cache outside the tree."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).parent / "handlebars"


@dataclass(frozen=True)
class Answer:
    """What handlebars.js made of a template: its output, or the reason for none."""

    output: str | None
    error: str | None


class Handlebars:
    """A running handlebars.js, asked one template at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def render(self, template: str, context: Mapping[str, object]) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"template": template, "context": context}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return Answer(answer.get("output"), answer.get("error"))


def installed() -> Path:
    names = ("package.json", "package-lock.json", "oracle.cjs")
    digest = hashlib.sha256(b"".join((SOURCES / name).read_bytes() for name in names)).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tcab-tests"
    folder = cache / f"handlebars-{digest[:16]}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        fresh = Path(temporary) / "fresh"
        fresh.mkdir()
        for name in names:
            shutil.copy(SOURCES / name, fresh)
        subprocess.run(
            ["npm", "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=fresh,
            check=True,
            capture_output=True,
        )
        try:
            fresh.rename(folder)
        except OSError:
            assert folder.is_dir(), "another test run installed it meanwhile"
    return folder
