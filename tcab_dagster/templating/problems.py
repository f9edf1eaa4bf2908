"""What is wrong with a template, and where.

Belongs here: the shape of a problem and the error that carries them. Does not: the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tcab_dagster.errors import TcabError

SYNTAX = "template-syntax"
UNSUPPORTED = "template-unsupported"
UNKNOWN_NAME = "template-unknown-name"


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """One fault. Lines and columns are 1-based and count characters; the end is exclusive.

    `code` is `template-syntax` (no reader of Handlebars accepts it), `template-unsupported`
    (Handlebars, but outside the subset of docs/templates.md) or `template-unknown-name`.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str
    help: str | None = None


class TemplateError(TcabError):
    """A template that cannot be rendered faithfully, with every reason at once."""

    def __init__(self, name: str, problems: Sequence[TemplateProblem]) -> None:
        super().__init__(
            "\n".join(f"{name}:{p.line}:{p.column}: {p.message}" for p in problems),
            help=next((p.help for p in problems if p.help), None),
        )
        self.name = name
        self.problems = tuple(problems)


class ProblemLog:
    """Collects problems by their place in one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._found: list[tuple[int, TemplateProblem]] = []

    def add(self, code: str, start: int, end: int, message: str, help: str | None = None) -> None:
        """Records a problem between two offsets of the source."""
        line, column = self._place(start)
        end_line, end_column = self._place(max(end, start + 1))
        problem = TemplateProblem(line, column, end_line, end_column, code, message, help)
        self._found.append((start, problem))

    def _place(self, offset: int) -> tuple[int, int]:
        before = self._source[: min(offset, len(self._source))]
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

    @property
    def is_empty(self) -> bool:
        return not self._found

    def sorted(self) -> list[TemplateProblem]:
        """In the order of the source."""
        return [problem for _, problem in sorted(self._found, key=lambda found: found[0])]
