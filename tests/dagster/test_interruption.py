"""Terminating an op reaches the work as a cancellation, and leaves as the interrupt it was."""

import os
import signal
import threading
from collections.abc import Iterator

import dagster as dg
import pytest

from assets.interruption import cancelable, told_in_one_line
from tcab_dagster.errors import UsageError


class Interrupt(BaseException):
    """Stands for Dagster's, which is a BaseException too and is raised by a signal handler."""


@pytest.fixture
def interruptible() -> Iterator[None]:
    def raise_it(_number: int, _frame: object) -> None:
        raise Interrupt

    before = signal.signal(signal.SIGUSR1, raise_it)
    yield
    signal.signal(signal.SIGUSR1, before)


def test_the_work_hears_of_an_interrupt_and_cleans_up_before_it_is_raised(
    interruptible: None,
) -> None:
    steps: list[str] = []

    def work(cancel: threading.Event) -> None:
        os.kill(os.getpid(), signal.SIGUSR1)
        assert cancel.wait(10)
        steps.append("cleaned up")

    with pytest.raises(Interrupt):
        cancelable(work)
    assert steps == ["cleaned up"]


def test_work_that_nobody_interrupts_gives_its_result() -> None:
    assert cancelable(lambda cancel: cancel.is_set()) is False


def test_an_error_of_the_work_is_raised_where_it_is_waited_for() -> None:
    def work(_cancel: threading.Event) -> None:
        raise UsageError("no such run")

    with pytest.raises(UsageError, match="no such run"):
        cancelable(work)


def test_an_error_a_person_can_act_on_is_shown_in_one_line() -> None:
    with pytest.raises(dg.Failure) as raised, told_in_one_line():
        raise UsageError("no run `x` was requested", help="launch one")

    assert raised.value.description == "no run `x` was requested"
    assert raised.value.metadata["help"].value == "launch one"
    assert raised.value.allow_retries is False
