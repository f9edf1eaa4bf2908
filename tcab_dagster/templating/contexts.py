"""What a prompt and a spec template are given, and the shapes to check them against.

Belongs here: the names, one by one. Does not: rendering. Concept: docs/templates.md, "Contexts".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tcab_dagster.templating.shapes import ListShape, MappingShape, Scalar, Shape

if TYPE_CHECKING:  # the catalog checks templates, so it imports this package
    from tcab_dagster.catalog.model import CaseVersion, TestType, Variant

WORKSPACE = "/work"
"""The seeded repository's place in the run container."""

_VARIANT = MappingShape({"slug": Scalar.TEXT, "name": Scalar.TEXT, "description": Scalar.TEXT})
_SPEC = MappingShape({"dest": Scalar.TEXT, "path": Scalar.TEXT, "name": Scalar.TEXT})

SPEC_SHAPE: Shape = MappingShape({"version": Scalar.TEXT, "variant": _VARIANT})
_PROMPT_SHAPE: Shape = MappingShape(
    {"workspace": Scalar.TEXT, "variant": _VARIANT, "specs": ListShape(_SPEC)}
)
_JAM_PROMPT_SHAPE: Shape = MappingShape(
    {"workspace": Scalar.TEXT, "time_limit_hours": Scalar.NUMBER}
)


def prompt_shape(type: TestType) -> Shape:
    """The shape of the prompt's context for a type of test."""
    return _JAM_PROMPT_SHAPE if type == "game-jam" else _PROMPT_SHAPE


def prompt_context(
    case: CaseVersion, variant: Variant, *, max_runtime_hours: float
) -> Mapping[str, object]:
    """The prompt's context; `max_runtime_hours` is the run's effective cap."""
    if case.type == "game-jam":
        return {"workspace": WORKSPACE, "time_limit_hours": max_runtime_hours}
    return {
        "workspace": WORKSPACE,
        "variant": _variant(variant),
        "specs": [
            {
                "dest": spec.dest,
                "path": f"{WORKSPACE}/{spec.dest}",
                "name": PurePosixPath(spec.dest).stem,
            }
            for spec in variant.specs
        ],
    }


def spec_context(case: CaseVersion, variant: Variant) -> Mapping[str, object]:
    """A spec template's context: which version and variant it is rendered for."""
    return {"version": case.version, "variant": _variant(variant)}


def _variant(variant: Variant) -> Mapping[str, object]:
    return {
        "slug": variant.slug,
        "name": variant.name,
        "description": variant.description or "",
    }
