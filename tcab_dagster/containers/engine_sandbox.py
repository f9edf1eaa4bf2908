"""One container of an engine as a Sandbox: commands, copies, and its end.

Belongs here: what the protocol promises of a started sandbox. Does not: how one is started
(engine.py), or the wire format of a command (engine_exec.py). Concept: protocol.py, Sandbox.
"""

from __future__ import annotations

import contextlib
import posixpath
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any

import docker
import docker.errors

from tcab_dagster.containers import engine_exec, pulling
from tcab_dagster.containers.bounded import Ended, Output, drain, pump
from tcab_dagster.containers.engine_faults import (
    ENGINE_FAULTS,
    engine_faults,
    one_line,
    remove_container,
)
from tcab_dagster.containers.packing import pack, pack_folder
from tcab_dagster.containers.protocol import (
    RUN_USER,
    WORKSPACE,
    Bounds,
    ExecResult,
    OnOutput,
    SandboxError,
    SandboxLost,
    Stream,
)

UNBOUNDED = Bounds()
WATCH_SECONDS = 5.0
AFTERMATH_SECONDS = 20.0


def _ignore(_stream: Stream, _data: bytes) -> None:
    """What is said to nobody."""


class EngineSandbox:
    """A started container. Concept: protocol.py, Sandbox."""

    def __init__(
        self,
        api: docker.APIClient,
        container: str,
        image: str,
        labels: Mapping[str, str],
        disk_bytes: int,
        *,
        keep_rules: Callable[[], None],
        on_stop: Callable[[], None],
    ) -> None:
        """`keep_rules` puts the network's rules in place anew where they are out of date."""
        self._api = api
        self._container = container
        self._image = image
        self._labels = dict(labels)
        self._disk_bytes = disk_bytes
        self._keep_rules = keep_rules
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
        receive = on_output or _ignore
        with engine_faults("starting a command"):
            attached = engine_exec.attach(self._api, exec_id)
        output = Output(attached.chunks(), attached.close)
        try:
            with self._watch() as disk_full:
                ended = pump(
                    output,
                    bounds,
                    receive,
                    running=lambda: bool(self._inspect(exec_id)["Running"]),
                    disk_full=disk_full,
                    started=started,
                )
            exit_code = self._inspect(exec_id)["ExitCode"] if ended == "exited" else None
            before, seconds = self._memory, time.monotonic() - started
            self._end(marker, user, ended, output, receive)
        except BaseException:
            with contextlib.suppress(SandboxError):
                self._end(marker, user, "canceled", output, _ignore)
            raise
        return ExecResult(
            exit_code,
            ended,
            seconds,
            oom_killed=self._memory.killed_since(before),
            host_oom=self._memory.killed_by_host_since(before),
        )

    def _end(self, marker: str, user: str, ended: Ended, output: Output, receive: OnOutput) -> None:
        """Kills what the command left while its last output is taken."""
        with ThreadPoolExecutor(max_workers=1) as other:
            cleaning = other.submit(self._clean_up, marker, user, ended)
            try:
                drain(output, receive, done=cleaning.done)
            finally:
                output.close()
        cleaning.result()

    def _inspect(self, exec_id: str) -> dict[str, Any]:
        with engine_faults("asking after a command"):
            return self._api.exec_inspect(exec_id)

    def _clean_up(self, marker: str, user: str, ended: Ended) -> None:
        """Kills what the command left and counts the memory's events.

        Where that fails, as under a fork bomb that holds every process id, the container goes.
        """
        with self._guard:
            alone = self._running <= {marker}
        failure = self._try_clean_up(None if alone else marker, user)
        if failure is not None:
            # Once more, after a while: a container that is being removed still counts as running.
            time.sleep(0.5)
            self._require_alive()
            failure = self._try_clean_up(None if alone else marker, user)
        if failure is None:
            return
        self._require_alive()
        with engine_faults("killing a container"):
            self._api.kill(self._container)
        if ended == "exited":
            raise SandboxError(f"what a command left running could not be ended ({failure})")

    def _try_clean_up(self, marker: str | None, user: str) -> str | None:
        """What went wrong, or None."""
        try:
            code, report = engine_exec.clean_up(
                self._api, self._container, user, marker, seconds=AFTERMATH_SECONDS
            )
        except ENGINE_FAULTS as error:
            return one_line(error)
        if code != 0:
            return f"status {code}: {' '.join(report.decode('utf8', 'replace').split())[-200:]}"
        self._memory = engine_exec.memory_events(report)
        return None

    def _require_alive(self) -> None:
        with engine_faults("asking after a container"):
            state = self._api.inspect_container(self._container)["State"]
        if not state["Running"]:
            raise SandboxLost(f"the container {self._container[:12]} stopped under a command")

    @contextlib.contextmanager
    def _watch(self) -> Iterator[threading.Event]:
        """While a command runs: an event that is set when the container's writable layer passes
        its limit; and the network's rules follow the host's addresses."""
        full, done = threading.Event(), threading.Event()

        def watch() -> None:
            pause = WATCH_SECONDS
            while not done.wait(pause):
                began = time.monotonic()
                with contextlib.suppress(*ENGINE_FAULTS, SandboxError):
                    self._keep_rules()
                    shown = self._api.containers(size=True, filters={"id": self._container})
                    if any((s.get("SizeRw") or 0) > self._disk_bytes for s in shown):
                        full.set()
                # The engine walks every file to know the size.
                pause = max(WATCH_SECONDS, 10 * (time.monotonic() - began))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield full
        finally:
            done.set()

    def put(self, tree: Path, path: str, *, owner: str = RUN_USER) -> None:
        with pack(tree, owner) as archive, engine_faults(f"copying into {path}"):
            self._make_folder(path.rstrip("/"), owner)
            self._api.put_archive(self._container, path, archive)

    def _make_folder(self, path: str, owner: str) -> None:
        """Makes what is missing of a path, as `owner`'s; engines differ in what they would do."""
        if not path or self._exists(path):
            return
        parent, name = posixpath.split(path)
        self._make_folder(parent.rstrip("/"), owner)
        self._api.put_archive(self._container, parent, pack_folder(name, owner))

    def _exists(self, path: str) -> bool:
        url = f"{self._api.base_url}/v{self._api.api_version}/containers/{self._container}/archive"
        return self._api.head(url, params={"path": path}, timeout=60).status_code == HTTPStatus.OK

    def get(self, path: str) -> Iterator[bytes]:
        with engine_faults(f"copying out of {path}"):
            try:
                chunks, _ = self._api.get_archive(self._container, path.rstrip("/"))
            except docker.errors.NotFound as error:
                self._require_alive()
                raise SandboxError(f"there is no {path} in the sandbox") from error
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
