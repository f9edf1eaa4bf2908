"""Carom as a case: its files agree with each other, its scripts with its reference builds, and
neither a flawed build nor one that only plays a recording back earns what it should not.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tcab_dagster.catalog import load_catalog
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.validation.baselines import baseline_state
from tcab_dagster.validation.result import ValidationResult
from tcab_dagster.validation.validate import validate_tree

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "recordings" / "pong"
FLAWS = {"ball-spin.moving", "pause", "opponent", "sound.goals"}

IN_A_ROW = pytest.mark.parametrize("time", ["first", "second", "third"])
"""A verdict that is sometimes otherwise is a wrong score."""

Validated = Callable[[Path, str], ValidationResult]


@pytest.fixture(scope="module")
def carom() -> CaseVersion:
    return load_catalog(ROOT).find("pong@v1.0.0")


@pytest.fixture
def validated(
    carom: CaseVersion,
    tmp_path: Path,
    runtime: EngineRuntime,
    run_image: str,
    validator_image: str,
) -> Validated:
    """Validates a copy of a tree as a run's."""

    def validate(tree: Path, variant: str) -> ValidationResult:
        skip = shutil.ignore_patterns("node_modules", "dist")
        copy = shutil.copytree(tree, tmp_path / "tree", ignore=skip)
        media = tmp_path / "media"
        media.mkdir()
        return validate_tree(
            copy,
            carom,
            carom.variant(variant),
            runtime,
            run_id=f"{carom.key}~test",
            media=media,
            site=tmp_path / "site",
            environment={"TCAB_CONTAINER_REGISTRY": ""},
            progress=lambda line: None,
        )

    return validate


def steps(name: str) -> Iterator[dict[str, object]]:
    for line in (RECORDINGS / f"{name}.jsonl").read_text().splitlines():
        yield json.loads(line)


def play(name: str, tree: Path) -> Path:
    """What a recording leaves behind in a seeded workspace."""
    for step in steps(name):
        for write in step.get("writes", []):  # type: ignore[attr-defined]
            target = tree / write["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            text = write.get("text")
            target.write_bytes(base64.b64decode(write["base64"]) if text is None else text.encode())
        for gone in step.get("deletes", []):  # type: ignore[attr-defined]
            (tree / gone).unlink()
    return tree


def by_verdict(result: ValidationResult, verdict: str) -> set[str]:
    return {v.verdict_id for v in result.verdicts if v.verdict == verdict}


def test_the_catalog_has_nothing_to_say_against_it() -> None:
    assert [str(d) for d in load_catalog(ROOT).diagnostics if "carom" in str(d)] == []


@pytest.mark.parametrize("variant", ["base", "frenzy"])
def test_its_baselines_are_complete_and_current(carom: CaseVersion, variant: str) -> None:
    state = baseline_state(
        carom, carom.variant(variant), carom.folder / "validation-baseline" / variant
    )

    assert (state.missing, state.stale, state.orphaned) == ((), (), ())


def test_both_reference_implementations_are_one_game_but_for_their_variant(
    carom: CaseVersion,
) -> None:
    base, frenzy = (carom.folder / "reference-impl" / v / "src" for v in ("base", "frenzy"))
    names = {f.name for f in base.iterdir()}
    assert {f.name for f in frenzy.iterdir()} == names

    differing = {n for n in names if (base / n).read_bytes() != (frenzy / n).read_bytes()}

    assert differing == {"variant.js"}


def test_its_lock_files_pin_content_and_no_registry(carom: CaseVersion) -> None:
    locks = [p for p in carom.folder.rglob("package-lock.json") if "node_modules" not in p.parts]
    assert len(locks) == 3
    for lock in locks:
        packages = json.loads(lock.read_bytes())["packages"]
        assert all("integrity" in p for name, p in packages.items() if name)
        assert not any("resolved" in p for p in packages.values())


def test_the_flawed_session_looks_like_one_and_lasts_seconds() -> None:
    recorded = list(steps("flawed"))

    assert 20 <= len(recorded) <= 30
    assert 6 <= sum(float(str(s["delay"])) for s in recorded) <= 10
    kinds = {json.loads(str(s["output"]))["kind"] for s in recorded if "output" in s}
    assert kinds >= {"agent", "reasoning", "command", "read", "write", "search", "warning"}
    assert "usage" in recorded[-1]


@pytest.mark.engine
@IN_A_ROW
@pytest.mark.parametrize("variant", ["base", "frenzy"])
def test_a_reference_implementation_earns_full_marks(
    carom: CaseVersion, validated: Validated, variant: str, time: str
) -> None:
    result = validated(carom.folder / "reference-impl" / variant, variant)

    assert [(v.verdict_id, v.reason) for v in result.verdicts if v.verdict != "pass"] == []
    assert len(result.verdicts) == len([p for p in carom.variant(variant).points if p.validation])
    assert result.checks[0].similarity is not None
    assert result.checks[0].similarity > 0.9


@pytest.mark.engine
@IN_A_ROW
def test_the_flawed_session_fails_its_flaws_and_nothing_else(
    carom: CaseVersion, validated: Validated, tmp_path: Path, time: str
) -> None:
    seeded = shutil.copytree(carom.folder / "workspaces" / "base", tmp_path / "seeded")

    result = validated(play("flawed", seeded), "base")

    assert result.outcome == "completed"
    assert by_verdict(result, "fail") == FLAWS
    assert {p.id for p in result.proofs if not p.present} == {"won"}


@pytest.mark.engine
def test_playing_a_recorded_match_back_over_a_blank_canvas_earns_nothing(
    validated: Validated,
) -> None:
    result = validated(Path(__file__).parent / "cheating", "base")

    assert result.outcome == "completed"
    assert by_verdict(result, "pass") == set()


@pytest.mark.engine
def test_the_broken_session_is_catastrophic_by_its_own_fault(
    carom: CaseVersion, validated: Validated, tmp_path: Path
) -> None:
    seeded = shutil.copytree(carom.folder / "workspaces" / "base", tmp_path / "seeded")

    result = validated(play("broken", seeded), "base")

    assert result.outcome == "catastrophic"
    assert result.build.status == "failed"
