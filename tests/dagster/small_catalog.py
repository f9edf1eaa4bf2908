"""A small catalog in a git checkout of its own: one case, `tiny`, built in no time."""

import json
import shutil
import subprocess
from pathlib import Path

VERSION = "test-cases/end-to-end/easy/tiny/v1.0.0"

FILES = {
    "test-case.toml": """\
slug = "tiny"
name = "Tiny"
difficulty = "easy"
tags = []
changelog = "changelog.md"
prompt = "prompt.hbs"
max_runtime_hours = 0.1
workspace = "workspace"
variants = ["variants/base.toml", "variants/odd.toml"]

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
validation = { script = "validation/greets.mjs", outputs = [] }

[[review_item]]
id = "pretty"
title = "Pretty"
text = "It looks good."
weight = 1
domain = "page"

[[domain]]
id = "page"
description = "The page."
""",
    "variants/base.toml": 'slug = "base"\n',
    "variants/odd.toml": 'slug = "odd"\n',
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

ERRATUM = """\
[[erratum]]
id = "greets-is-odd"
title = "Greets is odd"
body = "The script misreads some greetings."
severity = "major"
affects_scoring = true
review = "greets"
exclude_from_score = true
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


class SmallCatalog:
    """A checkout with one case, `tiny@v1.0.0`."""

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        checkout.mkdir()
        git(checkout, "init", "--quiet", "-b", "main")
        for name, content in FILES.items():
            self.write(f"{VERSION}/{name}", content)
        self.commit("Add tiny")

    def write(self, path: str, content: str) -> None:
        file = self.checkout / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    def add_version(self, version: str) -> None:
        for name, content in FILES.items():
            self.write(f"test-cases/end-to-end/easy/tiny/{version}/{name}", content)

    def record(self, name: str, steps: list[dict[str, object]]) -> None:
        """A recorded session of `tiny` for the harness `replay`."""
        self.write(f"recordings/tiny/{name}.jsonl", "".join(f"{json.dumps(s)}\n" for s in steps))

    def git(self, *arguments: str) -> str:
        return git(self.checkout, *arguments)

    def remove(self, path: str) -> None:
        shutil.rmtree(self.checkout / path)

    def commit(self, message: str) -> str:
        git(self.checkout, "add", "--all")
        git(self.checkout, "commit", "--quiet", "-m", message)
        return git(self.checkout, "rev-parse", "HEAD")
