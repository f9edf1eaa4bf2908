"""Small sites, scripts and cases written by hand, for tests of what validation makes of them.

Belongs here: making them below a temporary folder. Does not: any expectation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from tcab_dagster.catalog.model import (
    BuildCommands,
    CaseVersion,
    Check,
    Domain,
    Instrumentation,
    Output,
    Point,
    Proof,
    Reference,
    ReviewItem,
    Validation,
    Variant,
)

HANDLE = "__game"

GAME = """<!doctype html><title>game</title>
<body style="margin:0;background:#123456">
<canvas id="board" width="800" height="400" style="display:block"></canvas>
<script>
const ink = document.getElementById("board").getContext("2d");
let world = { time: 0, score: 0 };
const draw = () => {
  ink.fillStyle = "#000"; ink.fillRect(0, 0, 800, 400);
  ink.fillStyle = "#f00"; ink.fillRect((world.time * 100) % 760, 180, 40, 40);
};
window.__game = {
  version: "1",
  reset(options) { world = { time: 0, score: options?.score ?? 0 }; draw(); },
  step(amount) { world.time += amount; draw(); },
  snapshot() { return { ...world }; },
  play() {
    let last = performance.now();
    const frame = (now) => {
      world.time += (now - last) / 1000; last = now; draw(); requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  },
  beep() { const sound = new AudioContext(); const source = sound.createOscillator();
    source.connect(sound.destination); source.start(); },
  later(value) { return new Promise((done) => setTimeout(() => done(value), 30)); },
  boom() { throw new Error("no boom today"); },
};
addEventListener("keydown", (event) => { world.score += 1; world.key = event.code; });
addEventListener("click", (event) => { world.click = [event.clientX, event.clientY]; });
draw();
EXTRA
</script>
"""


def page(folder: Path, html: str, **files: str) -> Path:
    """A built site of one page, and files by name with `_` for their dot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(html)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    return folder


def game(folder: Path, extra: str = "") -> Path:
    """The game above as a built site, with more script at its end."""
    return page(folder, GAME.replace("EXTRA", extra))


def tree(folder: Path, site: Path, *, build: str = "cp -r site dist", lock: bool = True) -> Path:
    """A produced tree without dependencies, whose build copies `site`."""
    folder.mkdir(parents=True, exist_ok=True)
    package: dict[str, object] = {"name": "game", "version": "1.0.0", "scripts": {"build": build}}
    (folder / "package.json").write_text(json.dumps(package))
    if lock:
        write_lock(folder, {"": {"name": "game", "version": "1.0.0"}})
    (folder / "site").mkdir()
    for source in site.iterdir():
        (folder / "site" / source.name).write_bytes(source.read_bytes())
    return folder


def write_lock(folder: Path, packages: Mapping[str, object]) -> None:
    lock = {"name": "game", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    (folder / "package-lock.json").write_text(json.dumps(lock))


def script(body: str) -> str:
    return f"export default async (api) => {{ {body} }};\n"


def case(
    folder: Path,
    scripts: Mapping[str, str],
    *,
    outputs: Mapping[str, tuple[Output, ...]] | None = None,
    mockup: str | None = None,
    proofs: tuple[Proof, ...] = (),
    reference_implementation: str | None = None,
    install: str = "npm ci",
) -> CaseVersion:
    """A version with one point per script, by verdict id, and a check where there is a mockup."""
    points = []
    for verdict_id, source in scripts.items():
        path = f"validation/{verdict_id.replace('.', '/')}.mjs"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(source)
        validation = Validation(path, (outputs or {}).get(verdict_id, ()))
        points.append(
            Point(
                verdict_id=verdict_id,
                item_id=verdict_id.partition(".")[0],
                title=verdict_id,
                text=None,
                weight=Fraction(1),
                domain=None,
                reference=None,
                proof=None,
                validation=validation,
            )
        )
    references: tuple[Reference, ...] = ()
    checks: tuple[Check, ...] = ()
    if mockup is not None:
        (folder / "reference").mkdir(parents=True, exist_ok=True)
        (folder / "reference" / "title.html").write_text(mockup)
        references = (Reference("title", "reference/title.html", None, "image"),)
        checks = (Check("title", "Title", "title", ()),)
    variant = Variant(
        slug="base",
        name="Base",
        description=None,
        workspace=None,
        reference_implementation=reference_implementation,
        specs=(),
        references=references,
        proofs=proofs,
        checks=checks,
        domains=(Domain("play", "Play", "All of it."),),
        items=tuple(ReviewItem(p.item_id, p.title, None, (p,)) for p in points),
    )
    return CaseVersion(
        slug="small",
        version="v1.0.0",
        type="end-to-end",
        folder=folder,
        name="Small",
        difficulty="easy",
        tags=(),
        summary=None,
        description=None,
        changelog="Introduced.",
        prompt="prompt.hbs",
        max_runtime_hours=1.0,
        experimental=False,
        init=None,
        build=BuildCommands(install=install, build="npm run build"),
        instrumentation=Instrumentation(HANDLE),
        assets=(),
        packages=(),
        audio_packs=(),
        variants=(variant,),
        errata=(),
        digest="d" * 64,
        errata_digest="e" * 64,
    )
