"""Slots: how many runs at once, whoever launches them, and however they end."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest

from tcab_dagster.containers.slots import harness_slots, machine_slots, slot, start_turn
from tcab_dagster.errors import Canceled, UsageError
from tcab_dagster.home import Home

ONE = {"TCAB_SLOTS": "1"}
HOLDER = """
import sys, time
from pathlib import Path
from tcab_dagster.containers.slots import slot
from tcab_dagster.home import Home
with slot(Home.open(Path(sys.argv[1])), "codex", {"TCAB_SLOTS": "1"}):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_run_waits_and_says_so_until_the_first_is_over(home: Home) -> None:
    told: list[str] = []
    entered = threading.Event()

    def second() -> None:
        with slot(home, "claude", ONE, on_wait=told.append):
            entered.set()

    with slot(home, "codex", ONE):
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.wait(0.8)
    thread.join(timeout=5)

    assert entered.is_set()
    assert told == ["waiting for one of 1 slots (machine)"]


def test_two_slots_hold_two_runs(home: Home) -> None:
    with slot(home, "codex", {"TCAB_SLOTS": "2"}), slot(home, "codex", {"TCAB_SLOTS": "2"}):
        pass


def test_a_busy_harness_does_not_keep_the_others_from_running(home: Home) -> None:
    environment = {"TCAB_SLOTS": "2", "TCAB_SLOTS_CODEX": "1"}
    cancel = threading.Event()

    def second() -> None:
        with pytest.raises(Canceled), slot(home, "codex", environment, cancel=cancel):
            pass

    with slot(home, "codex", environment):
        waiting = threading.Thread(target=second)
        waiting.start()
        time.sleep(0.2)
        with slot(home, "claude", environment):
            pass
        cancel.set()
        waiting.join(timeout=5)

    assert not waiting.is_alive()


def test_a_killed_holder_s_slot_is_free_at_once(home: Home) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home.path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGKILL)
    holder.wait()

    cancel = threading.Event()
    threading.Timer(5, cancel.set).start()
    with slot(home, "codex", ONE, cancel=cancel):
        pass


def test_one_sandbox_starts_at_a_time(home: Home) -> None:
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()

    with start_turn(home), pytest.raises(Canceled), start_turn(home, cancel):
        pass


def test_slots_come_from_the_environment_or_the_machine() -> None:
    assert machine_slots({}) >= 1
    assert machine_slots({"TCAB_SLOTS": " 7 "}) == 7
    assert harness_slots("claude-code", {"TCAB_SLOTS_CLAUDE_CODE": "2"}, 7) == 2
    assert harness_slots("codex", {}, 7) == 7


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_a_senseless_number_of_slots_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="TCAB_SLOTS"):
        machine_slots({"TCAB_SLOTS": text})
