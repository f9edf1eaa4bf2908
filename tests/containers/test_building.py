"""Building images: what is out of date is built, and nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from tcab_dagster.containers import building
from tcab_dagster.containers.building import BuildFailed, build_images, context_digest
from tcab_dagster.errors import EnvironmentMissing
from tests.containers.sandboxing import IMAGE

BASE, WASM = "test-cabinet-base", "test-cabinet-base-wasm"


def test_a_context_s_digest_follows_names_modes_contents_and_what_is_below(tmp_path: Path) -> None:
    def digest(name: str, content: str, mode: int, below: str) -> str:
        folder = tmp_path / uuid.uuid4().hex
        folder.mkdir()
        (folder / name).write_text(content)
        (folder / name).chmod(mode)
        return context_digest(folder, below)

    same = {digest("Dockerfile", "FROM x", 0o644, "id1") for _ in range(2)}
    others = {
        digest("Dockerfile", "FROM y", 0o644, "id1"),
        digest("Dockerfile2", "FROM x", 0o644, "id1"),
        digest("Dockerfile", "FROM x", 0o755, "id1"),
        digest("Dockerfile", "FROM x", 0o644, "id2"),
    }

    assert len(same) == 1
    assert len(same | others) == 5


@pytest.fixture
def small_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose images take no time to build."""
    for name in ("base", "base-wasm"):
        folder = tmp_path / "containers" / name
        folder.mkdir(parents=True)
        (folder / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\nENV MADE=1\n")
    monkeypatch.setattr(building, "CHECKOUT", tmp_path)
    return tmp_path


@pytest.fixture
def environment(engine: docker.APIClient) -> Iterator[dict[str, str]]:
    """A tag of this test's own, removed at its end."""
    tag = f"test-{uuid.uuid4().hex[:8]}"
    yield {"TCAB_CONTAINER_TAG": tag, "TCAB_BASE_IMAGE": IMAGE}
    for name in (WASM, BASE):
        if engine.images(name=f"{name}:{tag}"):
            engine.remove_image(f"{name}:{tag}", force=True)


@pytest.mark.engine
def test_what_is_up_to_date_is_not_built_again(
    engine: docker.APIClient, small_checkout: Path, environment: dict[str, str]
) -> None:
    def build(*, force: bool = False) -> list[str]:
        built = build_images(engine, [WASM], environment, lambda _line: None, force=force)
        return [reference.partition(":")[0] for reference in built]

    assert build() == [BASE, WASM]
    assert build() == []
    assert build(force=True)[-1] == WASM

    wasm = small_checkout / "containers/base-wasm/Dockerfile"
    wasm.write_text(wasm.read_text() + "ENV MORE=1\n")
    assert build() == [WASM]

    base = small_checkout / "containers/base/Dockerfile"
    base.write_text(base.read_text() + "ENV MORE=1\n")
    assert build() == [BASE, WASM]


@pytest.mark.engine
def test_a_step_that_fails_says_what_it_said(
    engine: docker.APIClient, small_checkout: Path, environment: dict[str, str]
) -> None:
    (small_checkout / "containers/base/Dockerfile").write_text(
        "ARG BASE\nFROM ${BASE}\nRUN echo the reason; exit 9\n"
    )

    with pytest.raises(BuildFailed, match="the reason"):
        build_images(engine, [BASE], environment, lambda _line: None)


@pytest.mark.engine
def test_a_base_that_nobody_has_is_the_environment_s_fault(
    engine: docker.APIClient, small_checkout: Path
) -> None:
    environment = {"TCAB_BASE_IMAGE": "127.0.0.1:1/no/such:image"}

    with pytest.raises(EnvironmentMissing, match="could not be pulled") as caught:
        build_images(engine, [BASE], environment, lambda _line: None)

    assert "TCAB_BASE_IMAGE" in str(caught.value.help)
