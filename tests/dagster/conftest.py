"""A small catalog, a home, and an instance, all temporary."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from resources import HomeResource
from tests.dagster.small_catalog import SmallCatalog


@pytest.fixture
def catalog(tmp_path: Path) -> SmallCatalog:
    return SmallCatalog(tmp_path / "checkout")


@pytest.fixture
def home_resource(catalog: SmallCatalog, tmp_path: Path) -> HomeResource:
    return HomeResource(checkout=str(catalog.checkout), home=str(tmp_path / "home"))


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance
