"""What a run produced never becomes markup on Dagster's pages."""

import re
from pathlib import Path

import pytest

from assets import markdown as md


@pytest.mark.parametrize(
    "hostile",
    [
        "<img src=x onerror=alert(1)>",
        "[click](javascript:alert(1))",
        "![](https://example.org/beacon.png)",
        "a | b",
        "**bold** _it_ `code`",
        "https://example.org/phish",
        "&lt;script&gt;",
        "trailing backslash \\",
    ],
)
def test_text_leaves_no_character_of_markup_unescaped(hostile: str) -> None:
    shown = md.text(hostile)

    assert "<" not in shown
    assert ">" not in shown
    unescaped = re.sub(r"\\[!-/:-@\[-`{-~]|&(?:lt|gt|amp);", "", shown)
    assert not re.search(r"[\\`*_\[\]()#!|~<>&:/]", unescaped)


def test_text_is_one_line_without_control_or_direction_characters() -> None:
    assert md.text("a\nb\tc\x1b[31m \u202eevil") == "a b c\ufffd\\[31m \ufffdevil"


def test_text_is_cut_where_it_is_long() -> None:
    assert len(md.text("x" * 1000)) == md.LONGEST


def test_a_code_block_cannot_be_closed_from_within() -> None:
    shown = md.code("before\n```\n# heading\n````\nafter")

    assert shown.splitlines()[0] == "`````"
    assert shown.splitlines()[-1] == "`````"


def test_a_code_block_keeps_the_end_of_a_long_log() -> None:
    shown = md.code("\n".join(str(n) for n in range(1000)), lines=3)

    assert shown.splitlines() == ["```", "997", "998", "999", "```"]


def test_a_hostile_cell_stays_one_cell() -> None:
    row = md.table(["a", "b"], [[md.text("x | y\n| z"), "2"]]).splitlines()[2]

    assert len(re.findall(r"(?<!\\)\|", row)) == 3


def test_a_picture_is_inlined_and_its_caption_escaped(tmp_path: Path) -> None:
    jpeg = tmp_path / "a.jpg"
    jpeg.write_bytes(b"\xff\xd8\xff")

    assert md.picture(jpeg, "](x)") == r"![\]\(x\)](data:image/jpeg;base64,/9j/)"
