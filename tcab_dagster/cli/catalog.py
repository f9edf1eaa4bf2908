"""`tcab catalog`: check, list, show, ingest.

Belongs here: printing what the catalog resolves to. Does not: resolving (catalog/).
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tcab_dagster.catalog import load_catalog, render_diagnostics, to_json
from tcab_dagster.catalog.diagnostics import diagnostic_json
from tcab_dagster.catalog.model import CaseVersion, Variant
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
    number,
    print_json,
    print_table,
    stderr,
    stdout,
)
from tcab_dagster.errors import UsageError
from tcab_dagster.ingestion import ingest_catalog
from tcab_dagster.warehouse import compute_metrics, stale_metrics

CHANGES = (
    "added", "changed", "errata_changed", "baselines_changed", "removed", "spared", "hidden",
    "refused",
)  # fmt: skip

app = typer.Typer(help="The catalog of test cases.", no_args_is_help=True)


@app.command()
def check(
    root: Annotated[
        Path | None,
        typer.Argument(metavar="[ROOT]", help="Default: the checkout.", show_default=False),
    ] = None,
    root_option: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Resolve every case below ROOT and report every diagnostic of every file."""
    if root is not None and root_option is not None:
        raise UsageError("ROOT is named twice", help="leave --root out")
    settings = open_settings(root or root_option)
    catalog = load_catalog(settings.checkout, allow_experimental=True)
    document = to_json(catalog)
    if format is Format.JSON:
        print_json(document)
    else:
        if catalog.diagnostics:
            text = render_diagnostics(catalog.diagnostics, color=stderr.is_terminal)
            stderr.file.write(text if text.endswith("\n") else text + "\n")
        errors = sum(d.severity == "error" for d in catalog.diagnostics)
        warnings = len(catalog.diagnostics) - errors
        stdout.print(
            f"{document['cases']} cases, {document['versions']} versions: "
            f"{errors} errors, {warnings} warnings"
        )
    raise typer.Exit(0 if document["ok"] else 1)


@app.command("list")
def list_cases(root: RootOption = None, format: FormatOption = Format.TEXT) -> None:
    """List the cases, every version of each."""
    catalog = open_catalog(open_settings(root))
    versions = sorted(catalog.versions.values(), key=lambda v: v.slug)
    if format is Format.JSON:
        print_json([_summary(version) for version in versions])
        return
    print_table(
        ("case", "name", "difficulty", "variants", "points", "tags"),
        [
            (
                version.key,
                version.name,
                version.difficulty or "",
                ", ".join(v.slug for v in version.variants),
                number(sum((p.weight for p in version.variant().points), Fraction(0))),
                ", ".join(version.tags),
            )
            for version in versions
        ],
    )


@app.command()
def show(
    case: CaseArgument,
    variant: VariantOption = None,
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Show one resolved variant: specs, references, proofs, checks, points, domains, errata."""
    version = open_catalog(open_settings(root)).find(case)
    chosen = version.variant(variant)
    if format is Format.JSON:
        print_json(_summary(version) | {"variant": _variant(version, chosen)})
        return
    stdout.print(f"[bold]{escape(version.name)}[/] {escape(version.key)}  variant {chosen.slug}")
    if version.summary:
        stdout.print(escape(version.summary))
    stdout.print(f"digest {version.digest}\n")
    excluded = version.excluded_points(chosen.slug)
    print_table(("spec", "from"), [(s.dest, s.source) for s in chosen.specs])
    stdout.print()
    print_table(
        ("reference", "seeded as", "from"),
        [(r.view, r.dest, r.path or r.media) for r in chosen.references],
    )
    stdout.print()
    print_table(("proof", "kind", "written to"), [(p.id, p.kind, p.dest) for p in chosen.proofs])
    stdout.print()
    print_table(
        ("check", "reference", "actions"),
        [(c.view, c.reference, len(c.actions)) for c in chosen.checks],
    )
    stdout.print()
    print_table(
        ("point", "title", "weight", "domain", "decided by"),
        [
            (
                p.verdict_id,
                p.title,
                "excluded" if p.verdict_id in excluded else number(p.weight),
                p.domain or "",
                p.validation.script if p.validation else "a reviewer",
            )
            for p in chosen.points
        ],
    )
    stdout.print()
    print_table(("domain", "rated for"), [(d.id, d.description) for d in chosen.domains])
    for erratum in version.errata:
        if erratum.applies_to(chosen.slug):
            stdout.print(f"\nerratum {escape(erratum.id)} ({erratum.severity}): {erratum.title}")
    changelog = _changelog(version)
    if changelog:
        stdout.print(f"\n[bold]{version.version}[/]  {escape(changelog)}")


@app.command()
def ingest(
    force: Annotated[bool, typer.Option(help="Read what has not changed, too.")] = False,
    root: RootOption = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Bring the store and the warehouse up to the checkout."""
    settings = open_settings(root)
    home = open_home(settings)
    report = ingest_catalog(home, settings, force=force)
    for key in stale_metrics(home):
        compute_metrics(home, key)
    changes = {word: sorted(getattr(report, word)) for word in CHANGES}
    if format is Format.JSON:
        print_json(
            {
                **changes,
                "unchanged": sorted(report.unchanged),
                "commit": report.commit,
                "dirty": report.dirty,
                "diagnostics": [diagnostic_json(d) for d in report.diagnostics],
            }
        )
        raise typer.Exit(1 if report.refused else 0)
    if report.diagnostics:
        stderr.file.write(render_diagnostics(report.diagnostics, color=stderr.is_terminal))
    for word, keys in changes.items():
        for key in keys:
            stdout.print(f"{word.replace('_', ' '):>17}  {escape(key)}")
    stdout.print(
        f"{len(report.unchanged)} versions unchanged"
        + (f", at {report.commit[:12]}" if report.commit else "")
        + (" with uncommitted changes" if report.dirty else "")
    )
    raise typer.Exit(1 if report.refused else 0)


def _changelog(version: CaseVersion) -> str:
    return (version.folder / version.changelog).read_text(encoding="utf-8").strip()


def _summary(version: CaseVersion) -> dict[str, object]:
    return {
        "slug": version.slug,
        "version": version.version,
        "type": version.type,
        "name": version.name,
        "difficulty": version.difficulty,
        "tags": list(version.tags),
        "summary": version.summary,
        "experimental": version.experimental,
        "max_runtime_hours": version.max_runtime_hours,
        "variants": [variant.slug for variant in version.variants],
        "digest": version.digest,
        "errata_digest": version.errata_digest,
        "changelog": _changelog(version),
    }


def _variant(version: CaseVersion, variant: Variant) -> dict[str, object]:
    excluded = version.excluded_points(variant.slug)
    return {
        "slug": variant.slug,
        "name": variant.name,
        "description": variant.description,
        "workspace": variant.workspace,
        "reference_implementation": variant.reference_implementation,
        "specs": [{"source": s.source, "dest": s.dest, "kind": s.kind} for s in variant.specs],
        "references": [
            {"view": r.view, "path": r.path, "media": r.media, "kind": r.kind, "dest": r.dest}
            for r in variant.references
        ],
        "proofs": [
            {"id": p.id, "name": p.name, "dest": p.dest, "kind": p.kind} for p in variant.proofs
        ],
        "checks": [
            {
                "view": c.view,
                "name": c.name,
                "reference": c.reference,
                "actions": [dict(action) for action in c.actions],
            }
            for c in variant.checks
        ],
        "domains": [
            {"id": d.id, "name": d.name, "description": d.description} for d in variant.domains
        ],
        "points": [
            {
                "id": p.verdict_id,
                "item": p.item_id,
                "title": p.title,
                "text": p.text,
                "weight": number(p.weight),
                "excluded": p.verdict_id in excluded,
                "domain": p.domain,
                "reference": p.reference,
                "proof": p.proof,
                "script": p.validation.script if p.validation else None,
                "outputs": [
                    {"id": o.id, "name": o.name, "kind": o.kind} for o in p.validation.outputs
                ]
                if p.validation
                else [],
            }
            for p in variant.points
        ],
        "errata": [
            {
                "id": e.id,
                "title": e.title,
                "severity": e.severity,
                "date": e.date,
                "body": e.body,
                "review": e.review,
                "exclude_from_score": e.exclude_from_score,
                "affects_scoring": e.affects_scoring,
                "resolved_in": e.resolved_in,
            }
            for e in version.errata
            if e.applies_to(variant.slug)
        ],
    }
