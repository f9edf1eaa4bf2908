"""The agent's container in mid-session, looked at from outside: what the agent could find in it."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import docker
import pytest

from tcab_dagster.catalog import load_catalog
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.containers.runtimes import open_runtime
from tcab_dagster.errors import Canceled
from tcab_dagster.execution import execute, new_request
from tcab_dagster.home import Home
from tcab_dagster.ingestion import store_version
from tcab_dagster.records import Event
from tcab_dagster.settings import Settings

CHECKOUT = Path(__file__).resolve().parents[2]
SEEDED = ("workspaces", "specs")
ADDED = 1


def digests_of_the_reporters_side(case: CaseVersion) -> dict[str, str]:
    """SHA-256 to name, of every file of the version that must not be seeded."""
    files = {f.relative_to(case.folder): f for f in case.folder.rglob("*") if f.is_file()}
    seeded = {_sha256(f.read_bytes()) for name, f in files.items() if name.parts[0] in SEEDED}
    found = {
        _sha256(f.read_bytes()): str(name)
        for name, f in files.items()
        if name.parts[0] not in SEEDED and "node_modules" not in name.parts
    }
    return {digest: name for digest, name in found.items() if digest not in seeded}


@pytest.mark.engine
def test_nothing_of_the_reporters_side_is_anywhere_in_it(
    home: Home, engine: docker.APIClient, run_image: str
) -> None:
    case = load_catalog(CHECKOUT).find("pong")
    withheld = digests_of_the_reporters_side(case)
    kinds = {Path(name).parts[0] for name in withheld.values()}
    assert {"validation", "reference", "reference-impl", "test-case.toml", "variants"} <= kinds
    environment = {**os.environ, "TCAB_HOME": str(home.path), "TCAB_CONTAINER_REGISTRY": ""}
    settings = Settings.load(environment, root=CHECKOUT)
    store_version(home, case)
    request = new_request(case, case.variant(), "replay", "silent", None, "tcab")
    home.file_request(request)
    cancel = threading.Event()
    looked: dict[str, object] = {}

    def look(event: Event) -> None:
        if event.kind != "agent" or looked:
            return
        ours = {"label": f"tcab.run={request.run_id}"}
        (container,) = engine.containers(filters=ours)
        looked["mounts"] = engine.inspect_container(container["Id"])["Mounts"]
        # What the image holds is the image's; everything else was added to it or changed in it.
        changed = [c["Path"] for c in engine.diff(container["Id"]) if c["Kind"] <= ADDED]
        listing = "\n".join(changed).encode()
        looked["digests"] = _hashed_inside(engine, container["Id"], listing)
        cancel.set()

    with open_runtime(settings, home) as runtime, pytest.raises(Canceled):
        execute(request, home, runtime, settings, on_event=look, cancel=cancel)

    inside = looked["digests"]
    assert isinstance(inside, dict)
    assert _sha256((case.folder / "specs/rules.md").read_bytes()) in inside, "the look was real"
    assert {inside[d]: withheld[d] for d in inside.keys() & withheld.keys()} == {}
    assert looked["mounts"] == []


def _hashed_inside(engine: docker.APIClient, container: str, listing: bytes) -> dict[str, str]:
    """SHA-256 to path of the listed files, folders left out, as the container's user sees them."""
    script = 'while read -r f; do if [ -f "$f" ]; then sha256sum "$f"; fi; done <<\'END\'\n'
    created = engine.exec_create(container, ["sh", "-c", f"{script}{listing.decode()}\nEND"])
    lines = engine.exec_start(created["Id"]).decode().splitlines()
    return {line[:64]: line[66:] for line in lines if len(line) > 66}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
