"""The driver: one run, from its request to its record, and what a dead driver leaves.

Belongs here: order, bounds, outcome, cancellation, recovery. Does not: how any one step is done
(seeding, containers, harnesses, validation), or Dagster. Concept: spec 004; docs/runs.md.
"""

from tcab_dagster.execution.driver import execute
from tcab_dagster.execution.reaping import Reaped, reap
from tcab_dagster.execution.references import ensure_references
from tcab_dagster.execution.request import check_launch, new_request
from tcab_dagster.execution.validating import validate_run

__all__ = [
    "Reaped",
    "check_launch",
    "ensure_references",
    "execute",
    "new_request",
    "reap",
    "validate_run",
]
