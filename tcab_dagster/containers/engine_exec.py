"""One command in a container through the engine's API: attach, frames, exit, and its aftermath.

Belongs here: what depends on the `docker` package's insides and on the API's wire format, in one
place. Does not: bounds (bounded.py) or what a sandbox promises (engine.py).
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import docker

from tcab_dagster.containers.bounded import Chunk

FRAME_HEADER = struct.Struct(">BxxxL")
PIECE = 65536

MARKER = "EXEC_ID"
"""In the environment of every command, and so of all that it starts."""

AFTERMATH = r"""
if [ -z "$MARKED" ]; then
    kill -KILL -1 2>/dev/null
else
    for pass in 1 2 3 4 5; do
        found=
        for process in /proc/[0-9]*; do
            if /bin/grep -qzxF "$MARKED" "$process/environ" 2>/dev/null; then
                kill -KILL "${process#/proc/}" 2>/dev/null && found=1
            fi
        done
        [ -n "$found" ] || break
    done
fi
cd /sys/fs/cgroup && for file in memory.events memory/memory.oom_control \
        memory/memory.limit_in_bytes memory/memory.max_usage_in_bytes; do
    [ -r "$file" ] && /bin/sed "s|^|${file##*/} |" "$file"
done
exit 0
"""
"""Kills what a command left behind, or everything where no other command runs (at once, so that
no fork outruns it), and prints how often memory ran out."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A started command's output stream."""

    file: BinaryIO
    socket: socket.socket

    def chunks(self) -> Iterator[Chunk]:
        """Its output as it comes. A torn frame is handed on as far as it came."""
        while len(header := self.file.read(FRAME_HEADER.size)) == FRAME_HEADER.size:
            kind, left = FRAME_HEADER.unpack(header)
            while left and (data := self.file.read(min(left, PIECE))):
                left -= len(data)
                yield ("stderr" if kind == 2 else "stdout"), data

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)


def create(
    api: docker.APIClient,
    container: str,
    argv: Sequence[str],
    *,
    user: str,
    cwd: str,
    env: Mapping[str, str],
) -> str:
    created = api.exec_create(container, list(argv), user=user, workdir=cwd, environment=dict(env))
    return str(created["Id"])


def attach(api: docker.APIClient, exec_id: str, timeout: float | None = None) -> Attached:
    """Starts the command and takes its connection over.

    `exec_start(socket=True)` hands out the socket below a buffered reader that has parsed the
    HTTP answer and may already hold the first bytes of output: read the buffered one.
    """
    raw: Any = api.exec_start(exec_id, socket=True)
    response = raw._response
    file = response.raw._fp.fp
    connection: socket.socket = raw._sock if hasattr(raw, "_sock") else raw
    connection.settimeout(timeout)
    return Attached(_Kept(file, response), connection)  # type: ignore[arg-type]


class _Kept:
    """The buffered reader, and the response whose collection would close it."""

    def __init__(self, file: BinaryIO, response: object) -> None:
        self.read = file.read
        self._response = response


def clean_up(
    api: docker.APIClient, container: str, user: str, marker: str | None, *, seconds: float
) -> tuple[int | None, bytes]:
    """Runs AFTERMATH as `user`, whose processes it is to kill; its status and output.

    `marker`: of the command whose processes go, or None for all. Nothing that the container's user
    can write is on its PATH or in its environment. Raises OSError after `seconds` of silence.
    """
    exec_id = create(
        api,
        container,
        ["/bin/sh", "-c", AFTERMATH],
        user=user,
        cwd="/",
        env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "MARKED": "" if marker is None else f"{MARKER}={marker}",
        },
    )
    attached = attach(api, exec_id, timeout=seconds)
    try:
        output = b"".join(data for _, data in attached.chunks())
    finally:
        attached.close()
    return api.exec_inspect(exec_id)["ExitCode"], output


@dataclass(frozen=True, slots=True)
class MemoryEvents:
    """How often a process was killed for memory, and how often the container's limit was why."""

    kills: int = 0
    limit_hits: int = 0

    def killed_since(self, before: MemoryEvents) -> bool:
        """A kill without a hit is the host's, short of memory: not the container's own doing."""
        return self.kills > before.kills and self.limit_hits > before.limit_hits

    def killed_by_host_since(self, before: MemoryEvents) -> bool:
        return self.kills > before.kills and self.limit_hits == before.limit_hits


def memory_events(report: bytes) -> MemoryEvents:
    """Reads what AFTERMATH printed: control groups of version 2, or of version 1.

    Version 1 no longer counts hits: there, usage that has ever reached the limit stands for one
    with every kill.
    """
    facts = {}
    for line in report.decode(errors="replace").splitlines():
        *words, value = line.split()
        if value.isdigit():
            facts[" ".join(words)] = int(value)
    kills = facts.get("memory.events oom_kill", facts.get("memory.oom_control oom_kill", 0))
    if "memory.events oom" in facts:
        return MemoryEvents(kills, facts["memory.events oom"])
    reached = facts.get("memory.max_usage_in_bytes", 0) >= facts.get("memory.limit_in_bytes", 1)
    return MemoryEvents(kills, kills if reached else 0)
