"""What the fixtures of these tests give.

Belongs here: their types, which tests name. Does not: the fixtures (conftest.py).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tcab_dagster.validation.reading import DrivenUnit, RunnerDocument
from tcab_dagster.validation.result import ValidationResult

Validate = Callable[..., ValidationResult]


class Driven:
    """A runner's document and the folder of its media."""

    def __init__(self, document: RunnerDocument, out: Path) -> None:
        self.document = document
        self.media = out / "media"

    def verdict(self, verdict_id: str) -> tuple[str, str | None]:
        unit = self.unit(verdict_id)
        return unit.verdict, unit.reason

    def unit(self, verdict_id: str) -> DrivenUnit:
        return next(d for d in self.document.drives if d.verdict_id == verdict_id)


Drive = Callable[..., Driven]
