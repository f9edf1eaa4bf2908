"""Which engine is opened, and what is said where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import docker
import pytest

from tcab_dagster.containers import runtimes
from tcab_dagster.containers.runtimes import open_engine, open_runtime, well_known_sockets
from tcab_dagster.errors import EnvironmentMissing, UsageError
from tcab_dagster.home import Home
from tcab_dagster.settings import Settings


def settings_with(home: Home, **environment: str) -> Settings:
    (home.path / "test-cases").mkdir(exist_ok=True)
    return Settings.load(environment, root=home.path)


def test_an_engine_that_does_not_answer_is_the_environment_s_fault(home: Home) -> None:
    settings = settings_with(home, DOCKER_HOST=f"unix://{home.path}/nobody.sock")

    with (
        pytest.raises(EnvironmentMissing, match="DOCKER_HOST") as caught,
        open_runtime(settings, home),
    ):
        pass

    assert caught.value.exit_status == 3
    assert "start Docker or Podman" in str(caught.value.help)


def test_a_machine_without_an_engine_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "podman.sock").touch()
    monkeypatch.setattr(
        runtimes, "well_known_sockets", lambda _: [tmp_path / "no.sock", tmp_path / "podman.sock"]
    )

    with pytest.raises(EnvironmentMissing, match=r"podman\.sock") as caught:
        open_engine({})

    assert "scripts/engine-up.sh" in str(caught.value.help)


@pytest.mark.parametrize("name", ["kubernetes", "chroot"])
def test_a_runtime_that_cannot_run_anything_is_refused(home: Home, name: str) -> None:
    with (
        pytest.raises(UsageError, match=name),
        open_runtime(settings_with(home, TCAB_RUNTIME=name), home),
    ):
        pass


def test_the_engine_that_the_scripts_start_is_among_those_looked_for() -> None:
    assert Path("/srv/engine/docker.sock") in well_known_sockets(
        {"TCAB_ENGINE_STATE": "/srv/engine"}
    )


@pytest.mark.engine
def test_the_runtime_of_the_configured_engine_opens(home: Home, engine: docker.APIClient) -> None:
    with open_runtime(settings_with(home, **os.environ), home) as runtime:
        assert runtime.name in {"docker", "podman"}
        assert runtime.sandboxes() == []
