"""The sandbox protocol over a container engine: Docker or Podman, through `DOCKER_HOST`.

Belongs here: how a sandbox is started, bounded, filled, emptied and removed on an engine. Does
not: image names (images.py), which engine (runtimes.py), the network's rules (network.py).
Concept: spec 004, "Containerization"; design.md, "The sandbox protocol".
"""

from __future__ import annotations

import contextlib
import hashlib
import posixpath
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import docker
import docker.errors
import requests.exceptions
import urllib3.exceptions

from tcab_dagster.containers import engine_exec, network, pulling
from tcab_dagster.containers.bounded import Ended, Output, drain, pump
from tcab_dagster.containers.packing import pack, pack_folder
from tcab_dagster.containers.protocol import (
    LABEL_INSTALLATION,
    LABEL_ROLE,
    LABEL_RUN,
    RUN_USER,
    WORKSPACE,
    Bounds,
    ExecResult,
    OnOutput,
    Progress,
    SandboxError,
    SandboxLost,
    SandboxRef,
    SandboxSpec,
)
from tcab_dagster.home import file_lock

INIT = ["/bin/bash", "-c", "trap '' CHLD; exec /bin/sleep infinity"]
"""PID 1. As it ignores SIGCHLD, the kernel itself reaps every orphan; and it has no child whose
death ends the container, as an init of the usual kind has: `kill -KILL -1` inside leaves it alone.
"""
HOST_NAME = "host.docker.internal"
DISK_LOOK = 5.0
AFTERMATH_SECONDS = 20.0
HELPER_SECONDS = 30
HOST_OOM_SCORE = 500

UNBOUNDED = Bounds()

ENGINE_FAULTS = (
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    docker.errors.DockerException,
    OSError,
)


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
        if error.status_code == HTTPStatus.CONFLICT:  # "is not running"
            raise SandboxLost(f"{doing}: {one_line(error)}") from error
        raise SandboxError(f"{doing}: {one_line(error)}") from error
    except ENGINE_FAULTS as error:
        raise SandboxLost(f"{doing}: the container engine went away: {one_line(error)}") from error


class EngineSandbox:
    """A started container. Concept: protocol.py, Sandbox."""

    def __init__(
        self,
        api: docker.APIClient,
        container: str,
        image: str,
        labels: Mapping[str, str],
        disk_bytes: int,
        on_stop: Callable[[], None],
    ) -> None:
        self._api = api
        self._container = container
        self._image = image
        self._labels = dict(labels)
        self._disk_bytes = disk_bytes
        self._on_stop = on_stop
        self._running: set[str] = set()
        self._guard = threading.Lock()
        self._memory = engine_exec.MemoryEvents()

    @property
    def id(self) -> str:
        return self._container

    def exec(
        self,
        argv: Sequence[str],
        *,
        user: str = RUN_USER,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        bounds: Bounds = UNBOUNDED,
        on_output: OnOutput | None = None,
    ) -> ExecResult:
        """Runs a command; concept: protocol.py. Nothing that it started outlives it."""
        marker = uuid.uuid4().hex
        started = time.monotonic()
        with engine_faults(f"running {argv[0]}"):
            exec_id = engine_exec.create(
                self._api,
                self._container,
                argv,
                user=user,
                cwd=cwd,
                env={**(env or {}), engine_exec.MARKER: marker},
            )
        with self._guard:
            self._running.add(marker)
        try:
            return self._attend(exec_id, marker, user, bounds, on_output, started)
        finally:
            with self._guard:
                self._running.discard(marker)

    def _attend(
        self,
        exec_id: str,
        marker: str,
        user: str,
        bounds: Bounds,
        on_output: OnOutput | None,
        started: float,
    ) -> ExecResult:
        """From the start of a created command to its result."""
        receive: OnOutput = on_output or (lambda _stream, _data: None)
        with engine_faults("starting a command"):
            attached = engine_exec.attach(self._api, exec_id)
        output = Output(attached.chunks(), attached.close)
        try:
            with self._disk_watch() as disk_full:
                ended = pump(
                    output,
                    bounds,
                    receive,
                    running=lambda: bool(self._inspect(exec_id)["Running"]),
                    disk_full=disk_full,
                    started=started,
                )
            exit_code = self._inspect(exec_id)["ExitCode"] if ended == "exited" else None
            before = self._memory
            self._clean_up(marker, user, ended)
            seconds = time.monotonic() - started
            drain(output, receive)
        except BaseException:
            with contextlib.suppress(SandboxError):
                self._clean_up(marker, user, "canceled")
            output.close()
            raise
        return ExecResult(exit_code, ended, seconds, self._memory.killed_since(before))

    def _inspect(self, exec_id: str) -> dict[str, Any]:
        with engine_faults("asking after a command"):
            return self._api.exec_inspect(exec_id)

    def _clean_up(self, marker: str, user: str, ended: Ended) -> None:
        """Kills what the command left and counts the memory's events.

        Where that fails, as under a fork bomb that holds every process id, the container goes.
        """
        with self._guard:
            alone = self._running <= {marker}
        try:
            code, report = engine_exec.clean_up(
                self._api,
                self._container,
                user,
                None if alone else marker,
                seconds=AFTERMATH_SECONDS,
            )
            failure = (
                None if code == 0 else f"status {code}: {report[-200:].decode('utf8', 'replace')}"
            )
        except ENGINE_FAULTS as error:
            failure = one_line(error)
        if failure is None:
            self._memory = engine_exec.memory_events(report)
            return
        self._require_alive()
        with engine_faults("killing a container"):
            self._api.kill(self._container)
        if ended == "exited":
            raise SandboxError(f"what a command left running could not be ended ({failure})")

    def _require_alive(self) -> None:
        with engine_faults("asking after a container"):
            state = self._api.inspect_container(self._container)["State"]
        if not state["Running"]:
            raise SandboxLost(f"the container {self._container[:12]} stopped under a command")

    @contextlib.contextmanager
    def _disk_watch(self) -> Iterator[threading.Event]:
        """An event that is set when the container's writable layer passes its limit."""
        full, done = threading.Event(), threading.Event()

        def watch() -> None:
            while not done.wait(DISK_LOOK):
                with contextlib.suppress(*ENGINE_FAULTS):
                    shown = self._api.containers(size=True, filters={"id": self._container})
                    if any((s.get("SizeRw") or 0) > self._disk_bytes for s in shown):
                        full.set()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield full
        finally:
            done.set()

    def put(self, tree: Path, path: str, *, owner: str = RUN_USER) -> None:
        with pack(tree, owner) as archive, engine_faults(f"copying into {path}"):
            try:
                self._api.put_archive(self._container, path, archive)
            except docker.errors.NotFound:
                self._make_folder(path, owner)
                archive.seek(0)
                self._api.put_archive(self._container, path, archive)

    def _make_folder(self, path: str, owner: str) -> None:
        parent, name = posixpath.split(path.rstrip("/"))
        if not name:
            raise SandboxLost(f"the container {self._container[:12]} is gone")
        folder = pack_folder(name, owner)
        try:
            self._api.put_archive(self._container, parent, folder)
        except docker.errors.NotFound:
            self._make_folder(parent, owner)
            self._api.put_archive(self._container, parent, folder)

    def get(self, path: str) -> Iterator[bytes]:
        with engine_faults(f"copying out of {path}"):
            chunks, _ = self._api.get_archive(self._container, path.rstrip("/"))
            yield from chunks

    def image_digest(self) -> str:
        with engine_faults("asking after an image"):
            shown = self._api.inspect_container(self._container)
            image = self._api.inspect_image(shown["Image"])
        return pulling.registry_digest(self._image, image) or str(image["Id"])

    def labels(self) -> Mapping[str, str]:
        return self._labels

    def stop(self) -> None:
        remove_container(self._api, self._container)
        self._on_stop()


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


class EngineRuntime:
    """One container engine. Concept: protocol.py, Runtime."""

    def __init__(self, api: docker.APIClient, installation: str, locks: Path) -> None:
        """`installation` labels what is ours; `locks` is a folder all its processes share."""
        self._api = api
        self._installation = installation
        with engine_faults("asking the container engine about itself"):
            components = api.version().get("Components") or []
            info = api.info()
        self._podman = any("podman" in str(c.get("Name", "")).lower() for c in components)
        self._cpus = float(info.get("NCPU") or 1)
        # The engine's own id keeps two engines of one machine apart.
        suffix = hashlib.sha256(f"{installation} {self.name} {info.get('ID')}".encode()).hexdigest()
        self._bridge = f"tcab{suffix[:10]}"
        self._lock = locks / f"network-{self._bridge}"
        self._host: network.EngineHost | None = None

    @property
    def name(self) -> str:
        return "podman" if self._podman else "docker"

    @property
    def api(self) -> docker.APIClient:
        """The engine's API, for what no sandbox needs: building images."""
        return self._api

    def ensure_image(self, image: str, progress: Progress) -> None:
        pulling.ensure_image(self._api, image, progress)

    def start(self, spec: SandboxSpec) -> EngineSandbox:
        labels = {
            LABEL_INSTALLATION: self._installation,
            LABEL_RUN: spec.run_id,
            LABEL_ROLE: spec.role,
        }
        # Held so that nobody removes the network, idle as yet, before the container is in it.
        with self._network_lock(), engine_faults(f"starting a sandbox of {spec.image}"):
            try:
                container = self._create(spec, labels)
                try:
                    self._api.start(container)
                    if spec.network == "egress":
                        self._apply_rules(container, spec)
                except BaseException:
                    remove_container(self._api, container)
                    raise
            except BaseException as error:
                self._remove_network()
                if isinstance(error, docker.errors.ImageNotFound):
                    raise pulling.missing_image(spec.image) from error
                raise
        return EngineSandbox(
            self._api,
            container,
            spec.image,
            labels,
            spec.limits.disk_bytes,
            self._remove_idle_network,
        )

    def _create(self, spec: SandboxSpec, labels: Mapping[str, str]) -> str:
        limits = spec.limits
        options: dict[str, Any] = {}
        if not self._podman:  # which, with any limit named, raises all others to its own
            options["ulimits"] = [docker.types.Ulimit(name="core", soft=0, hard=0)]
        if spec.network == "egress":
            _, gateway = self._ensure_network()
            if spec.host_route:
                options["extra_hosts"] = {HOST_NAME: gateway}
        host_config = self._api.create_host_config(
            network_mode=self._bridge if spec.network == "egress" else "none",
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            mem_limit=limits.memory_bytes,
            memswap_limit=limits.memory_bytes,
            nano_cpus=int(min(limits.cpus, self._cpus) * 1e9),
            pids_limit=limits.pids,
            oom_score_adj=HOST_OOM_SCORE,
            log_config=docker.types.LogConfig(type="none"),
            **options,
        )
        created = self._api.create_container(
            spec.image,
            entrypoint=INIT,
            command=[],
            user=RUN_USER,
            working_dir=WORKSPACE,
            environment=dict(spec.environment),
            labels=dict(labels),
            host_config=host_config,
            healthcheck={"Test": ["NONE"]},
        )
        return str(created["Id"])

    def _apply_rules(self, container: str, spec: SandboxSpec) -> None:
        subnets, gateway = self._ensure_network()
        environment = network.rules_environment(
            self._engine_host(spec.image), subnets, gateway if spec.host_route else None
        )
        code, said = self._helper(
            spec.image,
            ["/bin/sh", "-c", network.APPLY],
            environment=environment,
            user="root",
            network_mode=f"container:{container}",
            cap_add=["NET_ADMIN", "NET_RAW"],
        )
        if code != 0:
            raise SandboxError(
                f"the network's rules could not be set with {spec.image}: {said.strip()[-300:]}"
            )

    def _engine_host(self, image: str) -> network.EngineHost:
        """The addresses of the machine whose kernel holds our bridge: this one, or another's."""
        if Path("/sys/class/net", self._bridge).exists():
            return network.own_host()
        if self._host is None:
            self._host = network.engine_host(
                self._on_host(image, "/proc/net/fib_trie"),
                self._on_host(image, "/etc/resolv.conf"),
            )
        return self._host

    def _on_host(self, image: str, file: str) -> str:
        """Reads a file as a container in the host's own network namespace sees it."""
        code, text = self._helper(image, ["/bin/cat", file], network_mode="host")
        if code != 0:
            raise SandboxError(f"the engine's host does not show {file}: {text.strip()[-300:]}")
        return text

    def _helper(
        self,
        image: str,
        command: Sequence[str],
        *,
        network_mode: str,
        environment: Mapping[str, str] | None = None,
        user: str = RUN_USER,
        cap_add: Sequence[str] = (),
    ) -> tuple[int, str]:
        """A short-lived container of ours beside a sandbox: its status and what it printed."""
        created = self._api.create_container(
            image,
            entrypoint=list(command),
            command=[],
            user=user,
            environment=dict(environment or {}),
            labels={LABEL_INSTALLATION: self._installation, LABEL_ROLE: "helper"},
            host_config=self._api.create_host_config(
                network_mode=network_mode,
                cap_drop=["ALL"],
                cap_add=list(cap_add),
                security_opt=["no-new-privileges"],
            ),
        )
        try:
            self._api.start(created["Id"])
            ended = self._api.wait(created["Id"], timeout=HELPER_SECONDS)
            printed: bytes = self._api.logs(created["Id"])
            return int(ended["StatusCode"]), printed.decode("utf8", "replace")
        finally:
            remove_container(self._api, created["Id"])

    def _ensure_network(self) -> tuple[list[str], str]:
        """Makes the installation's bridge where it is missing; its subnets and gateway."""
        try:
            shown = self._api.inspect_network(self._bridge)
        except docker.errors.NotFound:
            options = {"com.docker.network.bridge.name": self._bridge}
            if not self._podman:
                options["com.docker.network.bridge.enable_icc"] = "false"
            self._api.create_network(
                self._bridge,
                driver="bridge",
                options=options,
                labels={LABEL_INSTALLATION: self._installation},
                check_duplicate=True,
            )
            shown = self._api.inspect_network(self._bridge)
        configs = shown["IPAM"]["Config"]
        return [c["Subnet"] for c in configs if ":" not in c["Subnet"]], configs[0]["Gateway"]

    def _remove_idle_network(self) -> None:
        with self._network_lock():
            self._remove_network()

    def _remove_network(self) -> None:
        """The last sandbox takes the bridge with it; the engine refuses while it is in use."""
        with contextlib.suppress(*ENGINE_FAULTS):
            self._api.remove_network(self._bridge)

    def _network_lock(self) -> contextlib.AbstractContextManager[None]:
        return file_lock(self._lock, wait=True)

    def sandboxes(self, run_id: str | None = None) -> list[SandboxRef]:
        wanted = [f"{LABEL_INSTALLATION}={self._installation}"]
        wanted += [] if run_id is None else [f"{LABEL_RUN}={run_id}"]
        with engine_faults("listing sandboxes"):
            listed = self._api.containers(all=True, filters={"label": wanted})
        return [
            SandboxRef(
                str(c["Id"]), c["Labels"].get(LABEL_RUN, ""), c["Labels"].get(LABEL_ROLE, "")
            )
            for c in listed
        ]

    def remove(self, ref: SandboxRef) -> None:
        remove_container(self._api, ref.id)
        self._remove_idle_network()

    def close(self) -> None:
        self._api.close()
