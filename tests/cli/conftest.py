"""The real `tcab`, as a user starts it: a process of its own, with a home of its own.

Belongs here: starting it. The catalog is the project's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left: its exit status and both streams."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


@dataclass(frozen=True, slots=True)
class Tcab:
    """Starts `tcab` in `folder` with a clean environment."""

    folder: Path
    environment: dict[str, str]

    def command(self, *arguments: str) -> list[str]:
        return [str(Path(sys.executable).parent / "tcab"), *arguments]

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def __call__(self, *arguments: str, **environment: str) -> Ended:
        process = self.start(*arguments, **environment)
        stdout, stderr = process.communicate(timeout=400)
        return Ended(process.returncode, stdout, stderr)


@pytest.fixture
def tcab(tmp_path: Path) -> Tcab:
    kept = ("PATH", "HOME", "DOCKER_HOST", "TCAB_ENGINE_STATE", "XDG_RUNTIME_DIR")
    return Tcab(
        CHECKOUT,
        {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "TCAB_HOME": str(tmp_path / "home"),
            "TCAB_CONTAINER_REGISTRY": "",
        },
    )
