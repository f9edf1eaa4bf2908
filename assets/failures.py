"""How a failure looks on a run's page.

Belongs here: from the domain's errors to Dagster's. Does not: their words. Terminate from the UI is
none of them: its BaseException reaches the driver as any signal does and leaves as it came, since
an op that swallows it counts as a success.
"""

import contextlib
from collections.abc import Iterator

import dagster as dg

from tcab_dagster.containers.protocol import SandboxError
from tcab_dagster.errors import TcabError


@contextlib.contextmanager
def told_in_one_line() -> Iterator[None]:
    """Shows a failure that a person can act on as its message, without a traceback."""
    try:
        yield
    except TcabError as error:
        metadata = {} if error.help is None else {"help": dg.MetadataValue.text(error.help)}
        raise dg.Failure(
            description=error.message, metadata=metadata, allow_retries=False
        ) from None
    except SandboxError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from None
