"""What `tcab` says and how it ends, where no container is needed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tcab_dagster.catalog import load_catalog
from tcab_dagster.seeding import render_prompt
from tests.cli.conftest import CHECKOUT, Tcab

CASE = Path("test-cases/end-to-end/easy/carom/v1.0.0")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the catalog that a test may break."""
    copy = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("node_modules", "dist", "validation-baseline")
    shutil.copytree(CHECKOUT / CASE, copy / CASE, ignore=ignored)
    return copy


def test_our_own_catalog_has_no_fault(tcab: Tcab) -> None:
    ended = tcab("catalog", "check", "--format", "json")

    assert ended.status == 0
    assert ended.json["ok"] is True
    assert ended.json["diagnostics"] == []


def test_a_misspelt_key_is_pointed_at_and_ends_1(tcab: Tcab, checkout: Path) -> None:
    manifest = checkout / CASE / "test-case.toml"
    lines = manifest.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("summary"))
    lines[at] = lines[at].replace("summary", "sumary")
    manifest.write_text("\n".join(lines))

    for_people = tcab("catalog", "check", str(checkout))
    for_programs = tcab("catalog", "check", str(checkout), "--format", "json")

    assert for_people.status == for_programs.status == 1
    assert f"{CASE}/test-case.toml:{at + 1}:1" in for_people.stderr
    assert "did you mean `summary`?" in for_people.stderr
    (diagnostic,) = for_programs.json["diagnostics"]
    assert diagnostic["code"] == "unknown-key"
    assert diagnostic["file"] == f"{CASE}/test-case.toml"
    assert (diagnostic["line"], diagnostic["column"]) == (at + 1, 1)
    assert (diagnostic["slug"], diagnostic["version"]) == ("pong", "v1.0.0")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("prompt", "pog"), 2, "did you mean `pong`?"),
        (("prompt", "pong@v9.9.9"), 2, "`pong` has no version `v9.9.9`"),
        (("prompt", "pong", "--variant", "bse"), 2, "`base`, `frenzy`"),
        (("prompt", "pong@"), 2, "`pong` has no version ``"),
        (("prompt", "pong", "--max-runtime", "-1"), 2, "give more than 0 and at most 720"),
        (("prompt", "pong", "--max-runtime", "nan"), 2, "give more than 0 and at most 720"),
        (("run", "pong", "--harness", "replay", "--max-runtime", "1e308"), 2, "at most 720"),
        (("run", "pong", "--harness", "replay", "--model", ""), 2, "needs a model"),
        (("run", "pong", "--harness", "codx"), 2, "did you mean `codex`?"),
        (("run", "pong", "--harness", "claude", "--model", "m"), 2, "ANTHROPIC_API_KEY"),
        (("run", "pong", "--harness", "replay", "--model", "flawd"), 2, "flawed"),
        (("run", "pong"), 2, "--harness"),
        (("validate", "no-such-folder"), 2, "neither a folder nor a recorded run"),
        (("validate", "recordings"), 2, "--case"),
        (("images", "resolve", "base-wsm"), 2, "there is no image `base-wsm`"),
        (("catalog", "check", "/"), 2, "holds neither test-cases/ nor game-jams/"),
        (("query", "SELECT nothing FROM nowhere"), 2, "the tables are"),
        (("query", "ATTACH 'other.db'"), 2, "ATTACH is no query"),
        (("query", "COPY (SELECT 1) TO 'out.csv'"), 2, "COPY is no query"),
        (("query", "SELECT 1; SELECT 2"), 2, "one query is asked at a time"),
        (("query", "SELECT '\udcff'"), 2, "not valid UTF-8"),
        (("query", "SELECT 1 a, 2 a", "--format", "json"), 2, "name them apart"),
    ],
)
def test_a_mistake_gets_its_mend_and_no_traceback(
    tcab: Tcab, arguments: tuple[str, ...], status: int, said: str
) -> None:
    ended = tcab(*arguments)

    assert ended.status == status
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("TCAB_SLOTS", "abc", "give it a whole number"),
        ("TCAB_SLOTS_REPLAY", "0", "give it a whole number"),
        ("TCAB_CONTAINER_IMAGE_BASE_WASM", "bad image::", "is no image reference"),
        ("TCAB_RUNTIME", "podmn", "choose from"),
    ],
)
def test_a_wrong_setting_is_refused_before_a_run_is_asked_for(
    tcab: Tcab, tmp_path: Path, variable: str, value: str, said: str
) -> None:
    ended = tcab("run", "pong", "--harness", "replay", **{variable: value})

    assert ended.status == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    requests = tmp_path / "home/requests"
    assert not requests.exists() or list(requests.iterdir()) == []


def test_a_missing_engine_ends_3_and_says_what_to_start(tcab: Tcab) -> None:
    ended = tcab("run", "pong", "--harness", "replay", DOCKER_HOST="unix:///nowhere.sock")

    assert ended.status == 3
    assert "start Docker or Podman" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_refused_run_leaves_no_request(tcab: Tcab, tmp_path: Path) -> None:
    tcab("run", "pong", "--harness", "replay", DOCKER_HOST="unix:///nowhere.sock")

    requests = tmp_path / "home/requests"
    assert not requests.exists() or list(requests.iterdir()) == []


def test_the_prompt_is_printed_exactly(tcab: Tcab) -> None:
    case = load_catalog(CHECKOUT).find("pong")

    ended = tcab("prompt", "pong", "--variant", "frenzy")

    assert ended.stdout == render_prompt(case, case.variant("frenzy"), max_runtime_hours=0.5)


def test_show_lists_what_a_variant_adds(tcab: Tcab) -> None:
    base = tcab("catalog", "show", "pong", "--format", "json").json["variant"]
    frenzy = tcab("catalog", "show", "pong", "--variant", "frenzy", "--format", "json").json[
        "variant"
    ]

    added = {p["id"] for p in frenzy["points"]} - {p["id"] for p in base["points"]}
    assert added
    assert {d["id"] for d in frenzy["domains"]} - {d["id"] for d in base["domains"]} == {"frenzy"}


def test_ingest_tells_what_changed_and_then_that_nothing_did(tcab: Tcab) -> None:
    first = tcab("catalog", "ingest", "--format", "json")
    second = tcab("catalog", "ingest", "--format", "json")

    assert first.status == second.status == 0
    assert "pong@v1.0.0" in first.json["added"]
    assert second.json["added"] == second.json["changed"] == []
    assert "pong@v1.0.0" in second.json["unchanged"]


def test_a_query_gives_one_json_document(tcab: Tcab) -> None:
    tcab("catalog", "ingest")

    ended = tcab("query", "SELECT slug, name FROM cases WHERE slug = 'pong'", "--format", "json")

    assert json.loads(ended.stdout) == [{"slug": "pong", "name": "Carom"}]


def test_numbers_and_bytes_that_json_has_not_are_still_json(tcab: Tcab) -> None:
    sql = "SELECT 'nan'::DOUBLE a, ['inf'::DOUBLE, 1] b, '\\xFF'::BLOB c"

    ended = tcab("query", sql, "--format", "json")

    assert ended.json == [{"a": None, "b": [None, 1.0], "c": "ff"}]
    assert "NaN" not in ended.stdout


def test_a_row_too_wide_for_a_table_is_listed_column_by_column(tcab: Tcab) -> None:
    tcab("catalog", "ingest")

    ended = tcab("query", "FROM cases")

    assert "row 1\n" in ended.stdout
    assert any(line.split() == ["slug", "pong"] for line in ended.stdout.splitlines())


def test_images_are_resolved_with_the_rule_that_decided(tcab: Tcab) -> None:
    pinned = "example.org/mine@sha256:" + "0" * 64
    ended = tcab(
        "images", "resolve", "base-wasm", "game-jam", "--format", "json",
        TCAB_CONTAINER_IMAGE_BASE_WASM=pinned, TCAB_CONTAINER_REGISTRY="example.org/us",
        TCAB_CONTAINER_TAG="v7",
    )  # fmt: skip

    wasm, jam = ended.json
    assert (wasm["reference"], wasm["rule"]) == (pinned, "override")
    assert jam["reference"] == "example.org/us/test-cabinet-game-jam:v7"
    assert jam["rule"] == "registry"
