"""What the adapters ask of a session, and what they refuse before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcab_dagster.errors import UsageError
from tcab_dagster.harnesses.protocol import SessionOrder
from tcab_dagster.harnesses.registry import harness


def order(tmp_path: Path, model: str | None = "m-1", **environment: str) -> SessionOrder:
    return SessionOrder(slug="pong", model=model, environment=environment, recordings=tmp_path)


def test_a_misspelt_harness_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(UsageError, match="did you mean `claude`"):
        harness("cluade")


@pytest.mark.parametrize(
    ("slug", "variable", "inside"),
    [
        ("claude", "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"),
        ("codex", "OPENAI_API_KEY", "CODEX_API_KEY"),
    ],
)
def test_a_harness_own_key_of_ours_wins(
    slug: str, variable: str, inside: str, tmp_path: Path
) -> None:
    environment = {variable: "general-key", f"TCAB_API_KEY_{slug.upper()}": "the-own-key"}

    command = harness(slug).session(order(tmp_path, **environment))

    assert command.env[inside] == "the-own-key"
    assert "general-key" not in command.env.values()
    assert harness(slug).secrets(environment) == ("the-own-key",)
    assert not any("key" in argument for argument in command.argv)


@pytest.mark.parametrize("slug", ["claude", "codex"])
def test_a_missing_key_is_refused_with_the_variables_that_would_hold_it(
    slug: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=f"TCAB_API_KEY_{slug.upper()}"):
        harness(slug).session(order(tmp_path))


@pytest.mark.parametrize("slug", ["claude", "codex"])
def test_a_key_too_short_to_be_redacted_is_refused(slug: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="shorter than 8"):
        harness(slug).session(order(tmp_path, **{f"TCAB_API_KEY_{slug.upper()}": "abc"}))


@pytest.mark.parametrize("slug", ["claude", "codex"])
def test_a_model_must_be_named(slug: str, tmp_path: Path) -> None:
    key = {f"TCAB_API_KEY_{slug.upper()}": "a-long-key"}
    with pytest.raises(UsageError, match="needs a model"):
        harness(slug).session(order(tmp_path, model=None, **key))


def test_a_base_url_on_the_run_host_asks_for_the_route_to_it(tmp_path: Path) -> None:
    key = {"TCAB_API_KEY_CODEX": "a-long-key", "TCAB_API_KEY_CLAUDE": "a-long-key"}
    url = "http://host.docker.internal:4000"

    claude = harness("claude").session(order(tmp_path, **key, TCAB_BASE_URL_CLAUDE=url))
    codex = harness("codex").session(order(tmp_path, **key, TCAB_BASE_URL_CODEX=f"{url}/v1"))
    elsewhere = harness("codex").session(order(tmp_path, **key))

    assert claude.env["ANTHROPIC_BASE_URL"] == url
    assert 'openai_base_url="http://host.docker.internal:4000/v1"' in codex.argv
    assert claude.host_route
    assert codex.host_route
    assert not elsewhere.host_route


def test_a_recording_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    (tmp_path / "pong").mkdir()
    (tmp_path / "pong/flawed.jsonl").write_text('{"delay": 0}\n')

    with pytest.raises(UsageError, match="did you mean `flawed`") as refused:
        harness("replay").session(order(tmp_path, model="flawd"))
    assert "there are `flawed`" in str(refused.value)

    assert harness("replay").session(order(tmp_path, model=None)).files["recording.jsonl"]
