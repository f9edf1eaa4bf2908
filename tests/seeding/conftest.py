"""The small case, its rendered screenshot, and where to seed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcab_dagster.catalog.model import CaseVersion
from tests.seeding.cases import marbles, write_files


@pytest.fixture
def case(tmp_path: Path) -> CaseVersion:
    folder = tmp_path / "catalog" / "v1.0.0"
    write_files(folder)
    return marbles(folder)


@pytest.fixture
def references(tmp_path: Path) -> Path:
    folder = tmp_path / "references"
    folder.mkdir()
    (folder / "title.png").write_bytes(b"\x89PNG title")
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "seeded" / "repository"
