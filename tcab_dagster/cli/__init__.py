"""The `tcab` command: everything that Dagster does, without it.

Belongs here: the entry point, and how a failure becomes a message and an exit status: 0 fine,
1 the thing checked is wrong, 2 usage, 3 the environment is missing something, 130 canceled.
Does not: any logic of the domain; each command calls it and prints.
"""

from __future__ import annotations

import sys

from tcab_dagster.cli.app import app
from tcab_dagster.cli.output import print_error
from tcab_dagster.errors import TcabError


def main() -> None:
    """Runs `tcab` with this process's arguments and exits."""
    try:
        app(prog_name="tcab")
    except TcabError as error:
        print_error(error)
        sys.exit(error.exit_status)
