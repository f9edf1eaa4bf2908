"""A container engine's faults as ours, and the removal that must not fail.

Belongs here: what tells a lost container from a refused request. Does not: what a lost sandbox
means for a run (execution/).
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from http import HTTPStatus

import docker
import docker.errors
import requests.exceptions
import urllib3.exceptions

from tcab_dagster.containers.protocol import SandboxError, SandboxLost

ENGINE_FAULTS = (
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    docker.errors.DockerException,
    OSError,
)

PODMAN_GONE = re.compile("container state improper|no such container|no such exec session")
"""What Podman says of what is gone, at times as an internal fault of its own (500)."""


def one_line(error: BaseException) -> str:
    """An engine's error without its line breaks, at most a few hundred characters."""
    text = getattr(error, "explanation", None) or str(error)
    return " ".join(str(text).split())[:400]


@contextlib.contextmanager
def engine_faults(doing: str) -> Iterator[None]:
    """Turns the engine's errors into ours: SandboxLost where it or the container is gone."""
    try:
        yield
    except docker.errors.NotFound as error:
        raise SandboxLost(f"{doing}: {one_line(error)}") from error
    except docker.errors.APIError as error:
        if error.status_code == HTTPStatus.CONFLICT or PODMAN_GONE.search(str(error)):
            raise SandboxLost(f"{doing}: {one_line(error)}") from error
        raise SandboxError(f"{doing}: {one_line(error)}") from error
    except ENGINE_FAULTS as error:
        raise SandboxLost(f"{doing}: the container engine went away: {one_line(error)}") from error


def remove_container(api: docker.APIClient, container: str) -> None:
    """Kills and removes it with its anonymous volumes; one that is gone already is fine."""
    failure: Exception | None = None
    for pause in (0.0, 0.2, 1.0, 3.0):
        time.sleep(pause)
        try:
            api.remove_container(container, force=True, v=True)
            return
        except docker.errors.NotFound:
            return
        except ENGINE_FAULTS as error:  # also "removal is already in progress"
            failure = error
    assert failure is not None
    raise SandboxError(f"removing {container[:12]}: {one_line(failure)}") from failure
