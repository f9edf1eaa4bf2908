"""The real webserver and daemon: launched, terminated and looked at as a person would."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import docker
import pytest
from playwright.sync_api import Page, sync_playwright

from tcab_dagster.containers.protocol import LABEL_INSTALLATION
from tcab_dagster.home import Home
from tcab_dagster.warehouse import query

pytestmark = [pytest.mark.server, pytest.mark.engine, pytest.mark.timeout(900)]

PROJECT = Path(__file__).parents[2]
PICTURES = PROJECT / "docs" / "images"
UNFINISHED = ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")

LAUNCH = """
mutation LaunchPipelineExecution($executionParams: ExecutionParams!) {
  launchPipelineExecution(executionParams: $executionParams) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on RunConfigValidationInvalid { errors { message } }
    ... on PythonError { message }
  }
}
"""
TERMINATE = """
mutation Terminate($runId: String!) {
  terminateRun(runId: $runId) { __typename ... on TerminateRunFailure { message } }
}
"""
RUNS = """
query Runs($filter: RunsFilter!) {
  runsOrError(filter: $filter) { ... on Runs { results { runId status } } }
}
"""
PARTITIONS = """
query Partitions($assetKey: AssetKeyInput!) {
  assetNodeOrError(assetKey: $assetKey) { ... on AssetNode { partitionKeys } }
}
"""

T = TypeVar("T")


def eventually(look: Callable[[], T | None], what: str, seconds: float = 300) -> T:
    """What `look` finds, as soon as it finds anything."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = look()
        if found:
            return found
        time.sleep(1)
    pytest.fail(f"{what}: not within {seconds:g} s")


@dataclass(frozen=True)
class Server:
    """`python -m tcab_dagster.dev`, on a port and a home of its own."""

    url: str
    home: Home
    log: Path

    def ask(self, document: str, **variables: object) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.url}/graphql",
            data=json.dumps({"query": document, "variables": variables}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
        assert "errors" not in answer, answer
        return dict(answer["data"])

    def launch_runs(self, **config: object) -> str:
        """Dagster's run id of the `launch_runs` that the Launchpad's form would start."""
        yaml = "ops:\n  launch:\n    config:\n" + "".join(
            f"      {key}: {value}\n" for key, value in config.items()
        )
        answer = self.ask(
            LAUNCH,
            executionParams={
                "selector": {
                    "repositoryLocationName": "tcab",
                    "repositoryName": "__repository__",
                    "jobName": "launch_runs",
                },
                "runConfigData": yaml,
                "mode": "default",
                "executionMetadata": {"tags": []},
            },
        )["launchPipelineExecution"]
        assert answer["__typename"] == "LaunchRunSuccess", answer
        return str(answer["run"]["runId"])

    def runs(self, **filter: object) -> list[dict[str, str]]:
        return list(self.ask(RUNS, filter=filter)["runsOrError"]["results"])

    def run_of(self, run_id: str) -> dict[str, str] | None:
        """Dagster's newest run for one of our runs."""
        tags = [{"key": "dagster/partition", "value": run_id}]
        found = self.runs(pipelineName="run_job", tags=tags)
        return found[0] if found else None

    def partitions(self, asset: str) -> list[str]:
        node = self.ask(PARTITIONS, assetKey={"path": [asset]})["assetNodeOrError"]
        return list(node["partitionKeys"])

    def finished(self, run_id: str) -> str | None:
        """The status of one of Dagster's runs, once it has ended."""
        [run] = self.runs(runIds=[run_id])
        return None if run["status"] in UNFINISHED else run["status"]


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, run_image: str, validator_image: str
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    home, log = Home.open(folder / "home"), folder / "server.log"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT),
        "TCAB_CHECKOUT": str(PROJECT),
        "TCAB_HOME": str(home.path),
        "TCAB_CONTAINER_REGISTRY": "",
        "TCAB_SLOTS": "2",
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tcab_dagster.dev", "--port", str(port)],
            cwd=PROJECT, env=environment, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        running = Server(f"http://127.0.0.1:{port}", home, log)
        eventually(lambda: answers(running, process), "the server answers", 240)
        eventually(lambda: "pong@v1.0.0" in running.partitions("metrics"), "the first ingest")
        yield running
    finally:
        end(process)


def answers(server: Server, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, server.log.read_text()[-3000:]
    try:
        server.ask("{ version }")
        return bool(server.ask(PARTITIONS, assetKey={"path": ["run_outcome"]}))
    except OSError:
        return False


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends the whole process group: webserver, daemon, code server and their runs."""
    os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=60)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def completed(server: Server) -> str:
    """The run id of a whole run of `pong`, launched from the Launchpad."""
    launched = server.launch_runs(case="pong", harness="replay", model="flawed")
    assert eventually(lambda: server.finished(launched), "launch_runs ends") == "SUCCESS"
    [run_id] = server.home.request_ids()
    run = eventually(lambda: server.run_of(run_id), "the sensor starts the run")
    assert eventually(lambda: server.finished(run["runId"]), "the run ends", 600) == "SUCCESS"
    return run_id


def test_a_run_launched_from_the_launchpad_is_scored_in_duckdb(
    server: Server, completed: str
) -> None:
    rows = query(
        server.home,
        f"SELECT state, launched_by, score_auto FROM runs WHERE run_id = '{completed}'",
    ).rows

    [(state, launched_by, score)] = rows
    assert (state, launched_by) == ("completed", "dagster")
    assert isinstance(score, float)
    assert 0 < score < 1
    assert completed in server.partitions("run_outcome")


def test_the_metrics_follow_by_themselves(server: Server, completed: str) -> None:
    def derived() -> bool:
        rows = query(server.home, "SELECT harness, n FROM metrics WHERE slug = 'pong'").rows
        return rows == [("replay", 1)]

    eventually(derived, "metrics are derived from the completed run", 240)


def test_everything_of_dagster_lies_below_the_home(server: Server, completed: str) -> None:
    folder = server.home.dagster

    assert (folder / "dagster.yaml").resolve() == PROJECT / "dagster.yaml"
    assert (folder / "history" / "runs.db").is_file()
    assert (folder / "schedules" / "schedules.db").is_file()


def test_a_terminated_run_leaves_nothing(
    server: Server, completed: str, engine: docker.APIClient
) -> None:
    before = set(server.home.request_ids())
    server.launch_runs(case="pong", harness="replay", model="silent")
    [run_id] = eventually(lambda: set(server.home.request_ids()) - before, "the request")
    eventually(lambda: in_session(server.home, run_id), "the session begins")
    assert ours(engine.containers(all=True), server.home)
    run = server.run_of(run_id)
    assert run is not None
    answer = server.ask(TERMINATE, runId=run["runId"])["terminateRun"]
    assert answer["__typename"] == "TerminateRunSuccess", answer

    assert eventually(lambda: server.finished(run["runId"]), "the run ends", 120) == "CANCELED"
    assert not ours(engine.containers(all=True), server.home)
    assert not ours(engine.volumes()["Volumes"] or [], server.home)
    assert not ours(engine.networks(), server.home)
    assert set(server.home.request_ids()) == before
    assert not server.home.run(run_id).path.exists()
    assert run_id not in server.partitions("run_outcome")
    assert query(server.home, "SELECT run_id FROM runs").rows == [(completed,)]


def in_session(home: Home, run_id: str) -> bool:
    events = home.run(run_id).events
    return events.is_file() and "Reading the specification" in events.read_text()


def ours(things: list[dict[str, Any]], home: Home) -> list[str]:
    """Those of the engine's containers, volumes or networks that bear this home's label."""
    return [
        str(thing.get("Id") or thing.get("Name"))
        for thing in things
        if (thing.get("Labels") or {}).get(LABEL_INSTALLATION) == home.installation
    ]


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        opened = browser.new_page(viewport={"width": 1440, "height": 900})
        opened.set_default_timeout(60_000)
        yield opened
        browser.close()


def test_the_ui_shows_the_assets_and_what_a_run_came_to(
    server: Server, completed: str, page: Page
) -> None:
    page.goto(f"{server.url}/locations/tcab/asset-groups/catalog")
    for asset in ("case_definition", "metrics", "reference_screenshots", "validation_baselines"):
        page.get_by_text(asset, exact=True).first.wait_for()
    page.goto(f"{server.url}/assets/validation_media?view=partitions&partition={completed}")
    page.get_by_text("score_auto", exact=True).wait_for()
    page.get_by_text("points,").first.wait_for()
    picture(page, "dagster-ui.png")
    page.locator("tr", has_text="pictures").get_by_text("[Show Markdown]").click()
    page.locator("img[src^='data:image/jpeg']").first.wait_for()
    picture(page, "dagster-pictures.png")


def picture(page: Page, name: str) -> None:
    """Takes one of the documentation's pictures, where TCAB_WRITE_PICTURES=1 asks for it."""
    if os.environ.get("TCAB_WRITE_PICTURES") == "1":
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(2000)
        page.screenshot(path=str(PICTURES / name))
