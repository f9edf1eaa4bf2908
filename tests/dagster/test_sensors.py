"""The sensors, each evaluated over a real home, checkout and instance."""

import os
from datetime import UTC, datetime

import dagster as dg
import pytest

from resources import HomeResource
from sensors.checkout import catalog_checkout
from sensors.metrics import askable
from sensors.reaper import orphaned_keys
from sensors.recorded import Seen, newly_written, recorded_runs
from sensors.requests import run_requests
from sensors.schedules import nightly_ingest
from tcab_dagster.catalog.store import Store
from tcab_dagster.execution import new_request
from tcab_dagster.home import Home
from tcab_dagster.ingestion import ingest_catalog
from tcab_dagster.records import RunRecord, RunRequest, State
from tests.dagster.small_catalog import VERSION, SmallCatalog

MINUTE = 60 * 10**9


@pytest.fixture
def ingested(catalog: SmallCatalog, home_resource: HomeResource) -> HomeResource:
    ingest_catalog(home_resource.open(), home_resource.settings())
    return home_resource


def filed(home: Home, launched_by: str = "dagster") -> RunRequest:
    case = Store(home).current("tiny@v1.0.0")
    request = new_request(case, case.variant(), "replay", "x", None, launched_by=launched_by)
    home.file_request(request)
    return request


def recorded(home: Home, request: RunRequest, state: State = State.TIMED_OUT) -> RunRecord:
    now = datetime.now(UTC)
    record = RunRecord(
        **request.model_dump(), state=state, started_at=now, ended_at=now, detail="| a <b>"
    )
    home.write_record(record)
    return record


def evaluate(
    sensor: dg.SensorDefinition,
    instance: dg.DagsterInstance,
    home: HomeResource,
    cursor: str | None = None,
) -> dg.SensorResult:
    context = dg.build_sensor_context(
        instance=instance, resources={"home": home}, cursor=cursor, sensor_name=sensor.name
    )
    result = sensor(context)
    assert isinstance(result, dg.SensorResult)
    return result


def test_a_waiting_request_of_dagsters_own_is_started_once_under_its_run_id(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    request = filed(ingested.open())
    result = evaluate(run_requests, instance, ingested)

    assert result.run_requests is not None
    assert [(r.run_key, r.partition_key) for r in result.run_requests] == [
        (request.run_id, request.run_id)
    ]
    added = result.dynamic_partitions_requests
    assert added is not None
    assert [list(a.partition_keys) for a in added] == [[request.run_id]]


def test_a_request_of_tcab_run_is_left_to_it(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    filed(ingested.open(), launched_by="tcab")

    assert evaluate(run_requests, instance, ingested).run_requests == []


def test_a_run_that_has_begun_or_ended_is_not_started_again(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    home.run(filed(home).run_id).path.mkdir(parents=True)
    recorded(home, filed(home))

    assert evaluate(run_requests, instance, ingested).run_requests == []


def test_a_request_whose_run_is_under_way_is_not_asked_for_again(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    run_of(instance, filed(ingested.open()), dg.DagsterRunStatus.STARTED)

    assert evaluate(run_requests, instance, ingested).run_requests == []


def test_a_run_canceled_in_the_queue_leaves_no_request_and_no_partition(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    request = filed(home)
    instance.add_dynamic_partitions("run", [request.run_id])
    run_of(instance, request, dg.DagsterRunStatus.CANCELED)
    evaluate(run_requests, instance, ingested)

    assert home.request_ids() == []
    assert instance.get_dynamic_partitions("run") == []


def test_a_canceled_run_that_another_process_drives_is_left_alone(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    request = filed(home)
    run_of(instance, request, dg.DagsterRunStatus.CANCELED)
    with home.run_lock(request.run_id):
        evaluate(run_requests, instance, ingested)

    assert home.request_ids() == [request.run_id]


def run_of(instance: dg.DagsterInstance, request: RunRequest, status: dg.DagsterRunStatus) -> None:
    instance.add_run(
        dg.DagsterRun(
            job_name="run_job",
            run_id=dg._core.utils.make_new_run_id(),
            status=status,
            tags={"dagster/partition": request.run_id},
        )
    )


def test_the_first_look_at_a_checkout_ingests_everything(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    result = evaluate(catalog_checkout, instance, home_resource)

    assert result.run_requests is not None
    assert [r.tags["tcab/changed"] for r in result.run_requests] == ["everything"]


def test_a_new_commit_ingests_and_names_what_changed(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    seen = evaluate(catalog_checkout, instance, home_resource).cursor
    catalog.add_version("v1.1.0")
    head = catalog.commit("Add a version")
    result = evaluate(catalog_checkout, instance, home_resource, seen)

    assert result.cursor == head
    assert result.run_requests is not None
    assert [r.tags["tcab/changed"] for r in result.run_requests] == ["tiny/v1.1.0"]


def test_going_back_to_an_earlier_commit_ingests_too(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    catalog.add_version("v1.1.0")
    newer = catalog.commit("Add a version")
    catalog.git("checkout", "--quiet", "HEAD~1")

    assert evaluate(catalog_checkout, instance, home_resource, newer).run_requests


def test_a_dirty_tree_does_not_fire(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    seen = evaluate(catalog_checkout, instance, home_resource).cursor
    catalog.write(f"{VERSION}/spec.md", "changed\n")
    result = evaluate(catalog_checkout, instance, home_resource, seen)

    assert result.run_requests == []


def test_a_commit_elsewhere_moves_the_cursor_and_does_not_fire(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    seen = evaluate(catalog_checkout, instance, home_resource).cursor
    catalog.write("README.md", "x\n")
    head = catalog.commit("Explain")
    result = evaluate(catalog_checkout, instance, home_resource, seen)

    assert result.run_requests == []
    assert result.cursor == head


def test_a_run_of_tcab_appears_with_what_dagster_would_have_reported(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    record = recorded(home, filed(home, launched_by="tcab"))
    result = evaluate(recorded_runs, instance, ingested)

    assert materialized(result) == ["run_outcome", "validation_media"]
    assert evaluated(result) == {
        "session_ended_well": False,
        "builds_and_loads": False,
        "no_gating_failures": False,
    }
    added = result.dynamic_partitions_requests
    assert added is not None
    assert [list(a.partition_keys) for a in added] == [[record.run_id]]
    assert evaluate(recorded_runs, instance, ingested, result.cursor).asset_events == []


def test_a_run_that_awaits_validation_appears_with_its_outcome_alone(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    recorded(home, filed(home, launched_by="tcab"), State.COLLECTED)
    result = evaluate(recorded_runs, instance, ingested)

    assert materialized(result) == ["run_outcome"]
    assert evaluated(result) == {"session_ended_well": True}


def test_what_failed_by_infrastructure_appears_as_not_materialized(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    recorded(home, filed(home, launched_by="tcab"), State.INFRASTRUCTURE)
    result = evaluate(recorded_runs, instance, ingested)

    assert result.asset_events == []
    assert result.dynamic_partitions_requests


def test_a_record_that_cannot_be_read_keeps_no_other_from_appearing(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    broken = home.run(filed(home, launched_by="tcab").run_id).record
    broken.parent.mkdir(parents=True)
    broken.write_text('{"format": 99}')
    recorded(home, filed(home, launched_by="tcab"))

    assert materialized(evaluate(recorded_runs, instance, ingested))


def materialized(result: dg.SensorResult) -> list[str]:
    return [
        event.asset_key.to_user_string()
        for event in result.asset_events
        if isinstance(event, dg.AssetMaterialization)
    ]


def evaluated(result: dg.SensorResult) -> dict[str, bool]:
    return {
        event.check_name: event.passed
        for event in result.asset_events
        if isinstance(event, dg.AssetCheckEvaluation)
    }


def test_a_record_that_is_written_again_is_reported_again(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    request = filed(home, launched_by="tcab")
    recorded(home, request, State.COLLECTED)
    cursor = evaluate(recorded_runs, instance, ingested).cursor
    recorded(home, request, State.TIMED_OUT)
    again = evaluate(recorded_runs, instance, ingested, cursor)

    assert materialized(again) == ["run_outcome", "validation_media"]


def test_a_run_that_dagster_made_is_not_reported_twice(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    record = recorded(home, filed(home))
    instance.add_dynamic_partitions("run", [record.run_id])

    assert evaluate(recorded_runs, instance, ingested).asset_events == []


def test_an_instance_that_lost_its_storage_learns_dagsters_own_runs_again(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    home = ingested.open()
    recorded(home, filed(home))

    assert materialized(evaluate(recorded_runs, instance, ingested))


def test_records_renamed_in_another_order_than_written_are_all_seen() -> None:
    now = 100 * MINUTE
    new, seen = newly_written(Seen(), {"b": now}, most=10)
    late, _ = newly_written(seen, {"b": now, "a": now - MINUTE // 2}, most=10)

    assert (new, late) == (["b"], ["a"])


def test_more_records_than_a_tick_takes_are_seen_by_the_next_ones() -> None:
    times = {f"r{i:03}": i * 10 * MINUTE for i in range(1, 26)}
    seen, found = Seen(), []
    for _ in range(3):
        new, seen = newly_written(Seen.parse(seen.cursor()), times, most=10)
        found += new

    assert found == sorted(times)
    assert newly_written(seen, times, most=10)[0] == []


def test_the_cursor_stays_small_however_many_runs_there_are() -> None:
    times = {f"run-{i}": i * MINUTE for i in range(1, 10_001)}
    _, seen = newly_written(Seen(), times, most=20_000)

    assert len(seen.cursor()) < 200


def test_a_partition_that_nothing_stands_behind_is_an_orphan(ingested: HomeResource) -> None:
    home = ingested.open()
    waiting, done = filed(home), filed(home)
    recorded(home, done)
    home.withdraw_request(done.run_id)

    assert orphaned_keys(["gone", waiting.run_id, done.run_id], home) == ["gone"]


def test_metrics_are_asked_for_where_they_are_stale_known_and_not_under_way() -> None:
    assert askable({"a", "b", "c"}, {"a", "b"}, {"b"}) == ["a"]


@pytest.mark.parametrize(("pull", "fast_forward"), [("1", True), ("", False)])
def test_the_nightly_ingest_moves_the_checkout_only_where_it_was_told_to(
    catalog: SmallCatalog,
    home_resource: HomeResource,
    monkeypatch: pytest.MonkeyPatch,
    pull: str,
    fast_forward: bool,
) -> None:
    monkeypatch.setitem(os.environ, "TCAB_CHECKOUT_PULL", pull)
    request = nightly_ingest(dg.build_schedule_context(resources={"home": home_resource}))

    assert isinstance(request, dg.RunRequest)
    assert request.run_config == {"ops": {"ingest": {"config": {"fast_forward": fast_forward}}}}
