"""The page for authors says every key, and its examples are true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tcab_dagster.catalog import manifest

PAGE = (Path(__file__).parents[2] / "docs/author-a-case.md").read_text()
TABLES = [
    value
    for value in vars(manifest).values()
    if isinstance(value, type) and issubclass(value, manifest.Table)
]


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.__name__)
def test_the_page_names_every_key(table: type[manifest.Table]) -> None:
    code = " ".join(re.findall(r"```.*?```|`[^`]+`", PAGE, re.DOTALL))
    for key in table.model_fields:
        assert re.search(rf"\b{key}\b", code), key


def test_the_pages_manifests_are_valid() -> None:
    examples = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2
    for text in examples:
        values = tomllib.loads(text)
        for item in values.get("review_item", []):
            manifest.ReviewItemTable.model_validate(item)
        for erratum in values.get("erratum", []):
            manifest.ErratumTable.model_validate(erratum)
