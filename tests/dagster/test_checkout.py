"""The checkout as git shows it, over real repositories."""

import subprocess
from pathlib import Path

import pytest

from resources.checkout import Checkout, CheckoutError, changed_versions


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


def commit(folder: Path, path: str, content: str) -> str:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", path)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    folder = tmp_path / "upstream"
    folder.mkdir()
    git(folder, "init", "--quiet", "-b", "main")
    commit(folder, "test-cases/end-to-end/easy/carom/v1.0.0/test-case.toml", "1")
    return folder


def test_only_the_catalogs_paths_count_as_changed(upstream: Path) -> None:
    checkout = Checkout(upstream)
    before = checkout.head()
    commit(upstream, "README.md", "x")
    after = commit(upstream, "test-cases/end-to-end/easy/carom/v1.0.0/specs/ü.md", "x")

    assert checkout.changed_paths(before, after) == (
        "test-cases/end-to-end/easy/carom/v1.0.0/specs/ü.md",
    )


def test_a_checkout_below_the_top_of_its_repository_names_paths_of_its_own(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    before = commit(tmp_path, "catalog/test-cases/a.md", "1")
    after = commit(tmp_path, "catalog/test-cases/b.md", "1")

    assert Checkout(tmp_path / "catalog").changed_paths(before, after) == ("test-cases/b.md",)


def test_a_commit_that_is_gone_may_have_changed_anything(upstream: Path) -> None:
    checkout = Checkout(upstream)

    assert checkout.changed_paths("0" * 40, checkout.head()) is None


def test_fast_forwarding_moves_to_the_upstream_commit(upstream: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(upstream), "clone")
    newer = commit(upstream, "game-jams/tiny/v1.0.0/game-jam.toml", "1")

    assert Checkout(tmp_path / "clone").fast_forward() == newer


def test_a_diverged_checkout_is_left_where_it_is(upstream: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(upstream), "clone")
    own = commit(tmp_path / "clone", "test-cases/own.md", "1")
    commit(upstream, "test-cases/theirs.md", "1")

    with pytest.raises(CheckoutError, match="`git merge --ff-only` failed"):
        Checkout(tmp_path / "clone").fast_forward()
    assert Checkout(tmp_path / "clone").head() == own


def test_a_folder_without_a_commit_is_an_error_a_person_can_read(tmp_path: Path) -> None:
    with pytest.raises(CheckoutError, match="`git rev-parse --verify` failed"):
        Checkout(tmp_path).head()


def test_changed_paths_are_named_by_their_version() -> None:
    paths = [
        "test-cases/end-to-end/easy/carom/v1.0.0/specs/a.md",
        "test-cases/end-to-end/easy/carom/v1.0.0/test-case.toml",
        "game-jams/tiny/v2.0.0/game-jam.toml",
        "test-cases/README.md",
    ]

    assert changed_versions(paths) == ("carom/v1.0.0", "test-cases", "tiny/v2.0.0")
