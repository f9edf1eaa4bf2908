"""The asset checks, with their evidence.

Belongs here: from a record to a check's result. Does not: deciding anything of a run. A check is of
an asset, not of a partition, so each says which run it looked at.
"""

import dagster as dg

from assets import markdown as md
from assets.markdown import Metadata
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.evaluation import gating_failures
from tcab_dagster.records import RunRecord, State
from tcab_dagster.validation.result import Verdict

ENDED_BADLY = frozenset(
    {State.TIMED_OUT, State.HUNG, State.HARNESS_ERROR, State.INFRASTRUCTURE, State.CANCELED}
)


def session_ended_well(record: RunRecord) -> dg.AssetCheckResult:
    """Fails for a session that was stopped or that failed, and says how and whose fault."""
    evidence: Metadata = {"run": record.run_id, "state": record.state.value}
    if record.fault is not None:
        evidence["fault"] = record.fault.value
    if record.detail is not None:
        evidence["detail"] = dg.MetadataValue.md(md.text(record.detail))
    return dg.AssetCheckResult(
        check_name="session_ended_well",
        passed=record.state not in ENDED_BADLY,
        metadata=evidence,
        description=f"the session ended as {record.state}",
    )


def builds_and_loads(record: RunRecord) -> dg.AssetCheckResult:
    """A warning where nothing could be found out: that is nobody's failure."""
    result = record.validation
    if result is None:
        return _nothing("builds_and_loads", record)
    commands = (result.install, result.build)
    failed = next((c for c in commands if c.status == "failed"), None)
    evidence: Metadata = {
        "run": record.run_id,
        "install": result.install.status,
        "build": result.build.status,
        "load": result.load.status,
    }
    if result.detail is not None:
        evidence["detail"] = dg.MetadataValue.md(md.text(result.detail))
    if result.load.reason is not None:
        evidence["load_reason"] = dg.MetadataValue.md(md.text(result.load.reason))
    if failed is not None:
        evidence["output"] = dg.MetadataValue.md(md.code(failed.output_tail))
    return dg.AssetCheckResult(
        check_name="builds_and_loads",
        passed=result.outcome == "completed",
        severity=_severity(result.outcome == "catastrophic"),
        metadata=evidence,
        description=f"the validation ended as {result.outcome}",
    )


def no_gating_failures(record: RunRecord, case: CaseVersion) -> dg.AssetCheckResult:
    """Names each automatic point that failed, with the automation's reason."""
    result = record.validation
    if result is None:
        return _nothing("no_gating_failures", record)
    points = case.variant(record.variant).points
    gating = gating_failures(points, result.verdicts, case.excluded_points(record.variant))
    undecided = sum(verdict.verdict == "undecided" for verdict in result.verdicts)
    verdicts = {verdict.verdict_id: verdict for verdict in result.verdicts}
    evidence: Metadata = {
        "run": record.run_id,
        "failed": len(gating),
        "undecided": undecided,
        "decided": len(result.verdicts) - undecided,
    }
    if gating:
        rows = [[md.text(id), md.text(reason_of(verdicts[id]))] for id in gating]
        evidence["gated_by"] = dg.MetadataValue.md(md.table(["point", "why"], rows))
    decided = len(result.verdicts) > undecided
    return dg.AssetCheckResult(
        check_name="no_gating_failures",
        passed=decided and not gating,
        severity=_severity(bool(gating)),
        metadata=evidence,
        description=(
            f"{len(gating)} automatic points failed" if decided else "no point was decided"
        ),
    )


def reason_of(verdict: Verdict) -> str:
    """The reason of a verdict, or the first finding that did not pass."""
    if verdict.reason:
        return verdict.reason
    for finding in verdict.findings:
        if not finding.passed:
            seen = f": expected {finding.expected}, was {finding.actual}"
            return finding.label + (seen if finding.expected or finding.actual else "")
    return ""


def _nothing(check: str, record: RunRecord) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name=check,
        passed=False,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"run": record.run_id, "state": record.state.value},
        description=f"nothing to validate: the run ended as {record.state}, without a tree",
    )


def _severity(failed: bool) -> dg.AssetCheckSeverity:
    return dg.AssetCheckSeverity.ERROR if failed else dg.AssetCheckSeverity.WARN
