"""How a diagnostic reads: the whole text of every code, held by snapshots."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tcab_dagster.catalog import Code, Diagnostic, load_catalog, render_diagnostics
from tcab_dagster.catalog.diagnostics import Place, Related
from tcab_dagster.catalog.ingest import ingest
from tcab_dagster.catalog.store import Store
from tcab_dagster.home import Home
from tests.catalog.authoring import FAST, MANIFEST, Authored, author
from tests.catalog.rules import BROKEN, written


def of_catalog(edit: Callable[[Authored], object]) -> Callable[[Path], tuple[Diagnostic, ...]]:
    def scenario(root: Path) -> tuple[Diagnostic, ...]:
        edit(author(root))
        return load_catalog(root).diagnostics

    return scenario


def frozen(root: Path) -> tuple[Diagnostic, ...]:
    case = author(root / "checkout")
    home = Home.open(root / "home")
    ingest(home, case.root, in_use=frozenset())
    digest = Store(home).current("comet@v1.0.0").digest
    case.write("specs/fast.md", "Changed. Write proof/speed.png.\n")
    return ingest(home, case.root, in_use=frozenset(), frozen={"comet@v1.0.0": digest}).diagnostics


def replaced_by_link(path: str, target: str) -> Callable[[Authored], object]:
    def edit(case: Authored) -> None:
        (case.folder / path).unlink()
        (case.folder / path).symlink_to(target)

    return edit


def linked_case(case: Authored) -> None:
    case.folder.parent.rename(case.root / "comet")
    case.folder.parent.symlink_to(case.root / "comet")


def pipe(case: Authored) -> None:
    os.mkfifo(case.folder / "pipe")


def elsewhere(path: str, content: str = "") -> Callable[[Authored], object]:
    def edit(case: Authored) -> None:
        (case.root / path).parent.mkdir(parents=True, exist_ok=True)
        (case.root / path).write_text(content)

    return edit


SCENARIOS: dict[Code, Callable[[Path], tuple[Diagnostic, ...]]] = {
    Code.UNREADABLE: of_catalog(replaced_by_link(MANIFEST, MANIFEST)),
    Code.NOT_UTF8: of_catalog(lambda c: c.write(MANIFEST, b"slug = 'com\xffet'\n")),
    Code.BYTE_ORDER_MARK: of_catalog(
        lambda c: c.write(MANIFEST, b"\xef\xbb\xbf" + c.read(MANIFEST).encode())
    ),
    Code.CRLF: of_catalog(
        lambda c: c.write(MANIFEST, c.read(MANIFEST).replace("\n", "\r\n").encode())
    ),
    Code.TOO_LARGE: of_catalog(lambda c: c.write(FAST, b"#" * (2 << 20))),
    Code.SYNTAX: of_catalog(lambda c: c.edit(MANIFEST, 'name = "Comet"', 'name = "Comet')),
    Code.BROKEN_LINK: of_catalog(replaced_by_link("specs/fast.md", "gone.md")),
    Code.SPECIAL_FILE: of_catalog(pipe),
    Code.LINK_NOT_FOLLOWED: of_catalog(linked_case),
    Code.BAD_VERSION: of_catalog(lambda c: c.folder.rename(c.folder.parent / "v1.0")),
    Code.NO_MANIFEST: of_catalog(lambda c: (c.folder / MANIFEST).unlink()),
    Code.MISPLACED_MANIFEST: of_catalog(elsewhere(f"test-cases/end-to-end/easy/{MANIFEST}")),
    Code.WRONG_MANIFEST: of_catalog(
        elsewhere("test-cases/end-to-end/easy/jam/v1.0.0/game-jam.toml")
    ),
    Code.SLUG_MISMATCH: of_catalog(lambda c: author(c.root, version="v1.1.0", slug="kometa")),
    Code.DUPLICATE_SLUG: of_catalog(lambda c: author(c.root, "kometa")),
    Code.FROZEN_VERSION: frozen,
    Code.SEEDED_LINK: of_catalog(
        lambda c: (c.folder / "workspaces/base/x.md").symlink_to("../../description.md")
    ),
    Code.TEMPLATE_SYNTAX: of_catalog(lambda c: c.write("prompt.hbs", "Build\n{{#if workspace}}\n")),
    Code.TEMPLATE_UNSUPPORTED: of_catalog(
        lambda c: c.write("specs/mode.md.hbs", "{{> partial}}\n")
    ),
    Code.TEMPLATE_UNKNOWN_NAME: of_catalog(
        lambda c: c.write("prompt.hbs", "Build é {{variant.nmae}}.\n")
    ),
    Code.PROOF_NOT_REQUESTED: of_catalog(
        lambda c: c.edit("specs/overview.md", "proof/title.png", "it")
    ),
    Code.UNSEEDED_TARGET: of_catalog(
        lambda c: c.write("specs/fast.md", "Write proof/speed.png. See [it](speed.md).\n")
    ),
    Code.HANDLE_NOT_NAMED: of_catalog(
        lambda c: c.edit("specs/overview.md", "window.__comet", "it")
    ),
    Code.NAMES_THE_CABINET: of_catalog(
        lambda c: c.write("specs/fast.md", "Write proof/speed.png for the Test Cabinet.\n")
    ),
}


def diagnostics_of(code: Code, root: Path) -> tuple[Diagnostic, ...]:
    if code in SCENARIOS:
        return SCENARIOS[code](root)
    broken = next(b for b in BROKEN if b.code == code)
    written(author(root, categories=broken.categories), broken.edits)
    return load_catalog(root).diagnostics


@pytest.mark.parametrize("code", list(Code))
def test_every_code_reads_well(code: Code, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    found = [d for d in diagnostics_of(code, tmp_path) if d.code == code]

    assert found
    assert all(d.help for d in found)
    assert render_diagnostics(found) == snapshot


def test_in_color_the_words_are_the_same(tmp_path: Path) -> None:
    found = diagnostics_of(Code.SEEDED_COLLISION, tmp_path)
    colored = render_diagnostics(found, color=True)
    assert "\x1b[1;31merror[seeded-collision]\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render_diagnostics(found)


def test_nothing_found_is_nothing_said() -> None:
    assert render_diagnostics([]) == ""


def test_a_manifest_cannot_steer_the_terminal(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, 'difficulty = "easy"', "difficulty = 'e\x1b]0;owned'")
    shown = render_diagnostics(load_catalog(tmp_path).diagnostics)
    assert "\x1b" not in shown
    case.edit(MANIFEST, "difficulty = 'e\x1b]0;owned'", 'difficulty = "e\\u001b[31m"')
    shown = render_diagnostics(load_catalog(tmp_path).diagnostics)
    assert "bad-value" in shown
    assert "\x1b" not in shown


def test_the_caret_stands_below_wide_characters_and_tabs() -> None:
    place = Place("a.toml", 3, 8, 3, 11, '\t"漢字", é"x"')
    diagnostic = Diagnostic("error", Code.EMPTY, "m", place, related=(Related(place, "here"),))
    lines = render_diagnostics([diagnostic]).splitlines()
    shown, caret = lines[3], lines[4]
    assert shown == ' 3 |     "漢字", é"x"'
    assert caret == "   | " + " " * 12 + "^^^"
