"""`python -m tcab_dagster.dev`: the Dagster UI and daemon on this checkout's home.

Belongs here: the environment that Dagster's processes start in. Does not: anything of Dagster,
which is started in this process's place. Concept: docs/operate.md, "Running it".
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tcab_dagster.errors import TcabError
from tcab_dagster.home import Home
from tcab_dagster.settings import Settings

PROJECT = Path(__file__).resolve().parents[1]


def dagster_environment(settings: Settings, project: Path = PROJECT) -> dict[str, str]:
    """Makes DAGSTER_HOME below the home and links the project's `dagster.yaml` into it.

    Returns the environment for Dagster's processes. A `dagster.yaml` of the user's own stays.
    """
    home = Home.open(settings.home)
    home.dagster.mkdir(parents=True, exist_ok=True)
    installed = home.dagster / "dagster.yaml"
    if installed.is_symlink():
        installed.unlink()
    if not installed.exists():
        installed.symlink_to(project / "dagster.yaml")
    return {
        **settings.environment,
        "TCAB_CHECKOUT": str(settings.checkout),
        "TCAB_HOME": str(home.path),
        "DAGSTER_HOME": str(home.dagster),
    }


def dagster_command(host: str, port: int, project: Path = PROJECT) -> list[str]:
    return [
        sys.executable, "-m", "dagster", "dev",
        "--workspace", str(project / "workspace.yaml"),
        "--host", host, "--port", str(port),
    ]  # fmt: skip


def main(
    arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None
) -> None:
    parser = argparse.ArgumentParser(prog="tcab-dev", description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3000)
    parser.add_argument("--root", type=Path, help="the catalog's checkout")
    options = parser.parse_args(arguments)
    try:
        prepared = dagster_environment(Settings.load(environment, root=options.root))
    except TcabError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(error.exit_status) from None
    command = dagster_command(options.host, options.port)
    os.execve(command[0], command, prepared)


if __name__ == "__main__":
    main()
