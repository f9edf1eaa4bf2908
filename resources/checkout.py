"""The catalog's checkout, as git shows it.

Belongs here: reading the commit and what changed since another, and the one fast-forward that a
deployment may ask for. Does not: any Dagster object, and nothing else that moves a checkout.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tcab_dagster.errors import TcabError

CATALOG_FOLDERS = ("test-cases", "game-jams")


class CheckoutError(TcabError):
    """git cannot say or do what was asked of the checkout."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A git work tree that holds the catalog at its top or further down."""

    path: Path

    def head(self) -> str:
        """The commit that is checked out. Raises CheckoutError where there is none."""
        return self._git("rev-parse", "--verify", "HEAD^{commit}").strip()

    def changed_paths(self, before: str, after: str) -> tuple[str, ...] | None:
        """The paths of the catalog, relative to the checkout, that two commits differ in.

        None where `before` is gone, as after a rewritten history: anything may have changed.
        """
        try:
            listed = self._git(
                "diff", "--name-only", "-z", "--no-renames", "--relative", "--no-ext-diff",
                before, after, "--", *CATALOG_FOLDERS,
            )  # fmt: skip
        except CheckoutError:
            return None
        return tuple(path for path in listed.split("\0") if path)

    def fast_forward(self) -> str:
        """Fetches the upstream branch and moves to it where that loses nothing: the new commit.

        Raises CheckoutError, and leaves the checkout as it was, where it has diverged, has no
        upstream, or holds changes that are in the way.
        """
        self._git("fetch", "--quiet")
        self._git("merge", "--ff-only", "--quiet", "@{upstream}")
        return self.head()

    def _git(self, *arguments: str) -> str:
        argv = ["git", "-C", str(self.path), *arguments]
        try:
            ended = subprocess.run(
                argv, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
            )
        except FileNotFoundError:
            raise CheckoutError("git is not installed", help="install git") from None
        except subprocess.CalledProcessError as error:
            raise CheckoutError(
                f"`git {' '.join(arguments[:2])}` failed in {self.path}: {_last_line(error.stderr)}"
            ) from None
        return ended.stdout


def changed_versions(paths: Iterable[str]) -> tuple[str, ...]:
    """The version folders that changed paths lie in, such as `carom/v1.0.0`, sorted.

    A path above any version counts as its own folder's name.
    """
    return tuple(sorted({_version_folder(PurePosixPath(path).parts) for path in paths}))


def _version_folder(parts: Sequence[str]) -> str:
    depth = 5 if parts[0] == "test-cases" else 3
    if len(parts) > depth:
        return "/".join(parts[depth - 2 : depth])
    return "/".join(parts[1:-1]) or parts[0]


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no reason given"
