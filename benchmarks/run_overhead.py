"""What a run costs beside its own work: `.venv/bin/python benchmarks/run_overhead.py [RUNS]`.

Plays the recorded session of `pong` through the driver and the validation, as `tcab run` does,
and splits the wall time by stage. Not overhead, since the benchmark exists for it: harness
install, init, the session, npm install, the build, and the drives' own time. The limit: 5 s a run
on a warm machine.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tcab_dagster.catalog import load_catalog
from tcab_dagster.containers.protocol import Runtime
from tcab_dagster.containers.runtimes import open_runtime
from tcab_dagster.execution import ensure_references, execute, new_request, validate_run
from tcab_dagster.home import Home
from tcab_dagster.ingestion import store_version
from tcab_dagster.records import Event
from tcab_dagster.settings import Settings

LIMIT = 5.0
OWN_WORK = {"install_harness", "probe_harness", "init", "session", "install", "build", "drives"}


def main(runs: int) -> int:
    loaded = Settings.load(root=Path(__file__).resolve().parents[1])
    with tempfile.TemporaryDirectory(prefix="tcab-benchmark-") as folder:
        home = Home.open(Path(folder))
        with open_runtime(loaded, home) as runtime:
            samples = [_one_run(home, runtime, loaded, warm=i > 0) for i in range(runs + 1)][1:]
    stages = dict.fromkeys(name for sample in samples for name in sample)
    table = Table("stage", "median s", "least", "most", "counts as overhead", box=None)
    for name in stages:
        found = [sample.get(name, 0.0) for sample in samples]
        counted = "" if name in OWN_WORK else "yes"
        table.add_row(name, *(f"{f(found):.2f}" for f in (statistics.median, min, max)), counted)
    totals = [sum(s for name, s in sample.items() if name not in OWN_WORK) for sample in samples]
    console = Console()
    console.print(table)
    overhead = statistics.median(totals)
    console.print(
        f"\noverhead: median {overhead:.2f} s of {runs} runs ({min(totals):.2f} to "
        f"{max(totals):.2f}), {overhead / LIMIT:.2f} of the limit of {LIMIT:g} s"
    )
    return 0


def _one_run(home: Home, runtime: Runtime, settings: Settings, *, warm: bool) -> dict[str, float]:
    """Seconds by stage of one run. The first one warms up: it renders the references."""
    case = load_catalog(settings.checkout).find("pong@v1.0.0")
    variant = case.variant()
    store_version(home, case)
    if not warm:
        environment = settings.environment
        ensure_references(case, variant, home, runtime, environment=environment, progress=print)
    request = new_request(case, variant, "replay", None, None, "tcab")
    home.file_request(request)
    began = time.monotonic()
    marks: list[tuple[str, float]] = [("seed", began)]

    def note(event: Event) -> None:
        if event.stage is not None:
            marks.append((event.stage, time.monotonic()))

    record = execute(request, home, runtime, settings, on_event=note)
    recorded = time.monotonic()
    record = validate_run(record.run_id, home, runtime, settings)
    ended = time.monotonic()
    if record.validation is None or record.validation.outcome != "completed":
        raise SystemExit(f"the run ended as {record.state}: {record.detail}")
    seconds: defaultdict[str, float] = defaultdict(float)
    for (stage, at), (_, until) in zip(marks, [*marks[1:], ("", recorded)], strict=True):
        seconds[stage] += until - at
    # The session's own time is the recording's; what it takes beyond that is ours.
    session = seconds.pop("session")
    seconds["session"] = record.durations.session or 0.0
    seconds["around the session"] = session - seconds["session"]
    stages = dict(record.validation.stages)
    drives = stages.pop("load", 0.0) + stages.pop("checks", 0.0) + stages.pop("scripts", 0.0)
    seconds["drives"] = drives
    seconds |= {name: s for name, s in stages.items() if name in ("install", "build")}
    seconds["around the validation"] = (
        ended - recorded - drives - stages.get("install", 0.0) - stages.get("build", 0.0)
    )
    return dict(seconds)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
