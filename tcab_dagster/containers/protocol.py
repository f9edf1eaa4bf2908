"""The Sandbox protocol: what a runtime gives, whichever one it is.

Belongs here: the shapes and promises that Docker, Podman and Kubernetes share. Does not: any of
the three. Everything above `containers/` is ignorant of which one runs.
Concept: spec 004, "Containerization".
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

Stream = Literal["stdout", "stderr"]
Role = Literal["agent", "build", "validator"]
OnOutput = Callable[[Stream, bytes], None]
Progress = Callable[[str], None]

WORKSPACE = "/work"
RUN_USER = "node"

LABEL_INSTALLATION = "tcab.installation"
LABEL_RUN = "tcab.run"
LABEL_ROLE = "tcab.role"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a sandbox may use of the machine."""

    memory_bytes: int = 4 * 2**30
    cpus: float = 2.0
    pids: int = 1024
    disk_bytes: int = 8 * 2**30


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """What to start. `run_id` and `role` become labels; nothing of the host is mounted."""

    run_id: str
    role: Role
    image: str
    network: Literal["egress", "none"]
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    host_route: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """What ends a command before it ends by itself. Seconds, on the monotonic clock."""

    timeout: float | None = None
    idle: float | None = None
    cancel: threading.Event | None = None


@dataclass(frozen=True, slots=True)
class ExecResult:
    """How a command ended. `exit_code` is None unless it ended by itself.

    `oom_killed`: the container's own memory limit killed a process meanwhile; `host_oom`: the
    host, short of memory, did. Where `timeout` and `idle` are due at once, `ended` is `idle`
    (facts: `hung` wins).
    """

    exit_code: int | None
    ended: Literal["exited", "timeout", "idle", "canceled", "disk"]
    seconds: float
    oom_killed: bool = False
    host_oom: bool = False


class SandboxError(Exception):
    """The runtime failed us: never the model's fault. The message is one line."""


class SandboxLost(SandboxError):
    """The container or the engine went away under a command."""


class Sandbox(Protocol):
    """A started container. `stop` is idempotent and is called on every path."""

    @property
    def id(self) -> str: ...

    def exec(
        self,
        argv: Sequence[str],
        *,
        user: str = RUN_USER,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        bounds: Bounds = ...,
        on_output: OnOutput | None = None,
    ) -> ExecResult:
        """Runs a command and streams its output to `on_output`, from the calling thread.

        Nothing that it started outlives it: however it ends, what it left in the container is
        killed, so that what is collected afterwards stands still.
        Raises SandboxLost when the container or the engine goes away.
        """
        ...

    def put(self, tree: Path, path: str, *, owner: str = RUN_USER) -> None:
        """Copies the content of the folder `tree` into `path`, made where missing."""
        ...

    def get(self, path: str) -> Iterator[bytes]:
        """The folder `path` as an uncompressed tar stream of unknown, hostile content.

        Its members are below the folder's own name: `work/`, `work/index.html`.
        """
        ...

    def image_digest(self) -> str:
        """The registry digest of the image that runs, or its local id."""
        ...

    def labels(self) -> Mapping[str, str]: ...

    def stop(self) -> None:
        """Kills and removes everything of this sandbox. Idempotent."""
        ...


@dataclass(frozen=True, slots=True)
class SandboxRef:
    """One of our sandboxes as the runtime lists it."""

    id: str
    run_id: str
    role: str


class Runtime(Protocol):
    """A way to run sandboxes: one engine or one cluster."""

    @property
    def name(self) -> str:
        """`docker`, `podman` or `kubernetes`."""
        ...

    def ensure_image(self, image: str, progress: Progress) -> None:
        """Pulls `image` where it is absent. Raises SandboxError saying what to do."""
        ...

    def start(self, spec: SandboxSpec) -> Sandbox:
        """Starts a hardened sandbox with its network rules in place."""
        ...

    def sandboxes(self, run_id: str | None = None) -> list[SandboxRef]:
        """Those of this installation, by label, those of one run where named."""
        ...

    def remove(self, ref: SandboxRef) -> None: ...

    def close(self) -> None: ...
