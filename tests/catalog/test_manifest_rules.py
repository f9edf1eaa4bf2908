"""Every rule of the manifests: what keeps it resolves, what breaks it is told at its line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from authoring import BASE, FAST, MANIFEST, Authored, author

from tcab_dagster.catalog.diagnostics import Code

Edit = tuple[str, str, str]
"""File, what stands there, what stands there instead."""

ERRATA = "errata.toml"


@dataclass(frozen=True)
class Kept:
    sentence: str
    edits: tuple[Edit, ...]
    categories: bool = False


@dataclass(frozen=True)
class Broken:
    """`at` is text of the line that must be reported, in the file of the first edit unless
    `file` says otherwise."""

    code: Code
    sentence: str
    edits: tuple[Edit, ...]
    at: str
    file: str | None = None
    categories: bool = False


def m(old: str, new: str) -> Edit:
    return (MANIFEST, old, new)


def v(old: str, new: str) -> Edit:
    return (FAST, old, new)


def e(old: str, new: str) -> Edit:
    return (ERRATA, old, new)


def without(line: str) -> Edit:
    return m(f"{line}\n", "")


KEPT = [
    Kept("type may be said", (m('slug = "comet"', 'slug = "comet"\ntype = "end-to-end"'),)),
    Kept("tags may be empty", (m('["arcade", "2d"]', "[]"),)),
    Kept("summary is optional", (without('summary = "Steer a comet past planets."'),)),
    Kept("description is optional", (without('description = "description.md"'),)),
    Kept("the runtime has a default", (without("max_runtime_hours = 0.5"),)),
    Kept("the runtime may be whole hours", (m("hours = 0.5", "hours = 2"),)),
    Kept("experimental has a default", (without("experimental = false"),)),
    Kept("the workspace is optional", (without('workspace = "workspaces/base"'),)),
    Kept("init is optional", (without('init = "npm install"'),)),
    Kept("assets are optional", (
        without('assets = ["assets/sky.png", "assets/planets"]'),
        ("specs/overview.md", "[the sky](../assets/sky.png)", "the sky"),
    )),
    Kept("one variant is enough", (m(', "variants/fast.toml"', ""),)),
    Kept("a folder may end in a slash", (m('"workspaces/base"', '"workspaces/base/"'),)),
    Kept("actions may be empty", (m("  { type = \"wait\", ms = 100 },\n", ""),)),
    Kept("ids may have capitals, digits and underscores", (
        m('id = "menu"', 'id = "Menu_2-b"'),
    )),
    Kept("a hertz is optional", (without("tick_hz = 60"),)),
    Kept("audio is optional", (m("[audio]\npacks = []\n", ""),)),
    Kept("packages are optional", (without("packages = []"),)),
    Kept("a check needs no actions", (m('name = "Title"\nreference', "reference"),)),
    Kept("a common item may name what every variant declares", (
        m('reference = "title"\nproof = "title"\nvalidation', 'reference = "speed"\nvalidation'),
        (BASE, 'slug = "base"\n',
         'slug = "base"\nreference = [{ view = "speed", path = "reference/title.html" }]\n'),
    )),
    Kept("a variant's item may name a common domain", (
        v('domain = "speed"', 'domain = "steering"'),
    )),
    Kept("two variants may use an id each for itself", (
        (BASE, 'slug = "base"\n',
         'slug = "base"\n[[review_item]]\nid = "speed"\ntitle = "S"\ntext = "T"\nweight = 1\n'),
    )),
    Kept("in the legacy grammar two points may share a script", (
        m("validation/menu.mjs", "validation/near.mjs"),
    )),
    Kept("an erratum may name a point", (
        e('variant = "base"\n', 'review = "sound.crash"\nexclude_from_score = true\n'),
    )),
    Kept("an erratum may name a variant's own point", (
        e('variant = "base"', 'variant = "fast"\nreview = "speed"'),
    )),
    Kept("a variant's name is optional", (v('name = "Fast"\n', ""),)),
    Kept("an item's weight has a default under categories", (m("weight = 3\n", ""),), True),
    Kept("items of two categories may share an id", (m('id = "far"', 'id = "far2"'),), True),
    Kept("a category's item may be an erratum's point", (
        e('variant = "base"', 'review = "gravity.near"'),
    ), True),
]  # fmt: skip

SHAPES = [
    *(
        Broken(Code.MISSING_KEY, f"{key} is required", (without(line),), at="")
        for key, line in {
            "slug": 'slug = "comet"',
            "name": 'name = "Comet"',
            "difficulty": 'difficulty = "easy"',
            "tags": 'tags = ["arcade", "2d"]',
            "changelog": 'changelog = "changelog.md"',
            "prompt": 'prompt = "prompt.hbs"',
            "variants": 'variants = ["variants/base.toml", "variants/fast.toml"]',
        }.items()
    ),
    Broken(Code.MISSING_KEY, "an install command is required",
           (without('install = "npm ci"'),), at="[build]"),
    Broken(Code.MISSING_KEY, "a build command is required",
           (without('build = "npm run build"'),), at="[build]"),
    Broken(Code.MISSING_KEY, "the build table is required",
           (m('[build]\ninstall = "npm ci"\nbuild = "npm run build"\n', ""),), at=""),
    Broken(Code.MISSING_KEY, "a common domain is required",
           (m('[[domain]]\nid = "steering"\ndescription = "How the comet steers."\n', ""),
            m('domain = "steering"\n', "")), at=""),
    Broken(Code.MISSING_KEY, "a domain's description is required",
           (m('description = "How the comet steers."\n', ""),), at="[[domain]]"),
    Broken(Code.MISSING_KEY, "a spec's source is required",
           (m('source = "specs/overview.md"\n', ""),), at="[[spec]]"),
    Broken(Code.MISSING_KEY, "a legacy item's weight is required",
           (m("weight = 2\n", ""),), at="[[review_item]]"),
    Broken(Code.MISSING_KEY, "a legacy item's text is required",
           (m('text = "Planets pull the comet."\n', ""),), at="[[review_item]]"),
    Broken(Code.MISSING_KEY, "a sub-item's title is required",
           (m('{ id = "far", title = "Weaker when far" }', '{ id = "far" }'),), at='{ id = "far"'),
    Broken(Code.MISSING_KEY, "an output's kind is required",
           (m('{ id = "shot", kind = "image" }', '{ id = "shot" }'),), at="menu.mjs"),
    Broken(Code.MISSING_KEY, "a held key needs its time",
           (m('key = "ArrowUp", ms = 250', 'key = "ArrowUp"'),), at="ArrowUp"),
    Broken(Code.MISSING_KEY, "an action needs its type",
           (m('type = "wait", ms', "ms"),), at="ms = 100"),
    Broken(Code.MISSING_KEY, "a variant's slug is required",
           (v('slug = "fast"\n', ""),), at=""),
    Broken(Code.MISSING_KEY, "an erratum's body is required",
           (e('body = "Do not judge its delay."\n', ""),), at="[[erratum]]"),
    Broken(Code.MISSING_KEY, "the format is declared",
           (m("format = 2\n", ""),), at="[review]", categories=True),
    Broken(Code.UNKNOWN_KEY, "a key of the document is known",
           (m("summary =", "sumary ="),), at="sumary"),
    Broken(Code.UNKNOWN_KEY, "a key of a table is known",
           (m("install =", "instal ="), m('build = "npm', 'install = "x"\nbuild = "npm')),
           at="instal ="),
    Broken(Code.UNKNOWN_KEY, "a table is known", (m("[audio]\npacks = []", "[sound]"),),
           at="[sound]"),
    Broken(Code.UNKNOWN_KEY, "a key of an inline table is known",
           (m('kind = "image" }] } },', 'kind = "image", fps = 3 }] } },'),),
           at="fps"),
    Broken(Code.UNKNOWN_KEY, "a key of a variant is known",
           (v("description = \"Everything", "desc = \"Everything"),), at="desc ="),
    Broken(Code.UNKNOWN_KEY, "a key of an erratum is known",
           (e("severity =", "severty ="),), at="severty"),
    Broken(Code.UNKNOWN_KEY, "build has no module",
           (m('install = "npm ci"', 'install = "npm ci"\nmodule = "x"'),), at="module"),
    Broken(Code.MISPLACED_KEY, "a root key stands before the first table",
           (m('variants = ["variants/base.toml", "variants/fast.toml"]\n', ""),
            m('build = "npm run build"\n',
              'build = "npm run build"\nvariants = ["variants/base.toml"]\n')),
           at="variants ="),
    Broken(Code.MISPLACED_KEY, "what holds for the case is no variant's",
           (v('name = "Fast"', 'name = "Fast"\ninit = "npm install"'),), at="init"),
    Broken(Code.MISPLACED_KEY, "a reference implementation is a variant's",
           (m('init = "npm install"',
              'init = "npm install"\nreference_implementation = "reference-impl/fast"'),),
           at="reference_implementation"),
    Broken(Code.MISPLACED_KEY, "a sub-item has no weight",
           (m('{ id = "far", title', '{ id = "far", weight = 1, title'),), at='id = "far"'),
    Broken(Code.MISPLACED_KEY, "a category has no weight",
           (m('title = "Gravity"', 'title = "Gravity"\nweight = 2'),), at="weight = 2",
           categories=True),
    Broken(Code.MISPLACED_KEY, "a category has no domain",
           (m('title = "Gravity"', 'title = "Gravity"\ndomain = "steering"'),),
           at='domain = "steering"', categories=True),
    Broken(Code.MISPLACED_KEY, "a category's item has no domain",
           (m("weight = 3", 'weight = 3\ndomain = "steering"'),), at='domain = "steering"',
           categories=True),
    Broken(Code.MISPLACED_KEY, "a variant does not repeat the format",
           (v("[[review.categories]]", "[review]\nformat = 2\n[[review.categories]]"),),
           at="format", categories=True),
    Broken(Code.WRONG_TYPE, "a name is a string", (m('name = "Comet"', "name = 3"),),
           at="name = 3"),
    Broken(Code.WRONG_TYPE, "tags are an array", (m('["arcade", "2d"]', '"arcade"'),), at="tags"),
    Broken(Code.WRONG_TYPE, "a tag is a string", (m('"2d"', "2"),), at="tags"),
    Broken(Code.WRONG_TYPE, "experimental is true or false",
           (m("experimental = false", 'experimental = "no"'),), at="experimental"),
    Broken(Code.WRONG_TYPE, "the runtime is a number", (m("hours = 0.5", 'hours = "1"'),),
           at="hours"),
    Broken(Code.WRONG_TYPE, "a weight is not true", (m("weight = 2", "weight = true"),),
           at="weight = true"),
    Broken(Code.WRONG_TYPE, "a spec is an array of tables",
           (m("[[spec]]\nsource = \"specs/overview.md\"\n\n[[spec]]\n", "[spec]\n"),
            m('kind = "spec"\n', "")), at="[spec]"),
    Broken(Code.WRONG_TYPE, "a date is quoted", (e('"2026-07-17"', "2026-07-17"),), at="date"),
    Broken(Code.WRONG_TYPE, "a difficulty is a string",
           (m('difficulty = "easy"', "difficulty = 1"),), at="difficulty"),
    Broken(Code.BAD_VALUE, "a difficulty is one of three", (m('"easy"', '"eazy"'),),
           at="difficulty"),
    Broken(Code.BAD_VALUE, "a spec's kind is one of two", (m('kind = "spec"', 'kind = "prose"'),),
           at="kind ="),
    Broken(Code.BAD_VALUE, "an action's type is one of four", (m('"hold"', '"hodl"'),), at="hodl"),
    Broken(Code.BAD_VALUE, "an output is an image or a video",
           (m('id = "shot", kind = "image"', 'id = "shot", kind = "sound"'),), at="shot"),
    Broken(Code.BAD_VALUE, "the format is 2", (m("format = 2", "format = 3"),), at="format",
           categories=True),
    Broken(Code.BAD_VALUE, "a severity is one of three", (e('"major"', '"huge"'),),
           at="severity"),
    Broken(Code.BAD_VALUE, "a type is known", (m("name = \"Comet\"", 'name = "C"\ntype = "e2e"'),),
           at="type ="),
    Broken(Code.BAD_VALUE, "a weight is finite", (m("weight = 2", "weight = inf"),),
           at="weight = inf"),
    Broken(Code.BAD_VALUE, "a pack names its version", (m("packs = []", 'packs = ["sfx"]'),),
           at="packs"),
    Broken(Code.NOT_SUPPORTED, "another type is refused",
           (m('name = "Comet"', 'name = "C"\ntype = "full-stack"'),), at="type ="),
    Broken(Code.NOT_SUPPORTED, "a jam is no case",
           (m('name = "Comet"', 'name = "C"\ntype = "game-jam"'),), at="type ="),
    Broken(Code.NOT_SUPPORTED, "audio is not staged yet",
           (m("packs = []", 'packs = ["sfx@v1"]'),), at="packs"),
    Broken(Code.EMPTY, "a name is not empty", (m('"Comet"', '"  "'),), at="name"),
    Broken(Code.EMPTY, "init is not empty when declared", (m('init = "npm install"', 'init = ""'),),
           at="init"),
    Broken(Code.EMPTY, "an install command is not empty", (m('"npm ci"', '""'),),
           at='install = ""'),
    Broken(Code.EMPTY, "a build command is not empty", (m('"npm run build"', '""'),),
           at='build = ""'),
    Broken(Code.EMPTY, "there is a variant",
           (m('["variants/base.toml", "variants/fast.toml"]', "[]"),), at="variants"),
    Broken(Code.EMPTY, "declared sub-items are not empty",
           (m('text = "The title shows a menu."\n', 'text = "T"\nsub_items = []\n'),),
           at="sub_items = []"),
    Broken(Code.EMPTY, "a category is not empty",
           (m('[[review.categories.items]]\nid = "near"\ntitle = "A menu"\n'
              'validation = { script = "validation/menu.mjs" }\n', "items = []\n"),),
           at="items = []", categories=True),
    Broken(Code.EMPTY, "an erratum's id is not empty", (e('"sound-late"', '""'),), at="id ="),
    Broken(Code.NOT_POSITIVE, "the runtime is positive", (m("hours = 0.5", "hours = 0"),),
           at="hours"),
    Broken(Code.NOT_POSITIVE, "a weight is positive", (m("weight = 2", "weight = -1"),),
           at="weight = -1"),
    Broken(Code.NOT_POSITIVE, "a hertz is positive", (m("tick_hz = 60", "tick_hz = 0.0"),),
           at="tick_hz"),
    Broken(Code.NOT_POSITIVE, "a wait is not negative", (m("ms = 100", "ms = -100"),),
           at="ms = -100"),
    Broken(Code.BAD_SLUG, "a slug is kebab-case", (m('slug = "comet"', 'slug = "Comet_1"'),),
           at="slug"),
    Broken(Code.BAD_SLUG, "a slug has single hyphens", (m('slug = "comet"', 'slug = "a--b"'),),
           at="slug"),
    Broken(Code.BAD_ID, "an id has no dot", (m('id = "menu"', 'id = "menu.x"'),), at="menu.x"),
    Broken(Code.BAD_ID, "an id has no two underscores", (m('id = "menu"', 'id = "menu__x"'),),
           at="menu__x"),
    Broken(Code.BAD_ID, "a sub-item's id is one", (m('id = "far"', 'id = "f r"'),), at="f r"),
    Broken(Code.BAD_ID, "a view is an id",
           (m('view = "flight"', 'view = "a/b"'), m('reference = "flight"\n', "")), at="a/b"),
    Broken(Code.BAD_ID, "a variant's slug is an id", (v('slug = "fast"', 'slug = "f.t"'),),
           at="f.t"),
    Broken(Code.BAD_HANDLE, "a handle is an identifier",
           (m('"__comet"', '"window.__comet"'),), at="handle"),
    Broken(Code.BAD_VERSION, "a fix is in a version", (e('"v1.1.0"', '"1.1"'),), at="resolved_in"),
    Broken(Code.BAD_DATE, "a date is written as one", (e('"2026-07-17"', '"17 July"'),),
           at="date"),
    Broken(Code.BAD_DATE, "a date exists", (e('"2026-07-17"', '"2026-02-30"'),), at="date"),
]  # fmt: skip

PATHS = [
    Broken(Code.NO_SUCH_FILE, "the changelog exists",
           (m('"changelog.md"', '"changelg.md"'),), at="changelg"),
    Broken(Code.NO_SUCH_FILE, "the description exists",
           (m('"description.md"', '"descr.md"'),), at="descr.md"),
    Broken(Code.NO_SUCH_FILE, "the prompt exists", (m('"prompt.hbs"', '"promt.hbs"'),),
           at="promt"),
    Broken(Code.NO_SUCH_FILE, "the case of a path matters",
           (m('"prompt.hbs"', '"Prompt.hbs"'),), at="Prompt"),
    Broken(Code.NO_SUCH_FILE, "a variant file exists",
           (m('"variants/fast.toml"', '"variants/fsat.toml"'),), at="fsat"),
    Broken(Code.NO_SUCH_FILE, "a variant's paths start at the version folder",
           (v('"reference/speed.html"', '"speed.html"'),), at="speed.html"),
    Broken(Code.NO_SUCH_FILE, "a script exists", (m("validation/menu.mjs", "validation/no.mjs"),),
           at="no.mjs"),
    Broken(Code.NO_SUCH_FILE, "an asset exists", (m("assets/planets", "assets/suns"),),
           at="assets/suns"),
    Broken(Code.NOT_A_FOLDER, "a workspace is a folder",
           (m('"workspaces/base"', '"prompt.hbs"'),), at="workspace ="),
    Broken(Code.NOT_A_FOLDER, "a variant's workspace is a folder",
           (v('"workspaces/fast"', '"prompt.hbs"'),), at="workspace ="),
    Broken(Code.NOT_A_FOLDER, "a reference implementation is a folder",
           (v('"reference-impl/fast"', '"reference-impl/fast/package.json"'),),
           at="reference_implementation"),
    Broken(Code.NOT_A_FILE, "a spec is a file", (m('"specs/overview.md"', '"specs"'),),
           at='source = "specs"'),
    Broken(Code.OUTSIDE_FOLDER, "a path stays inside",
           (m('"changelog.md"', '"../changelog.md"'),), at="../changelog"),
    Broken(Code.OUTSIDE_FOLDER, "a path is relative", (m('"prompt.hbs"', '"/etc/passwd"'),),
           at="/etc/passwd"),
    Broken(Code.OUTSIDE_FOLDER, "a destination stays inside",
           (m('dest = "specs/mode.md"', 'dest = "../mode.md"'),), at="../mode"),
    Broken(Code.OUTSIDE_FOLDER, "a proof stays inside",
           (m('dest = "proof/title.png"', 'dest = "/proof/title.png"'),), at="/proof/title"),
    Broken(Code.BAD_PATH, "a path has slashes", (m('"prompt.hbs"', "'a\\b'"),), at="a\\b"),
    Broken(Code.BAD_PATH, "a destination is a file",
           (m('dest = "specs/mode.md"', 'dest = "."'),), at='dest = "."'),
    Broken(Code.BAD_PATH, "nothing is seeded into .git",
           (m('dest = "specs/mode.md"', 'dest = ".Git/hooks/post-checkout"'),), at=".Git"),
    Broken(Code.BAD_PATH, "a reference implementation has a folder of its own",
           (v('"reference-impl/fast"', '"."'),), at="reference_implementation"),
    Broken(Code.BAD_EXTENSION, "a mockup is HTML",
           (m('path = "reference/title.html"', 'path = "assets/sky.png"'),), at="path ="),
    Broken(Code.BAD_EXTENSION, "static media is an image or an mp4",
           (m('"reference/flight.mp4"', '"description.md"'),), at="media ="),
    Broken(Code.BAD_EXTENSION, "a proof is an image or a video",
           (m('"proof/flight.webm"', '"proof/flight.txt"'),
            ("specs/overview.md", "proof/flight.webm", "proof/flight.txt")),
           at="proof/flight.txt"),
    Broken(Code.NEVER_SEEDED, "no asset seeds a script",
           (m('"assets/planets"', '"validation"'),), at="assets ="),
    Broken(Code.NEVER_SEEDED, "no asset seeds everything", (m('"assets/planets"', '"."'),),
           at="assets ="),
    Broken(Code.NEVER_SEEDED, "no asset seeds a mockup",
           (m('"assets/planets"', '"reference/speed.html"'),), at="assets ="),
    Broken(Code.NEVER_SEEDED, "no workspace seeds a reference implementation",
           (m('"workspaces/base"', '"reference-impl"'),), at="workspace ="),
    Broken(Code.NEVER_SEEDED, "no workspace lies in a reference implementation",
           (v('"workspaces/fast"', '"reference-impl/fast"'),), at="workspace ="),
    Broken(Code.NEVER_SEEDED, "no spec seeds the changelog",
           (m('source = "specs/overview.md"', 'source = "changelog.md"'),),
           at='source = "changelog.md"'),
    Broken(Code.NEVER_SEEDED, "no spec seeds the manifest",
           (m('source = "specs/overview.md"', 'source = "test-case.toml"'),),
           at='source = "test-case.toml"'),
    Broken(Code.NEVER_SEEDED, "no asset seeds a variant file",
           (m('"assets/planets"', '"variants/base.toml"'),), at="assets ="),
    Broken(Code.NEVER_SEEDED, "no asset seeds a baseline",
           (m('"assets/planets"', '"validation-baseline"'),), at="assets ="),
    Broken(Code.NEVER_SEEDED, "no asset seeds the errata",
           (m('"assets/planets"', '"errata.toml"'),), at="assets ="),
    Broken(Code.SEEDED_COLLISION, "two specs have two destinations",
           (m('dest = "specs/mode.md"', 'dest = "specs/overview.md"'),),
           at='dest = "specs/overview.md"'),
    Broken(Code.SEEDED_COLLISION, "case does not tell destinations apart",
           (m('dest = "specs/mode.md"', 'dest = "SPECS/Overview.md"'),), at="SPECS"),
    Broken(Code.SEEDED_COLLISION, "no spec lands on a workspace file",
           (m('dest = "specs/mode.md"', 'dest = "package.json"'),), at='dest = "package.json"'),
    Broken(Code.SEEDED_COLLISION, "no spec lands on a screenshot",
           (m('dest = "specs/mode.md"', 'dest = "reference/title.png"'),),
           at='view = "title"'),
    Broken(Code.SEEDED_COLLISION, "a file is no folder",
           (m('dest = "specs/mode.md"', 'dest = "package.json/mode.md"'),), at="package.json/"),
    Broken(Code.SEEDED_COLLISION, "a variant's spec lands on no common one",
           (v('{ source = "specs/fast.md" }',
              '{ source = "specs/fast.md", dest = "specs/overview.md" }'),), at="overview.md"),
    Broken(Code.PROOF_COLLISION, "a proof is no seeded file",
           (m('dest = "proof/title.png"', 'dest = "assets/sky.png"'),),
           at='dest = "assets/sky.png"'),
    Broken(Code.PROOF_COLLISION, "two proofs have two destinations",
           (m('dest = "proof/flight.webm"', 'dest = "proof/Title.png"'),), at="Title.png"),
]  # fmt: skip

CONFLICTS = [
    Broken(Code.DUPLICATE_ID, "a variant's item has an id of its own",
           (v('[[review_item]]\nid = "speed"', '[[review_item]]\nid = "menu"'),),
           at='id = "menu"'),
    Broken(Code.DUPLICATE_ID, "a sub-item's id is unique in its item",
           (m('id = "far"', 'id = "near"'),), at='"Weaker when far"'),
    Broken(Code.DUPLICATE_ID, "a view is declared once",
           (v('view = "speed"', 'view = "title"'), v('reference = "speed"\n', "")),
           at='view = "title"'),
    Broken(Code.DUPLICATE_ID, "a proof's id is unique",
           (v('proof = [{ id = "speed"', 'proof = [{ id = "title"'), v('proof = "speed"\n', "")),
           at="proof ="),
    Broken(Code.DUPLICATE_ID, "a domain's id is unique",
           (v('[[domain]]\nid = "speed"', '[[domain]]\nid = "steering"'),
            v('domain = "speed"\n', "")), at='id = "steering"'),
    Broken(Code.DUPLICATE_ID, "an output's id is unique in its script",
           (m('{ id = "end", name', '{ id = "curve", name'),), at="near.mjs"),
    Broken(Code.DUPLICATE_ID, "a check's view is unique",
           (m("[[domain]]", '[[check]]\nview = "Title"\nreference = "title"\n\n[[domain]]'),),
           at='view = "Title"'),
    Broken(Code.DUPLICATE_ID, "an erratum's id is unique",
           (e("[[erratum]]", '[[erratum]]\nid = "Sound-late"\ntitle = "T"\nbody = "B"\n\n'
              "[[erratum]]"),), at='"sound-late"'),
    Broken(Code.DUPLICATE_ID, "a category's id is unique",
           (v('id = "speed"\ntitle', 'id = "menu"\ntitle'),), at='id = "menu"', categories=True),
    Broken(Code.DUPLICATE_ID, "an item's id is unique in its category",
           (m('id = "far"', 'id = "near" # again'),), at="# again", categories=True),
    Broken(Code.DUPLICATE_VARIANT, "a variant's slug is unique",
           (v('slug = "fast"', 'slug = "Base"'),), at="slug"),
    Broken(Code.DUPLICATE_VARIANT, "a variant is listed once",
           (m('"variants/fast.toml"]', '"variants/fast.toml", "variants/base.toml"]'),),
           at="variants ="),
    Broken(Code.ONE_OF, "a reference has not both path and media",
           (m('path = "reference/title.html"',
              'path = "reference/title.html"\nmedia = "reference/flight.mp4"'),),
           at="[[reference]]"),
    Broken(Code.ONE_OF, "a reference has path or media",
           (v('view = "speed", path = "reference/speed.html"', 'view = "speed"'),),
           at="reference = ["),
    Broken(Code.ONE_OF, "sub-items have one form",
           (m('text = "There is sound."',
              'text = "There is sound."\nsub_items = [{ id = "a", title = "A" }]'),),
           at="[[review_item.sub_item]]"),
    Broken(Code.TWO_GRAMMARS, "a checklist has one grammar",
           (m("[review]\n", '[[review_item]]\nid = "x"\ntitle = "X"\ntext = "X"\nweight = 1\n\n'
              "[review]\n"),), at="[[review_item]]", categories=True),
    Broken(Code.TWO_GRAMMARS, "a variant follows the categories grammar",
           (v("[[domain]]", '[[review_item]]\nid = "x"\ntitle = "X"\ntext = "X"\nweight = 1\n\n'
              "[[domain]]"),), at="[[review_item]]", categories=True),
    Broken(Code.TWO_GRAMMARS, "a variant follows the legacy grammar",
           (v("[[domain]]", '[[review.categories]]\nid = "c"\ntitle = "C"\n'
              'items = [{ id = "i", title = "I" }]\n\n[[domain]]'),), at="[[review.categories]]"),
    Broken(Code.UNKNOWN_REFERENCE, "an item's reference exists",
           (m('reference = "flight"\nproof', 'reference = "flihgt"\nproof'),), at="flihgt"),
    Broken(Code.UNKNOWN_REFERENCE, "a common item's reference exists in every variant",
           (m('reference = "flight"\nproof', 'reference = "speed"\nproof'),),
           at='reference = "speed"'),
    Broken(Code.UNKNOWN_REFERENCE, "a check's reference exists",
           (m('reference = "title"\nactions', 'reference = "titel"\nactions'),), at="titel"),
    Broken(Code.UNKNOWN_REFERENCE, "a check's reference exists in every variant",
           (m('reference = "title"\nactions', 'reference = "speed"\nactions'),),
           at='reference = "speed"'),
    Broken(Code.UNKNOWN_REFERENCE, "a category item's reference exists",
           (m('reference = "flight"\nproof', 'reference = "flihgt"\nproof'),), at="flihgt",
           categories=True),
    Broken(Code.NOT_RENDERED, "a check compares with a rendered reference",
           (m('reference = "title"\nactions', 'reference = "flight"\nactions'),),
           at='reference = "flight"'),
    Broken(Code.UNKNOWN_PROOF, "an item's proof exists",
           (m('proof = "flight"', 'proof = "fligth"'),), at="fligth"),
    Broken(Code.UNKNOWN_PROOF, "a common item's proof exists in every variant",
           (m('proof = "flight"', 'proof = "speed"'),), at='proof = "speed"'),
    Broken(Code.UNKNOWN_PROOF, "a category item's proof exists",
           (m('proof = "flight"', 'proof = "fligth"'),), at="fligth", categories=True),
    Broken(Code.UNKNOWN_DOMAIN, "an item's domain exists",
           (m('domain = "steering"', 'domain = "stering"'),), at="stering"),
    Broken(Code.UNKNOWN_DOMAIN, "a common item's domain is common",
           (m('domain = "steering"', 'domain = "speed"'),), at='domain = "speed"'),
    Broken(Code.UNKNOWN_DOMAIN, "a variant's item names its own domain or a common one",
           ((BASE, 'slug = "base"\n',
             'slug = "base"\n[[review_item]]\nid = "i"\ntitle = "I"\ntext = "T"\nweight = 1\n'
             'domain = "speed"\n'),), at='domain = "speed"'),
    Broken(Code.UNKNOWN_PACKAGE, "a package is shippable",
           (m("packages = []", 'packages = ["@test-cabinet/particle-runtime"]'),),
           at="packages"),
    Broken(Code.VALIDATION_ON_ITEM, "an item with sub-items has no validation of its own",
           (m('text = "There is sound."',
              'text = "There is sound."\nvalidation = { script = "validation/near.mjs" } # whole'),
            ), at="# whole"),
    Broken(Code.TWO_VIDEOS, "a script records one video",
           (m('name = "The end", kind = "image"', 'name = "The end", kind = "video"'),),
           at="near.mjs"),
    Broken(Code.SCRIPT_REUSED, "under categories a script drives one item",
           (m("validation/menu.mjs", "validation/../validation/near.mjs"),), at="../validation",
           categories=True),
    Broken(Code.NO_INSTRUMENTATION, "a script needs a handle",
           (m('[instrumentation]\nhandle = "__comet"\ntick_hz = 60\n', ""),), at="near.mjs"),
    Broken(Code.UNKNOWN_VARIANT, "an erratum's variant exists", (e('"base"', '"bas"'),),
           at="variant"),
    Broken(Code.UNKNOWN_VERDICT, "an erratum's point exists",
           (e('variant = "base"', 'review = "sound.crush"'),), at="review"),
    Broken(Code.UNKNOWN_VERDICT, "an erratum names a point, not an item with sub-items",
           (e('variant = "base"', 'review = "sound"'),), at="review"),
    Broken(Code.UNKNOWN_VERDICT, "an erratum's point is its variant's",
           (e('variant = "base"', 'variant = "base"\nreview = "speed"'),), at="review"),
    Broken(Code.NOTHING_TO_EXCLUDE, "an exclusion names its point",
           (e('variant = "base"', "exclude_from_score = true"),), at="exclude_from_score"),
]  # fmt: skip


def written(case: Authored, edits: tuple[Edit, ...]) -> Authored:
    for file, old, new in edits:
        case.edit(file, old, new)
    return case


@pytest.mark.parametrize("kept", KEPT, ids=lambda k: k.sentence)
def test_what_keeps_the_rules_resolves_without_a_word(kept: Kept, tmp_path: Path) -> None:
    case = written(author(tmp_path, categories=kept.categories), kept.edits)

    found = case.resolution()

    assert found.diagnostics == ()
    assert found.case is not None


@pytest.mark.parametrize(
    "broken", [*SHAPES, *PATHS, *CONFLICTS], ids=lambda b: f"{b.code}: {b.sentence}"
)
def test_what_breaks_a_rule_is_told_at_its_line(broken: Broken, tmp_path: Path) -> None:
    case = written(author(tmp_path, categories=broken.categories), broken.edits)
    file = broken.file or broken.edits[0][0]

    found = case.resolution()

    assert found.case is None
    errors = [d for d in found.diagnostics if d.severity == "error"]
    assert [(d.code.value, d.place.file, d.place.line) for d in errors] == [
        (broken.code.value, case.shown(file), case.line_of(file, broken.at))
    ]
    assert errors[0].help
