"""Files that are no documents, links that lead astray: a diagnostic each, never a crash."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.catalog.authoring import BASE, FAST, MANIFEST, Authored, author


def found(case: Authored) -> list[tuple[str, str, int, int]]:
    return [(d.code, d.place.file, d.place.line, d.place.column) for d in case.diagnostics()]


@pytest.mark.parametrize("file", [MANIFEST, FAST, "errata.toml"])
@pytest.mark.parametrize(
    ("content", "code", "line", "column"),
    [
        (b'a = "b"\nc = \n', "syntax", 2, 5),
        (b'a = "\xc3\xa9\xc3\xa9" x\n', "syntax", 1, 10),
        (b"a = 1\na = 2\n", "syntax", 2, 1),
        (b"a = 1\n\n[t\n", "syntax", 3, 3),
        (b"a = " + b"[" * 100_000, "syntax", 1, 85),
        (b"# \xc3\xa9\nb = '\xff'\n", "not-utf8", 2, 6),
        (b"\x00\x01\x02\x7fELF", "syntax", 1, 8),
        (b"#" * (2 << 20), "too-large", 1, 1),
    ],
)
def test_a_file_that_is_no_toml_is_told(
    tmp_path: Path, file: str, content: bytes, code: str, line: int, column: int
) -> None:
    case = author(tmp_path)
    case.write(file, content)
    assert found(case) == [(code, case.shown(file), line, column)]


def test_a_byte_order_mark_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.write(MANIFEST, b"\xef\xbb\xbf" + case.read(MANIFEST).encode())
    case.edit(MANIFEST, 'name = "Comet"', 'nam = "Comet"\nname = "C"')
    assert found(case) == [
        ("byte-order-mark", case.shown(MANIFEST), 1, 1),
        ("unknown-key", case.shown(MANIFEST), 2, 1),
    ]


def test_crlf_is_doubtful_and_resolves(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.write(MANIFEST, case.read(MANIFEST).replace("\n", "\r\n").encode())
    [warning] = case.diagnostics()
    assert (warning.severity, warning.code, warning.place.line) == ("warning", "crlf", 1)
    assert case.resolution().case is not None


def test_positions_count_lines_of_a_crlf_file(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, 'difficulty = "easy"', 'difficulty = "é"')
    text = case.read(MANIFEST)
    case.write(MANIFEST, text.replace("\n", "\r\n").encode())
    error = next(d for d in case.diagnostics() if d.severity == "error")
    assert (error.place.line, error.place.column, error.place.end_column) == (3, 14, 17)
    assert error.place.text == 'difficulty = "é"'


def a_link_to_nothing(case: Authored) -> None:
    (case.folder / "specs/fast.md").unlink()
    (case.folder / "specs/fast.md").symlink_to("nothing.md")


def a_link_to_itself(case: Authored) -> None:
    (case.folder / "specs/fast.md").unlink()
    (case.folder / "specs/fast.md").symlink_to("fast.md")


def a_link_out(case: Authored) -> None:
    (case.root / "outside.md").write_text("Write proof/speed.png.\n")
    (case.folder / "specs/fast.md").unlink()
    (case.folder / "specs/fast.md").symlink_to("../" * 6 + "outside.md")


def a_linked_folder_out(case: Authored) -> None:
    (case.root / "sub").mkdir()
    (case.folder / "specs").rename(case.root / "sub/specs")
    (case.folder / "specs").symlink_to(case.root / "sub/specs")


def a_pipe(case: Authored) -> None:
    (case.folder / "notes").unlink(missing_ok=True)
    os.mkfifo(case.folder / "notes")


@pytest.mark.parametrize(
    ("edit", "code", "file"),
    [
        (a_link_to_nothing, "broken-link", "specs/fast.md"),
        (a_link_to_itself, "broken-link", "specs/fast.md"),
        (a_link_out, "outside-folder", "specs/fast.md"),
        (a_linked_folder_out, "outside-folder", "specs"),
        (a_pipe, "special-file", "notes"),
    ],
)
def test_what_git_cannot_hold_or_leads_astray_is_told_once(
    tmp_path: Path, edit: Callable[[Authored], None], code: str, file: str
) -> None:
    case = author(tmp_path)
    edit(case)
    assert [(c, f) for c, f, _, _ in found(case)] == [(code, case.shown(file))]


def test_a_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    case = author(tmp_path)
    (case.folder / "texts").symlink_to("specs")
    case.edit(FAST, 'source = "specs/fast.md"', 'source = "texts/fast.md"')
    assert found(case) == []


def test_a_link_does_not_carry_what_is_never_seeded(tmp_path: Path) -> None:
    case = author(tmp_path)
    (case.folder / "assets/note.md").symlink_to("../changelog.md")
    case.edit(MANIFEST, '"assets/sky.png"', '"assets/note.md"')
    case.edit("specs/overview.md", "[the sky](../assets/sky.png)", "the sky")
    assert [c for c, _, _, _ in found(case)] == ["never-seeded"]


def test_a_link_inside_a_seeded_folder_is_refused(tmp_path: Path) -> None:
    case = author(tmp_path)
    (case.folder / "workspaces/base/README.md").symlink_to("../../description.md")
    assert [(c, line) for c, _, line, _ in found(case)] == [
        ("seeded-link", case.line_of(MANIFEST, "workspace ="))
    ]


@pytest.mark.parametrize("below", [".git/config", "sub/.git", ".GIT/HEAD"])
def test_git_metadata_in_a_workspace_is_refused(tmp_path: Path, below: str) -> None:
    case = author(tmp_path)
    case.write(f"workspaces/base/{below}", "x")
    assert [(c, line) for c, _, line, _ in found(case)] == [
        ("bad-path", case.line_of(MANIFEST, "workspace ="))
    ]


@pytest.mark.parametrize("file", [MANIFEST, BASE])
def test_a_folder_in_place_of_a_document_is_told(tmp_path: Path, file: str) -> None:
    case = author(tmp_path)
    (case.folder / file).unlink()
    (case.folder / file).mkdir()
    assert "not-a-file" in [c for c, _, _, _ in found(case)]


def test_a_manifest_that_loops_is_told(tmp_path: Path) -> None:
    case = author(tmp_path)
    (case.folder / MANIFEST).unlink()
    (case.folder / MANIFEST).symlink_to(MANIFEST)
    assert [c for c, _, _, _ in found(case)] == ["broken-link", "unreadable"]


def test_every_fault_of_every_file_is_told_in_one_pass(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, 'difficulty = "easy"', 'difficulty = "eazy"')
    case.edit(MANIFEST, 'id = "menu"', 'id = "menu.x"')
    case.edit(MANIFEST, 'proof = "flight"', 'proof = "fligth"')
    case.edit(MANIFEST, '"prompt.hbs"', '"promt.hbs"')
    case.edit(FAST, 'domain = "speed"', 'domain = "sped"')
    case.edit("errata.toml", 'severity = "major"', 'severity = "huge"')
    case.write("specs/mode.md.hbs", "{{variant.nam}}\n")

    assert [(d.code, d.place.file.removeprefix(f"{case.name}/")) for d in case.diagnostics()] == [
        ("bad-value", "errata.toml"),
        ("template-unknown-name", "specs/mode.md.hbs"),
        ("bad-value", MANIFEST),
        ("no-such-file", MANIFEST),
        ("unknown-proof", MANIFEST),
        ("bad-id", MANIFEST),
        ("unknown-domain", FAST),
    ]


def test_a_faulty_entry_is_not_also_unknown_where_it_is_named(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, 'id = "flight"\ndest', 'id = "flight"\nwhen = "late"\ndest = 3 # ')
    assert [c for c, _, _, _ in found(case)] == ["unknown-key", "wrong-type"]


def test_entries_after_a_faulty_one_keep_their_places(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, '[[spec]]\nsource = "specs/overview.md"', "[[spec]]\nsource = 3")
    case.edit(MANIFEST, 'reference = "title"\nproof', 'reference = "titel"\nproof')
    assert [(c, line) for c, _, line, _ in found(case)] == [
        ("wrong-type", case.line_of(MANIFEST, "source = 3")),
        ("unknown-reference", case.line_of(MANIFEST, "titel")),
    ]


def test_an_entry_with_a_faulty_key_is_still_held_to_the_other_rules(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, 'id = "menu"\n', 'id = "menu."\n')
    case.edit(MANIFEST, 'reference = "title"\nproof', 'reference = "titel"\nproof')
    case.edit(MANIFEST, "weight = 2", "weight = 0")
    case.edit(MANIFEST, '"validation/near.mjs"', '"validation/nera.mjs"')
    case.edit(MANIFEST, 'name = "The end", kind = "image"', 'name = "The end", kind = "sound"')
    assert sorted((c, line) for c, _, line, _ in found(case)) == sorted(
        [
            ("bad-id", case.line_of(MANIFEST, 'id = "menu."')),
            ("unknown-reference", case.line_of(MANIFEST, "titel")),
            ("not-positive", case.line_of(MANIFEST, "weight = 0")),
            ("no-such-file", case.line_of(MANIFEST, "nera.mjs")),
            ("bad-value", case.line_of(MANIFEST, "nera.mjs")),
        ]
    )


def test_what_names_an_entry_with_a_faulty_id_is_not_faulty_too(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, 'id = "steering"', 'id = "steer.ing"')
    case.edit(MANIFEST, 'domain = "steering"', 'domain = "steer.ing"')
    assert [c for c, _, _, _ in found(case)] == ["bad-id"]
