"""The seeded repository: exactly what the variant declares, in one commit that nothing sways."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tcab_dagster.catalog import load_catalog
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.seeding import seed
from tests.seeding.cases import SEEDED

MARBLES_COMMIT = "497f6d412fcf2702f42eb80ffcbe64b374a94116"


def git(repository: Path, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "safe.directory=*", *arguments]
    done = subprocess.run(
        command, cwd=repository, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def tree(repository: Path) -> dict[str, bytes]:
    return {
        path.relative_to(repository).as_posix(): path.read_bytes()
        for path in repository.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(repository).parts
    }


def test_it_holds_what_the_variant_declares_and_nothing_else(
    case: CaseVersion, references: Path, out: Path
) -> None:
    seeded = seed(case, case.variant(), out, references=references)

    assert tree(out) == SEEDED
    assert seeded.files == tuple(sorted(SEEDED))


def test_everything_is_committed_also_what_its_own_ignore_rules_leave_out(
    case: CaseVersion, references: Path, out: Path
) -> None:
    seed(case, case.variant(), out, references=references)

    assert sorted(git(out, "ls-files", "-z").split("\0")[:-1]) == sorted(SEEDED)
    assert git(out, "status", "--porcelain", "--ignored") == ""
    assert git(out, "ls-files", "--stage", "run.sh").startswith("100755")


def test_it_is_one_commit_on_main_without_remotes_or_anything_of_the_host(
    case: CaseVersion, references: Path, out: Path
) -> None:
    seeded = seed(case, case.variant(), out, references=references)

    assert git(out, "rev-list", "--all") == f"{seeded.commit}\n"
    assert git(out, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert git(out, "remote") == ""
    assert git(out, "config", "--local", "--list").splitlines() == [
        "core.repositoryformatversion=0",
        "core.filemode=true",
        "core.bare=false",
        "core.logallrefupdates=true",
    ]
    assert not (out / ".git" / "hooks").exists()
    assert git(out, "fsck", "--strict", "--full") == ""


def test_the_same_input_gives_the_same_commit_id_on_every_machine(
    case: CaseVersion, references: Path, tmp_path: Path
) -> None:
    first = seed(case, case.variant(), tmp_path / "first", references=references)
    previous = os.umask(0o077)
    try:
        second = seed(case, case.variant(), tmp_path / "second", references=references)
    finally:
        os.umask(previous)

    assert first.commit == second.commit == MARBLES_COMMIT
    assert (tmp_path / "second").stat().st_mode & 0o777 == 0o755


def test_no_git_configuration_of_the_host_has_any_effect(
    case: CaseVersion,
    references: Path,
    out: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = tmp_path / "host"
    hooks = host / "templates" / "hooks"
    hooks.mkdir(parents=True)
    for hook in ("pre-commit", "commit-msg", "post-commit", "prepare-commit-msg"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {host}/hook-ran\nexit 1\n")
        (hooks / hook).chmod(0o755)
    (host / "ignore").write_text("*.md\n*.html\n")
    (host / "attributes").write_text("* text eol=crlf ident\n")
    (host / ".gitconfig").write_text(
        f"""
        [core]
            hooksPath = {hooks}
            autocrlf = true
            excludesFile = {host}/ignore
            attributesFile = {host}/attributes
            fileMode = false
        [commit]
            gpgSign = true
        [gpg]
            program = /bin/false
        [init]
            templateDir = {host}/templates
            defaultBranch = trunk
            defaultObjectFormat = sha256
        [user]
            name = Somebody
            email = somebody@example.org
        [remote "origin"]
            url = https://example.org/answer.git
        """
    )
    (host / ".config" / "git").mkdir(parents=True)
    (host / ".config" / "git" / "ignore").write_text("*\n")
    (host / ".config" / "git" / "attributes").write_text("* text eol=crlf\n")
    hostile = {
        "HOME": str(host),
        "XDG_CONFIG_HOME": str(host / ".config"),
        "GIT_CONFIG_GLOBAL": str(host / ".gitconfig"),
        "GIT_CONFIG_SYSTEM": str(host / ".gitconfig"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "commit.gpgSign",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_CONFIG_PARAMETERS": "'core.autocrlf=true'",
        "GIT_TEMPLATE_DIR": str(host / "templates"),
        "GIT_DIR": str(host / "elsewhere.git"),
        "GIT_WORK_TREE": str(host),
        "GIT_INDEX_FILE": str(host / "index"),
        "GIT_OBJECT_DIRECTORY": str(host / "objects"),
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        "TZ": "Pacific/Auckland",
        "LC_ALL": "de_DE.UTF-8",
    }
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)

    seeded = seed(case, case.variant(), out, references=references)

    assert seeded.commit == MARBLES_COMMIT
    assert tree(out) == SEEDED
    assert not (host / "hook-ran").exists()
    assert not (host / "elsewhere.git").exists()


def test_attributes_that_the_workspace_itself_ships_leave_the_files_as_they_are(
    case: CaseVersion, references: Path, out: Path
) -> None:
    workspace = case.folder / "workspaces" / "base"
    (workspace / ".gitattributes").write_text("* text=auto\n*.sh filter=lfs\n")
    (workspace / "lines.txt").write_bytes(b"one\r\ntwo\r\n")

    seed(case, case.variant(), out, references=references)

    assert (out / "lines.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert git(out, "status", "--porcelain") == ""


def test_a_variant_without_a_workspace_is_seeded_with_its_specs(
    case: CaseVersion, references: Path, out: Path
) -> None:
    bare = replace(case.variant(), workspace=None)

    seed(case, bare, out, references=references)

    assert "index.html" not in tree(out)
    assert "specs/overview.md" in tree(out)


def test_the_catalogs_own_case_shows_a_run_nothing_of_the_reporters_side(tmp_path: Path) -> None:
    case = load_catalog(Path(__file__).parents[2]).find("pong")
    references = tmp_path / "references"
    references.mkdir()
    seeded_sources = {"specs", "workspaces", "assets"}
    secret = {
        path.read_bytes()
        for path in case.folder.rglob("*")
        if path.is_file()
        and path.relative_to(case.folder).parts[0] not in seeded_sources
        and path.stat().st_size > 0
        and "node_modules" not in path.parts
    }

    for variant in case.variants:
        for reference in variant.references:
            (references / f"{reference.view}.png").write_bytes(b"\x89PNG")
        out = tmp_path / variant.slug
        seeded = seed(case, variant, out, references=references)

        found = tree(out)
        assert tuple(sorted(found)) == seeded.files
        assert {spec.dest for spec in variant.specs} <= found.keys()
        workspace = case.folder / (variant.workspace or "")
        starter = set(tree(workspace).values()) if variant.workspace else set()
        assert not (set(found.values()) - starter) & secret
        assert git(out, "status", "--porcelain", "--ignored") == ""
