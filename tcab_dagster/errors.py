"""The errors a user can act on: what, where, why, and the mend.

Belongs here: the hierarchy, and how it maps to exit statuses. Does not: the words of any one
error, which stand where it is raised.
"""

from __future__ import annotations


class TcabError(Exception):
    """A failure with a message for a person and, where there is one, the mend.

    `exit_status` is what `tcab` ends with: 1 the thing checked is wrong, 2 usage,
    3 the environment is missing something.
    """

    exit_status = 1

    def __init__(self, message: str, *, help: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help

    def __str__(self) -> str:
        return self.message if self.help is None else f"{self.message}\n   = help: {self.help}"


class UsageError(TcabError):
    """The caller asked for something that does not exist or cannot be."""

    exit_status = 2


class EnvironmentMissing(TcabError):
    """This machine lacks something; `help` says what to install or start."""

    exit_status = 3


class Canceled(TcabError):
    """An operator ended the work; what was begun has been taken back."""

    exit_status = 130
