"""Sandboxes to test with, on each engine: the one that is there, and a Podman of our own."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.engine_sandbox import EngineSandbox
from tests.containers.sandboxing import IMAGE, StartSandbox, spec

ROOT = Path(__file__).resolve().parents[2]
PODMAN_STATE = Path("/run/tcab/podman")


@pytest.fixture(scope="session")
def podman() -> Iterator[docker.APIClient]:
    """The API of a Podman service, started where none is up, and then ended."""
    socket = PODMAN_STATE / "podman.sock"
    was_up = subprocess.run(
        ["curl", "-sf", "--unix-socket", socket, "http://podman/_ping"], capture_output=True
    )
    _script("podman-up.sh")
    api = docker.APIClient(base_url=f"unix://{socket}", version="auto", timeout=180)
    yield api
    api.close()
    if was_up.returncode != 0:
        _script("podman-down.sh")


def _script(name: str) -> None:
    done = subprocess.run(
        ["bash", ROOT / "scripts" / name, PODMAN_STATE], capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.fail(f"{name}: {done.stdout}{done.stderr}")


@pytest.fixture(scope="session")
def podman_runtime(
    podman: docker.APIClient, engine: docker.APIClient, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EngineRuntime]:
    if not podman.images(name=IMAGE):
        podman.load_image(engine.get_image(IMAGE))
    yield from _opened(podman, tmp_path_factory.mktemp("podman-locks"))


@pytest.fixture(scope="session")
def docker_runtime(
    engine: docker.APIClient, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EngineRuntime]:
    if not engine.images(name=IMAGE):
        pytest.fail(f"{IMAGE} is not in the engine: build it with `tcab images build`")
    yield from _opened(engine, tmp_path_factory.mktemp("docker-locks"))


def _opened(api: docker.APIClient, locks: Path) -> Iterator[EngineRuntime]:
    runtime = EngineRuntime(api, f"test-{uuid.uuid4().hex[:12]}", locks)
    yield runtime
    left = runtime.sandboxes()
    for ref in left:
        runtime.remove(ref)
    assert not left, f"tests left sandboxes behind: {left}"


@pytest.fixture(scope="session", params=["docker", "podman"])
def each_runtime(request: pytest.FixtureRequest) -> EngineRuntime:
    """Every engine in turn."""
    runtime = request.getfixturevalue(f"{request.param}_runtime")
    assert isinstance(runtime, EngineRuntime)
    return runtime


@pytest.fixture
def start(each_runtime: EngineRuntime) -> Iterator[StartSandbox]:
    """Starts sandboxes that are stopped at the test's end."""
    started: list[EngineSandbox] = []

    def start_one(*args: object, **keywords: object) -> EngineSandbox:
        sandbox = each_runtime.start(spec(*args, **keywords))  # type: ignore[arg-type]
        started.append(sandbox)
        return sandbox

    yield start_one
    for sandbox in started:
        sandbox.stop()


@pytest.fixture(scope="module")
def sandbox(each_runtime: EngineRuntime) -> Iterator[EngineSandbox]:
    """One sandbox for those tests of a module that leave it as it was."""
    started = each_runtime.start(spec())
    yield started
    started.stop()
