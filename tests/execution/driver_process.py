"""A driver in a process of its own, which a test can kill where it wants.

    python -m tests.execution.driver_process RUN_ID [WHERE]

Prints `here` when it has come to WHERE (a stage of the journal; `at work`: in mid-session; `rows`:
between the record's rename and the warehouse's write) and stays there; without WHERE it prints
`here` in mid-session and goes on. The home and the checkout come from the environment.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from tcab_dagster import warehouse
from tcab_dagster.containers.runtimes import open_runtime
from tcab_dagster.execution import execute
from tcab_dagster.execution.journal import Journal
from tcab_dagster.home import Home
from tcab_dagster.records import Event
from tcab_dagster.settings import Settings


def stay() -> None:
    print("here", flush=True)
    time.sleep(600)


def main(run_id: str, where: str | None) -> None:
    enter = Journal.enter

    def entered(self: Journal, stage: Any) -> None:
        enter(self, stage)
        if stage == where:
            stay()

    Journal.enter = entered  # type: ignore[method-assign]
    if where == "rows":
        warehouse.write_run = lambda *_: stay()  # type: ignore[assignment]

    def watch(event: Event) -> None:
        if event.text == "at work" and where == "at work":
            stay()
        if event.text == "at work" and where is None:
            print("here", flush=True)

    settings = Settings.load()
    home = Home.open(settings.home)
    with open_runtime(settings, home) as runtime:
        execute(home.request(run_id), home, runtime, settings, on_event=watch)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
