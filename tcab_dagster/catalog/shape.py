"""From TOML values to a manifest's model, with each fault of the shape told in an author's words.

Belongs here: the words for what pydantic finds. Does not: the models (manifest.py), going on with
what is sound of a faulty document (salvage.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tcab_dagster.catalog import manifest as m
from tcab_dagster.catalog.diagnostics import Code, Report, did_you_mean, one_of
from tcab_dagster.catalog.salvage import Fault, M, model_at, salvaged
from tcab_dagster.catalog.toml_file import KeyPath, TomlFile

_EXAMPLES: Mapping[str, str] = {
    "slug": 'slug = "my-case"',
    "name": 'name = "My Case"',
    "difficulty": 'difficulty = "easy"',
    "tags": 'tags = ["arcade"]',
    "changelog": 'changelog = "changelog.md"',
    "prompt": 'prompt = "prompt.hbs"',
    "variants": 'variants = ["variants/base.toml"]',
    "build": "[build]",
    "build.build": 'build = "npm run build"',
    "install": 'install = "npm ci"',
    "domain": "[[domain]]",
    "format": "format = 2",
    "weight": "weight = 1",
    "kind": 'kind = "video"',
    "ms": "ms = 500",
    "x": "x = 640",
    "y": "y = 360",
}

_PATTERNS: Mapping[str, tuple[Code, str, str]] = {
    m.TEXT: (Code.EMPTY, "is empty", "say something, or leave an optional key out"),
    m.SLUG: (
        Code.BAD_SLUG,
        "is no slug",
        "lower-case letters and digits, with single hyphens between them",
    ),
    m.ID: (
        Code.BAD_ID,
        "is no id",
        "letters, digits, hyphens and single underscores, between letters or digits",
    ),
    m.HANDLE: (
        Code.BAD_HANDLE,
        "is no plain identifier",
        "name the window property alone, without `window.`, such as `__game`",
    ),
    m.VERSION: (Code.BAD_VERSION, "is no version", "write it as vMAJOR.MINOR.PATCH"),
    m.PACK: (Code.BAD_VALUE, "is no pack", "write it as name@version"),
    m.DATE: (Code.BAD_DATE, "is no date", "write it as YYYY-MM-DD"),
}

_TYPES: Mapping[str, str] = {
    "string_type": "a string",
    "bool_type": "true or false",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "an array",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
}


def parse(model: type[M], file: TomlFile, report: Report) -> M | None:
    """The document as a model. Reports every fault of its shape; what is left of it comes back
    all the same, so that the rules between its keys can be checked, or None if too little is."""
    try:
        return model.model_validate(file.values)
    except ValidationError as error:
        faults = [_fault(details, file.values) for details in error.errors(include_url=False)]
    file.is_whole = False
    misplaced = {f.path[-1] for f in faults if f.kind == "extra_forbidden" and len(f.path) > 1}
    for fault in faults:
        if fault.kind == "missing" and len(fault.path) == 1 and fault.path[0] in misplaced:
            continue  # told at the place where the key landed
        _report(fault, model, file, report)
    return salvaged(model, file, faults)


def _fault(details: ErrorDetails, values: Mapping[str, object]) -> Fault:
    path: list[str | int] = []
    steps = list(details["loc"])
    while steps:
        step = steps.pop(0)
        path.append(step)
        if isinstance(step, int) and len(path) > 1 and path[-2] == "actions" and steps:
            steps.pop(0)  # the discriminator's tag, which is no key
    return Fault(details["type"], tuple(path), details.get("input"), details.get("ctx") or {})


def _report(fault: Fault, model: type[m.Table], file: TomlFile, report: Report) -> None:
    path = fault.path
    key = str(next((step for step in reversed(path) if isinstance(step, str)), ""))
    match fault.kind:
        case "extra_forbidden":
            _report_unknown(fault, model, file, report)
        case "missing":
            table = _title(path[:-1], model)
            dotted = ".".join(step for step in path if isinstance(step, str))
            mend = _EXAMPLES.get(dotted) or _EXAMPLES.get(key) or f'{key} = "..."'
            report.error(
                Code.MISSING_KEY, file.table(*path[:-1]), f"{table} lacks `{key}`", f"add `{mend}`"
            )
        case "string_pattern_mismatch":
            code, words, mend = _PATTERNS[str(fault.context["pattern"])]
            shown = f"`{key}`" if code is Code.EMPTY else f"`{fault.value}`"
            report.error(code, file.value(*path), f"{shown} {words}", mend)
        case "greater_than" | "greater_than_equal":
            least = "above 0" if fault.kind == "greater_than" else "of 0 or more"
            report.error(
                Code.NOT_POSITIVE,
                file.value(*path),
                f"`{key}` is {fault.value}",
                f"write a number {least}",
            )
        case "finite_number":
            report.error(
                Code.BAD_VALUE,
                file.value(*path),
                f"`{key}` is {fault.value}",
                "write a finite number",
            )
        case "too_short":
            report.error(
                Code.EMPTY, file.value(*path), f"`{key}` is empty", "it needs at least one entry"
            )
        case "literal_error" | "union_tag_invalid" | "union_tag_not_found":
            _report_choice(fault, key, model, file, report)
        case kind:
            wanted = _TYPES.get(kind, "something else")
            where = f"an entry of `{key}`" if path and isinstance(path[-1], int) else f"`{key}`"
            report.error(
                Code.WRONG_TYPE,
                file.value(*path),
                f"{where} is {_type_of(fault.value)}",
                f"it must be {wanted}",
            )


def _report_choice(
    fault: Fault, key: str, model: type[m.Table], file: TomlFile, report: Report
) -> None:
    if fault.kind == "literal_error":
        field = cast(type[BaseModel], model_at(model, fault.path[:-1])).model_fields[key]
        choices = [str(c) for c in _literals(field.annotation)]
        shown = fault.value
        place = file.value(*fault.path)
    elif isinstance(fault.value, dict) and "type" in fault.value:
        choices = ["wait", "key", "hold", "click"]
        key, shown, place = "type", fault.value["type"], file.value(*fault.path, "type")
    else:
        report.error(
            Code.MISSING_KEY,
            file.table(*fault.path),
            "the action lacks `type`",
            one_of(["wait", "key", "hold", "click"]),
        )
        return
    if not isinstance(shown, str) and choices != ["2"]:
        report.error(Code.WRONG_TYPE, place, f"`{key}` is {_type_of(shown)}", "it must be a string")
        return
    mend = did_you_mean(str(shown), choices)
    if mend is None or not mend.startswith("did you mean"):
        mend = one_of(choices)
    report.error(Code.BAD_VALUE, place, f"`{shown}` is no `{key}`", mend)


def _report_unknown(fault: Fault, model: type[m.Table], file: TomlFile, report: Report) -> None:
    path, key = fault.path, str(fault.path[-1])
    place = file.key(*path)
    owner = model_at(model, path[:-1]) or model
    title = _title(path[:-1], model)
    if len(path) > 1 and key in model.model_fields and file.table(*path[:-1]).place.is_header:
        report.error(
            Code.MISPLACED_KEY,
            place,
            f"`{key}` belongs to the document, but stands below a table's header, in {title}",
            "move it above the first table header: in TOML what follows a header is that table's",
        )
        return
    elsewhere = _belongs_elsewhere(owner, key)
    if elsewhere is not None:
        report.error(Code.MISPLACED_KEY, place, f"`{key}` is not a key of {title}", elsewhere)
        return
    report.error(
        Code.UNKNOWN_KEY,
        place,
        f"`{key}` is not a key of {title}",
        did_you_mean(key, owner.model_fields),
    )


def _belongs_elsewhere(owner: type[m.Table], key: str) -> str | None:
    if owner is m.VariantManifest and key in m.CaseManifest.model_fields:
        return "it holds for every variant: declare it in test-case.toml"
    if owner is m.CaseManifest and key in m.VariantManifest.model_fields:
        return "it belongs to one variant: declare it in that variant's file"
    if owner is m.VariantReviewTable and key == "format":
        return "a variant inherits the format that test-case.toml declares: remove it"
    if owner is m.CategoryTable and (
        key in m.CategoryItemTable.model_fields or key in m.ReviewItemTable.model_fields
    ):
        return "a category has only `id`, `title` and `items`: it belongs to the category's items"
    if owner is m.SubItemTable and key in m.ReviewItemTable.model_fields:
        return "a sub-item has only `id`, `title` and `validation`: the rest is its item's"
    if owner is m.CategoryItemTable and key == "domain":
        return "the categories grammar attaches no domain to a point: remove it"
    return None


_DOCUMENTS: Mapping[type[m.Table], str] = {
    m.CaseManifest: "a test case",
    m.VariantManifest: "a variant",
    m.ErrataManifest: "an errata file",
}


def _title(path: KeyPath, model: type[m.Table]) -> str:
    """The table at `path` in an author's words: "a test case", "`[build]`", "`review_item`"."""
    names = [step for step in path if isinstance(step, str)]
    if not names:
        return _DOCUMENTS[model]
    if len(names) == 1 and not isinstance(path[-1], int):
        return f"`[{names[0]}]`"
    return f"`{'.'.join(names)}`"


def _literals(annotation: object) -> Sequence[object]:
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return [v for a in get_args(annotation) for v in _literals(a)]
    return get_args(annotation)


def _type_of(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case dict():
            return "a table"
    return "a date or time without quotes"
