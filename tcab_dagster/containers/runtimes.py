"""Which runtime the driver's configuration selects, opened.

Belongs here: finding an engine, and what to do where there is none. Does not: what a runtime does.
Concept: spec 004, "Containerization": the driver selects one from its own configuration.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import docker
import docker.errors
from docker.utils import kwargs_from_env

from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.engine_faults import ENGINE_FAULTS, one_line
from tcab_dagster.containers.protocol import SandboxError
from tcab_dagster.errors import EnvironmentMissing, UsageError
from tcab_dagster.home import Home
from tcab_dagster.settings import Settings

RUNTIMES = ("engine",)
DOCKER_SOCKET = "/var/run/docker.sock"
STATE = "/run/tcab/engine"
START_ONE = (
    "start Docker or Podman and let DOCKER_HOST name its socket; as root on Debian, "
    "`scripts/engine-up.sh` starts one"
)


@contextlib.contextmanager
def open_runtime(settings: Settings, home: Home) -> Iterator[EngineRuntime]:
    """The runtime of `TCAB_RUNTIME`, closed at the end.

    Raises EnvironmentMissing where no engine answers, UsageError for a runtime that does not exist.
    """
    if settings.runtime not in RUNTIMES:
        later = " (it is not available yet)" if settings.runtime == "kubernetes" else ""
        raise UsageError(
            f"TCAB_RUNTIME names `{settings.runtime}`, which cannot run anything here{later}",
            help=f"unset it, or choose from: {', '.join(RUNTIMES)}",
        )
    api = open_engine(settings.environment)
    try:
        try:
            runtime = EngineRuntime(api, home.installation, home.locks)
        except SandboxError as error:
            raise EnvironmentMissing(str(error), help=START_ONE) from error
        yield runtime
    finally:
        api.close()


def open_engine(environment: Mapping[str, str]) -> docker.APIClient:
    """The engine of `DOCKER_HOST`, else of the first well-known socket that answers."""
    if environment.get("DOCKER_HOST"):
        options = kwargs_from_env(environment=dict(environment))
        try:
            return docker.APIClient(version="auto", **options)
        except ENGINE_FAULTS as error:
            raise EnvironmentMissing(
                f"the container engine of DOCKER_HOST ({environment['DOCKER_HOST']}) "
                f"does not answer: {one_line(error)}",
                help=START_ONE,
            ) from error
    refusals = []
    for path in well_known_sockets(environment):
        if not path.exists():
            continue
        try:
            return docker.APIClient(base_url=f"unix://{path}", version="auto")
        except ENGINE_FAULTS as error:
            refusals.append(f"{path}: {one_line(error)}")
    found = f" ({'; '.join(refusals)})" if refusals else ""
    raise EnvironmentMissing(f"no container engine answers on this machine{found}", help=START_ONE)


def well_known_sockets(environment: Mapping[str, str]) -> list[Path]:
    """Docker's, Podman's, and the one of the engine that `scripts/engine-up.sh` starts."""
    user_folder = environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    state = environment.get("TCAB_ENGINE_STATE") or STATE
    return [
        Path(DOCKER_SOCKET),
        Path(user_folder, "docker.sock"),
        Path("/run/podman/podman.sock"),
        Path(user_folder, "podman/podman.sock"),
        Path(state, "docker.sock"),
    ]
