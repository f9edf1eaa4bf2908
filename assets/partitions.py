"""The two partition spaces: versions of cases, and runs.

Belongs here: their names and what a key looks like, since Dagster checks no dynamic key.
Does not: when keys come and go (ingest.py, launch.py and the sensors).
Concept: Dagster, "Dynamic partitions".
"""

import re
from collections.abc import Collection, Iterable

import dagster as dg

from tcab_dagster.errors import TcabError

case_versions = dg.DynamicPartitionsDefinition(name="case_version")
"""Keys `slug@version`."""

runs = dg.DynamicPartitionsDefinition(name="run")
"""Keys `slug@version~<ulid>`."""

PARTITION_TAG = "dagster/partition"
FINISHED = frozenset(
    {dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED}
)

_SLUG = r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*"
_VERSION = r"v\d+\.\d+\.\d+[0-9A-Za-z.+-]*"
_SHAPES = {
    "case_version": re.compile(rf"{_SLUG}@{_VERSION}"),
    "run": re.compile(rf"{_SLUG}@{_VERSION}~[0-9A-HJKMNP-TV-Z]{{26}}"),
}


class PartitionKeyError(TcabError):
    """A key that is none of the partition space it was meant for."""


def name_of(space: dg.DynamicPartitionsDefinition) -> str:
    """The name under which an instance keeps the keys."""
    assert space.name is not None
    return space.name


def checked(space: dg.DynamicPartitionsDefinition, keys: Iterable[str]) -> list[str]:
    """The keys, each of the right shape, in order. Raises PartitionKeyError naming the first
    that is not."""
    shape = _SHAPES[name_of(space)]
    found = list(keys)
    for key in found:
        if shape.fullmatch(key) is None:
            raise PartitionKeyError(f"`{key}` is not a key of the partitions `{name_of(space)}`")
    return found


def register(
    instance: dg.DagsterInstance, space: dg.DynamicPartitionsDefinition, keys: Collection[str]
) -> None:
    """Adds keys; those that are there already stay."""
    if keys:
        instance.add_dynamic_partitions(name_of(space), checked(space, keys))


def retire(
    instance: dg.DagsterInstance, space: dg.DynamicPartitionsDefinition, keys: Iterable[str]
) -> None:
    """Takes keys away; those that are not there are left out."""
    for key in keys:
        instance.delete_dynamic_partition(name_of(space), key)


def in_flight(instance: dg.DagsterInstance, job: str | None = None) -> frozenset[str]:
    """The partition keys of Dagster's runs that are queued or running, of one job where named."""
    unfinished = [status for status in dg.DagsterRunStatus if status not in FINISHED]
    found = instance.get_runs(dg.RunsFilter(job_name=job, statuses=unfinished))
    keys = (run.tags.get(PARTITION_TAG) for run in found)
    return frozenset(key for key in keys if key is not None)
