"""Whole validations: what a tree becomes, and whose fault it is where it becomes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tcab_dagster.catalog.model import Output, Proof
from tests.validation.driving import Validate
from tests.validation.small_sites import case, game, page, script, tree, write_lock

pytestmark = pytest.mark.engine

SCORES = script(
    "await api.reset({score: 2}); await api.screenshot('still');"
    "return {verdicts: {scores: (await api.snapshot()).score === 2}}"
)
STEPS = script("await api.step(1); return {verdicts: {steps: (await api.snapshot()).time === 2}}")
STILL = Output("still", "Still", "image")


def test_a_tree_that_builds_and_loads_is_completed_with_its_verdicts_and_media(
    tmp_path: Path, validate: Validate
) -> None:
    site = game(tmp_path / "made")
    produced = tree(tmp_path / "tree", site)
    (produced / "proof").mkdir()
    (produced / "proof" / "empty.png").touch()
    (produced / "proof" / "lie.png").write_text("no picture")
    (produced / "proof" / "link.png").symlink_to("/etc/hostname")
    proofs = tuple(
        Proof(name, name.title(), f"proof/{name}.png", "image")
        for name in ("empty", "lie", "link", "none")
    )
    mockup = (site / "index.html").read_text()
    version = case(
        tmp_path / "case",
        {"scores": SCORES, "steps": STEPS},
        outputs={"scores": (STILL,)},
        mockup=mockup,
        proofs=proofs,
    )

    result = validate(produced, version)

    assert (result.outcome, result.detail, result.site) == ("completed", None, "dist")
    assert (result.install.status, result.install.attempts) == ("passed", 1)
    assert result.build.status == "passed"
    assert result.load.status == "loaded"
    assert [c.similarity for c in result.checks] == [1.0]
    assert {v.verdict_id: v.verdict for v in result.verdicts} == {"scores": "pass", "steps": "fail"}
    assert {p.id: (p.present, p.media) for p in result.proofs} == {
        "empty": (False, None),
        "lie": (True, None),
        "link": (False, None),
        "none": (False, None),
    }
    assert sorted(m.name for m in result.media) == [
        "check__title.png", "load.png", "scores__still.png",
    ]  # fmt: skip
    for captured in result.media:
        assert (tmp_path / "media" / captured.name).stat().st_size == captured.bytes
        assert (tmp_path / "media" / "thumbs" / f"{captured.name}.jpg").is_file()
    assert (tmp_path / "site" / "index.html").is_file()
    assert result.definition_digest == version.digest


@pytest.mark.parametrize(
    ("fault", "outcome", "detail"),
    [
        ("no package.json", "catastrophic", "no package.json"),
        ("no lock", "catastrophic", "EUSAGE"),
        ("mismatched lock", "catastrophic", "EUSAGE"),
        ("bad json", "catastrophic", "EJSONPARSE"),
        ("script fails", "catastrophic", "a script of it ended with 7"),
        ("dead registry", "infrastructure", "ECONNREFUSED"),
        ("build fails", "catastrophic", "the build ended with 1"),
        ("no site", "catastrophic", "index.html"),
        ("linked site", "catastrophic", "index.html"),
    ],
)
def test_a_tree_that_does_not_build_is_whose_fault_it_is(
    tmp_path: Path, validate: Validate, fault: str, outcome: str, detail: str
) -> None:
    build = {"build fails": "exit 1", "no site": "true", "linked site": "ln -s site dist"}
    produced = tree(
        tmp_path / "tree", game(tmp_path / "made"),
        build=build.get(fault, "cp -r site dist"), lock=fault != "no lock",
    )  # fmt: skip
    _break(produced, fault)
    version = case(tmp_path / "case", {"scores": SCORES})

    result = validate(produced, version)

    assert (result.outcome, detail in (result.detail or "")) == (outcome, True), result.detail
    undecided = outcome == "infrastructure"
    assert [v.verdict for v in result.verdicts] == ["undecided" if undecided else "fail"]
    assert result.load.status == ("unknown" if undecided else "failed")
    if fault in ("script fails", "dead registry"):
        assert result.install.attempts == 3


def _break(produced: Path, fault: str) -> None:
    package = produced / "package.json"
    content = json.loads(package.read_text())
    needed = {"left-pad": "1.3.0"}
    match fault:
        case "no package.json":
            package.unlink()
        case "bad json":
            package.write_text("{")
        case "mismatched lock":
            package.write_text(json.dumps({**content, "dependencies": needed}))
        case "script fails":
            content["scripts"]["install"] = "exit 7"
            package.write_text(json.dumps(content))
        case "dead registry":
            package.write_text(json.dumps({**content, "dependencies": needed}))
            entry = {"version": "1.3.0", "integrity": "sha512-" + "A" * 86 + "=="}
            root = {"name": "game", "version": "1.0.0", "dependencies": needed}
            write_lock(produced, {"": root, "node_modules/left-pad": entry})
            (produced / ".npmrc").write_text("registry=http://127.0.0.1:9/\nfetch-retries=0\n")


def test_a_version_that_does_not_exist_is_the_trees_fault(
    tmp_path: Path, validate: Validate
) -> None:
    produced = tree(tmp_path / "tree", game(tmp_path / "made"), lock=False)
    content = json.loads((produced / "package.json").read_text())
    content["dependencies"] = {"is-number": "99.98.97"}
    (produced / "package.json").write_text(json.dumps(content))
    version = case(tmp_path / "case", {"scores": SCORES}, install="npm install")

    result = validate(produced, version)

    assert (result.outcome, "ETARGET" in (result.detail or "")) == ("catastrophic", True)


def test_a_package_that_an_install_left_out_is_asked_for_again(
    tmp_path: Path, validate: Validate
) -> None:
    """As when npm loses an optional package of this platform: it ends with 0 all the same."""
    produced = tree(tmp_path / "tree", game(tmp_path / "made"))
    optional = {"lost": "1.0.0", "mac": "1.0.0"}
    root = {"name": "game", "version": "1.0.0", "optionalDependencies": optional}
    entry = {"version": "1.0.0", "optional": True}
    write_lock(
        produced,
        {
            "": root,
            "node_modules/lost": {**entry, "os": ["linux"]},
            "node_modules/mac": {**entry, "os": ["darwin"]},
        },
    )
    version = case(tmp_path / "case", {"scores": SCORES}, install="echo installed")

    result = validate(produced, version)

    assert (result.outcome, result.install.attempts) == ("infrastructure", 3)
    assert result.install.note == "packages of the lock file are missing: node_modules/lost"

    again = case(
        tmp_path / "case", {"scores": SCORES},
        install="[ -e tried ] && mkdir -p node_modules/lost && "
        "echo '{}' > node_modules/lost/package.json; touch tried",
    )  # fmt: skip
    result = validate(produced, again)

    assert (result.outcome, result.install.attempts) == ("completed", 2)


def test_a_page_that_shows_nothing_is_catastrophic_and_is_not_driven(
    tmp_path: Path, validate: Validate
) -> None:
    produced = tree(tmp_path / "tree", page(tmp_path / "made", "<body>"))
    version = case(tmp_path / "case", {"scores": SCORES}, outputs={"scores": (STILL,)})

    result = validate(produced, version, limits={"flat": 1})

    assert result.outcome == "catastrophic"
    assert (result.load.status, "one flat colour" in (result.load.reason or "")) == ("failed", True)
    assert [(v.verdict, v.seconds) for v in result.verdicts] == [("fail", 0.0)]
    assert [m.name for m in result.media] == ["load.png"]


def test_a_validator_without_a_browser_degrades(
    tmp_path: Path, validate: Validate, run_image: str
) -> None:
    """The run image has no Playwright: the runner cannot start."""
    validate.environment["TCAB_CONTAINER_IMAGE_VALIDATOR"] = run_image
    produced = tree(tmp_path / "tree", game(tmp_path / "made"))
    version = case(tmp_path / "case", {"scores": SCORES}, mockup="<body>x")

    result = validate(produced, version)

    assert result.outcome == "degraded"
    assert "playwright" in (result.detail or "")
    assert (result.build.status, result.load.status) == ("passed", "unknown")
    assert [v.verdict for v in result.verdicts] == ["undecided"]
    assert [c.similarity for c in result.checks] == [None]
