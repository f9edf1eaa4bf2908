"""Trees into a sandbox and out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tcab_dagster.containers.engine_sandbox import EngineSandbox
from tcab_dagster.containers.extraction import extract
from tcab_dagster.containers.packing import pack
from tcab_dagster.containers.protocol import SandboxError, SandboxLost
from tests.containers.sandboxing import StartSandbox, run

pytestmark = pytest.mark.engine


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "src/deep").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "src/deep/näme with 'quotes'.js").write_bytes(b"\xff\x00content")
    (folder / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (folder / "run.sh").chmod(0o755)
    (folder / ".hidden").write_text("h")
    return folder


def test_a_tree_goes_in_and_comes_out_as_it_was(
    sandbox: EngineSandbox, tree: Path, tmp_path: Path
) -> None:
    sandbox.put(tree, "/work/round")

    collected = extract(sandbox.get("/work/round"), tmp_path / "out", git_archive=None)

    paths = {p.relative_to(tree): p for p in tree.rglob("*")}
    back = {p.relative_to(tmp_path / "out"): p for p in (tmp_path / "out").rglob("*")}
    assert back.keys() == paths.keys()
    for name, path in paths.items():
        if path.is_file():
            assert back[name].read_bytes() == path.read_bytes()
            assert os.access(back[name], os.X_OK) == os.access(path, os.X_OK)
    assert collected.files == 3


def test_what_goes_in_is_the_run_user_s_or_root_s_and_dated_the_same(
    start: StartSandbox, tree: Path
) -> None:
    sandbox = start()

    sandbox.put(tree, "/work/a/b/c")
    sandbox.put(tree, "/opt/audio/packs", owner="root")

    paths = "/work/a /work/a/b/c /work/a/b/c/run.sh /opt/audio/packs/run.sh"
    owners = run(sandbox, f"stat -c %U {paths}").text.split()
    dates = run(sandbox, "stat -c %Y /work/a/b/c/run.sh /opt/audio/packs/run.sh").text.split()
    assert owners == ["node", "node", "node", "root"]
    assert dates == ["1577836800", "1577836800"]
    assert run(sandbox, "/work/a/b/c/run.sh").text == "ran"
    written = run(sandbox, "cat /opt/audio/packs/.hidden && echo x >/opt/audio/packs/.hidden")
    assert (written.text, written.result.exit_code) == ("h", 2)


def test_a_put_beside_what_is_there_leaves_it(start: StartSandbox, tree: Path) -> None:
    sandbox = start()
    run(sandbox, "echo mine >/work/mine; chmod 700 /home/node")

    sandbox.put(tree, "/work")
    sandbox.put(tree, "/home/node/.config")

    assert run(sandbox, "cat /work/mine; stat -c '%a %U' /home/node").text.split() == [
        "mine",
        "700",
        "node",
    ]


def test_links_go_in_as_links_and_are_never_followed(tree: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    (tree / "door").symlink_to(secret)

    with pack(tree, "node") as archive:
        assert b"of the host" not in archive.read()


def test_the_same_tree_is_the_same_stream(tree: Path) -> None:
    with pack(tree, "node") as first:
        one = first.read()
    (tree / "run.sh").touch()
    with pack(tree, "node") as second:
        assert second.read() == one


def test_what_is_no_file_folder_or_link_is_refused(tree: Path) -> None:
    os.mkfifo(tree / "pipe")

    with pytest.raises(SandboxError, match="pipe is no file, folder or link"):
        pack(tree, "node")


def test_a_path_that_is_not_there_is_not_a_lost_sandbox(sandbox: EngineSandbox) -> None:
    with pytest.raises(SandboxError, match="there is no /work/nowhere") as caught:
        list(sandbox.get("/work/nowhere"))

    assert not isinstance(caught.value, SandboxLost)


def test_a_workspace_full_of_traps_is_collected_without_harm(
    start: StartSandbox, tmp_path: Path
) -> None:
    sandbox = start()
    traps = """
        cd /work
        git init -q .
        git config core.fsmonitor 'touch /tmp/owned'
        echo hi >index.html
        ln index.html hard
        ln -s /etc passwd-folder
        mkfifo pipe
        mkdir -p node_modules/x sub/.git
        echo n >node_modules/x/i.js
        echo g >sub/.git/config
        touch INDEX.HTML "$(printf 'bad\\377')"
        truncate -s 3M sparse
    """
    assert run(sandbox, traps).result.exit_code == 0

    collected = extract(sandbox.get("/work"), tmp_path / "tree", git_archive=tmp_path / "git.tar")

    files = {p.name: p.stat().st_size for p in (tmp_path / "tree").iterdir() if p.is_file()}
    assert files == {"INDEX.HTML": 0, "hard": 3, "sparse": 3 << 20}
    assert {r.path: r.reason for r in collected.refused} == {
        "index.html": "differs from INDEX.HTML in case only",
        "passwd-folder": "a symbolic link",
        "pipe": "a fifo",
        "sub/.git": "a nested .git",
        "bad\\xff": "a name that is not UTF-8",
    }
    assert collected.has_git
