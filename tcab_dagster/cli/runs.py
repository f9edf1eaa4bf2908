"""`tcab run`, `tcab validate`, `tcab reap`: the main job and what comes after it.

Belongs here: order, progress and the summary a person reads. Does not: what a run is
(execution/), what a validation finds (validation/), what a score is (evaluation/).
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from ulid import ULID

from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.catalog.store import Store
from tcab_dagster.cli.opened import (
    CaseArgument,
    RootOption,
    VariantOption,
    open_catalog,
    open_home,
    open_settings,
)
from tcab_dagster.cli.output import (
    Format,
    FormatOption,
    live,
    number,
    print_json,
    print_table,
    printable,
    stdout,
)
from tcab_dagster.containers.images import resolve_image, run_image_name
from tcab_dagster.containers.runtimes import open_runtime
from tcab_dagster.errors import EnvironmentMissing, UsageError
from tcab_dagster.evaluation import gating_failures, score_auto
from tcab_dagster.execution import check_launch, execute, new_request, validate_run
from tcab_dagster.execution import reap as reap_lost
from tcab_dagster.execution.ownership import owned
from tcab_dagster.home import Home
from tcab_dagster.ingestion import store_version
from tcab_dagster.records import RunRecord, State
from tcab_dagster.validation import validate_tree
from tcab_dagster.validation.result import ValidationResult
from tcab_dagster.warehouse import compute_metrics

MAX_TRIALS = 1000


app = typer.Typer()


@app.command()
def run(
    case: CaseArgument,
    harness: Annotated[str, typer.Option("--harness", help="See `tcab harnesses`.")],
    variant: VariantOption = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Default: the harness's own.", show_default=False),
    ] = None,
    max_runtime: Annotated[
        float | None,
        typer.Option(
            "--max-runtime", metavar="HOURS", help="Default: the case's.", show_default=False
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", metavar="N", min=1, max=MAX_TRIALS, help="One by one.")
    ] = 1,
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Run an agent on a case, validate what it built, and record both."""
    settings = open_settings(root)
    home = open_home(settings)
    version = open_catalog(settings).find(case)
    chosen = version.variant(variant)
    requests = [
        new_request(version, chosen, harness, model, max_runtime, launched_by="tcab")
        for _ in range(trials)
    ]
    check_launch(requests[0], settings)
    resolve_image(run_image_name(version.type), settings.environment)
    records: list[RunRecord] = []
    with open_runtime(settings, home) as runtime, live() as progress:
        reap_lost(home, runtime)
        store_version(home, version)
        for trial, request in enumerate(requests, start=1):
            home.file_request(request)
            of = f" (trial {trial} of {trials})" if trials > 1 else ""
            progress.say(f"run {request.run_id}{of}")
            record = execute(request, home, runtime, settings, on_event=progress.event)
            if record.state is State.COLLECTED:
                record = validate_run(record.run_id, home, runtime, settings, progress=progress.now)
            records.append(record)
            compute_metrics(home, version.key)
    if format is Format.JSON:
        print_json([record.model_dump(mode="json") for record in records])
    else:
        for record in records:
            print_run(record, version, home)
    raise typer.Exit(1 if any(record.state is State.INFRASTRUCTURE for record in records) else 0)


@app.command()
def validate(
    target: Annotated[str, typer.Argument(metavar="DIR|RUN_ID")],
    case: Annotated[
        str | None,
        typer.Option("--case", metavar="SLUG[@VERSION]", help="Of a DIR.", show_default=False),
    ] = None,
    variant: VariantOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Where a DIR's site and media go. Default: DIR.validation",
            show_default=False,
        ),
    ] = None,
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:  # fmt: skip
    """Validate a tree, or a recorded run again.

    Ends 1 where it does not build, load or pass a point, and 3 where nothing could be decided.
    """
    settings = open_settings(root)
    home = open_home(settings)
    tree = Path(target)
    if "/" not in target and home.record(target) is not None:
        if case is not None or variant is not None or out is not None:
            raise UsageError("a run's case and variant are those of its request")
        with open_runtime(settings, home) as runtime, live() as progress:
            record = validate_run(target, home, runtime, settings, progress=progress.now)
        compute_metrics(home, record.case_key)
        version = Store(home).load(record.definition_digest)
        if record.validation is None:
            raise UsageError(f"run {target} has no tree: there is nothing to validate")
        return _print_validation(record.validation, version, record.variant, format)
    if not tree.is_dir():
        raise UsageError(f"`{target}` is neither a folder nor a recorded run")
    if case is None:
        raise UsageError("a folder needs the case that it is validated against", help="--case SLUG")
    version = open_catalog(settings).find(case)
    chosen = version.variant(variant)
    results = out or tree.resolve().with_name(tree.resolve().name + ".validation")
    if results.exists():
        raise UsageError(f"{results} exists", help="name another with --out, or remove it")
    run_id = f"validate~{ULID()}"
    with owned(home, run_id), open_runtime(settings, home) as runtime, live() as progress:
        result = validate_tree(
            tree,
            version,
            chosen,
            runtime,
            run_id=run_id,
            media=results / "media",
            site=results / "site",
            environment=settings.environment,
            progress=progress.now,
        )
    return _print_validation(result, version, chosen.slug, format)


@app.command()
def reap(root: RootOption = None, format: FormatOption = Format.TEXT) -> None:
    """Remove what a dead driver left behind, and record its run as infrastructure."""
    settings = open_settings(root)
    home = open_home(settings)
    with open_runtime(settings, home) as runtime:
        reaped = reap_lost(home, runtime)
    if format is Format.JSON:
        print_json([asdict(one) for one in reaped])
    elif not reaped:
        stdout.print("nothing was left behind")
    else:
        rows = [(one.run_id, one.what, one.detail) for one in reaped]
        print_table(("run", "what", "detail"), rows)


def print_run(record: RunRecord, version: CaseVersion, home: Home) -> None:
    """A run as a person wants to see it: how it ended, its score, its verdicts, its places."""
    stdout.print(f"\n[bold]{escape(record.run_id)}[/]  {record.state}", end="")
    stdout.print(f"  ({record.fault})" if record.fault else "")
    if record.detail:
        stdout.print(escape(printable(record.detail)))
    if record.validation is not None:
        print_verdicts(record.validation, version, version.variant(record.variant))
    folder = home.run(record.run_id)
    if record.tree is not None:
        stdout.print(f"\ntree    {escape(str(folder.tree))}")
    if record.validation is not None and record.validation.media:
        stdout.print(f"media   {escape(str(folder.media))}")
    stdout.print(f"record  {escape(str(folder.record))}")


def print_verdicts(result: ValidationResult, version: CaseVersion, variant: Variant) -> None:
    excluded = version.excluded_points(variant.slug)
    verdicts = {verdict.verdict_id: verdict for verdict in result.verdicts}
    rows = []
    for point in variant.points:
        verdict = verdicts.get(point.verdict_id)
        word = verdict.verdict if verdict else "for a reviewer"
        why = (verdict.reason or "") if verdict else ""
        weight = "excluded" if point.verdict_id in excluded else number(point.weight)
        rows.append((point.verdict_id, word, weight, point.title, why))
    print_table(("point", "verdict", "weight", "requirement", "why"), rows)
    for check in result.checks:
        similarity = "unknown" if check.similarity is None else f"{check.similarity:.3f}"
        stdout.print(f"check {check.view}: similarity {similarity}")
    missing = [proof.dest for proof in result.proofs if not proof.present]
    if missing:
        stdout.print(f"proofs missing: {escape(printable(', '.join(missing)))}")
    score = score_auto(variant.points, result.verdicts, excluded)
    if score.ratio is None:
        stdout.print("\n[bold]score (automatic)[/]  nothing is decided yet")
    else:
        stdout.print(
            f"\n[bold]score (automatic)[/]  {number(score.earned)} of "
            f"{number(score.available)} points, {score.ratio:.1%}; "
            f"{score.undecided} points await a review"
        )
    gating = gating_failures(variant.points, result.verdicts, excluded)
    if gating:
        stdout.print(f"gated by  {', '.join(gating)}")


def _print_validation(
    result: ValidationResult, version: CaseVersion, variant: str, format: Format
) -> None:
    chosen = version.variant(variant)
    gating = gating_failures(chosen.points, result.verdicts, version.excluded_points(chosen.slug))
    if format is Format.JSON:
        print_json(result.model_dump(mode="json") | {"gating": list(gating)})
    else:
        stdout.print(f"[bold]{result.outcome}[/]  {escape(printable(result.detail or ''))}")
        print_verdicts(result, version, chosen)
    if result.outcome in {"infrastructure", "degraded"}:
        raise typer.Exit(EnvironmentMissing.exit_status)
    raise typer.Exit(0 if result.outcome == "completed" and not gating else 1)
