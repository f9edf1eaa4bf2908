"""Work that an operator can terminate from the UI.

Belongs here: how Dagster's interrupt becomes the driver's cancellation. Does not: what the driver
does then (execution/). Concept: spec 004, "Runtime limits".

Dagster raises its interrupt, a BaseException, out of a signal handler: in the main thread, between
any two instructions. The work therefore runs in a thread of its own, where it sees the cancellation
only where it looks for it, and its own clean-up is never cut through.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import TypeVar

import dagster as dg

from tcab_dagster.containers.protocol import SandboxError
from tcab_dagster.errors import TcabError

T = TypeVar("T")


def cancelable(work: Callable[[threading.Event], T]) -> T:
    """Runs `work(cancel)`; an interrupt sets `cancel`, waits until the work has cleaned up, and
    is raised again, since an op that swallows it counts as a success."""
    cancel = threading.Event()
    future: Future[T] = Future()
    worker = threading.Thread(target=_settle, args=(future, work, cancel), name="tcab-driver")
    try:
        worker.start()
        return future.result()
    except BaseException:
        cancel.set()
        _wait_out(future)
        raise


def _settle(
    future: Future[T], work: Callable[[threading.Event], T], cancel: threading.Event
) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work(cancel))
    except BaseException as error:  # noqa: BLE001  (raised again in the thread that waits)
        future.set_exception(error)


def _wait_out(future: Future[T]) -> None:
    """Waits for work that has begun, whatever further interrupts an impatient operator sends;
    work that has not begun never does."""
    while not future.cancel() and not future.done():
        with contextlib.suppress(dg.DagsterExecutionInterruptedError, KeyboardInterrupt):
            wait([future])


@contextlib.contextmanager
def told_in_one_line() -> Iterator[None]:
    """Shows a failure that a person can act on as its message, without a traceback."""
    try:
        yield
    except TcabError as error:
        metadata = {} if error.help is None else {"help": dg.MetadataValue.text(error.help)}
        raise dg.Failure(
            description=error.message, metadata=metadata, allow_retries=False
        ) from None
    except SandboxError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from None
