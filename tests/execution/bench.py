"""One small case in a store of its own, and recorded sessions to play on it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tcab_dagster.catalog import resolve_version
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store
from tcab_dagster.execution import new_request
from tcab_dagster.home import Home
from tcab_dagster.records import RunRequest
from tcab_dagster.settings import Settings

VERSION = "test-cases/end-to-end/easy/tiny/v1.0.0"

MANIFEST = """\
slug = "tiny"
name = "Tiny"
difficulty = "easy"
tags = []
changelog = "changelog.md"
prompt = "prompt.hbs"
max_runtime_hours = 0.1
{init}
workspace = "workspace"
variants = ["variants/base.toml"]

[build]
install = "npm ci"
build = "npm run build"

[instrumentation]
handle = "__tiny"

[[spec]]
source = "spec.md"

[[review_item]]
id = "greets"
title = "Greets"
text = "The page says hello."
weight = 2
domain = "page"
validation = {{ script = "validation/greets.mjs", outputs = [] }}

[[domain]]
id = "page"
description = "The page."
"""

FILES = {
    "variants/base.toml": 'slug = "base"\n',
    "changelog.md": "Introduced.\n",
    "prompt.hbs": "Build {{variant.name}} in {{workspace}}.\n",
    "spec.md": "Say hello. `window.__tiny` answers `greeting()`.\n",
    "validation/greets.mjs": (
        "export default async (api) => ({ verdicts: "
        "{ greets: (await api.call('greeting')) === 'hello' } });\n"
    ),
    "workspace/package.json": (
        '{"name": "tiny", "version": "1.0.0", "private": true, '
        '"scripts": {"build": "mkdir -p dist && cp index.html dist/"}}\n'
    ),
    "workspace/package-lock.json": (
        '{"name": "tiny", "version": "1.0.0", "lockfileVersion": 3, "requires": true, '
        '"packages": {"": {"name": "tiny", "version": "1.0.0"}}}\n'
    ),
}

PAGE = """\
<!doctype html><title>Tiny</title>
<h1 style="background: linear-gradient(90deg, #024, #fc0); padding: 4em">Hello</h1>
<script>window.__tiny = { greeting: () => "hello" };</script>
"""

Step = Mapping[str, object]


def says(text: str, kind: str = "agent", **more: object) -> str:
    return json.dumps({"kind": kind, "text": text, **more})


@dataclass(frozen=True, slots=True)
class Bench:
    """A home and a checkout with `tiny@v1.0.0`."""

    home: Home
    checkout: Path

    @property
    def settings(self) -> Settings:
        return self.with_environment({})

    def with_environment(self, more: Mapping[str, str]) -> Settings:
        environment = {
            "DOCKER_HOST": os.environ.get("DOCKER_HOST", ""),
            "TCAB_CHECKOUT": str(self.checkout),
            "TCAB_HOME": str(self.home.path),
            "TCAB_CONTAINER_REGISTRY": "",
            **more,
        }
        return Settings.load(environment)

    def case(
        self, *, init: str | None = None, files: Mapping[str, str] | None = None
    ) -> CaseVersion:
        """Writes the case, resolves and stores it."""
        command = "" if init is None else f"init = {json.dumps(init)}"
        folder = self.checkout / VERSION
        for name, content in {
            "test-case.toml": MANIFEST.format(init=command),
            **FILES,
            **(files or {}),
        }.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
        case = resolve_version(folder)
        Store(self.home).put(case)
        return case

    def record(self, *steps: Step, name: str = "session") -> str:
        """Writes a recorded session."""
        path = self.checkout / "recordings/tiny" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(step) + "\n" for step in steps))
        return name

    def request(
        self,
        case: CaseVersion,
        *,
        model: str = "session",
        harness: str = "replay",
        hours: float | None = None,
    ) -> RunRequest:
        request = new_request(case, case.variant(), harness, model, hours, "tcab")
        self.home.file_request(request)
        return request

    def replay(
        self, *steps: Step, hours: float | None = None, init: str | None = None
    ) -> RunRequest:
        """A request that plays these steps."""
        return self.request(self.case(init=init), model=self.record(*steps), hours=hours)


def events(home: Home, run_id: str) -> Sequence[Mapping[str, object]]:
    return [json.loads(line) for line in home.run(run_id).events.read_text().splitlines()]


def stages(home: Home, run_id: str) -> list[object]:
    return [e["stage"] for e in events(home, run_id) if "stage" in e]


def everything_below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
