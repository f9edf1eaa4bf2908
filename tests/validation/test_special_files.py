"""A folder with a pipe, a socket or a device in it is refused before anything starts."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from unittest.mock import create_autospec

import pytest

from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.containers.protocol import Runtime
from tcab_dagster.errors import UsageError
from tcab_dagster.validation import validate_tree
from tests.seeding.cases import marbles, write_files


@pytest.fixture
def case(tmp_path: Path) -> CaseVersion:
    write_files(tmp_path / "v1.0.0")
    return marbles(tmp_path / "v1.0.0")


@pytest.mark.parametrize("beside", ["", "node_modules"])
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_special_file_is_named_and_nothing_starts(
    kind: str, beside: str, case: CaseVersion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, results = tmp_path / "tree", tmp_path / "results"
    (tree / "src").mkdir(parents=True)
    (tree / beside).mkdir(exist_ok=True)
    special = tree / "src" / "special"
    monkeypatch.chdir(special.parent)
    if kind == "pipe":
        os.mkfifo(special)
    else:
        socket.socket(socket.AF_UNIX).bind("special")
    runtime = create_autospec(Runtime)

    with pytest.raises(UsageError, match=f"{special} is no file, folder or link"):
        validate_tree(
            tree,
            case,
            case.variant(),
            runtime,
            run_id="validate~1",
            media=results / "media",
            site=results / "site",
            environment={},
            progress=lambda _: None,
        )

    assert runtime.mock_calls == []
    assert not results.exists()
