"""An ingest is one run, and reports the versions that changed and no others."""

import dagster as dg
import pytest

from assets.ingest import PartitionChange, ingest_catalog_job, partition_change
from resources import HomeResource
from tcab_dagster.definitions import build_definitions
from tcab_dagster.warehouse import query
from tests.dagster.small_catalog import ERRATUM, VERSION, SmallCatalog


def ingest(
    instance: dg.DagsterInstance, home: HomeResource, **config: bool
) -> dg.ExecuteInProcessResult:
    job = build_definitions({"home": home}, cases=[]).resolve_job_def(ingest_catalog_job.name)
    return job.execute_in_process(
        instance=instance, run_config={"ops": {"ingest": {"config": config}}}, raise_on_error=False
    )


def reported(result: dg.ExecuteInProcessResult) -> list[str | None]:
    return [
        event.partition
        for event in result.all_events
        if event.event_type is dg.DagsterEventType.ASSET_MATERIALIZATION
    ]


def partitions(instance: dg.DagsterInstance) -> set[str]:
    return set(instance.get_dynamic_partitions("case_version"))


def test_a_new_version_becomes_a_partition_with_a_materialization_and_rows(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    result = ingest(instance, home_resource)

    assert result.success
    assert partitions(instance) == {"tiny@v1.0.0"}
    assert reported(result) == ["tiny@v1.0.0"]
    rows = query(home_resource.open(), "SELECT slug, version FROM cases").rows
    assert rows == [("tiny", "v1.0.0")]


def test_an_ingest_without_a_change_reports_nothing(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    ingest(instance, home_resource)

    assert reported(ingest(instance, home_resource)) == []


def test_an_erratum_is_reported_as_a_new_data_version(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    ingest(instance, home_resource)
    catalog.add_version("v1.1.0")
    ingest(instance, home_resource)
    catalog.write(f"{VERSION}/errata.toml", ERRATUM)

    assert reported(ingest(instance, home_resource)) == ["tiny@v1.0.0"]


def test_a_version_that_is_gone_loses_its_partition(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    catalog.add_version("v1.1.0")
    ingest(instance, home_resource)
    catalog.remove(VERSION)
    ingest(instance, home_resource)

    assert partitions(instance) == {"tiny@v1.1.0"}


def test_an_instance_that_lost_its_storage_learns_the_stored_catalog_again(
    catalog: SmallCatalog,
    home_resource: HomeResource,
    instance: dg.DagsterInstance,
) -> None:
    ingest(instance, home_resource)
    with dg.DagsterInstance.ephemeral() as new:
        result = ingest(new, home_resource)

        assert partitions(new) == {"tiny@v1.0.0"}
        assert reported(result) == ["tiny@v1.0.0"]


def test_a_broken_version_fails_the_run_and_keeps_what_is_stored(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    ingest(instance, home_resource)
    catalog.write(f"{VERSION}/test-case.toml", "slug = 3\n")
    result = ingest(instance, home_resource)

    assert not result.success
    assert partitions(instance) == {"tiny@v1.0.0"}
    failure = result.failure_data_for_node("ingest")
    assert failure is not None
    assert failure.user_failure_data is not None
    assert "errors in the catalog" in str(failure.user_failure_data.description)
    shown = failure.user_failure_data.metadata["diagnostics"].value
    assert "test-case.toml:1" in shown


def test_materializing_one_definition_ingests_as_the_job_does(
    catalog: SmallCatalog, home_resource: HomeResource, instance: dg.DagsterInstance
) -> None:
    catalog.add_version("v1.1.0")
    instance.add_dynamic_partitions("case_version", ["tiny@v1.0.0"])
    definitions = build_definitions({"home": home_resource}, cases=[])
    result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        partition_key="tiny@v1.0.0",
        asset_selection=[dg.AssetKey("case_definition")],
    )

    assert partitions(instance) == {"tiny@v1.0.0", "tiny@v1.1.0"}
    assert sorted(str(key) for key in reported(result)) == ["tiny@v1.0.0", "tiny@v1.1.0"]
    assert reported(ingest(instance, home_resource)) == []


@pytest.mark.parametrize(
    ("known", "told", "stored", "change"),
    [
        ({"a"}, {"a": "1"}, {"a": "1"}, PartitionChange((), (), ())),
        (set(), {}, {"a": "1"}, PartitionChange(("a",), (), ())),
        ({"a"}, {"a": "1"}, {"a": "2"}, PartitionChange((), ("a",), ())),
        ({"a"}, {}, {"a": "1"}, PartitionChange((), ("a",), ())),
        ({"a"}, {"a": "1"}, {}, PartitionChange((), (), ("a",))),
    ],
)
def test_partitions_are_compared_with_the_store(
    known: set[str], told: dict[str, str], stored: dict[str, str], change: PartitionChange
) -> None:
    assert partition_change(frozenset(known), told, stored) == change
