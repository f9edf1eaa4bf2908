"""Building the run images from `containers/`, in the engine that will run them.

Belongs here: which are out of date, in what order they are built, and what they build from where
no registry answers. Does not: what is in them (containers/*/Dockerfile), or their names
(images.py). Concept: containers/README.md.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import docker
import docker.errors

from tcab_dagster.containers.engine_faults import ENGINE_FAULTS, one_line
from tcab_dagster.containers.images import DEFAULT_TAG, PREFIX, VALIDATOR
from tcab_dagster.containers.protocol import Progress
from tcab_dagster.containers.pulling import is_present, pull
from tcab_dagster.errors import EnvironmentMissing, TcabError

CHECKOUT = Path(__file__).resolve().parents[2]
BASE = f"{PREFIX}base"
BUILT_FROM: Mapping[str, str | None] = {BASE: None, f"{PREFIX}base-wasm": BASE, VALIDATOR: BASE}
"""Each image that has a Dockerfile here, and the one of ours that it builds on."""
IMAGES = tuple(BUILT_FROM)

PUBLIC_BASE = "docker.io/library/node:22-bookworm-slim"
LOCAL_BASE = "tcab-local-base:latest"
BASE_VARIABLE = "TCAB_BASE_IMAGE"
CACHE = Path("/var/cache/tcab")
CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"

LABEL_CONTEXT = "tcab.context"
"""The digest of all that an image was built from: its folder and the image below it."""


class BuildFailed(TcabError):
    """A Dockerfile's step failed; the message carries the end of what it said."""


def build_images(
    api: docker.APIClient,
    names: Sequence[str],
    environment: Mapping[str, str],
    progress: Progress,
    *,
    force: bool = False,
) -> list[str]:
    """Builds those of `names`, and what they build on, that are missing or out of date.

    Returns the references built. Raises BuildFailed, and EnvironmentMissing where there is nothing
    to build from.
    """
    if not (CHECKOUT / "containers").is_dir():
        raise EnvironmentMissing(
            "images are built from a checkout of this project, and this is an installed package",
            help="run `tcab images build` in a checkout, or pull them (TCAB_CONTAINER_REGISTRY)",
        )
    tag = environment.get("TCAB_CONTAINER_TAG", "").strip() or DEFAULT_TAG
    built: list[str] = []
    for name in _with_what_they_build_on(names):
        below = BUILT_FROM[name]
        reference = f"{name}:{tag}"
        base = f"{below}:{tag}" if below else base_image(api, environment, progress)
        digest = context_digest(CHECKOUT / "containers" / short_name(name), _image_id(api, base))
        if force or _label(api, reference) != digest:
            progress(f"building {reference} from {base}")
            _build(api, name, reference, base, digest, progress)
            built.append(reference)
    return built


def short_name(name: str) -> str:
    return name.removeprefix(PREFIX)


def base_image(api: docker.APIClient, environment: Mapping[str, str], progress: Progress) -> str:
    """What the base builds from: TCAB_BASE_IMAGE, else the first of the public image, or one
    bootstrapped earlier, that the engine has; else the public one pulled, or one bootstrapped now.
    """
    named = environment.get(BASE_VARIABLE, "").strip()
    for image in [named] if named else [LOCAL_BASE, PUBLIC_BASE]:
        if is_present(api, image):
            return image
    wanted = named or PUBLIC_BASE
    try:
        pull(api, wanted, progress)
    except ENGINE_FAULTS as error:
        said = one_line(error)
    else:
        return wanted
    if named or os.geteuid() != 0 or not Path("/etc/debian_version").exists():
        raise EnvironmentMissing(
            f"the image {wanted} could not be pulled: {said}",
            help=f"let {BASE_VARIABLE} name a Debian 12 image that the engine has, "
            "or build as root on Debian, where one is bootstrapped",
        )
    progress(f"{wanted} could not be pulled ({said}); bootstrapping {LOCAL_BASE}")
    _bootstrap(api, progress)
    return LOCAL_BASE


def context_digest(folder: Path, below: str) -> str:
    """SHA-256 over an image's folder (path, mode, content) and the id of the image below it."""
    total = hashlib.sha256(below.encode())
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        executable = os.access(path, os.X_OK)
        name = path.relative_to(folder).as_posix()
        total.update(f"\0{name}\0{executable}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _with_what_they_build_on(names: Sequence[str]) -> list[str]:
    wanted: list[str] = []
    for name in names:
        chain = [name]
        while (below := BUILT_FROM[chain[0]]) is not None:
            chain.insert(0, below)
        wanted += [link for link in chain if link not in wanted]
    return wanted


def _image_id(api: docker.APIClient, reference: str) -> str:
    return str(api.inspect_image(reference)["Id"])


def _label(api: docker.APIClient, reference: str) -> str | None:
    try:
        labels = api.inspect_image(reference)["Config"].get("Labels") or {}
    except docker.errors.ImageNotFound:
        return None
    value = labels.get(LABEL_CONTEXT)
    return None if value is None else str(value)


def _build(
    api: docker.APIClient, name: str, reference: str, base: str, digest: str, progress: Progress
) -> None:
    said: list[str] = []
    try:
        events = api.build(
            path=str(CHECKOUT / "containers" / short_name(name)),
            tag=reference,
            buildargs={"BASE": base},
            labels={LABEL_CONTEXT: digest},
            rm=True,
            forcerm=True,
            decode=True,
        )
        for event in events:
            if "error" in event:
                raise BuildFailed(
                    f"{reference} could not be built: {event['error']}\n" + "".join(said[-20:])
                )
            text = str(event.get("stream", ""))
            said.append(text)
            if text.strip():
                progress(f"{short_name(name)}: {text.strip().splitlines()[-1][:200]}")
    except ENGINE_FAULTS as error:
        raise BuildFailed(f"{reference} could not be built: {one_line(error)}") from error


def _bootstrap(api: docker.APIClient, progress: Progress) -> None:
    """A root file system from this machine's own Debian archives, imported as an image."""
    tarball = CACHE / "base.tar"
    script = CHECKOUT / "scripts" / "base-image.sh"
    done = subprocess.run(["bash", script, tarball], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EnvironmentMissing(
            f"no base image could be bootstrapped: {done.stderr.strip()[-500:]}",
            help=f"let {BASE_VARIABLE} name a Debian 12 image that the engine has",
        )
    progress(f"importing {LOCAL_BASE}")
    repository, _, tag = LOCAL_BASE.partition(":")
    variables = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")
    api.import_image_from_file(
        str(tarball),
        repository=repository,
        tag=tag,
        changes=[
            "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            *(f"ENV {variable}={CA_BUNDLE}" for variable in variables),
            'CMD ["bash"]',
        ],
    )
    tarball.unlink()
