"""Whatever is done to a valid manifest: no crash, no wrong line, no nonsense accepted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tcab_dagster.catalog.diagnostics import Code, Diagnostic, Place, render_diagnostics
from tcab_dagster.catalog.model import CaseVersion
from tests.catalog.authoring import FAST, MANIFEST, Authored, author
from tests.catalog.rules import BROKEN, Broken, written

ERRATA = "errata.toml"
VALUES = st.sampled_from(
    ['""', '"x"', '"../x"', '"a.b"', "0", "-1", "2", "1e3", "nan", "true", "[]", "[[]]", "{}",
     "[{}]", '["x", 1]', "1979-05-27", '{ id = "a" }', '"""\nlong\n"""', "'\\'", '"é漢"', "=", "]",
     '[{ id = "a", title = "b" }, 3]', '{ a = { b = [{ c = 1 }] } }', "2024-13-45", "0x_"]
)  # fmt: skip
KEYS = st.sampled_from(
    ["slug", "id", "view", "dest", "variants", "review", "review_item", "sub_item", "sub_items",
     "validation", "format", "type", "weight", "actions", "kind", "x-y", '"quoted key"', "a.b.c",
     "build", "build.install", "domain"]
)  # fmt: skip
LINES = st.integers(min_value=0, max_value=200)


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(LINES) % len(lines)
        match draw(st.sampled_from(["drop", "repeat", "swap", "value", "key", "add", "table",
                                    "cut"])):  # fmt: skip
            case "drop" if len(lines) > 1:
                del lines[at]
            case "repeat":
                lines.insert(at, lines[draw(LINES) % len(lines)])
            case "swap":
                other = draw(LINES) % len(lines)
                lines[at], lines[other] = lines[other], lines[at]
            case "value" if "=" in lines[at]:
                lines[at] = f"{lines[at].split('=')[0]}= {draw(VALUES)}"
            case "key" if "=" in lines[at]:
                lines[at] = f"{draw(KEYS)} ={lines[at].split('=', 1)[1]}"
            case "add":
                lines.insert(at, f"{draw(KEYS)} = {draw(VALUES)}")
            case "table":
                key = draw(KEYS)
                lines.insert(at, draw(st.sampled_from([f"[{key}]", f"[[{key}]]"])))
            case "cut":
                lines[at] = lines[at][: draw(st.integers(0, 20))]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def cases() -> Iterator[dict[bool, Authored]]:
    """Both grammars, on disk once: an example rewrites one file and puts it back."""
    with tempfile.TemporaryDirectory() as folder:
        yield {
            categories: author(Path(folder) / str(categories), categories=categories)
            for categories in (False, True)
        }


@pytest.mark.parametrize("file", [MANIFEST, FAST, ERRATA])
@pytest.mark.parametrize("categories", [False, True])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_mutated_document_resolves_or_says_why_at_its_lines(
    cases: dict[bool, Authored], file: str, categories: bool, data: st.DataObject
) -> None:
    case = cases[categories]
    valid = case.read(file)
    text = data.draw(mutated(valid))
    try:
        case.write(file, text)
        found = case.resolution()
        case.write(file, f"# a comment\n{text}")
        moved = case.resolution()
    finally:
        case.write(file, valid)

    errors = [d for d in found.diagnostics if d.severity == "error"]
    assert (found.case is None) == bool(errors)
    if found.case is not None:
        assert_is_sound(found.case)
    assert render_diagnostics(found.diagnostics).count("[") >= len(found.diagnostics)
    for diagnostic in found.diagnostics:
        assert_is_in_its_file(case, file, text, diagnostic)
    assert sorted(map(str, moved.diagnostics)) == sorted(
        str(one_line_down(d, case.shown(file))) for d in found.diagnostics
    )


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: f"{b.code}: {b.sentence}")
def test_a_comment_in_front_moves_every_line_by_one(broken: Broken, tmp_path: Path) -> None:
    case = written(author(tmp_path, categories=broken.categories), broken.edits)
    before = case.diagnostics()
    file = broken.edits[0][0]
    case.write(file, f"# a comment\n{case.read(file)}")
    assert sorted(map(str, case.diagnostics())) == sorted(
        str(one_line_down(d, case.shown(file))) for d in before
    )


def assert_is_sound(case: CaseVersion) -> None:
    for variant in case.variants:
        verdicts = [point.verdict_id for point in variant.points]
        views = {r.view: r for r in variant.references}
        proofs = {proof.id for proof in variant.proofs}
        dests = [d.dest for d in (*variant.specs, *variant.references, *variant.proofs)]
        assert len(set(verdicts)) == len(verdicts)
        assert len({dest.casefold() for dest in dests}) == len(dests)
        assert all(point.weight > 0 for point in variant.points)
        assert all(point.reference in {None, *views} for point in variant.points)
        assert all(point.proof in {None, *proofs} for point in variant.points)
        assert all(point.domain in {None, *(d.id for d in variant.domains)}
                   for point in variant.points)  # fmt: skip
        assert all(views[check.reference].path is not None for check in variant.checks)
        assert all((case.folder / spec.source).is_file() for spec in variant.specs)
        assert variant.domains
    assert all(e.review is not None for e in case.errata if e.exclude_from_score)


def one_line_down(diagnostic: Diagnostic, file: str) -> Diagnostic:
    """What a comment at the file's start makes of it. A key that the document itself lacks is
    told at the document's start, wherever that is."""

    def down(place: Place) -> Place:
        if place.file != file or place.text is None:
            return place
        is_start = (place.line, place.column, place.end_line, place.end_column) == (1, 1, 1, 1)
        if is_start and diagnostic.code in (Code.MISSING_KEY, Code.BYTE_ORDER_MARK):
            return replace(place, text="# a comment")
        return replace(place, line=place.line + 1, end_line=place.end_line + 1)

    return replace(
        diagnostic,
        place=down(diagnostic.place),
        related=tuple(replace(r, place=down(r.place)) for r in diagnostic.related),
    )


def assert_is_in_its_file(case: Authored, file: str, text: str, diagnostic: Diagnostic) -> None:
    place = diagnostic.place
    if place.text is None or place.file != case.shown(file):
        return
    lines = text.split("\n")
    assert 1 <= place.line <= place.end_line <= len(lines)
    assert lines[place.line - 1] == place.text
    assert 1 <= place.column <= len(place.text) + 2
