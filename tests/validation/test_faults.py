"""Whose fault a failed install or build is, read from what was said."""

from __future__ import annotations

import pytest

from tcab_dagster.containers.protocol import ExecResult
from tcab_dagster.validation.building.faults import build_failure, install_failure

FAILED = ExecResult(exit_code=1, ended="exited", seconds=2.0)
LOST = (
    "npm error code 1\nnpm error path /work/node_modules/x\nnpm error command sh -c node get.js\n"
)


@pytest.mark.parametrize(
    ("said", "blame"),
    [
        ("npm error code EUSAGE\n", "tree"),
        ("npm ERR! code ETARGET\n", "tree"),
        ("npm error code E404\n", "tree"),
        ("npm error code ERESOLVE\n", "tree"),
        ("npm error code EJSONPARSE\nnpm error path /work/package.json\n", "tree"),
        ("npm error code ENOENT\nnpm error path /work/vendored/package.json\n", "tree"),
        (LOST, "tree"),
        (LOST + "npm error Error: getaddrinfo ENOTFOUND files\n", "infrastructure"),
        ("npm error code ENOENT\nnpm error path /work/node_modules/a/b\n", "infrastructure"),
        ("npm error code EAI_AGAIN\n", "infrastructure"),
        ("npm error code ECONNRESET\n", "infrastructure"),
        ("npm error code E429\n", "infrastructure"),
        ("npm error code E503\n", "infrastructure"),
        ("npm error code E401\n", "infrastructure"),
        ("npm error code EINTEGRITY\n", "infrastructure"),
        ("npm error code ENOSPC\n", "infrastructure"),
        ("npm error code ENEVERSEEN\n", "infrastructure"),
        ("sh: 1: pnpm: not found\n", "infrastructure"),
        ("", "infrastructure"),
    ],
)
def test_an_install_is_the_trees_fault_only_by_a_code_that_says_so(said: str, blame: str) -> None:
    failure = install_failure(FAILED, said)

    assert failure.blame == blame
    assert "\n" not in failure.reason


@pytest.mark.parametrize(
    ("ended", "said", "blame"),
    [
        (FAILED, "error TS2304: Cannot find name 'x'\n", "tree"),
        (FAILED, "Error: connect ECONNREFUSED 192.0.2.7:443\n", "infrastructure"),
        (FAILED, "Error: ENOSPC: no space left on device, write\n", "infrastructure"),
        (FAILED, "const text = 'ECONNREFUSED';\n" + "line\n" * 20, "tree"),
        (ExecResult(exit_code=None, ended="timeout", seconds=600.0), "", "tree"),
        (ExecResult(exit_code=None, ended="disk", seconds=9.0), "", "infrastructure"),
        (ExecResult(exit_code=137, ended="exited", seconds=9.0, oom_killed=True), "", "tree"),
    ],
)
def test_a_build_is_the_trees_fault_save_where_the_machine_shows(
    ended: ExecResult, said: str, blame: str
) -> None:
    assert build_failure(ended, said).blame == blame


def test_an_install_that_runs_out_of_its_time_or_memory_is_nobodys() -> None:
    for ended in (
        ExecResult(exit_code=None, ended="timeout", seconds=600.0),
        ExecResult(exit_code=137, ended="exited", seconds=9.0, oom_killed=True),
    ):
        assert install_failure(ended, "npm error code E404\n").blame == "infrastructure"
