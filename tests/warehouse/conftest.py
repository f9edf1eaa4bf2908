"""A home of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcab_dagster.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")
