"""References and baselines: rendered, captured, refused, and told apart when stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tcab_dagster.catalog.model import Output
from tcab_dagster.containers.engine import EngineRuntime
from tcab_dagster.errors import TcabError, UsageError
from tcab_dagster.validation import baseline_state, capture_baselines, render_references
from tests.validation.conftest import ENVIRONMENT
from tests.validation.small_sites import case, game, script, tree

pytestmark = pytest.mark.engine

STILL = Output("still", "Still", "image")
PASSES = script(
    "await api.reset(); await api.screenshot('still'); return {verdicts: {point: true}}"
)


def test_a_mockup_is_rendered_once_at_the_viewports_size(
    tmp_path: Path, runtime: EngineRuntime, validator_image: str
) -> None:
    version = case(tmp_path / "case", {}, mockup="<link rel=stylesheet href=look.css><body>")
    (version.folder / "reference" / "look.css").write_text("body { background: rgb(9, 90, 200) }")
    said: list[str] = []

    for _ in range(2):
        paths = render_references(
            version, version.variant(), runtime, tmp_path / "out",
            environment=ENVIRONMENT, progress=said.append,
        )  # fmt: skip

    assert paths == (tmp_path / "out" / "title.png",)
    with Image.open(paths[0]) as picture:
        assert picture.size == (1280, 720)
        assert picture.getpixel((3, 3)) == (9, 90, 200)
    assert len([s for s in said if s.startswith("rendering")]) == 1


def test_a_baseline_is_written_when_every_drive_passes_and_tells_what_changed_since(
    tmp_path: Path, runtime: EngineRuntime, run_image: str, validator_image: str
) -> None:
    folder = tmp_path / "case"
    tree(folder / "right", game(tmp_path / "made"))
    version = case(
        folder, {"point": PASSES}, outputs={"point": (STILL,)}, reference_implementation="right"
    )
    variant = version.variant()
    out = folder / "validation-baseline" / "base"
    (out).mkdir(parents=True)
    (out / "old__still.png").write_bytes(b"old")

    capture_baselines(
        version, variant, runtime, out, environment=ENVIRONMENT, progress=print
    )  # fmt: skip

    assert sorted(f.name for f in out.iterdir()) == ["baseline.json", "point__still.png"]
    state = baseline_state(version, variant, out)
    assert (state.missing, state.stale, state.orphaned) == ((), (), ())

    (folder / "validation" / "point.mjs").write_text(PASSES.replace("true", "false"))
    assert baseline_state(version, variant, out).stale == ("point",)
    with pytest.raises(TcabError, match=r"does not pass 1 of 1 drives:\n +point: fail"):
        capture_baselines(
            version, variant, runtime, out, environment=ENVIRONMENT, progress=print
        )  # fmt: skip
    assert (out / "point__still.png").is_file()


def test_a_variant_without_an_implementation_has_no_baseline(
    tmp_path: Path, runtime: EngineRuntime
) -> None:
    version = case(tmp_path / "case", {"point": PASSES})

    with pytest.raises(UsageError, match="no reference implementation"):
        capture_baselines(
            version, version.variant(), runtime, tmp_path / "out",
            environment=ENVIRONMENT, progress=print,
        )  # fmt: skip
