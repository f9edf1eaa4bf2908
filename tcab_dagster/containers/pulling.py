"""Getting an image into the engine, and what pins the bytes that run.

Belongs here: pulling with progress and patience, digests. Does not: which image (images.py).
Concept: spec 004, "Run images".
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import docker
import docker.errors
import requests.exceptions

from tcab_dagster.containers.protocol import Progress, SandboxError

PAUSES = (1.0, 4.0, 15.0)
PASSING = re.compile(
    r"\b(429|500|502|503|504)\b|too ?many ?requests|timeout|connection reset", re.IGNORECASE
)
"""What an engine says of a registry that is busy or ill, and may not be soon."""


def ensure_image(
    api: docker.APIClient,
    image: str,
    progress: Progress,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Pulls `image` where the engine lacks it. Raises SandboxError saying what to do."""
    if is_present(api, image):
        return
    if not is_pullable(image):
        raise missing_image(image)
    for pause in (*PAUSES, None):
        try:
            pull(api, image, progress)
            break
        except (docker.errors.APIError, requests.exceptions.RequestException) as error:
            said = " ".join(str(error).split())[:300]
            if pause is None or not PASSING.search(said):
                raise SandboxError(
                    f"the image {image} is not in the engine and could not be pulled: {said}; "
                    "build it with `tcab images build` and set TCAB_CONTAINER_REGISTRY to nothing"
                ) from error
            progress(f"{image}: {said}; trying again in {pause:g} s")
            sleep(pause)


def is_present(api: docker.APIClient, image: str) -> bool:
    try:
        api.inspect_image(image)
    except docker.errors.ImageNotFound:
        return False
    return True


def is_pullable(image: str) -> bool:
    """Whether the reference names where it comes from: `name:tag` alone is a local image."""
    return "/" in image


def missing_image(image: str) -> SandboxError:
    name = image.rsplit("/", 1)[-1].partition("@")[0].partition(":")[0]
    short = name.removeprefix("test-cabinet-")
    return SandboxError(
        f"the image {image} is not in the engine: build it with `tcab images build {short}`, "
        "or set TCAB_CONTAINER_REGISTRY to pull it"
    )


def registry_digest(reference: str, image: Mapping[str, Any]) -> str | None:
    """The digest under which a registry serves the image, or None where none does.

    Podman makes up digests for local images too: only those of the reference's own repository
    count, and a name without a registry has none.
    """
    if not is_pullable(reference):
        return None
    repository = reference.partition("@")[0]
    if ":" in repository.rsplit("/", 1)[-1]:
        repository = repository.rpartition(":")[0]
    for digest in image.get("RepoDigests") or []:
        if digest.partition("@")[0].removeprefix("docker.io/") == repository.removeprefix(
            "docker.io/"
        ):
            return str(digest.partition("@")[2])
    return None


def pull(api: docker.APIClient, image: str, progress: Progress) -> None:
    """One try. Reports each layer when its state changes, not each byte."""
    states: dict[str, str] = {}
    for event in api.pull(image, stream=True, decode=True):
        if "error" in event:
            raise docker.errors.APIError(event["error"])
        layer, state = event.get("id", ""), event.get("status", "")
        if states.get(layer) != state:
            states[layer] = state
            progress(f"{image}: {layer}: {state}" if layer else f"{image}: {state}")
