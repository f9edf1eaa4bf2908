"""The player, run by the real Node: every step at its time, and nothing outside its folder."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tcab_dagster.harnesses.replay import PLAYER

Steps = list[Mapping[str, object]]


def play(tmp_path: Path, steps: Steps) -> subprocess.CompletedProcess[str]:
    with start(tmp_path, steps) as player:
        out, err = player.communicate(timeout=20)
    return subprocess.CompletedProcess(player.args, player.returncode, out, err)


def start(tmp_path: Path, steps: Steps) -> subprocess.Popen[str]:
    recording = tmp_path / "recording.jsonl"
    recording.write_text("".join(json.dumps(step) + "\n" for step in steps))
    (tmp_path / "work").mkdir(exist_ok=True)
    return subprocess.Popen(
        ["node", str(PLAYER), str(recording)],
        cwd=tmp_path / "work",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_steps_are_played_in_order_and_what_is_said_is_done(tmp_path: Path) -> None:
    ended = play(
        tmp_path,
        [
            {"writes": [{"path": "src/a.txt", "text": "one"}], "output": '{"kind":"write"}'},
            {"writes": [{"path": "b.bin", "base64": "AAH/"}], "deletes": ["src/a.txt"]},
            {"usage": {"output": 3}},
        ],
    )

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == '{"kind":"write"}\n{"kind":"usage","usage":{"output":3}}\n'
    assert (tmp_path / "work/b.bin").read_bytes() == b"\x00\x01\xff"
    assert not (tmp_path / "work/src/a.txt").exists()


def test_a_step_that_is_not_due_has_left_nothing(tmp_path: Path) -> None:
    steps: Steps = [
        {"output": "begun", "writes": [{"path": "one", "text": "1"}]},
        {"delay": 1.0, "writes": [{"path": "two", "text": "2"}], "output": "second"},
        {"delay": 30, "writes": [{"path": "three", "text": "3"}]},
    ]
    with start(tmp_path, steps) as player:
        assert player.stdout is not None
        assert player.stdout.readline() == "begun\n"
        begun = time.monotonic()
        assert sorted(f.name for f in (tmp_path / "work").iterdir()) == ["one"]
        assert player.stdout.readline() == "second\n"
        assert time.monotonic() - begun == pytest.approx(1.0, abs=0.4)
        assert sorted(f.name for f in (tmp_path / "work").iterdir()) == ["one", "two"]
        player.kill()


def test_a_recorded_exit_is_the_players(tmp_path: Path) -> None:
    ended = play(tmp_path, [{"output": "x"}, {"exit": 3}, {"output": "never"}])

    assert (ended.returncode, ended.stdout) == (3, "x\n")


@pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out", ".", "link/out", "link"])
def test_a_path_that_leaves_the_workspace_is_refused(path: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work/link").symlink_to(tmp_path / "elsewhere")

    ended = play(tmp_path, [{"writes": [{"path": path, "text": "x"}]}])

    assert ended.returncode == 2
    assert "the path" in ended.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert not (tmp_path / "out").exists()
