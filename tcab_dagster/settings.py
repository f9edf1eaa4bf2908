"""The one door to the environment variables that steer tcab.

Belongs here: every `TCAB_*` variable that the domain reads, its default and its meaning.
Does not: harness keys (harnesses/) and image overrides (containers/images.py), which take the
environment as a mapping.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tcab_dagster.errors import UsageError

TRUTHY = frozenset({"1", "true", "yes", "on"})


def is_truthy(value: str | None) -> bool:
    """Whether an environment variable's text switches something on."""
    return value is not None and value.strip().lower() in TRUTHY


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the checkout and the home are, and which switches are on."""

    checkout: Path
    home: Path
    runtime: str
    allow_experimental: bool
    pull_checkout: bool
    environment: Mapping[str, str]

    @property
    def recordings(self) -> Path:
        """The recorded sessions of the harness `replay`: `<slug>/<name>.jsonl`."""
        return self.checkout / "recordings"

    @classmethod
    def load(
        cls,
        environment: Mapping[str, str] | None = None,
        *,
        root: Path | None = None,
        working_directory: Path | None = None,
    ) -> Settings:
        """Reads the environment. `root` (the `--root` option) wins over `TCAB_CHECKOUT`.

        Raises UsageError where the checkout holds neither `test-cases/` nor `game-jams/`.
        """
        env = dict(os.environ if environment is None else environment)
        here = working_directory or Path.cwd()
        checkout = _checkout(env, root, here)
        home = Path(env["TCAB_HOME"]) if env.get("TCAB_HOME") else checkout / ".tcab"
        return cls(
            checkout=checkout,
            home=(here / home).resolve(),
            runtime=env.get("TCAB_RUNTIME") or "engine",
            allow_experimental=is_truthy(env.get("TCAB_BACKEND_ALLOW_EXPERIMENTAL")),
            pull_checkout=is_truthy(env.get("TCAB_CHECKOUT_PULL")),
            environment=env,
        )


def _checkout(env: Mapping[str, str], root: Path | None, here: Path) -> Path:
    if root is not None:
        named, origin = here / root, "--root"
    elif env.get("TCAB_CHECKOUT"):
        named, origin = here / env["TCAB_CHECKOUT"], "TCAB_CHECKOUT"
    else:
        named, origin = _git_top_level(here) or here, "the current folder"
    if not ((named / "test-cases").is_dir() or (named / "game-jams").is_dir()):
        raise UsageError(
            f"{named} ({origin}) holds neither test-cases/ nor game-jams/",
            help="name the catalog's checkout with --root or TCAB_CHECKOUT",
        )
    return named.resolve()


def _git_top_level(here: Path) -> Path | None:
    try:
        shown = subprocess.run(
            ["git", "rev-parse", "--show-toplevel"],
            cwd=here,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return Path(shown.stdout.strip())
