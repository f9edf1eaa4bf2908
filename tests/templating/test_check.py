"""What `check` tells the catalog: every fault of a template, each at its place."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tcab_dagster.templating import SPEC_SHAPE, TemplateProblem, check, prompt_shape


def places(problems: list[TemplateProblem]) -> list[tuple[int, int, int, int, str]]:
    return [(p.line, p.column, p.end_line, p.end_column, p.code) for p in problems]


def test_every_fault_is_reported_in_one_pass_and_in_order() -> None:
    source = "{{vesion}}\n{{#if variant.nme}}\n  {{> footer}}\n{{/each}}\n"

    assert places(check(source, SPEC_SHAPE)) == [
        (1, 3, 1, 9, "template-unknown-name"),
        (2, 1, 2, 20, "template-syntax"),
        (2, 7, 2, 18, "template-unknown-name"),
        (3, 3, 3, 15, "template-unsupported"),
        (4, 1, 4, 10, "template-syntax"),
    ]


def test_columns_count_characters_and_lines_end_as_windows_ends_them_too() -> None:
    assert places(check("é𝄞 {{x}}\r\n{{y}}", SPEC_SHAPE)) == [
        (1, 6, 1, 7, "template-unknown-name"),
        (2, 3, 2, 4, "template-unknown-name"),
    ]


def test_an_unknown_name_comes_with_the_names_that_exist() -> None:
    (problem,) = check("{{variant.nmae}}", SPEC_SHAPE)

    assert problem.message == "there is no `nmae` in `variant`"
    assert problem.help == "did you mean `name`? there are `description`, `name`, `slug`"


def test_names_within_a_loop_are_checked_against_the_item() -> None:
    (problem,) = check("{{#each specs}}{{dest}}{{pth}}{{/each}}", prompt_shape("end-to-end"))

    assert problem.help == "did you mean `path`? there are `dest`, `name`, `path`"


@pytest.mark.parametrize("name", ["variant.name", "specs"])
def test_a_jam_has_neither_variants_nor_specs(name: str) -> None:
    source = f"{{{{#if {name}}}}}{{{{/if}}}}{{{{workspace}}}} {{{{time_limit_hours}}}}"

    (problem,) = check(source, prompt_shape("game-jam"))

    assert problem.help == "there are `time_limit_hours`, `workspace`"


def test_a_spec_is_told_nothing_of_the_run() -> None:
    assert len(check("{{workspace}}{{specs}}{{version}}{{variant.slug}}", SPEC_SHAPE)) == 2


def test_checking_never_loads_pybars3_whose_grammars_take_most_of_a_second() -> None:
    program = (
        "import sys; from tcab_dagster.templating import check, SPEC_SHAPE;"
        "check('{{#if version}}x{{/if}}', SPEC_SHAPE); assert 'pybars' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], check=True)
