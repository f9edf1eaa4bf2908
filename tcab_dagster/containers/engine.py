"""The sandbox protocol over a container engine: Docker or Podman, through `DOCKER_HOST`.

Belongs here: how a sandbox is started, listed and removed on an engine, and its network. Does not:
what a started one does (engine_sandbox.py), which engine (runtimes.py), image names (images.py).
Concept: spec 004, "Containerization".
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import docker
import docker.errors

from tcab_dagster.containers import network, pulling
from tcab_dagster.containers.engine_faults import (
    ENGINE_FAULTS,
    engine_faults,
    remove_container,
)
from tcab_dagster.containers.engine_sandbox import EngineSandbox
from tcab_dagster.containers.protocol import (
    LABEL_INSTALLATION,
    LABEL_ROLE,
    LABEL_RUN,
    RUN_USER,
    WORKSPACE,
    Progress,
    SandboxError,
    SandboxRef,
    SandboxSpec,
)
from tcab_dagster.home import file_lock

INIT = ["/bin/bash", "-c", "trap '' CHLD; exec /bin/sleep infinity"]
"""PID 1. As it ignores SIGCHLD, the kernel itself reaps every orphan; and it has no child whose
death ends the container, as an init of the usual kind has: `kill -KILL -1` inside leaves it alone.
"""
HOST_NAME = "host.docker.internal"
HELPER_SECONDS = 30
INTERFACES = Path("/sys/class/net")
HOST_OOM_SCORE = 500


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
        labels = self._labels(spec, spec.role)
        # Held so that nobody removes the network, idle as yet, before the container is in it.
        with self._network_lock(), engine_faults(f"starting a sandbox of {spec.image}"):
            try:
                container = self._create(spec, labels)
                try:
                    self._api.start(container)
                    keep_rules = self._rules_keeper(container, spec)
                    keep_rules()
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
            keep_rules=keep_rules,
            on_stop=self._remove_idle_network,
        )

    def _labels(self, spec: SandboxSpec, role: str) -> dict[str, str]:
        return {LABEL_INSTALLATION: self._installation, LABEL_RUN: spec.run_id, LABEL_ROLE: role}

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

    def _rules_keeper(self, container: str, spec: SandboxSpec) -> Callable[[], None]:
        """Puts the rules in place, and again where the host's addresses have changed since."""
        if spec.network == "none":
            return lambda: None
        subnets, gateway = self._ensure_network()
        applied: dict[str, str] = {}

        def keep() -> None:
            nonlocal applied
            wanted = network.rules_environment(
                self._engine_host(spec), subnets, gateway if spec.host_route else None
            )
            if wanted != applied:
                self._apply_rules(container, spec, wanted)
                applied = wanted

        return keep

    def _apply_rules(
        self, container: str, spec: SandboxSpec, environment: Mapping[str, str]
    ) -> None:
        code, said = self._helper(
            spec,
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

    def _engine_host(self, spec: SandboxSpec) -> network.EngineHost:
        """The addresses of the machine whose kernel holds our bridge: this one, or another's."""
        if (INTERFACES / self._bridge).exists():
            return network.own_host()
        if self._host is None:
            self._host = network.engine_host(
                self._on_host(spec, "/proc/net/fib_trie"),
                self._on_host(spec, "/etc/resolv.conf"),
            )
        return self._host

    def _on_host(self, spec: SandboxSpec, file: str) -> str:
        """Reads a file as a container in the host's own network namespace sees it."""
        code, text = self._helper(spec, ["/bin/cat", file], network_mode="host")
        if code != 0:
            raise SandboxError(f"the engine's host does not show {file}: {text.strip()[-300:]}")
        return text

    def _helper(
        self,
        spec: SandboxSpec,
        command: Sequence[str],
        *,
        network_mode: str,
        environment: Mapping[str, str] | None = None,
        user: str = RUN_USER,
        cap_add: Sequence[str] = (),
    ) -> tuple[int, str]:
        """A short-lived container of ours beside a sandbox: its status and what it printed."""
        created = self._api.create_container(
            spec.image,
            entrypoint=list(command),
            command=[],
            user=user,
            environment=dict(environment or {}),
            labels=self._labels(spec, "helper"),
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
