"""Every rule of the manifests: what keeps it resolves, what breaks it is told at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.authoring import author
from tests.catalog.rules import BROKEN, KEPT, Broken, Kept, written


@pytest.mark.parametrize("kept", KEPT, ids=lambda k: k.sentence)
def test_what_keeps_the_rules_resolves_without_a_word(kept: Kept, tmp_path: Path) -> None:
    case = written(author(tmp_path, categories=kept.categories), kept.edits)

    found = case.resolution()

    assert found.diagnostics == ()
    assert found.case is not None


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: f"{b.code}: {b.sentence}")
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
