"""`tcab run`, `tcab validate` and `tcab seed` with the real engine, end to end."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import docker
import pytest

from tcab_dagster.home import Home
from tests.cli.conftest import Tcab

pytestmark = pytest.mark.engine


def test_a_run_is_scored_recorded_and_queryable(tcab: Tcab, tmp_path: Path) -> None:
    ended = tcab("run", "pong", "--harness", "replay", "--format", "json")

    assert ended.status == 0, ended.stderr
    (record,) = ended.json
    assert record["state"] == "completed"
    verdicts = [v["verdict"] for v in record["validation"]["verdicts"]]
    assert "pass" in verdicts
    assert "fail" in verdicts
    assert "undecided" not in verdicts
    (row,) = tcab("query", "FROM runs", "--format", "json").json
    assert row["run_id"] == record["run_id"]
    assert 0 < row["score_auto"] < 1
    sql = "SELECT harness, model, n, runs FROM metrics"
    (metrics,) = tcab("query", sql, "--format", "json").json
    assert metrics == {"harness": "replay", "model": "flawed", "n": 1, "runs": 1}
    tree = tmp_path / "home/runs" / record["run_id"] / "tree"
    assert (tree / "package.json").is_file()
    assert not (tree / "node_modules").exists()

    again = tcab("validate", record["run_id"], "--format", "json")

    assert again.status == 1, "failed points gate"
    assert [v["verdict"] for v in again.json["verdicts"]] == verdicts
    assert again.json["gating"] == [
        v["verdict_id"] for v in record["validation"]["verdicts"] if v["verdict"] == "fail"
    ]


def test_a_tree_that_does_not_build_is_catastrophic_and_an_outcome(tcab: Tcab) -> None:
    ended = tcab("run", "pong", "--harness", "replay", "--model", "broken", "--format", "json")

    assert ended.status == 0, ended.stderr
    assert ended.json[0]["state"] == "catastrophic"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_takes_the_run_back_within_10_seconds(
    tcab: Tcab, engine: docker.APIClient, tmp_path: Path, number: signal.Signals
) -> None:
    process = tcab.start("run", "pong", "--harness", "replay", "--model", "silent")
    assert process.stderr is not None
    for line in process.stderr:
        if "  agent  " in line:
            break
    began = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=30)

    assert process.returncode == 130
    assert time.monotonic() - began < 10
    home = Home.open(tmp_path / "home")
    assert home.recorded_run_ids() == []
    assert home.request_ids() == []
    ours = {"label": f"tcab.installation={home.installation}"}
    assert engine.containers(all=True, filters=ours) == []
    assert engine.networks(filters=ours) == []


def test_a_seeded_repository_is_left_for_inspection(tcab: Tcab, tmp_path: Path) -> None:
    out = tmp_path / "seeded"

    ended = tcab("seed", "pong", "--out", str(out), "--format", "json")

    assert ended.status == 0, ended.stderr
    assert {"package.json", "specs/overview.md", "reference/title.png"} <= set(ended.json["files"])
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=out, capture_output=True, text=True, check=True
    )
    assert head.stdout.strip() == ended.json["commit"]
    assert tcab("seed", "pong", "--out", str(out)).status == 2
