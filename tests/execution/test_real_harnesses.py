"""The real command lines, installed from npm into the container, against a scripted endpoint.

The canary: the key is where the agent can read it, and in nothing that is recorded.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.errors import UsageError
from tcab_dagster.execution import execute
from tcab_dagster.records import Fault, State, Usage
from tests.execution.bench import Bench, everything_below

pytestmark = pytest.mark.engine

ENDPOINT = Path(__file__).parents[1] / "harnesses/endpoint.mjs"
CANARY = "sk-canary-0123456789abcdef"
SPILL = "echo $ANTHROPIC_API_KEY$CODEX_API_KEY | tee spilled.txt; env > environment.txt"


@contextmanager
def endpoint(mode: str, command: str = "true") -> Iterator[int]:
    """A scripted model on the run host; its port."""
    process = subprocess.Popen(
        ["node", str(ENDPOINT), mode, command], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("slug", "path", "usage"),
    [
        ("claude", "", Usage(uncached_input=300, cached_input=800, output=50)),
        ("codex", "/v1", Usage(uncached_input=300, cached_input=700, output=80, reasoning=32)),
    ],
)
def test_a_real_session_is_installed_probed_read_and_gives_no_key_away(
    slug: str, path: str, usage: Usage, bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.request(bench.case(), harness=slug, model="claude-sonnet-4-5")
    with endpoint("ok", SPILL) as port:
        settings = bench.with_environment(
            {
                f"TCAB_API_KEY_{slug.upper()}": CANARY,
                f"TCAB_BASE_URL_{slug.upper()}": f"http://host.docker.internal:{port}{path}",
            }
        )
        record = execute(request, bench.home, own_runtime, settings)

    assert record.state is State.COLLECTED, record.detail
    assert record.harness_version is not None
    assert record.harness_version[0].isdigit()
    assert record.usage.model_copy(update={"cost_usd": None}) == usage
    assert sum(record.tool_calls.values()) == 1
    folder = bench.home.run(request.run_id)
    assert b"[redacted]" in folder.raw.read_bytes()
    assert (folder.tree / "spilled.txt").read_text().strip("*\n") == ""
    spilled = [
        name
        for name, content in everything_below(bench.home.path).items()
        if CANARY.encode() in content
    ]
    assert spilled == []


def test_a_refused_key_is_the_operators_fault(bench: Bench, own_runtime: EngineRuntime) -> None:
    request = bench.request(bench.case(), harness="codex", model="gpt-5")
    with endpoint("401") as port:
        settings = bench.with_environment(
            {
                "TCAB_API_KEY_CODEX": CANARY,
                "TCAB_BASE_URL_CODEX": f"http://host.docker.internal:{port}/v1",
            }
        )
        record = execute(request, bench.home, own_runtime, settings)

    assert (record.state, record.fault) == (State.HARNESS_ERROR, Fault.OPERATOR)
    assert "codex exited with 1" in (record.detail or "")
    assert "401 Unauthorized" in (record.detail or "")


def test_a_missing_key_is_refused_before_anything_starts(
    bench: Bench, own_runtime: EngineRuntime
) -> None:
    request = bench.request(bench.case(), harness="codex", model="gpt-5")

    with pytest.raises(UsageError, match="TCAB_API_KEY_CODEX"):
        execute(request, bench.home, own_runtime, bench.settings)

    assert not bench.home.run(request.run_id).path.exists()
