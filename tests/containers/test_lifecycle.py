"""Sandboxes from their start to their end: nothing is left, and nobody else's is touched."""

from __future__ import annotations

import io
import tarfile
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import pytest

from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.engine_sandbox import EngineSandbox
from tcab_dagster.containers.protocol import (
    LABEL_INSTALLATION,
    SandboxError,
    SandboxLost,
    SandboxSpec,
)
from tests.containers.sandboxing import IMAGE, StartSandbox, run, spec

pytestmark = pytest.mark.engine


@pytest.fixture
def alone(each_runtime: EngineRuntime, tmp_path: Path) -> EngineRuntime:
    """A runtime of an installation that has nothing yet."""
    return EngineRuntime(each_runtime.api, f"test-{uuid.uuid4().hex[:12]}", tmp_path)


def left_of(runtime: EngineRuntime) -> list[object]:
    """Containers and networks with the installation's label, whoever lists them."""
    label = {"label": [f"{LABEL_INSTALLATION}={runtime._installation}"]}
    api = runtime.api
    return [*api.containers(all=True, filters=label), *api.networks(filters=label)]


def test_a_stopped_sandbox_leaves_no_container_and_no_network(alone: EngineRuntime) -> None:
    first, second = alone.start(spec("egress")), alone.start(spec("egress"))
    assert len(left_of(alone)) == 3

    first.stop()
    assert len(left_of(alone)) == 2
    second.stop()
    second.stop()

    assert left_of(alone) == []


def test_a_stopped_sandbox_leaves_no_volume(alone: EngineRuntime) -> None:
    dockerfile = io.BytesIO(f"FROM {IMAGE}\nVOLUME /work\n".encode())
    tag = f"test-volume-{uuid.uuid4().hex[:8]}"
    list(alone.api.build(fileobj=dockerfile, tag=tag, rm=True, decode=True))
    try:
        sandbox = alone.start(spec(image=f"{tag}:latest"))
        mounts = alone.api.inspect_container(sandbox.id)["Mounts"]
        volumes = {m["Name"] for m in mounts if m["Type"] == "volume"}
        sandbox.stop()
        kept = {v["Name"] for v in alone.api.volumes()["Volumes"] or []}
    finally:
        alone.api.remove_image(tag, force=True)

    assert len(volumes) == 1
    assert not volumes & kept


def test_a_sandbox_stops_under_a_running_command(alone: EngineRuntime) -> None:
    sandbox = alone.start(spec())
    threading.Timer(0.7, sandbox.stop).start()

    with pytest.raises(SandboxLost):
        run(sandbox, "sleep 60")

    sandbox.stop()
    assert left_of(alone) == []


def test_sandboxes_are_listed_by_run_and_removed_by_reference(alone: EngineRuntime) -> None:
    wanted = spec("egress")
    sandbox, other = alone.start(wanted), alone.start(spec())

    listed = alone.sandboxes(wanted.run_id)
    assert [(r.id, r.run_id, r.role) for r in listed] == [(sandbox.id, wanted.run_id, "agent")]
    assert {r.id for r in alone.sandboxes()} == {sandbox.id, other.id}
    assert sandbox.labels()[LABEL_INSTALLATION] == alone._installation

    for ref in alone.sandboxes():
        alone.remove(ref)
        alone.remove(ref)

    assert left_of(alone) == []


def test_another_installation_s_sandboxes_are_not_ours(
    alone: EngineRuntime, sandbox: EngineSandbox
) -> None:
    assert sandbox.id not in {r.id for r in alone.sandboxes()}


def test_a_local_image_is_pinned_by_its_id(
    start: StartSandbox, each_runtime: EngineRuntime
) -> None:
    expected = each_runtime.api.inspect_image(IMAGE)["Id"]

    assert start().image_digest().removeprefix("sha256:") == expected.removeprefix("sha256:")


def test_a_missing_local_image_says_how_to_get_it(alone: EngineRuntime) -> None:
    image = "test-cabinet-nothing:latest"

    with pytest.raises(SandboxError, match="tcab images build nothing") as on_pull:
        alone.ensure_image(image, lambda _line: None)
    with pytest.raises(SandboxError, match="TCAB_CONTAINER_REGISTRY") as on_start:
        alone.start(spec("egress", image=image))

    assert "\n" not in str(on_pull.value) + str(on_start.value)
    assert left_of(alone) == []


@pytest.fixture
def bare_image(each_runtime: EngineRuntime) -> Iterator[str]:
    """An image of one empty folder: nothing in it can run."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        entry = tarfile.TarInfo("empty")
        entry.type = tarfile.DIRTYPE
        tar.addfile(entry)
    name = f"test-bare-{uuid.uuid4().hex[:8]}"
    each_runtime.api.import_image_from_data(archive.getvalue(), repository=name, tag="latest")
    yield f"{name}:latest"
    each_runtime.api.remove_image(f"{name}:latest", force=True)


def test_an_image_that_cannot_start_leaves_nothing(alone: EngineRuntime, bare_image: str) -> None:
    with pytest.raises(SandboxError) as caught:
        alone.start(spec("egress", image=bare_image))

    assert "\n" not in str(caught.value)
    assert left_of(alone) == []


def test_a_sandbox_without_its_rules_is_not_handed_out(
    alone: EngineRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tcab_dagster.containers.network.APPLY", "echo no rules here >&2; exit 4")

    with pytest.raises(SandboxError, match="no rules here"):
        alone.start(spec("egress"))

    assert left_of(alone) == []


def test_many_start_and_stop_at_once(alone: EngineRuntime) -> None:
    def live(_number: int) -> str:
        sandbox = alone.start(spec("egress"))
        try:
            return run(sandbox, "echo here").text
        finally:
            sandbox.stop()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(live, range(4))) == ["here"] * 4

    assert left_of(alone) == []


def test_an_engine_that_does_not_answer_is_a_lost_one(tmp_path: Path) -> None:
    api = docker.APIClient(base_url=f"unix://{tmp_path}/nobody.sock", version="1.41")

    with pytest.raises(SandboxLost, match="the container engine went away"):
        EngineRuntime(api, "test", tmp_path)


def test_the_spec_s_environment_is_there_for_every_command(each_runtime: EngineRuntime) -> None:
    wanted = spec()
    sandbox = each_runtime.start(
        SandboxSpec(wanted.run_id, "build", IMAGE, "none", environment={"ASKED": "for"})
    )
    try:
        assert run(sandbox, "echo $ASKED").text == "for"
    finally:
        sandbox.stop()
