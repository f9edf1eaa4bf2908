"""A bench, and a runtime whose containers bear the bench's own installation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.containers.runtimes import open_runtime
from tcab_dagster.home import Home
from tests.execution.bench import Bench


@pytest.fixture
def bench(home: Home, tmp_path: Path) -> Bench:
    checkout = tmp_path / "checkout"
    (checkout / "test-cases").mkdir(parents=True)
    return Bench(home, checkout)


@pytest.fixture
def own_runtime(bench: Bench, run_image: str) -> Iterator[EngineRuntime]:
    """The runtime that `tcab` itself would open for this home."""
    with open_runtime(bench.settings, bench.home) as runtime:
        yield runtime
        for ref in runtime.sandboxes():
            runtime.remove(ref)
