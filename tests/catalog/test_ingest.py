"""Ingest: the store follows the checkout, and nothing is lost on the way."""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import git
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcab_dagster.catalog.ingest import Digests, IngestReport, catalog_change, ingest
from tcab_dagster.catalog.store import Store
from tcab_dagster.errors import UsageError
from tcab_dagster.home import Home, UnreadableDocument
from tests.catalog.authoring import FAST, MANIFEST, Authored, author

NOBODY: frozenset[str] = frozenset()
COMET = "comet@v1.0.0"
NOVA = "nova@v1.0.0"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return tmp_path / "checkout"


@pytest.fixture
def comet(checkout: Path) -> Authored:
    return author(checkout)


@pytest.fixture
def nova(checkout: Path) -> Authored:
    return author(checkout, "nova", slug="nova", categories=True)


def ingested(home: Home, checkout: Path, **options: object) -> IngestReport:
    return ingest(home, checkout, **{"in_use": NOBODY, **options})  # type: ignore[arg-type]


def test_a_first_ingest_stores_every_version(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    report = ingested(home, checkout)

    assert report.added == {COMET, NOVA}
    assert Store(home).keys() == (COMET, NOVA)
    assert Store(home).current(COMET).digest == comet.resolved().digest
    assert report.diagnostics == ()


def test_a_second_ingest_changes_nothing(home: Home, checkout: Path, comet: Authored) -> None:
    ingested(home, checkout)
    before = Store(home).entry(COMET)

    report = ingested(home, checkout)

    assert report.unchanged == {COMET}
    assert report.added == report.changed == report.removed == NOBODY
    assert Store(home).entry(COMET) == before


def test_each_kind_of_change_is_told_apart(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    third = author(checkout, version="v1.1.0")
    ingested(home, checkout)
    comet.edit(MANIFEST, 'name = "Comet"', 'name = "Comet 2"')
    nova.write("errata.toml", "")
    third.write("validation-baseline/fast/menu__shot.png", "another")

    report = ingested(home, checkout)

    assert report.changed == {COMET}
    assert report.errata_changed == {NOVA}
    assert report.baselines_changed == {"comet@v1.1.0"}
    assert Store(home).current(COMET).name == "Comet 2"
    assert Store(home).current(NOVA).errata == ()
    baselines = Store(home).baselines("comet@v1.1.0", "fast")
    assert (baselines / "menu__shot.png").read_text() == "another"


def test_what_is_no_longer_declared_is_removed_unless_a_run_refers_to_it(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    author(checkout, version="v2.0.0")
    ingested(home, checkout)
    digest = nova.resolved().digest
    shutil.rmtree(comet.folder)
    shutil.rmtree(nova.folder)

    report = ingested(home, checkout, in_use=frozenset({COMET}))

    assert report.removed == {NOVA}
    assert report.spared == {COMET}
    assert Store(home).keys() == (COMET, "comet@v2.0.0")
    assert not (home.catalog / "versions" / digest).exists()


def test_a_broken_version_keeps_none_out_and_its_stored_one_stays(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    ingested(home, checkout)
    stored = Store(home).current(COMET).digest
    comet.edit(MANIFEST, "[build]", "[biuld]")
    nova.edit(MANIFEST, 'name = "Comet"', 'name = "Nova"')

    report = ingested(home, checkout)

    assert report.refused == {COMET}
    assert report.changed == {NOVA}
    assert report.removed == NOBODY
    assert {d.slug for d in report.diagnostics} == {"comet"}
    assert Store(home).current(COMET).digest == stored


@pytest.mark.parametrize("content", [b"slug = ", b"\xff\xfe", b'slug = "other"\n'])
def test_a_manifest_that_does_not_say_its_slug_removes_nothing(
    home: Home, checkout: Path, comet: Authored, nova: Authored, content: bytes
) -> None:
    ingested(home, checkout)
    comet.write(MANIFEST, content)

    report = ingested(home, checkout)

    assert report.removed == NOBODY
    assert COMET in set(Store(home).keys())


def test_a_folder_that_cannot_be_listed_removes_nothing(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    ingested(home, checkout)
    tier = checkout / "test-cases/end-to-end"
    tier.rename(checkout / "elsewhere")
    tier.symlink_to(tier)

    report = ingested(home, checkout)

    assert report.removed == NOBODY
    assert [d.code for d in report.diagnostics] == ["link-not-followed"]
    assert Store(home).keys() == (COMET, NOVA)


def test_a_checkout_without_a_catalog_is_refused(home: Home, checkout: Path) -> None:
    author(checkout)
    ingested(home, checkout)
    with pytest.raises(UsageError, match="holds neither"):
        ingested(home, checkout / "test-cases" / "end-to-end")
    assert Store(home).keys() == (COMET,)


def test_an_empty_catalog_does_not_empty_the_store(
    home: Home, checkout: Path, comet: Authored
) -> None:
    ingested(home, checkout)
    shutil.rmtree(comet.folder)

    with pytest.raises(UsageError, match="declares no version at all"):
        ingested(home, checkout)
    assert Store(home).keys() == (COMET,)

    assert ingested(home, checkout, force=True).removed == {COMET}
    assert Store(home).keys() == ()


def test_a_frozen_version_that_changed_is_refused_alone(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    ingested(home, checkout)
    published = Store(home).current(COMET).digest
    comet.write("specs/fast.md", "Other. Write proof/speed.png.\n")
    nova.write("specs/fast.md", "Other. Write proof/speed.png.\n")

    report = ingested(home, checkout, frozen={COMET: published})

    assert report.refused == {COMET}
    assert report.changed == {NOVA}
    assert [(d.code, d.slug, d.version) for d in report.diagnostics] == [
        ("frozen-version", "comet", "v1.0.0")
    ]
    assert Store(home).current(COMET).digest == published


def test_a_frozen_version_may_get_errata(home: Home, checkout: Path, comet: Authored) -> None:
    ingested(home, checkout)
    published = Store(home).current(COMET).digest
    comet.write("errata.toml", "")

    report = ingested(home, checkout, frozen={COMET: published})

    assert report.errata_changed == {COMET}
    assert report.refused == NOBODY


def test_a_renamed_folder_keeps_its_slug_and_its_version(
    home: Home, checkout: Path, comet: Authored
) -> None:
    ingested(home, checkout)
    comet.folder.parent.rename(comet.folder.parent.parent / "halley")

    report = ingested(home, checkout)

    assert report.unchanged == {COMET}
    assert report.removed == NOBODY
    entry = Store(home).entry(COMET)
    assert entry is not None
    assert entry.folder == "test-cases/end-to-end/easy/halley/v1.0.0"


def test_force_counts_every_version_as_changed(home: Home, checkout: Path, comet: Authored) -> None:
    ingested(home, checkout)
    report = ingested(home, checkout, force=True)
    assert report.changed == {COMET}
    assert report.unchanged == NOBODY


def test_an_experimental_version_is_hidden_where_such_are_not_shown(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    comet.edit(MANIFEST, "experimental = false", "experimental = true")

    assert ingested(home, checkout).added == {NOVA}
    assert Store(home).keys() == (NOVA,)

    assert ingested(home, checkout, allow_experimental=True).added == {COMET}
    assert Store(home).keys() == (COMET, NOVA)

    report = ingested(home, checkout)
    assert report.hidden == {COMET}
    assert report.removed == NOBODY
    assert Store(home).keys() == (NOVA,)
    with pytest.raises(UsageError):
        Store(home).current(COMET)

    assert ingested(home, checkout).hidden == NOBODY
    assert ingested(home, checkout, allow_experimental=True).added == {COMET}


def test_a_hidden_version_that_is_no_longer_declared_is_removed(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    comet.edit(MANIFEST, "experimental = false", "experimental = true")
    ingested(home, checkout, allow_experimental=True)
    ingested(home, checkout)
    shutil.rmtree(comet.folder)

    assert ingested(home, checkout).removed == {COMET}


def test_the_commit_and_whether_the_tree_differs_from_it_are_recorded(
    home: Home, checkout: Path, comet: Authored
) -> None:
    assert ingested(home, checkout).commit is None
    with git.Repo.init(checkout) as repository:
        repository.git.add("-A")
        repository.git(c=["user.name=a", "user.email=a@b"]).commit("-qm", "One")
        commit = repository.head.commit.hexsha

    clean = ingested(home, checkout)
    (checkout / "README.md").write_text("not the catalog's\n")
    still_clean = ingested(home, checkout)
    comet.write("specs/fast.md", "Other. Write proof/speed.png.\n")
    dirty = ingested(home, checkout)

    assert (clean.commit, clean.dirty) == (commit, False)
    assert still_clean.dirty is False
    assert (dirty.commit, dirty.dirty) == (commit, True)
    entry = Store(home).entry(COMET)
    assert entry is not None
    assert (entry.commit, entry.dirty) == (commit, True)


def test_a_repository_without_a_commit_is_read(home: Home, checkout: Path, comet: Authored) -> None:
    git.Repo.init(checkout).close()
    report = ingested(home, checkout)
    assert (report.commit, report.dirty) == (None, True)


KEYS = st.sampled_from(["a@v1.0.0", "b@v1.0.0", "c@v1.0.0", "d@v1.0.0"])
SNAPSHOTS = st.dictionaries(
    KEYS, st.builds(Digests, *[st.sampled_from(["1", "2"]) for _ in range(3)])
)


@given(SNAPSHOTS, SNAPSHOTS, st.frozensets(KEYS), st.dictionaries(KEYS, st.just("1")),
       st.frozensets(KEYS))  # fmt: skip
def test_every_key_has_exactly_one_fate(
    before: dict[str, Digests],
    after: dict[str, Digests],
    in_use: frozenset[str],
    frozen: dict[str, str],
    unknown: frozenset[str],
) -> None:
    change = catalog_change(before, after, in_use=in_use, frozen=frozen, unknown=unknown)

    declared = [
        change.added, change.changed, change.errata_changed, change.baselines_changed,
        change.unchanged, change.frozen,
    ]  # fmt: skip
    assert sorted(k for fate in declared for k in fate) == sorted(after)
    assert change.removed | change.spared == before.keys() - after.keys() - unknown
    assert not change.removed & (in_use | unknown | after.keys())
    assert all(after[k].definition != frozen[k] for k in change.frozen)
    assert all(k not in frozen or after[k].definition == frozen[k] for k in change.changed)


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes files of a name unreadable: the tests may run as root, whom no mode keeps out."""
    opened = io.open

    def make(name: str) -> None:
        def refusing(file: object, *args: object, **options: object) -> object:
            if isinstance(file, str | Path) and Path(file).name == name:
                raise PermissionError(errno.EACCES, "Permission denied", str(file))
            return opened(file, *args, **options)  # type: ignore[call-overload]

        monkeypatch.setattr("io.open", refusing)
        monkeypatch.setattr("builtins.open", refusing)

    return make


@pytest.mark.parametrize("name", ["sky.png", "menu__shot.png", "fast.md"])
def test_a_version_of_which_a_file_cannot_be_read_is_refused_alone(
    home: Home,
    checkout: Path,
    comet: Authored,
    nova: Authored,
    unreadable: Callable[[str], None],
    name: str,
) -> None:
    for folder in ("assets/sky.png", "validation-baseline/fast/menu__shot.png", "specs/fast.md"):
        (nova.folder / folder).rename(nova.folder / f"{folder}.other.md")
    nova.edit(MANIFEST, "assets/sky.png", "assets/sky.png.other.md")
    nova.edit("specs/overview.md", "[the sky](../assets/sky.png)", "the sky")
    nova.edit(FAST, "specs/fast.md", "specs/fast.md.other.md")
    ingested(home, checkout)
    unreadable(name)

    report = ingested(home, checkout)

    assert report.refused == {COMET}
    assert report.unchanged == {NOVA}
    assert report.removed == NOBODY
    assert [d.code for d in report.diagnostics] == ["unreadable"]
    assert COMET in set(Store(home).keys())


def test_what_a_killed_ingest_left_is_cleared_once_it_is_old(
    home: Home, checkout: Path, comet: Authored
) -> None:
    old, new = home.catalog / "incoming/old", home.catalog / "incoming/new"
    for left in (old, new):
        left.mkdir(parents=True)
    os.utime(old, (0, 0))

    ingested(home, checkout)

    assert not old.exists()
    assert new.exists()


def damage_entry(home: Home, key: str) -> Path:
    entry = home.catalog / "entries" / f"{key}.json"
    entry.write_text('{"slug":')
    return entry


def test_an_entry_that_does_not_parse_is_written_anew(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    ingested(home, checkout)
    entry = damage_entry(home, COMET)
    store = Store(home)
    with pytest.raises(UnreadableDocument, match=str(entry)) as raised:
        store.current(COMET)
    assert "tcab catalog ingest" in (raised.value.help or "")
    assert store.keys() == (NOVA,)
    assert store.current(NOVA).key == NOVA

    report = ingested(home, checkout)

    assert report.added == {COMET}
    assert report.unchanged == {NOVA}
    assert store.current(COMET).digest == comet.resolved().digest
    assert store.unreadable() == frozenset()


@pytest.mark.parametrize("in_use", [NOBODY, frozenset({COMET})])
def test_an_unreadable_entry_of_a_version_that_is_gone_goes_unless_a_run_needs_it(
    home: Home, checkout: Path, comet: Authored, nova: Authored, in_use: frozenset[str]
) -> None:
    ingested(home, checkout)
    gone = comet.resolved()
    digest = gone.digest
    entry = damage_entry(home, COMET)
    shutil.rmtree(gone.folder)

    report = ingested(home, checkout, in_use=in_use)

    assert report.removed == frozenset({COMET}) - in_use
    assert entry.exists() == bool(in_use)
    assert Store(home).load(digest).digest == digest


def test_no_files_go_while_an_unreadable_entry_may_stand_for_them(
    home: Home, checkout: Path, comet: Authored, nova: Authored
) -> None:
    ingested(home, checkout)
    digest = comet.resolved().digest
    damage_entry(home, NOVA)

    Store(home).remove(COMET)

    assert Store(home).load(digest).digest == digest
