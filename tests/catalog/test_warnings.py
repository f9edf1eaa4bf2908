"""The author's contract with the model: what a seeded text must say, and must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.catalog.authoring import MANIFEST, Authored, author

OVERVIEW = "specs/overview.md"


@dataclass(frozen=True)
class Doubtful:
    code: str
    edit: Callable[[Authored], None]
    file: str
    at: str
    column: int


def add(text: str) -> Callable[[Authored], None]:
    return lambda case: case.write(OVERVIEW, case.read(OVERVIEW) + text)


DOUBTFUL = {
    "a proof that no spec asks for": Doubtful(
        "proof-not-requested",
        lambda case: case.edit(OVERVIEW, "proof/title.png", "proof/menu.png"),
        MANIFEST,
        'dest = "proof/title.png"',
        8,
    ),
    "a handle that no spec names": Doubtful(
        "handle-not-named",
        lambda case: case.edit(OVERVIEW, "window.__comet", "window.debug"),
        MANIFEST,
        "handle =",
        10,
    ),
    "a link to a file that is not seeded": Doubtful(
        "unseeded-target", add("See é [it](sound.md#one).\n"), OVERVIEW, "sound.md", 12
    ),
    "a link to a mockup's source": Doubtful(
        "unseeded-target", add("![x](../reference/title.html)\n"), OVERVIEW, "title.html", 6
    ),
    "a link out of the repository": Doubtful(
        "unseeded-target", add("[x](../../secret.md)\n"), OVERVIEW, "secret.md", 5
    ),
    "the benchmark's name": Doubtful(
        "names-the-cabinet", add("Made for The Test  Cabinet.\n"), OVERVIEW, "Made for", 10
    ),
}


@pytest.mark.parametrize("doubtful", DOUBTFUL.values(), ids=DOUBTFUL.keys())
def test_a_doubtful_text_is_a_warning_at_its_place(doubtful: Doubtful, tmp_path: Path) -> None:
    case = author(tmp_path)
    doubtful.edit(case)

    found = case.resolution()

    assert found.case is not None
    assert [(d.severity, d.code, d.place.file, d.place.line, d.place.column) for d in
            found.diagnostics] == [
        ("warning", doubtful.code, case.shown(doubtful.file),
         case.line_of(doubtful.file, doubtful.at), doubtful.column)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.org/x.md) [b](mailto:a@b) [c](#here) [d](//host/x)\n",
        "[folder](../assets/planets) [file](../assets/planets/b/c.png) [self](overview.md)\n",
        "[shot](../reference/title.png) [clip](../reference/flight.mp4 'Flight')\n",
        "[proof](../proof/title.png) [from the root](/specs/mode.md)\n",
        "```\n[example](nowhere.md)\n```\nand `[this](nowhere.md)`\n",
        "[templated]({{variant.slug}}.md)\n",
        "Import @test-cabinet/particle-runtime.\n",
        "Test the cabinet's doors. A cabinet of tests.\n",
    ],
)
def test_what_a_seeded_text_may_say(text: str, tmp_path: Path) -> None:
    case = author(tmp_path)
    add(text)(case)
    assert case.diagnostics() == ()


def test_a_readme_of_the_workspace_is_read_too(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.write("workspaces/base/README.md", "See [the spec](specs/fast.md).\n")

    [found] = case.diagnostics()

    assert (found.code, found.place.file) == (
        "unseeded-target",
        case.shown("workspaces/base/README.md"),
    )


def test_a_seeded_file_that_is_no_text_is_no_fault(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.write("workspaces/base/binary.md", b"\xff\xfe\x00")
    assert case.diagnostics() == ()


def test_a_missing_spec_does_not_also_fail_to_ask_for_a_proof(tmp_path: Path) -> None:
    case = author(tmp_path)
    (case.folder / OVERVIEW).unlink()
    assert [d.code for d in case.diagnostics()] == ["no-such-file"]
