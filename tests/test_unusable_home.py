"""A home that cannot be used, and a machine that refuses, are told in one sentence."""

from __future__ import annotations

import contextlib
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tcab_dagster import cli
from tcab_dagster.containers.protocol import SandboxError
from tcab_dagster.errors import EnvironmentMissing
from tcab_dagster.home import Home
from tcab_dagster.warehouse import WarehouseError, sync


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow: every write to one is refused by the system."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_home_that_cannot_be_made_or_written_is_missing_from_this_machine(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    stands = Home.open(tmp_path / "stands").path
    places = {
        tmp_path / "file": "Not a directory",
        tmp_path / "file" / "home": "Not a directory",
        Path("/proc/nowhere"): "No such file or directory",
    }

    for place, why in places.items():
        with pytest.raises(EnvironmentMissing) as raised:
            Home.open(place)
        assert raised.value.message == f"TCAB_HOME {place} cannot be used: {why}"
        assert "TCAB_HOME" in (raised.value.help or "")
    with full_disk(), pytest.raises(EnvironmentMissing, match="File too large"):
        Home.open(tmp_path / "new")
    with full_disk():
        assert Home.open(stands).path == stands, "what stands can still be read"
    assert (tmp_path / "file").read_text() == "in the way"


def test_tables_that_the_disk_refuses_are_an_error_of_the_warehouse(home: Home) -> None:
    with full_disk(), pytest.raises(WarehouseError, match=str(home.warehouse)):
        sync(home)

    assert sync(home).problems == {}


def write_to_a_full_disk() -> None:
    Path("/dev/full").write_text("content")


def write_into_a_file(tmp_path: Path) -> Callable[[], None]:
    (tmp_path / "file").write_text("in the way")
    return lambda: (tmp_path / "file" / "more").mkdir()


def ended_by(monkeypatch: pytest.MonkeyPatch, command: Callable[[], None]) -> int:
    monkeypatch.setattr(cli, "app", lambda **_: command())
    monkeypatch.setattr(sys, "argv", ["tcab"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_what_the_system_refuses_ends_3_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended_by(monkeypatch, write_into_a_file(tmp_path)) == 3
    assert f"{tmp_path}/file/more: Not a directory" in capsys.readouterr().err.replace("\n", "")

    assert ended_by(monkeypatch, write_to_a_full_disk) == 3
    assert "No space left on device" in capsys.readouterr().err


def test_an_engine_that_fails_a_command_ends_3_with_its_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_image() -> None:
        raise SandboxError("the image is not there")

    assert ended_by(monkeypatch, without_image) == 3
    assert "error: the image is not there" in capsys.readouterr().err


@pytest.mark.parametrize("fault", [TypeError("ours"), OSError("ours"), OSError(22, "ours")])
def test_a_fault_of_our_own_keeps_its_traceback(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> None:
        raise fault

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(type(fault), match="ours"):
        cli.main()
