"""How many runs one machine holds at once, whoever launches them.

Belongs here: slots of the machine and of each harness, and a start at a time. Does not: Dagster's
own queue. A slot is a file lock, so that the kernel frees it when its holder dies, however it dies.
Concept: docs/operate.md.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tcab_dagster.errors import Canceled, UsageError
from tcab_dagster.home import Home, LockHeld, file_lock

VARIABLE = "TCAB_SLOTS"
CPUS_PER_RUN = 2
LOOK_AGAIN = 0.5


@contextlib.contextmanager
def slot(
    home: Home,
    harness: str,
    environment: Mapping[str, str] | None = None,
    *,
    cancel: threading.Event | None = None,
    on_wait: Callable[[str], None] = lambda _reason: None,
) -> Iterator[None]:
    """Holds one slot of the harness and one of the machine, waiting for them in that order.

    `on_wait` is told once what is waited for. Raises Canceled when `cancel` is set meanwhile.
    """
    env = os.environ if environment is None else environment
    folder = home.locks / "slots"
    machine = machine_slots(env)
    per_harness = harness_slots(harness, env, machine)
    # The harness's first: whoever waits for a busy harness must not keep the others waiting too.
    with (
        _one_of(folder / "harness" / harness, per_harness, cancel, on_wait),
        _one_of(folder / "machine", machine, cancel, on_wait),
    ):
        yield


@contextlib.contextmanager
def start_turn(home: Home, cancel: threading.Event | None = None) -> Iterator[None]:
    """One sandbox of this home starts at a time: held while it does, so that many launched at
    once ramp up."""
    with _one_of(home.locks / "slots" / "start", 1, cancel, lambda _reason: None):
        yield


def machine_slots(environment: Mapping[str, str]) -> int:
    """TCAB_SLOTS, or one run for every two CPUs."""
    return _count(environment, VARIABLE, max(1, (os.cpu_count() or 1) // CPUS_PER_RUN))


def harness_slots(harness: str, environment: Mapping[str, str], machine: int) -> int:
    """TCAB_SLOTS_<HARNESS>, or as many as the machine has."""
    return _count(environment, f"{VARIABLE}_{harness.upper().replace('-', '_')}", machine)


def _count(environment: Mapping[str, str], variable: str, default: int) -> int:
    text = environment.get(variable, "").strip()
    if not text:
        return default
    if not text.isdecimal() or int(text) == 0:
        raise UsageError(f"{variable} is `{text}`", help="give it a whole number from 1 on")
    return int(text)


@contextlib.contextmanager
def _one_of(
    folder: Path,
    count: int,
    cancel: threading.Event | None,
    on_wait: Callable[[str], None],
) -> Iterator[None]:
    """Holds one of `count` numbered locks in `folder`."""
    told = False
    while True:
        for number in range(count):
            with contextlib.ExitStack() as held:
                try:
                    held.enter_context(file_lock(folder / str(number)))
                except LockHeld:
                    continue
                yield
                return
        if not told:
            told = True
            on_wait(f"waiting for one of {count} slots ({folder.name})")
        if cancel is None:
            time.sleep(LOOK_AGAIN)
        elif cancel.wait(LOOK_AGAIN):
            raise Canceled(f"canceled while waiting for a slot ({folder.name})")
