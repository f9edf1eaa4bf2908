"""What the tests of this room say to a sandbox, and what they hear."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from tcab_dagster.containers.engine_sandbox import EngineSandbox
from tcab_dagster.containers.protocol import Bounds, ExecResult, Limits, SandboxSpec, Stream

IMAGE = "test-cabinet-base:latest"

StartSandbox = Callable[..., EngineSandbox]


def spec(
    network: str = "none", *, image: str = IMAGE, limits: Limits | None = None, **more: object
) -> SandboxSpec:
    return SandboxSpec(
        run_id=f"pong@v1.0.0~{uuid.uuid4().hex[:10]}",
        role="agent",
        image=image,
        network=network,  # type: ignore[arg-type]
        limits=limits or Limits(memory_bytes=512 * 2**20, pids=200),
        **more,  # type: ignore[arg-type]
    )


@dataclass
class Heard:
    """What a command said, and how it ended."""

    result: ExecResult
    out: bytes = b""
    err: bytes = b""
    times: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.out.decode().strip()


def run(
    sandbox: EngineSandbox, script: str, *, user: str = "node", bounds: Bounds | None = None
) -> Heard:
    """Runs a shell script in a sandbox and keeps what it says."""
    said: dict[Stream, list[bytes]] = {"stdout": [], "stderr": []}
    times: list[float] = []

    def hear(stream: Stream, data: bytes) -> None:
        said[stream].append(data)
        times.append(time.monotonic())

    result = sandbox.exec(
        ["sh", "-c", script], user=user, bounds=bounds or Bounds(), on_output=hear
    )
    return Heard(result, b"".join(said["stdout"]), b"".join(said["stderr"]), times)
