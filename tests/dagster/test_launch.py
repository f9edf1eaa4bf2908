"""`launch_runs` files what was asked for, or says what is wrong before anything is queued."""

import dagster as dg
import pytest

from assets.launch import Launch, faults_of, launch_job
from resources import HomeResource
from tcab_dagster.definitions import build_definitions
from tcab_dagster.ingestion import ingest_catalog
from tests.dagster.small_catalog import SmallCatalog

FORM: dict[str, object] = {"case": "tiny", "harness": "replay", "model": "greeter"}


@pytest.fixture
def ingested(catalog: SmallCatalog, home_resource: HomeResource) -> HomeResource:
    catalog.record("greeter", [{"delay": 0}])
    ingest_catalog(home_resource.open(), home_resource.settings())
    return home_resource


def launch(
    instance: dg.DagsterInstance, home: HomeResource, **config: object
) -> dg.ExecuteInProcessResult:
    job = build_definitions({"home": home}, cases=["tiny"]).resolve_job_def("launch_runs")
    return job.execute_in_process(
        instance=instance,
        run_config={"ops": {"launch": {"config": {**FORM, **config}}}},
        raise_on_error=False,
    )


def failure(result: dg.ExecuteInProcessResult) -> str:
    data = result.failure_data_for_node("launch")
    assert data is not None
    assert data.user_failure_data is not None
    return str(data.user_failure_data.description)


def test_one_request_and_one_partition_a_trial(
    ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    assert launch(instance, ingested, trials=3).success

    home = ingested.open()
    assert len(home.request_ids()) == 3
    assert set(instance.get_dynamic_partitions("run")) == set(home.request_ids())
    request = home.request(home.request_ids()[0])
    assert request.launched_by == "dagster"
    assert request.variant == "base"
    assert request.max_runtime_hours == 0.1
    assert request.model == "greeter"


def test_all_means_every_variant(ingested: HomeResource, instance: dg.DagsterInstance) -> None:
    launch(instance, ingested, variant="all", trials=2)

    home = ingested.open()
    variants = [home.request(run_id).variant for run_id in home.request_ids()]
    assert sorted(variants) == ["base", "base", "odd", "odd"]


def test_latest_is_the_newest_version_that_is_stored(
    catalog: SmallCatalog, ingested: HomeResource, instance: dg.DagsterInstance
) -> None:
    catalog.add_version("v1.10.0")
    catalog.add_version("v1.9.0")
    ingest_catalog(ingested.open(), ingested.settings())
    launch(instance, ingested)

    home = ingested.open()
    assert home.request(home.request_ids()[0]).version == "v1.10.0"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"trials": 0}, "nothing was launched: trials is 0, not 1 to 100"),
        ({"trials": 101}, "trials is 101, not 1 to 100"),
        ({"max_runtime_hours": -1}, "max_runtime_hours is -1, not 0"),
        ({"version": "v9.9.9"}, "`tiny` has no version `v9.9.9`"),
        ({"variant": "bsae"}, "has no variant `bsae`"),
        ({"model": "greeterr"}, "`tiny` has no recorded session `greeterr`"),
        ({"harness": "claude"}, "ANTHROPIC_API_KEY"),
    ],
)
def test_what_cannot_run_is_refused_in_one_line_and_nothing_is_queued(
    ingested: HomeResource,
    instance: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
    config: dict[str, object],
    message: str,
) -> None:
    for key in ("ANTHROPIC_API_KEY", "TCAB_API_KEY_CLAUDE"):
        monkeypatch.delenv(key, raising=False)
    result = launch(instance, ingested, **config)

    assert message in failure(result)
    assert ingested.open().request_ids() == []
    assert instance.get_dynamic_partitions("run") == []


def test_every_fault_of_the_form_is_named_at_once() -> None:
    faults = faults_of(Launch(case="a", harness="b", trials=0, max_runtime_hours=1000))

    assert len(faults) == 2


def test_an_empty_catalog_says_how_to_fill_it(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    assert failure(launch(instance, home_resource)) == "the catalog is empty"


@pytest.mark.parametrize("wrong", [{"case": "pnog"}, {"harness": "human"}])
def test_the_form_offers_the_known_cases_and_the_harnesses_that_work(
    wrong: dict[str, str],
) -> None:
    form = {"case": "pong", "harness": "replay"}
    job = launch_job(["carom", "pong"])

    assert dg.validate_run_config(job, {"ops": {"launch": {"config": form}}})
    with pytest.raises(dg.DagsterInvalidConfigError, match="not in enum type"):
        dg.validate_run_config(job, {"ops": {"launch": {"config": {**form, **wrong}}}})


def test_without_a_catalog_the_form_takes_any_case() -> None:
    job = launch_job([])

    assert dg.validate_run_config(
        job, {"ops": {"launch": {"config": {"case": "anything", "harness": "replay"}}}}
    )
