"""Writers for tests of concurrency, each in a process of its own.

`python -m tests.warehouse.restless write HOME WRITER COUNT` writes COUNT runs, each twice;
`... kill HOME ROUNDS` starts ROUNDS writers, one after the other, and kills each with SIGKILL in
the midst of its writing.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.home import Home
from tcab_dagster.records import RunRecord
from tcab_dagster.warehouse import write_case, write_run, write_runs
from tests.evaluation.authored import Decision, case, record, split, variant, whole

POINTS = 5
PONG = case(
    variant("base", whole("ball", 1), split("paddle", 1, "up", "down", "stop"), whole("look", 2))
)


def marked(run: int, mark: int) -> RunRecord:
    """A run of which every part carries the same mark: 0 or 1."""
    decision: Decision = "pass" if mark else "fail"
    decided = {point.verdict_id: decision for point in PONG.variant().points}
    return record(PONG, decided, run=run, detail=str(mark), tool_calls={str(mark): mark})


def write(home: Home, writer: int, count: int) -> None:
    for n in range(count):
        for mark in (0, 1):
            write_run(home, marked(1000 * writer + n, mark), PONG)
        write_case(home, PONG)


def kill(home: Home, rounds: int) -> None:
    source = random.Random(5)
    for _ in range(rounds):
        begun, tell = os.pipe()
        child = os.fork()
        if child == 0:
            write_runs(home, _endless(tell))
            os._exit(0)
        os.read(begun, 1)
        time.sleep(source.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(begun)
        os.close(tell)


def _endless(tell: int) -> Iterator[tuple[RunRecord, CaseVersion]]:
    for n in itertools.count():
        if n == 1:
            os.write(tell, b"!")
        yield marked(n % 3, n // 3 % 2), PONG


if __name__ == "__main__":
    what, path, *numbers = sys.argv[1:]
    {"write": write, "kill": kill}[what](Home.open(Path(path)), *map(int, numbers))
