"""What cannot be seeded, and that nothing is left behind then."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tcab_dagster.catalog.diagnostics import CatalogError
from tcab_dagster.catalog.model import CaseVersion, Spec
from tcab_dagster.errors import EnvironmentMissing, TcabError, UsageError
from tcab_dagster.seeding import seed
from tcab_dagster.templating import TemplateError

SECRETS = {
    "test-case.toml": "a manifest",
    "variants": "a variant file",
    "description.md": "the description",
    "changelog.md": "the changelog",
    "errata.toml": "the errata",
    "reference": "a mockup's source",
    "validation": "a validation script",
    "validation-baseline": "a baseline",
    "reference-impl": "a reference implementation",
}


def left_behind(out: Path) -> list[Path]:
    return list(out.parent.iterdir()) if out.parent.exists() else []


@pytest.mark.parametrize(("asset", "what"), SECRETS.items(), ids=SECRETS.keys())
def test_the_reporters_side_is_never_seeded_whatever_names_it(
    asset: str, what: str, case: CaseVersion, references: Path, out: Path
) -> None:
    leaking = replace(case, assets=(asset,))

    with pytest.raises(CatalogError, match=what):
        seed(leaking, leaking.variant(), out, references=references)

    assert left_behind(out) == []


def test_the_version_folder_itself_is_no_workspace(
    case: CaseVersion, references: Path, out: Path
) -> None:
    with pytest.raises(CatalogError, match="this would seed"):
        seed(case, replace(case.variant(), workspace="."), out, references=references)

    assert left_behind(out) == []


def test_two_files_cannot_share_a_destination_even_by_case(
    case: CaseVersion, references: Path, out: Path
) -> None:
    (case.folder / "workspaces/base/Specs").mkdir()
    (case.folder / "workspaces/base/Specs/RULES.md").write_text("other rules")

    with pytest.raises(CatalogError, match=r"Specs/RULES\.md"):
        seed(case, case.variant(), out, references=references)

    assert left_behind(out) == []


def test_a_proof_cannot_be_there_before_the_build_wrote_it(
    case: CaseVersion, references: Path, out: Path
) -> None:
    (case.folder / "workspaces/base/proof").mkdir()
    (case.folder / "workspaces/base/proof/title.png").write_bytes(b"forged")

    with pytest.raises(CatalogError, match="proof"):
        seed(case, case.variant(), out, references=references)


def test_git_metadata_of_a_workspace_is_refused(
    case: CaseVersion, references: Path, out: Path
) -> None:
    hooks = case.folder / "workspaces/base/.git/hooks"
    hooks.mkdir(parents=True)
    (hooks / "post-checkout").write_text("#!/bin/sh\n")

    with pytest.raises(CatalogError, match="no git metadata"):
        seed(case, case.variant(), out, references=references)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../reference-impl/base/index.html"])
def test_a_link_in_a_workspace_is_refused(
    target: str, case: CaseVersion, references: Path, out: Path
) -> None:
    (case.folder / "workspaces/base/link").symlink_to(target)

    with pytest.raises(CatalogError, match="link"):
        seed(case, case.variant(), out, references=references)

    assert left_behind(out) == []


def test_a_spec_that_leads_out_of_the_version_is_refused(
    case: CaseVersion, references: Path, out: Path
) -> None:
    (case.folder.parent / "secret.md").write_text("secret")
    outside = replace(case.variant(), specs=(Spec("../secret.md", "specs/secret.md"),))

    with pytest.raises(CatalogError, match="leads out of"):
        seed(case, outside, out, references=references)


def test_a_spec_that_does_not_render_names_its_line_and_leaves_nothing(
    case: CaseVersion, references: Path, out: Path
) -> None:
    (case.folder / "specs/overview.md.hbs").write_text("Marbles\n{{vesion}}\n")

    with pytest.raises(TemplateError, match=r"specs/overview\.md\.hbs:2:3: there is no `vesion`"):
        seed(case, case.variant(), out, references=references)

    assert left_behind(out) == []


@pytest.mark.parametrize("is_given", [True, False])
def test_a_screenshot_that_was_not_rendered_is_missed(
    is_given: bool, case: CaseVersion, references: Path, out: Path
) -> None:
    (references / "title.png").unlink()

    with pytest.raises(TcabError, match=r"title\.png of marbles@v1\.0\.0 has not been rendered"):
        seed(case, case.variant(), out, references=references if is_given else None)

    assert left_behind(out) == []


def test_packages_are_refused_until_they_can_be_vendored(
    case: CaseVersion, references: Path, out: Path
) -> None:
    packed = replace(case, packages=("@test-cabinet/particle-runtime",))

    with pytest.raises(TcabError, match="packages"):
        seed(packed, packed.variant(), out, references=references)


def test_a_folder_that_holds_something_is_left_alone(
    case: CaseVersion, references: Path, out: Path
) -> None:
    out.mkdir(parents=True)
    (out / "mine").write_text("mine")

    with pytest.raises(UsageError, match="not empty"):
        seed(case, case.variant(), out, references=references)

    assert [path.name for path in out.iterdir()] == ["mine"]


def test_an_empty_folder_is_filled(case: CaseVersion, references: Path, out: Path) -> None:
    out.mkdir(parents=True)

    seed(case, case.variant(), out, references=references)

    assert (out / "index.html").exists()
    assert left_behind(out) == [out]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_is_no_folder_is_refused(
    kind: str, case: CaseVersion, references: Path, out: Path
) -> None:
    out.parent.mkdir(parents=True)
    if kind == "file":
        out.write_text("mine")
    else:
        out.symlink_to(out.parent)

    with pytest.raises(UsageError, match="not a folder"):
        seed(case, case.variant(), out, references=references)


def test_without_git_the_environment_is_at_fault_and_nothing_is_left(
    case: CaseVersion, references: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))

    with pytest.raises(EnvironmentMissing, match="git is not installed"):
        seed(case, case.variant(), out, references=references)

    assert left_behind(out) == []


def test_what_git_itself_refuses_is_reported_and_nothing_is_left(
    case: CaseVersion, references: Path, out: Path
) -> None:
    (case.folder / "workspaces/base/git~1").write_text("a name that git takes for its own")

    with pytest.raises(TcabError, match="git add failed"):
        seed(case, case.variant(), out, references=references)

    assert left_behind(out) == []


def test_seeding_reads_the_case_and_changes_nothing_in_it(
    case: CaseVersion, references: Path, out: Path, tmp_path: Path
) -> None:
    before = sorted(str(path) for path in case.folder.rglob("*"))
    frozen = tmp_path / "frozen"
    shutil.copytree(case.folder, frozen)

    seed(case, case.variant(), out, references=references)

    assert sorted(str(path) for path in case.folder.rglob("*")) == before
    for path in frozen.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (case.folder / path.relative_to(frozen)).read_bytes()


def test_a_place_where_nothing_can_be_made_is_the_callers_mistake(
    case: CaseVersion, references: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")

    for out in (Path("/proc/nowhere"), Path("/proc/no/where"), tmp_path / "file" / "repository"):
        with pytest.raises(UsageError, match=f"{out} cannot be made"):
            seed(case, case.variant(), out, references=references)

    assert (tmp_path / "file").read_text() == "in the way"
