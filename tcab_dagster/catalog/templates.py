"""Templates, checked as strictly as rendering them would be, without rendering them.

Belongs here: telling a template's problems as diagnostics at its own lines. Does not: what is
wrong with a template (tcab_dagster/templating/). Concept: docs/templates.md.
"""

from __future__ import annotations

from tcab_dagster.catalog.diagnostics import Code, Place, Report
from tcab_dagster.catalog.toml_file import read_text
from tcab_dagster.catalog.version_folder import VersionFolder
from tcab_dagster.templating import Shape, check


def check_template(folder: VersionFolder, path: str, shape: Shape, report: Report) -> None:
    """Reports what would keep the template at `path` from rendering in a context of `shape`."""
    name = folder.shown(path)
    text = read_text(folder.root / path, name, report)
    if text is None:
        return
    lines = text.split("\n")
    for problem in check(text, shape, name=name):
        line = lines[problem.line - 1].rstrip("\r") if problem.line <= len(lines) else ""
        place = Place(
            name, problem.line, problem.column, problem.end_line, problem.end_column, line
        )
        report.error(
            Code(problem.code),
            place,
            problem.message,
            problem.help or "docs/templates.md says what a template may hold",
        )
