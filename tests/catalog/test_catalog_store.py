"""The store: what is put comes back by its digest, whole or not at all."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tcab_dagster.catalog import CatalogError, resolve_version
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store
from tcab_dagster.errors import UsageError
from tcab_dagster.home import Home
from tests.catalog.authoring import FAST, Authored, author


@pytest.fixture
def case(tmp_path: Path) -> Authored:
    return author(tmp_path / "checkout")


def without_place(case: CaseVersion) -> CaseVersion:
    return replace(case, folder=Path("/"), errata=(), errata_digest="")


def test_a_stored_version_loads_by_its_digest_as_it_was(home: Home, case: Authored) -> None:
    resolved = case.resolved()
    Store(home).put(resolved)
    shutil.rmtree(case.root)

    loaded = Store(home).load(resolved.digest)

    assert without_place(loaded) == without_place(resolved)
    assert (loaded.folder / "specs/overview.md").is_file()
    assert loaded.errata == ()


def test_a_key_stands_for_its_newest_content_with_its_errata(home: Home, case: Authored) -> None:
    first = case.resolved()
    Store(home).put(first)
    case.write("specs/fast.md", "Faster. Write proof/speed.png.\n")
    second = case.resolved()
    Store(home).put(second)

    current = Store(home).current("comet@v1.0.0")

    assert current.digest == second.digest != first.digest
    assert [e.id for e in current.errata] == ["sound-late"]
    assert Store(home).load(first.digest).digest == first.digest


def test_baselines_lie_under_the_key(home: Home, case: Authored) -> None:
    Store(home).put(case.resolved())

    baselines = Store(home).baselines("comet@v1.0.0", "fast")

    assert (baselines / "menu__shot.png").read_text() == "baseline\n"


def test_an_executable_file_and_a_link_are_stored_as_such(home: Home, case: Authored) -> None:
    (case.folder / "workspaces/base/package.json").chmod(0o755)
    (case.folder / "notes.md").symlink_to("description.md")
    resolved = case.resolved()
    Store(home).put(resolved)

    stored = Store(home).load(resolved.digest).folder

    assert (stored / "workspaces/base/package.json").stat().st_mode & 0o100
    assert (stored / "notes.md").readlink() == Path("description.md")


def test_an_unknown_digest_is_refused(home: Home) -> None:
    with pytest.raises(UsageError, match="is stored"):
        Store(home).load("0" * 64)


def test_a_digest_that_climbs_out_of_the_store_is_refused(home: Home, case: Authored) -> None:
    Store(home).put(case.resolved())
    with pytest.raises(UsageError, match="is stored"):
        Store(home).load("../versions/" + case.resolved().digest)


def test_an_unknown_key_is_refused_with_what_was_meant(home: Home, case: Authored) -> None:
    Store(home).put(case.resolved())
    with pytest.raises(UsageError, match="did you mean `comet`"):
        Store(home).current("commet@v1.0.0")


def test_an_altered_copy_is_not_taken_for_the_version(home: Home, case: Authored) -> None:
    resolved = case.resolved()
    Store(home).put(resolved)
    (Store(home).load(resolved.digest).folder / "specs/fast.md").write_text("other\n")

    with pytest.raises(CatalogError, match="was altered"):
        Store(home).load(resolved.digest)


def test_a_version_that_changes_while_it_is_stored_is_refused(home: Home, case: Authored) -> None:
    resolved = case.resolved()
    case.write("specs/fast.md", "Later.\n")

    with pytest.raises(CatalogError, match="changed while it was being stored"):
        Store(home).put(resolved)

    assert Store(home).keys() == ()
    assert list((home.catalog / "incoming").iterdir()) == []


def test_what_a_build_leaves_in_a_reference_implementation_is_no_part_of_the_version(
    home: Home, case: Authored
) -> None:
    before = case.resolved()
    case.write("reference-impl/fast/node_modules/x/index.js", "x")
    case.write("reference-impl/fast/dist/index.html", "built")
    case.write("validation-baseline/base/new.png", "later")
    case.write("errata.toml", "")

    after = case.resolved()
    Store(home).put(after)

    assert after.digest == before.digest
    assert after.errata_digest != before.errata_digest
    stored = Store(home).load(after.digest).folder
    assert not (stored / "reference-impl/fast/dist").exists()
    assert not (stored / "validation-baseline").exists()


@pytest.mark.parametrize(
    "path", ["prompt.hbs", FAST, "reference-impl/fast/src/dist/a.js", "workspaces/base/build/a.js"]
)
def test_every_other_file_is_part_of_the_definition(case: Authored, path: str) -> None:
    before = case.resolved().digest
    text = case.read(path) if (case.folder / path).exists() else ""
    case.write(path, text + "\n")
    assert case.resolved().digest != before


def test_the_mode_and_the_name_of_a_file_are_part_of_the_definition(case: Authored) -> None:
    digests = {case.resolved().digest}
    (case.folder / "validation/near.mjs").chmod(0o755)
    digests.add(case.resolved().digest)
    (case.folder / "assets/planets/a.png").rename(case.folder / "assets/planets/d.png")
    digests.add(case.resolved().digest)
    assert len(digests) == 3


def test_two_versions_with_equal_files_are_two_versions(tmp_path: Path, home: Home) -> None:
    first = author(tmp_path / "checkout", version="v1.0.0").resolved()
    second = author(tmp_path / "checkout", version="v1.1.0").resolved()
    Store(home).put(first)
    Store(home).put(second)

    assert Store(home).load(first.digest).version == "v1.0.0"
    assert Store(home).load(second.digest).version == "v1.1.0"


def test_resolving_a_broken_folder_raises_with_every_diagnostic(case: Authored) -> None:
    (case.folder / "prompt.hbs").unlink()
    (case.folder / "changelog.md").unlink()

    with pytest.raises(CatalogError) as raised:
        resolve_version(case.folder)

    assert [d.code for d in raised.value.diagnostics] == ["no-such-file", "no-such-file"]
    assert "error[no-such-file]" in str(raised.value)
    assert raised.value.diagnostics[0].place.file == "test-case.toml"
