"""The `tcab` command: everything that Dagster does, without it.

Belongs here: the entry point, and how a failure becomes a message and an exit status: 0 fine,
1 the thing checked is wrong, 2 usage, 3 the environment is missing something, 130 canceled.
Does not: any logic of the domain; each command calls it and prints.
"""

from __future__ import annotations

import errno
import sys

from tcab_dagster.cli.app import app
from tcab_dagster.cli.output import print_error
from tcab_dagster.containers.protocol import SandboxError
from tcab_dagster.errors import EnvironmentMissing, TcabError

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def main() -> None:
    """Runs `tcab` with this process's arguments and exits."""
    try:
        app(prog_name="tcab")
    except TcabError as error:
        print_error(error)
        sys.exit(error.exit_status)
    except SandboxError as error:
        missing = EnvironmentMissing(str(error))
        print_error(missing)
        sys.exit(missing.exit_status)
    except OSError as error:
        told = refused_by_the_system(error)
        if told is None:
            raise
        print_error(told)
        sys.exit(told.exit_status)


def refused_by_the_system(error: OSError) -> EnvironmentMissing | None:
    """What this machine denied us, in one sentence; None for what tells of no file or disk, and
    so may be a fault of our own."""
    place = error.filename2 or error.filename
    if error.errno is None or (place is None and error.errno not in DISK_FULL):
        return None
    where = "" if place is None else f"{place}: "
    return EnvironmentMissing(
        f"{where}{error.strerror}",
        help="free some space there, or name another folder with TCAB_HOME or TMPDIR"
        if error.errno in DISK_FULL
        else "make it a place that this user may read and write, or name another",
    )
