"""The catalog: what authors wrote, resolved, with every fault told.

Belongs here: what other rooms use. Concept: docs/author-a-case.md.
"""

from tcab_dagster.catalog.catalog import Catalog, load_catalog, to_json
from tcab_dagster.catalog.diagnostics import (
    CatalogError,
    Code,
    Diagnostic,
    render_diagnostics,
)
from tcab_dagster.catalog.resolution import resolve_version

__all__ = [
    "Catalog",
    "CatalogError",
    "Code",
    "Diagnostic",
    "load_catalog",
    "render_diagnostics",
    "resolve_version",
    "to_json",
]
