"""The real handlebars.js, running beside the tests of this folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.templating.oracle import Handlebars, installed


@pytest.fixture(scope="session")
def handlebars() -> Iterator[Handlebars]:
    process = subprocess.Popen(
        ["node", "oracle.cjs"],
        cwd=installed(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Handlebars(process)
    finally:
        process.terminate()
        process.wait()
