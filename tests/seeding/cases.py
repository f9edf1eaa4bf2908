"""A small case on disk, resolved by hand, with something of every kind that a case can hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from tcab_dagster.catalog.model import (
    BuildCommands,
    CaseVersion,
    Domain,
    Point,
    Proof,
    Reference,
    ReviewItem,
    Spec,
    Validation,
    Variant,
)

FILES: dict[str, bytes] = {
    "test-case.toml": b'slug = "marbles"\nvariants = ["variants/base.toml"]\n',
    "variants/base.toml": b'slug = "base"\n',
    "description.md": b"For the site.",
    "changelog.md": b"Introduced.",
    "errata.toml": b"",
    "prompt.hbs": b"In {{workspace}}:\n{{#each specs}}\n- {{path}} ({{name}})\n{{/each}}\n",
    "specs/overview.md.hbs": b"Marbles {{version}}, {{variant.name}}{{variant.description}}.\n",
    "specs/rules.md": b"Windows lines\r\n{{not a template}}\n",
    "reference/title.html": b"<h1>Marbles</h1>",
    "reference/intro.mp4": b"\0\0\0\x18ftypmp42",
    "validation/spin.mjs": b"export default async () => ({});",
    "validation-baseline/base/spin__curve.png": b"baseline",
    "reference-impl/base/index.html": b"<title>the answer</title>",
    "workspaces/base/index.html": b"<!doctype html>",
    "workspaces/base/.gitignore": b"dist/\n*.log\n",
    "workspaces/base/dist/kept.txt": b"ignored by its own rules, and committed",
    "workspaces/base/setup.log": b"likewise",
    "workspaces/base/.hidden/note": b"hidden",
    "workspaces/base/run.sh": b"#!/bin/sh\n",
    "workspaces/base/node_modules/left/index.js": b"left over from an install",
    "assets/felt.png": b"\x89PNG felt",
    "assets/balls/ivory.png": b"\x89PNG ivory",
}

SEEDED: dict[str, bytes] = {
    "index.html": b"<!doctype html>",
    ".gitignore": b"dist/\n*.log\n",
    "dist/kept.txt": b"ignored by its own rules, and committed",
    "setup.log": b"likewise",
    ".hidden/note": b"hidden",
    "run.sh": b"#!/bin/sh\n",
    "specs/overview.md": b"Marbles v1.0.0, Base.\n",
    "specs/rules.md": b"Windows lines\r\n{{not a template}}\n",
    "assets/felt.png": b"\x89PNG felt",
    "assets/balls/ivory.png": b"\x89PNG ivory",
    "reference/title.png": b"\x89PNG title",
    "reference/intro.mp4": b"\0\0\0\x18ftypmp42",
}


def write_files(folder: Path) -> None:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "workspaces/base/run.sh").chmod(0o755)


def marbles(folder: Path) -> CaseVersion:
    return CaseVersion(
        slug="marbles",
        version="v1.0.0",
        type="end-to-end",
        folder=folder,
        name="Marbles",
        difficulty="easy",
        tags=(),
        summary=None,
        description="description.md",
        changelog="changelog.md",
        prompt="prompt.hbs",
        max_runtime_hours=0.5,
        experimental=False,
        init=None,
        build=BuildCommands("npm ci", "npm run build"),
        instrumentation=None,
        assets=("assets/felt.png", "assets/balls"),
        packages=(),
        audio_packs=(),
        variants=(_base(),),
        errata=(),
        digest="",
        errata_digest="",
    )


def jam(folder: Path, prompt: str) -> CaseVersion:
    (folder / "prompt.hbs").write_text(prompt)
    return replace(marbles(folder), type="game-jam", difficulty=None)


def with_variant(case: CaseVersion, variant: Variant) -> CaseVersion:
    return replace(case, variants=(variant,))


def _base() -> Variant:
    spin = Point(
        verdict_id="spin",
        item_id="spin",
        title="Spin",
        text="It spins.",
        weight=Fraction(1),
        domain="all",
        reference=None,
        proof=None,
        validation=Validation("validation/spin.mjs", ()),
    )
    return Variant(
        slug="base",
        name="Base",
        description=None,
        workspace="workspaces/base",
        reference_implementation="reference-impl/base",
        specs=(
            Spec("specs/overview.md.hbs", "specs/overview.md"),
            Spec("specs/rules.md", "specs/rules.md"),
        ),
        references=(
            Reference("title", "reference/title.html", None, "image"),
            Reference("intro", None, "reference/intro.mp4", "video"),
        ),
        proofs=(Proof("title", "Title", "proof/title.png", "image"),),
        checks=(),
        domains=(Domain("all", "All", "All of it."),),
        items=(ReviewItem("spin", "Spin", "It spins.", (spin,)),),
    )
