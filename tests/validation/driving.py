"""What the fixtures of these tests give: a validation, and a drive.

Belongs here: their types, which tests name. Does not: the fixtures (conftest.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.validation import validate_tree
from tcab_dagster.validation.reading import DrivenUnit, RunnerDocument
from tcab_dagster.validation.result import ValidationResult


@dataclass(frozen=True, slots=True)
class Validate:
    """Validates a tree; `environment` may be changed before."""

    runtime: EngineRuntime
    folder: Path
    environment: dict[str, str]

    def __call__(
        self, tree: Path, version: CaseVersion, limits: Mapping[str, float] | None = None
    ) -> ValidationResult:
        return validate_tree(
            tree,
            version,
            version.variant(),
            self.runtime,
            run_id="small@v1.0.0~test",
            media=self.folder / "media",
            site=self.folder / "site",
            environment=self.environment,
            progress=print,
            limits=limits,
        )


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
