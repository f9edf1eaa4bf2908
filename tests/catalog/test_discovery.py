"""What a checkout's tree is: which folders are versions, and which only look like one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tcab_dagster.catalog import Catalog, load_catalog, to_json
from tcab_dagster.errors import UsageError
from tests.catalog.authoring import MANIFEST, author


def told(catalog: Catalog) -> list[tuple[str, str, str]]:
    return [(d.severity, d.code.value, d.place.file) for d in catalog.diagnostics]


def test_the_grouping_folders_only_organize(tmp_path: Path) -> None:
    case = author(tmp_path)
    (tmp_path / "test-cases/any").mkdir()
    shutil.move(case.folder.parent, tmp_path / "test-cases/any/tier/folder")
    catalog = load_catalog(tmp_path)
    assert list(catalog.versions) == ["comet@v1.0.0"]
    assert catalog.versions["comet@v1.0.0"].difficulty == "easy"
    assert catalog.diagnostics == ()


def test_a_slug_alone_names_its_newest_version(tmp_path: Path) -> None:
    for version in ("v1.0.0", "v1.10.0", "v1.9.0"):
        author(tmp_path, version=version)
    catalog = load_catalog(tmp_path)
    assert catalog.find("comet").version == "v1.10.0"
    assert catalog.find("comet@v1.9.0").version == "v1.9.0"


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("commet", "did you mean `comet`?"),
        ("comet@v1.0.1", "did you mean `v1.0.0`?"),
        ("zzz", "the only one there is: `comet`"),
    ],
)
def test_a_name_that_is_none_is_refused_with_what_was_meant(
    tmp_path: Path, name: str, help: str
) -> None:
    author(tmp_path)
    with pytest.raises(UsageError) as raised:
        load_catalog(tmp_path).find(name)
    assert raised.value.help == help


def test_a_root_without_a_catalog_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds neither test-cases/ nor game-jams/"):
        load_catalog(tmp_path)


def test_a_version_folder_without_a_manifest_is_doubtful(tmp_path: Path) -> None:
    case = author(tmp_path)
    shutil.copytree(case.folder, case.folder.parent / "v1.1.0")
    (case.folder.parent / "v1.1.0" / MANIFEST).unlink()
    (case.folder.parent / "notes").mkdir()
    catalog = load_catalog(tmp_path)
    assert told(catalog) == [("warning", "no-manifest", "test-cases/end-to-end/easy/comet/v1.1.0")]
    assert catalog.ok


@pytest.mark.parametrize("place", ["easy/v1.0.0", "easy/more/comet/v1.0.0"])
def test_a_manifest_at_another_depth_is_doubtful(tmp_path: Path, place: str) -> None:
    case = author(tmp_path)
    author(tmp_path, "other", slug="other")
    target = tmp_path / "test-cases/end-to-end" / place
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(case.folder, target)
    catalog = load_catalog(tmp_path)
    assert told(catalog) == [
        ("warning", "misplaced-manifest", f"test-cases/end-to-end/{place}/{MANIFEST}")
    ]
    assert list(catalog.versions) == ["other@v1.0.0"]


def test_a_version_folder_that_is_no_semantic_version_is_refused(tmp_path: Path) -> None:
    author(tmp_path, version="1.0")
    assert told(load_catalog(tmp_path)) == [
        ("error", "bad-version", f"test-cases/end-to-end/easy/comet/1.0/{MANIFEST}")
    ]


def test_a_jam_below_test_cases_and_the_reverse_are_refused(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.write("game-jam.toml", "")
    jam = tmp_path / "game-jams/spooky/v1.0.0"
    jam.mkdir(parents=True)
    (jam / MANIFEST).write_text("")
    assert [t[:2] for t in told(load_catalog(tmp_path))] == [("error", "wrong-manifest")] * 2


def test_a_jam_is_refused_clearly_while_jams_are_not_supported(tmp_path: Path) -> None:
    author(tmp_path)
    jam = tmp_path / "game-jams/spooky/v1.0.0"
    jam.mkdir(parents=True)
    (jam / "game-jam.toml").write_text('slug = "spooky"\n')
    catalog = load_catalog(tmp_path)
    assert told(catalog) == [("error", "not-supported", "game-jams/spooky/v1.0.0/game-jam.toml")]
    assert list(catalog.versions) == ["comet@v1.0.0"]


def test_one_folder_with_two_slugs_is_told_at_both(tmp_path: Path) -> None:
    author(tmp_path)
    second = author(tmp_path, version="v1.1.0", slug="kometa")
    [found] = load_catalog(tmp_path).diagnostics
    assert (found.code, found.place.file, found.place.line) == (
        "slug-mismatch",
        second.shown(MANIFEST),
        1,
    )
    assert (found.slug, found.version) == ("kometa", "v1.1.0")
    assert [r.place.file for r in found.related] == [
        f"test-cases/end-to-end/easy/comet/v1.0.0/{MANIFEST}"
    ]
    assert load_catalog(tmp_path).versions == {}


def test_two_folders_with_one_slug_are_told_at_both(tmp_path: Path) -> None:
    author(tmp_path)
    author(tmp_path, "kometa")
    author(tmp_path, "other", slug="other")
    catalog = load_catalog(tmp_path)
    [found] = catalog.diagnostics
    assert found.code == "duplicate-slug"
    assert {found.place.file.split("/")[3], *(r.place.file.split("/")[3] for r in found.related)
            } == {"comet", "kometa"}  # fmt: skip
    assert list(catalog.versions) == ["other@v1.0.0"]


def test_an_experimental_version_is_hidden_unless_asked_for(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, "experimental = false", "experimental = true")
    with pytest.raises(UsageError):
        load_catalog(tmp_path).find("comet")
    assert load_catalog(tmp_path, allow_experimental=True).find("comet").experimental


def test_an_experimental_version_is_checked_like_any_other(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, "experimental = false", "experimental = true")
    (case.folder / "prompt.hbs").unlink()
    assert [c for _, c, _ in told(load_catalog(tmp_path))] == ["no-such-file"]


def test_the_json_counts_cases_and_versions_and_shows_every_diagnostic(tmp_path: Path) -> None:
    author(tmp_path)
    broken = author(tmp_path, version="v1.1.0")
    author(tmp_path, "other", slug="other")
    broken.edit(MANIFEST, 'summary = "', 'sumary = "')
    document = to_json(load_catalog(tmp_path))
    assert document == {
        "ok": False,
        "cases": 2,
        "versions": 3,
        "diagnostics": [
            {
                "severity": "error",
                "code": "unknown-key",
                "message": "`sumary` is not a key of a test case",
                "help": "did you mean `summary`?",
                "file": broken.shown(MANIFEST),
                "line": 5,
                "column": 1,
                "end_line": 5,
                "end_column": 7,
                "slug": "comet",
                "version": "v1.1.0",
            }
        ],
    }


def test_the_projects_own_catalog_resolves_without_a_word() -> None:
    catalog = load_catalog(Path(__file__).parents[2])
    assert catalog.diagnostics == ()
    assert catalog.find("pong").variant().slug == "base"
    assert {v.slug for v in catalog.find("pong").variants} == {"base", "frenzy"}
