"""The runner against a site, in a browser of this machine's validator image, and whole validations.

Belongs here: fixtures. The runner's tests go through the same sandbox that validation uses, so
that what passes here passes there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tcab_dagster.catalog.model import Output
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.validation.reading import read_document
from tcab_dagster.validation.validator import Task, run_validator
from tests.validation.driving import Drive, Driven, Validate
from tests.validation.small_sites import case, game

ENVIRONMENT = {"TCAB_CONTAINER_REGISTRY": ""}


@pytest.fixture
def validate(
    tmp_path: Path, runtime: EngineRuntime, run_image: str, validator_image: str
) -> Validate:
    """Validates a tree against a case; the media land in `tmp_path/media`."""
    return Validate(runtime, tmp_path, dict(ENVIRONMENT))


@pytest.fixture
def drive(tmp_path: Path, runtime: EngineRuntime, validator_image: str) -> Drive:
    """Drives scripts, by verdict id, against a site (default: the game) without building it."""
    count = 0

    def driven(
        scripts: Mapping[str, str],
        *,
        site: Path | None = None,
        outputs: Mapping[str, tuple[Output, ...]] | None = None,
        mockup: str | None = None,
        limits: Mapping[str, float] | None = None,
    ) -> Driven:
        nonlocal count
        count += 1
        version = case(tmp_path / f"case{count}", scripts, outputs=outputs, mockup=mockup)
        variant = version.variant()
        out = tmp_path / f"driven{count}"
        run_validator(
            Task(
                case=version,
                references=variant.references,
                site=site or game(tmp_path / f"game{count}"),
                checks=variant.checks,
                points=variant.points,
                limits=limits or {},
            ),
            runtime,
            out,
            run_id="small@v1.0.0~test",
            environment=ENVIRONMENT,
            progress=print,
        )
        return Driven(read_document(out), out)

    return driven
