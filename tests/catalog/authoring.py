"""A valid version folder that tests write, edit and resolve.

It uses every key once, in the legacy grammar (LEGACY) and in the categories grammar (CATEGORIES).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tcab_dagster.catalog.diagnostics import Diagnostic
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.resolution import Resolution, resolve

MANIFEST = "test-case.toml"
BASE = "variants/base.toml"
FAST = "variants/fast.toml"

_HEAD = """\
slug = "comet"
name = "Comet"
difficulty = "easy"
tags = ["arcade", "2d"]
summary = "Steer a comet past planets."
description = "description.md"
changelog = "changelog.md"
prompt = "prompt.hbs"
max_runtime_hours = 0.5
experimental = false
workspace = "workspaces/base"
init = "npm install"
assets = ["assets/sky.png", "assets/planets"]
packages = []
variants = ["variants/base.toml", "variants/fast.toml"]

[build]
install = "npm ci"
build = "npm run build"

[instrumentation]
handle = "__comet"
tick_hz = 60

[audio]
packs = []

[[spec]]
source = "specs/overview.md"

[[spec]]
source = "specs/mode.md.hbs"
dest = "specs/mode.md"
kind = "spec"

[[reference]]
view = "title"
path = "reference/title.html"

[[reference]]
view = "flight"
media = "reference/flight.mp4"

[[proof]]
id = "title"
name = "Title menu"
dest = "proof/title.png"

[[proof]]
id = "flight"
dest = "proof/flight.webm"

[[check]]
view = "title"
name = "Title"
reference = "title"
actions = [
  { type = "wait", ms = 100 },
  { type = "key", key = "Enter" },
  { type = "hold", key = "ArrowUp", ms = 250 },
  { type = "click", x = 10, y = 20.5 },
]

[[domain]]
id = "steering"
description = "How the comet steers."
"""

LEGACY = (
    _HEAD
    + """
[[review_item]]
id = "pull"
title = "Gravity"
text = "Planets pull the comet."
weight = 2
reference = "flight"
proof = "flight"
domain = "steering"
sub_items = [
  { id = "near", title = "Stronger when near", validation = { script = "validation/near.mjs", \
outputs = [{ id = "curve", kind = "video" }, { id = "end", name = "The end", kind = "image" }] } },
  { id = "far", title = "Weaker when far" },
]

[[review_item]]
id = "menu"
title = "Title menu"
text = "The title shows a menu."
weight = 0.5
reference = "title"
proof = "title"
validation = { script = "validation/menu.mjs", outputs = [{ id = "shot", kind = "image" }] }

[[review_item]]
id = "sound"
title = "Sound"
text = "There is sound."
weight = 1
[[review_item.sub_item]]
id = "thrust"
title = "Thrust"
[[review_item.sub_item]]
id = "crash"
title = "Crash"
"""
)

CATEGORIES = (
    _HEAD
    + """
[review]
format = 2

[[review.categories]]
id = "gravity"
title = "Gravity"
[[review.categories.items]]
id = "near"
title = "Stronger when near"
description = "A comet near a planet bends more."
weight = 3
reference = "flight"
proof = "flight"
validation = { script = "validation/near.mjs", outputs = [{ id = "curve", kind = "video" }] }
[[review.categories.items]]
id = "far"
title = "Weaker when far"

[[review.categories]]
id = "menu"
title = "Menu"
[[review.categories.items]]
id = "near"
title = "A menu"
validation = { script = "validation/menu.mjs" }
"""
)

_FAST = """\
slug = "fast"
name = "Fast"
description = "Everything is faster."
workspace = "workspaces/fast"
reference_implementation = "reference-impl/fast"
spec = [{ source = "specs/fast.md" }]
reference = [{ view = "speed", path = "reference/speed.html" }]
proof = [{ id = "speed", dest = "proof/speed.png" }]

[[domain]]
id = "speed"
description = "How fast it feels."
"""

_FAST_ITEM = """
[[review_item]]
id = "speed"
title = "Speed"
text = "It is fast."
weight = 1
domain = "speed"
reference = "speed"
proof = "speed"
"""

_FAST_CATEGORY = """
[[review.categories]]
id = "speed"
title = "Speed"
[[review.categories.items]]
id = "fast"
title = "It is fast"
reference = "speed"
"""

_ERRATA = """\
[[erratum]]
id = "sound-late"
title = "Sound is late"
date = "2026-07-17"
severity = "major"
affects_scoring = true
body = "Do not judge its delay."
resolved_in = "v1.1.0"
variant = "base"
"""

_FILES: dict[str, str] = {
    BASE: 'slug = "base"\n',
    "description.md": "A comet.\n",
    "changelog.md": "Introduced.\n",
    "prompt.hbs": "Build the game of {{variant.name}} in {{workspace}}.\n",
    "specs/overview.md": (
        "# Comet\n\nWrite proof/title.png and proof/flight.webm; see [the mode](mode.md) and\n"
        "[the sky](../assets/sky.png). The page offers `window.__comet`.\n"
    ),
    "specs/mode.md.hbs": "The mode is {{variant.name}}.\n",
    "specs/fast.md": "Fast. Write proof/speed.png.\n",
    "reference/title.html": "<h1>Comet</h1>\n",
    "reference/speed.html": "<h1>Speed</h1>\n",
    "reference/flight.mp4": "video\n",
    "assets/sky.png": "sky\n",
    "assets/planets/a.png": "a\n",
    "assets/planets/b/c.png": "c\n",
    "workspaces/base/package.json": "{}\n",
    "workspaces/base/.gitignore": "node_modules\n",
    "workspaces/fast/package.json": "{}\n",
    "validation/near.mjs": "export default async () => ({ verdicts: {} });\n",
    "validation/lib/shared.mjs": "export const near = 1;\n",
    "validation/menu.mjs": "export default async () => ({ verdicts: {} });\n",
    "reference-impl/fast/package.json": "{}\n",
    "reference-impl/fast/index.html": "<canvas></canvas>\n",
    "validation-baseline/fast/menu__shot.png": "baseline\n",
    "errata.toml": _ERRATA,
}


@dataclass(frozen=True)
class Authored:
    """A version folder on disk."""

    root: Path
    name: str

    @property
    def folder(self) -> Path:
        return self.root / self.name

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self, path: str) -> str:
        return (self.folder / path).read_text()

    def edit(self, path: str, old: str, new: str) -> None:
        """Replaces the one occurrence of `old`."""
        text = self.read(path)
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
        self.write(path, text.replace(old, new))

    def line_of(self, path: str, text: str) -> int:
        """The first line, from 1, that holds `text`."""
        lines = self.read(path).splitlines()
        return next(i for i, line in enumerate(lines, 1) if text in line)

    def resolution(self) -> Resolution:
        return resolve(self.folder, self.name)

    def resolved(self) -> CaseVersion:
        found = self.resolution()
        assert found.case is not None, found.diagnostics
        return found.case

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.resolution().diagnostics

    def shown(self, path: str) -> str:
        return f"{self.name}/{path}"


def author(
    root: Path,
    folder: str = "comet",
    version: str = "v1.0.0",
    *,
    categories: bool = False,
    slug: str = "comet",
) -> Authored:
    """Writes the valid case below `root`."""
    case = Authored(root, f"test-cases/end-to-end/easy/{folder}/{version}")
    manifest = CATEGORIES if categories else LEGACY
    case.write(MANIFEST, manifest.replace('slug = "comet"', f'slug = "{slug}"'))
    case.write(FAST, _FAST + (_FAST_CATEGORY if categories else _FAST_ITEM))
    for path, content in _FILES.items():
        case.write(path, content)
    return case
