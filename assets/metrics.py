"""The metrics of a case version, derived from its stored runs.

Belongs here: the asset, its job and what a person reads of it. Does not: the statistics
(warehouse/). It has no edge to `run_outcome`: the sensor `metrics` asks for the versions whose
runs or errata changed, where an edge to all runs would call every version stale after each.
"""

import dagster as dg

from assets import markdown as md
from assets.catalog import case_definition
from assets.failures import told_in_one_line
from assets.markdown import Metadata
from assets.partitions import case_versions
from resources import HomeResource
from tcab_dagster.warehouse import GroupMetrics, compute_metrics


@dg.asset(
    name="metrics",
    partitions_def=case_versions,
    deps=[case_definition],
    group_name="catalog",
    kinds={"duckdb"},
)
def version_metrics(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """Runs by state and fault, scores with their intervals, rates, durations and cost."""
    with told_in_one_line():
        groups = compute_metrics(home.open(), context.partition_key)
    return dg.MaterializeResult(metadata=metrics_metadata(groups))


metrics_job = dg.define_asset_job(
    "metrics_job",
    selection=[version_metrics],
    executor_def=dg.in_process_executor,
    description="Derives the metrics of a version anew. The sensor `stale_metrics` starts it.",
)


def metrics_metadata(groups: tuple[GroupMetrics, ...]) -> Metadata:
    """A row per variant, harness and model; scores as a mean with its 95% interval and n."""
    rows = [
        [
            md.text(group.variant),
            md.text(group.harness),
            md.text(group.model or "its own"),
            str(group.runs),
            md.text(", ".join(f"{o.runs} {o.state}" for o in group.outcomes)),
            interval(group.score_auto_mean, group.score_auto_low, group.score_auto_high, group.n),
            interval(
                group.score_auto_strict_mean,
                group.score_auto_strict_low,
                group.score_auto_strict_high,
                group.n_strict,
            ),
        ]
        for group in groups
    ]
    header = ["variant", "harness", "model", "runs", "by state", "score_auto", "strict"]
    return {
        "runs": sum(group.runs for group in groups),
        "groups": dg.MetadataValue.md(md.table(header, rows)),
    }


def interval(mean: float | None, low: float | None, high: float | None, n: int) -> str:
    """Such as `83.3% (70.1 to 91.2), n = 5`."""
    if mean is None:
        return "none yet"
    bounds = "" if low is None or high is None else f" ({low:.1%} to {high:.1%})"
    return f"{mean:.1%}{bounds}, n = {n}"
