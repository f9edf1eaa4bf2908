"""The assets and the jobs: what is materialized, and what a person can start.

Belongs here: names, partitions, wires, reports. Does not: any of the work, which the domain
(tcab_dagster/) does and `tcab` does without Dagster. Concept: Dagster, "Assets".
"""

from assets.catalog import case_definition, reference_screenshots, validation_baselines
from assets.ingest import ingest_catalog_job
from assets.metrics import metrics_job, version_metrics
from assets.runs import run_job, run_outcome, validation_media

ALL_ASSETS = [
    case_definition,
    reference_screenshots,
    validation_baselines,
    run_outcome,
    validation_media,
    version_metrics,
]

__all__ = ["ALL_ASSETS", "ingest_catalog_job", "metrics_job", "run_job"]
