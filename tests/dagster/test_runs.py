"""The assets of a run, materialized with real containers and a recorded session."""

import dagster as dg
import pytest

from resources import HomeResource
from tcab_dagster.catalog.store import Store
from tcab_dagster.definitions import build_definitions
from tcab_dagster.execution import new_request
from tcab_dagster.home import Home
from tcab_dagster.ingestion import ingest_catalog
from tcab_dagster.warehouse import query
from tests.dagster.small_catalog import SmallCatalog

pytestmark = pytest.mark.engine

PAGE = (
    "<!doctype html><title>Tiny</title><body style='background:#223;color:#fff'>"
    "<h1>hello</h1><script>window.__tiny = { greeting: () => '%s' };</script>"
)


def session(greeting: str, **last: object) -> list[dict[str, object]]:
    """A recorded session that writes the page, and ends as `last` says."""
    page = {"path": "index.html", "text": PAGE % greeting}
    return [{"delay": 0.1, "writes": [page]}, {"delay": 0.1, **last}]


@pytest.fixture
def ready(
    catalog: SmallCatalog,
    home_resource: HomeResource,
    monkeypatch: pytest.MonkeyPatch,
    run_image: str,
    validator_image: str,
) -> HomeResource:
    monkeypatch.setenv("TCAB_CONTAINER_REGISTRY", "")
    catalog.record("polite", session("hello"))
    catalog.record("rude", session("go away"))
    catalog.record("failing", session("hello", exit=3))
    ingest_catalog(home_resource.open(), home_resource.settings())
    return home_resource


def filed(home: Home, model: str) -> str:
    case = Store(home).current("tiny@v1.0.0")
    request = new_request(case, case.variant(), "replay", model, None, launched_by="dagster")
    home.file_request(request)
    return request.run_id


def run(instance: dg.DagsterInstance, home: HomeResource, run_id: str) -> dg.ExecuteInProcessResult:
    instance.add_dynamic_partitions("run", [run_id])
    job = build_definitions({"home": home}, cases=[]).resolve_job_def("run_job")
    return job.execute_in_process(instance=instance, partition_key=run_id, raise_on_error=False)


def metadata(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, object]:
    [event] = result.asset_materializations_for_node(asset)
    return {label: value.value for label, value in event.metadata.items()}


def checks(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {e.check_name: e.passed for e in result.get_asset_check_evaluations()}


def test_a_run_goes_from_its_request_to_its_score(
    ready: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ready.open()
    run_id = filed(home, "polite")
    result = run(instance, ready, run_id)

    assert result.success
    assert metadata(result, "run_outcome")["state"] == "collected"
    shown = metadata(result, "validation_media")
    assert shown["state"] == "completed"
    assert shown["score_auto"] == "2 of 2 points, 100.0%; 1 await a review"
    assert "data:image/jpeg;base64," in str(shown["pictures"])
    assert checks(result) == {
        "session_ended_well": True,
        "builds_and_loads": True,
        "no_gating_failures": True,
    }
    assert query(home, "SELECT run_id, state, score_auto FROM runs").rows == [
        (run_id, "completed", 1.0)
    ]


def test_a_point_that_fails_gates_by_name_and_reason(
    ready: HomeResource, instance: dg.DagsterInstance
) -> None:
    result = run(instance, ready, filed(ready.open(), "rude"))

    assert result.success
    assert not checks(result)["no_gating_failures"]
    [check] = [
        c for c in result.get_asset_check_evaluations() if c.check_name == "no_gating_failures"
    ]
    assert "greets" in str(check.metadata["gated_by"].value)


def test_a_session_that_fails_is_a_result_and_a_repeat_is_refused(
    ready: HomeResource, instance: dg.DagsterInstance
) -> None:
    run_id = filed(ready.open(), "failing")
    result = run(instance, ready, run_id)

    assert result.success
    assert metadata(result, "run_outcome")["state"] == "harness_error"
    assert "nothing to validate" in str(metadata(result, "validation_media")["validation"])
    assert checks(result)["session_ended_well"] is False

    again = run(instance, ready, run_id)
    failure = again.failure_data_for_node("run_outcome")
    assert failure is not None
    assert failure.user_failure_data is not None
    assert "is recorded already, as harness_error" in str(failure.user_failure_data.description)


def test_infrastructure_is_a_failure_in_one_line(
    ready: HomeResource, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TCAB_CONTAINER_IMAGE_BASE_WASM", "tcab-no-such-image:none")
    run_id = filed(ready.open(), "polite")
    result = run(instance, ready, run_id)

    assert not result.success
    failure = result.failure_data_for_node("run_outcome")
    assert failure is not None
    assert failure.user_failure_data is not None
    line = str(failure.user_failure_data.description)
    assert line.startswith(f"run {run_id} ended as infrastructure: ")
    assert "tcab-no-such-image:none" in line
    assert "\n" not in line
