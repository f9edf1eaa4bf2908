"""What a person reads on the page of a materialization.

Belongs here: counts, digests, durations, scores, tables and pictures, from records. Does not:
finding any of it out. All text that a run produced is escaped (markdown.py).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import dagster as dg

from assets import markdown as md
from assets.markdown import Metadata
from assets.verdicts import reason_of
from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.evaluation import Score, score_auto
from tcab_dagster.home import RunFolder
from tcab_dagster.records import RunRecord, State, Usage
from tcab_dagster.validation.result import Media, ValidationResult

MOST_PICTURES = 40
MOST_PICTURE_BYTES = 600_000
"""What the pictures of one event may weigh: they lie in Dagster's own database."""

MARKS = {"pass": "pass", "fail": "**fail**", "undecided": "undecided"}


def failure_line(record: RunRecord) -> str:
    """Who, what, where and the evidence's end, in one line."""
    detail = record.detail or "no detail was recorded"
    if record.state is State.INFRASTRUCTURE:
        return f"run {record.run_id} ended as {record.state}: {detail}"
    return (
        f"the validation of {record.run_id} decided nothing, and it stays {record.state}: {detail}"
    )


def case_metadata(case: CaseVersion) -> Metadata:
    """A version of the catalog: what it asks for, and what it is pinned by."""
    rows = [
        [
            md.text(variant.slug),
            md.text(variant.name),
            str(len(variant.specs)),
            str(len(variant.references)),
            f"{sum(p.validation is not None for p in variant.points)} / {len(variant.points)}",
        ]
        for variant in case.variants
    ]
    shown: Metadata = {
        "name": case.name,
        "difficulty": case.difficulty or "none",
        "variants": dg.MetadataValue.md(
            md.table(["variant", "name", "specs", "references", "automatic / points"], rows)
        ),
        "max_runtime_hours": case.max_runtime_hours,
        "errata": len(case.errata),
        "definition_digest": case.digest,
        "errata_digest": case.errata_digest,
    }
    if case.summary:
        shown["summary"] = dg.MetadataValue.md(md.text(case.summary))
    return shown


def data_version(digest: str, errata_digest: str) -> dg.DataVersion:
    """Of both digests, so that a new erratum makes `metrics` stale."""
    return dg.DataVersion(f"{digest[:16]}-{errata_digest[:16]}")


def outcome_metadata(record: RunRecord, folder: RunFolder) -> Metadata:
    """How a run ended, what it was, and where its files lie."""
    shown: Metadata = {
        "state": record.state.value,
        "harness": " ".join(filter(None, [record.harness, record.harness_version])),
        "model": record.model or "the harness's own",
        "variant": record.variant,
        "max_runtime_hours": record.max_runtime_hours,
        "definition_digest": record.definition_digest,
        "record": dg.MetadataValue.path(str(folder.record)),
        "events": dg.MetadataValue.path(str(folder.events)),
    }
    optional = {
        "fault": record.fault and record.fault.value,
        "detail": record.detail and dg.MetadataValue.md(md.text(record.detail)),
        "runtime": record.runtime,
        "image": record.image,
        "image_digest": record.image_digest,
        "seed_commit": record.seed_commit,
        "cost_usd": record.usage.cost_usd,
        "tokens": tokens(record.usage),
    }
    shown |= {key: value for key, value in optional.items() if value is not None}
    for stage in ("setup", "session", "teardown"):
        seconds = getattr(record.durations, stage)
        if seconds is not None:
            shown[f"{stage}_seconds"] = round(seconds, 2)
    if record.tool_calls:
        calls = sorted(record.tool_calls.items(), key=lambda call: (-call[1], call[0]))
        rows = [[md.text(name), str(count)] for name, count in calls]
        shown["tool_calls"] = dg.MetadataValue.md(md.table(["tool", "calls"], rows))
    if record.tree is not None:
        shown["tree"] = dg.MetadataValue.path(str(folder.tree))
        shown["tree_files"] = record.tree.files
        shown["tree_bytes"] = record.tree.bytes
        shown["tree_digest"] = record.tree.digest
        if record.tree.refused:
            rows = [[md.text(r.path), md.text(r.reason)] for r in record.tree.refused[:50]]
            shown["refused"] = dg.MetadataValue.md(md.table(["entry", "why"], rows))
    return shown


def tokens(usage: Usage) -> dg.MarkdownMetadataValue | None:
    """Four classes; what a harness does not report is left out, since it is not 0."""
    classes = {
        "uncached input": usage.uncached_input,
        "cached input": usage.cached_input,
        "output": usage.output,
        "reasoning": usage.reasoning,
    }
    rows = [[name, f"{count:,}"] for name, count in classes.items() if count is not None]
    return dg.MetadataValue.md(md.table(["tokens", "count"], rows)) if rows else None


def validation_metadata(record: RunRecord, case: CaseVersion, folder: RunFolder) -> Metadata:
    """The score, verdict by verdict, and the pictures that show it."""
    result = record.validation
    if result is None:
        return {
            "state": record.state.value,
            "validation": f"nothing to validate: the run ended as {record.state}, without a tree",
        }
    variant = case.variant(record.variant)
    excluded = case.excluded_points(variant.slug)
    score = score_auto(variant.points, result.verdicts, excluded)
    shown: Metadata = {
        "state": record.state.value,
        "score_auto": score_line(score),
        "failed": dg.MetadataValue.md(failed_points(result, variant)),
        "verdicts": dg.MetadataValue.md(verdict_table(result, variant, excluded)),
    }
    inlined = gallery(result, variant, folder.media / "thumbs")
    if inlined is not None:
        shown["pictures"] = inlined
    if score.ratio is not None:
        shown["score_auto_ratio"] = round(score.ratio, 4)
    if result.detail is not None:
        shown["detail"] = dg.MetadataValue.md(md.text(result.detail))
    if result.checks:
        rows = [
            [md.text(c.name), "unknown" if c.similarity is None else f"{c.similarity:.3f}",
             md.text(c.reason or "")]
            for c in result.checks
        ]  # fmt: skip
        shown["checks"] = dg.MetadataValue.md(md.table(["view", "similarity", "note"], rows))
    if result.proofs:
        rows = [
            [md.text(p.name), md.text(p.dest), "yes" if p.present else "**no**"]
            for p in result.proofs
        ]
        shown["proofs"] = dg.MetadataValue.md(md.table(["proof", "file", "present"], rows))
    if result.load.console_errors:
        shown["console_errors"] = dg.MetadataValue.md(
            md.code("\n".join(result.load.console_errors))
        )
    if result.notes:
        shown["notes"] = dg.MetadataValue.md("\n".join(f"- {md.text(n)}" for n in result.notes))
    shown |= {
        "install": f"{result.install.status}, {result.install.seconds:.1f} s",
        "build": f"{result.build.status}, {result.build.seconds:.1f} s",
        "load": result.load.status,
        "validation_seconds": round(result.seconds, 2),
        "media_files": len(result.media),
        "media": dg.MetadataValue.path(str(folder.media)),
    }
    return shown


def score_line(score: Score) -> str:
    """Such as `7.5 of 9 points, 83.3%; 2 await a review`."""
    if score.ratio is None:
        return f"nothing is decided; {score.undecided} await a review"
    decided = f"{float(score.earned):g} of {float(score.available):g} points, {score.ratio:.1%}"
    return decided + (f"; {score.undecided} await a review" if score.undecided else "")


def failed_points(result: ValidationResult, variant: Variant) -> str:
    """Short enough for the page to show in place."""
    failed = {v.verdict_id for v in result.verdicts if v.verdict == "fail"}
    titles = [md.text(p.title) for p in variant.points if p.verdict_id in failed]
    return "; ".join(titles) or "none"


def verdict_table(result: ValidationResult, variant: Variant, excluded: frozenset[str]) -> str:
    """Every point of the variant in the checklist's order."""
    verdicts = {verdict.verdict_id: verdict for verdict in result.verdicts}
    rows = []
    for point in variant.points:
        verdict = verdicts.get(point.verdict_id)
        weight = "excluded" if point.verdict_id in excluded else f"{float(point.weight):g}"
        decided = MARKS[verdict.verdict] if verdict else "for a reviewer"
        why = reason_of(verdict) if verdict else ""
        rows.append(
            [decided, md.text(point.title), md.text(point.verdict_id), weight, md.text(why)]
        )
    return md.table(["", "requirement", "point", "weight", "why"], rows)


def gallery(
    result: ValidationResult, variant: Variant, thumbs: Path
) -> dg.MarkdownMetadataValue | None:
    """The thumbnails of a run, each under its caption."""
    verdicts = {verdict.verdict_id: verdict.verdict for verdict in result.verdicts}
    captions = {
        thumbs / f"{media.name}.jpg": caption(media, variant, verdicts) for media in result.media
    }
    return pictures(captions)


def folder_metadata(folder: Path, files: Sequence[Path]) -> Metadata:
    """Pictures below a folder of ours, named by their own paths there."""
    shown: Metadata = {"folder": dg.MetadataValue.path(str(folder)), "files": len(files)}
    inlined = pictures({file: str(file.relative_to(folder)) for file in files})
    return shown if inlined is None else shown | {"pictures": inlined}


def pictures(captions: Mapping[Path, str]) -> dg.MarkdownMetadataValue | None:
    """Those of the files that are there, three a row under their captions, as many as the limits
    allow. Captions are rows of their own: the page drops line breaks within a cell."""
    left = MOST_PICTURE_BYTES
    shown: list[tuple[str, str]] = []
    for file, named in captions.items():
        size = file.stat().st_size if file.is_file() else None
        if size is None or size > left or len(shown) == MOST_PICTURES:
            continue
        left -= size
        shown.append((md.text(named), md.picture(file, named)))
    if not shown:
        return None
    width = min(3, len(shown))
    shown += [("", "")] * (-len(shown) % width)
    groups = [shown[i : i + width] for i in range(0, len(shown), width)]
    rows = [cells for group in groups for cells in zip(*group, strict=True)]
    return dg.MetadataValue.md(md.table([""] * width, rows))


def caption(media: Media, variant: Variant, verdicts: Mapping[str, str]) -> str:
    """Such as `fail: Pause, the match held still`; a proof's or a check's own name else."""
    for point in variant.points:
        for output in point.validation.outputs if point.validation else ():
            if (point.verdict_id, output.id) == (media.verdict_id, media.output_id):
                verdict = verdicts.get(point.verdict_id, "undecided")
                return f"{verdict}: {point.title}, {output.name}"
    return Path(media.name).stem.replace("__", " ")
