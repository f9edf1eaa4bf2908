"""Validation: a tree is built, loaded and driven in sandboxes, and what that decides.

Belongs here: the way in. The functions are imported when they are asked for: records.py needs only
the result's shape, and the functions need the records. Concept: docs/validation.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tcab_dagster.validation.baselines import baseline_state, capture_baselines
    from tcab_dagster.validation.references import render_references
    from tcab_dagster.validation.validate import validate_tree

__all__ = ["baseline_state", "capture_baselines", "render_references", "validate_tree"]

_HOMES = {
    "baseline_state": "baselines",
    "capture_baselines": "baselines",
    "render_references": "references",
    "validate_tree": "validate",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
