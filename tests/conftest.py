"""What tests of every room share: a temporary home, and a real container engine.

Belongs here: fixtures that more than one room needs. Does not: any room's own. A missing engine
or image is a failure with its mend, never a skip.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.runtimes import open_engine
from tcab_dagster.home import Home

RUN_IMAGE = "test-cabinet-base-wasm:latest"
VALIDATOR_IMAGE = "test-cabinet-validator:latest"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A fresh `TCAB_HOME`."""
    return Home.open(tmp_path / "home")


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.APIClient]:
    """The API of the engine that `DOCKER_HOST` or a well-known socket names."""
    api = open_engine(os.environ)
    yield api
    api.close()


@pytest.fixture(scope="session")
def runtime(
    engine: docker.APIClient, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EngineRuntime]:
    """A runtime of an installation of its own, whose sandboxes are gone at the end."""
    installation = f"test-{uuid.uuid4().hex[:12]}"
    opened = EngineRuntime(engine, installation, tmp_path_factory.mktemp("locks"))
    yield opened
    left = opened.sandboxes()
    for ref in left:
        opened.remove(ref)
    assert not left, f"tests left sandboxes behind: {left}"


@pytest.fixture(scope="session")
def run_image(engine: docker.APIClient) -> str:
    """The end-to-end run image, built locally."""
    return _local_image(engine, RUN_IMAGE)


@pytest.fixture(scope="session")
def validator_image(engine: docker.APIClient) -> str:
    return _local_image(engine, VALIDATOR_IMAGE)


def _local_image(engine: docker.APIClient, image: str) -> str:
    if not engine.images(name=image):
        pytest.fail(f"{image} is not in the engine: build it with `tcab images build`")
    return image
