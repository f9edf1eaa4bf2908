"""The instruction, exactly as a harness is handed it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tcab_dagster.catalog import load_catalog
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.seeding import render_prompt
from tcab_dagster.templating import (
    SPEC_SHAPE,
    check,
    prompt_context,
    prompt_shape,
    shape_of,
    spec_context,
)
from tests.seeding.cases import jam


def test_it_names_the_seeded_specs_in_their_order(case: CaseVersion) -> None:
    prompt = render_prompt(case, case.variant(), max_runtime_hours=0.5)

    assert prompt == (
        "In /work:\n- /work/specs/overview.md (overview)\n- /work/specs/rules.md (rules)\n"
    )


def test_an_absent_description_is_empty(case: CaseVersion) -> None:
    (case.folder / "prompt.hbs").write_text("{{#if variant.description}}x{{else}}none{{/if}}")

    assert render_prompt(case, case.variant(), max_runtime_hours=1) == "none"
    described = replace(case.variant(), description="Faster & <faster>")
    assert render_prompt(case, described, max_runtime_hours=1) == "x"


@pytest.mark.parametrize(
    ("hours", "shown", "stated"),
    [
        (0.5, "0.5", "0.5 hours"),
        (1.0, "1", "1 hour "),
        (1.5, "1.5", "1.5 hours"),
        (24, "24", "24 h"),
    ],
)
def test_a_jams_prompt_starts_with_the_directive_and_the_runs_own_cap(
    hours: float, shown: str, stated: str, case: CaseVersion
) -> None:
    brief = jam(case.folder, "Theme: tides. {{time_limit_hours}} in {{workspace}}.")

    prompt = render_prompt(brief, brief.variant(), max_runtime_hours=hours)

    directive, theme = prompt.rsplit("\n\n", 1)
    assert theme == f"Theme: tides. {shown} in /work."
    assert directive.startswith("This is a game jam.")
    assert stated in directive
    for demand in ("complete", "playable", "enjoyable", "theme", "static site", "README"):
        assert demand in directive


@pytest.mark.parametrize("type", ["end-to-end", "game-jam"])
def test_what_the_catalog_checks_against_is_what_is_rendered_with(
    type: str, case: CaseVersion
) -> None:
    typed = jam(case.folder, "") if type == "game-jam" else case
    context = prompt_context(typed, typed.variant(), max_runtime_hours=0.5)

    assert shape_of(context) == prompt_shape(typed.type)
    assert shape_of(spec_context(typed, typed.variant())) == SPEC_SHAPE


def test_the_catalogs_own_templates_are_without_fault() -> None:
    case = load_catalog(Path(__file__).parents[2]).find("pong")

    prompt = (case.folder / case.prompt).read_text()
    assert check(prompt, prompt_shape(case.type)) == []
    for variant in case.variants:
        rendered = render_prompt(case, variant, max_runtime_hours=case.max_runtime_hours)
        assert all(f"/work/{spec.dest}" in rendered for spec in variant.specs)
        for spec in variant.specs:
            if spec.is_template:
                assert check((case.folder / spec.source).read_text(), SPEC_SHAPE) == []
