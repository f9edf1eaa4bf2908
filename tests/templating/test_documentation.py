"""docs/templates.md says what is so: each of its rows is rendered, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tcab_dagster.templating import TemplateError, render
from tests.templating.oracle import Handlebars

DOCUMENT = (Path(__file__).parents[2] / "docs" / "templates.md").read_text()
CONTEXT = {
    "workspace": "/work",
    "variant": {"slug": "base", "name": "Base", "description": ""},
    "specs": [
        {"dest": "specs/rules.md", "path": "/work/specs/rules.md", "name": "rules"},
        {"dest": "specs/art.md", "path": "/work/specs/art.md", "name": "art"},
    ],
}


def examples(heading: str) -> list[str]:
    """The templates in the first column of the table below a heading."""
    section = DOCUMENT.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \| ", section, re.MULTILINE)
    return [
        found.replace("\\|", "|") for row in rows for found in re.findall(r"`([^`]+)`(?: |$)", row)
    ]


@pytest.mark.parametrize("template", examples("What is promised"))
def test_what_is_promised_renders_as_in_handlebars(template: str, handlebars: Handlebars) -> None:
    answer = handlebars.render(template, CONTEXT)

    assert answer.error is None
    assert render(template, CONTEXT, name="example") == answer.output


@pytest.mark.parametrize("template", examples("What is refused"))
def test_what_is_said_to_be_refused_is_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        render(template, CONTEXT, name="example")


def test_no_row_of_either_table_went_unread() -> None:
    assert len(examples("What is promised")) >= 20
    assert len(examples("What is refused")) >= 20
