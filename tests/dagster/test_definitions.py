"""The code location loads, and holds what it is documented to hold."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg

from tcab_dagster.definitions import build_definitions

PROJECT = Path(__file__).parents[2]


def test_the_code_location_holds_these_names() -> None:
    repository = build_definitions(cases=["pong"]).get_repository_def()
    graph = repository.asset_graph

    assert {key.to_user_string() for key in graph.get_all_asset_keys()} == {
        "case_definition",
        "reference_screenshots",
        "validation_baselines",
        "run_outcome",
        "validation_media",
        "metrics",
    }
    assert {check.to_user_string() for check in graph.asset_check_keys} == {
        "run_outcome:session_ended_well",
        "validation_baselines:baselines_present",
        "validation_media:builds_and_loads",
        "validation_media:no_gating_failures",
    }
    assert {job.name for job in repository.get_all_jobs() if not job.name.startswith("__")} == {
        "ingest_catalog",
        "launch_runs",
        "metrics_job",
        "run_job",
    }
    assert {sensor.name for sensor in repository.sensor_defs} == {
        "catalog_checkout",
        "reaper",
        "recorded_runs",
        "run_requests",
        "stale_metrics",
    }
    assert {schedule.name for schedule in repository.schedule_defs} == {"nightly_ingest"}


def test_sensors_and_schedules_start_running() -> None:
    repository = build_definitions(cases=["pong"]).get_repository_def()

    assert all(
        sensor.default_status is dg.DefaultSensorStatus.RUNNING for sensor in repository.sensor_defs
    )
    assert all(
        schedule.default_status is dg.DefaultScheduleStatus.RUNNING
        for schedule in repository.schedule_defs
    )


def test_no_edge_joins_the_two_partition_spaces() -> None:
    graph = build_definitions(cases=["pong"]).get_repository_def().asset_graph
    space = {key: graph.get(key).partitions_def for key in graph.get_all_asset_keys()}

    assert all(
        space[parent] == space[key] for key in space for parent in graph.get(key).parent_keys
    )


def test_every_asset_says_what_it_is() -> None:
    graph = build_definitions(cases=["pong"]).get_repository_def().asset_graph

    assert all(graph.get(key).description for key in graph.get_all_asset_keys())


def test_validating_the_workspace_warns_of_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / "test-cases").mkdir()
    shown = subprocess.run(
        [sys.executable, "-m", "dagster", "definitions", "validate", "-w", "workspace.yaml"],
        cwd=PROJECT,
        env={
            **os.environ,
            "DAGSTER_HOME": str(tmp_path),
            "TCAB_CHECKOUT": str(tmp_path),
            "TCAB_HOME": str(tmp_path / "home"),
            "PYTHONPATH": str(PROJECT),
            "PYTHONWARNINGS": "default::DeprecationWarning,default::FutureWarning",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert shown.returncode == 0, shown.stderr
    warned = [line for line in shown.stderr.splitlines() if "Warning" in line]
    assert not [line for line in warned if str(PROJECT) + os.sep in line and ".venv" not in line]


def test_the_domain_never_imports_dagster() -> None:
    program = (
        "import pkgutil, sys, importlib, tcab_dagster\n"
        "for module in pkgutil.walk_packages(tcab_dagster.__path__, 'tcab_dagster.'):\n"
        "    if 'definitions' not in module.name and not module.name.endswith('__main__'):\n"
        "        importlib.import_module(module.name)\n"
        "print([name for name in sys.modules if name.partition('.')[0] == 'dagster'])\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert shown.stdout.strip() == "[]", shown.stderr
