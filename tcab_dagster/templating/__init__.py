"""Handlebars templates, strictly: the only door to pybars3.

Belongs here: the promised subset of Handlebars, read (parser.py), trimmed (whitespace.py), checked
against the names that exist (analysis.py) and rendered (rendering.py). Does not: what a prompt or
a spec is given (seeding.py's contexts stand in contexts.py so that the catalog can check against
their shapes without seeding anything).
Concept: docs/templates.md.
"""

from tcab_dagster.templating.analysis import check
from tcab_dagster.templating.contexts import (
    SPEC_SHAPE,
    WORKSPACE,
    prompt_context,
    prompt_shape,
    spec_context,
)
from tcab_dagster.templating.problems import TemplateError, TemplateProblem
from tcab_dagster.templating.rendering import render
from tcab_dagster.templating.shapes import ListShape, MappingShape, Scalar, Shape, shape_of

__all__ = [
    "SPEC_SHAPE",
    "WORKSPACE",
    "ListShape",
    "MappingShape",
    "Scalar",
    "Shape",
    "TemplateError",
    "TemplateProblem",
    "check",
    "prompt_context",
    "prompt_shape",
    "render",
    "shape_of",
    "spec_context",
]
