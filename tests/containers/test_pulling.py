"""Pulling an image, from a registry of the test's own that is busy at first."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import io
import json
import tarfile
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

import docker
import pytest

from tcab_dagster.containers.protocol import SandboxError
from tcab_dagster.containers.pulling import ensure_image, registry_digest

pytestmark = pytest.mark.engine

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


@dataclass
class Registry:
    """One image of one file, served after `refusals` answers of `status`."""

    refusals: int = 0
    status: int = 429
    port: int = 0
    asked: int = 0
    blobs: dict[str, bytes] = field(default_factory=dict)
    manifest: bytes = b""

    def __post_init__(self) -> None:
        layer = io.BytesIO()
        with tarfile.open(fileobj=layer, mode="w") as tar:
            content = uuid.uuid4().bytes
            entry = tarfile.TarInfo("file")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
        packed = gzip.compress(layer.getvalue())
        config = json.dumps(
            {
                "architecture": "amd64",
                "os": "linux",
                "config": {},
                "rootfs": {"type": "layers", "diff_ids": [digest_of(layer.getvalue())]},
            }
        ).encode()
        self.blobs = {digest_of(blob): blob for blob in (packed, config)}
        described = [
            {"digest": digest_of(blob), "size": len(blob), "mediaType": kind}
            for blob, kind in (
                (config, "application/vnd.docker.container.image.v1+json"),
                (packed, "application/vnd.docker.image.rootfs.diff.tar.gzip"),
            )
        ]
        self.manifest = json.dumps(
            {
                "schemaVersion": 2,
                "mediaType": MANIFEST,
                "config": described[0],
                "layers": described[1:],
            }
        ).encode()

    @property
    def image(self) -> str:
        return f"127.0.0.1:{self.port}/test/image:1"

    def answer(self, path: str) -> tuple[int, bytes, str]:
        """Status, body and type."""
        if "/manifests/" in path:
            self.asked += 1
            if self.asked <= self.refusals:
                code = {404: "MANIFEST_UNKNOWN", 429: "TOOMANYREQUESTS"}.get(self.status, "UNKNOWN")
                said = json.dumps({"errors": [{"code": code, "message": "no"}]}).encode()
                return self.status, said, "application/json"
            return 200, self.manifest, MANIFEST
        if "/blobs/" in path:
            return 200, self.blobs[path.rsplit("/", 1)[1]], "application/octet-stream"
        return 200, b"{}", "application/json"


def digest_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


@pytest.fixture
def registry(engine: docker.APIClient) -> Iterator[Registry]:
    served = Registry()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body, kind = served.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Docker-Content-Digest", digest_of(body))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield served
    server.shutdown()
    server.server_close()
    if engine.images(name=served.image):
        engine.remove_image(served.image, force=True)


def test_an_absent_image_is_pulled_once_with_progress_by_layer(
    engine: docker.APIClient, registry: Registry
) -> None:
    said: list[str] = []

    ensure_image(engine, registry.image, said.append)
    asked = registry.asked
    ensure_image(engine, registry.image, said.append)

    assert registry.asked == asked
    assert any("Pull complete" in line for line in said)
    pinned = registry_digest(registry.image, engine.inspect_image(registry.image))
    assert pinned == digest_of(registry.manifest)


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_registry_is_asked_again_later(
    engine: docker.APIClient, registry: Registry, status: int
) -> None:
    registry.refusals, registry.status = 4, status
    pauses: list[float] = []

    ensure_image(engine, registry.image, lambda _line: None, sleep=pauses.append)

    assert engine.images(name=registry.image)
    assert pauses == [1.0, 4.0, 15.0][: len(pauses)]
    assert pauses


def test_a_registry_that_stays_busy_is_given_up(
    engine: docker.APIClient, registry: Registry
) -> None:
    registry.refusals = 1000
    pauses: list[float] = []

    with pytest.raises(SandboxError, match="could not be pulled"):
        ensure_image(engine, registry.image, lambda _line: None, sleep=pauses.append)

    assert len(pauses) == 3


def test_what_a_registry_does_not_have_is_not_asked_for_twice(
    engine: docker.APIClient, registry: Registry
) -> None:
    registry.refusals, registry.status = 1000, 404
    pauses: list[float] = []

    with pytest.raises(SandboxError, match="tcab images build"):
        ensure_image(engine, registry.image, lambda _line: None, sleep=pauses.append)

    assert pauses == []
