"""Names as people read them, and versions as they are ordered.

Belongs here: the humanized form of an id, and semantic versions. Does not: which ids are valid
(manifest.py).
"""

from __future__ import annotations

import re

from tcab_dagster.catalog.manifest import VERSION


def humanized(identifier: str) -> str:
    """`ball-spin` is "Ball Spin"."""
    return " ".join(word[0].upper() + word[1:] for word in re.split(r"[-_]+", identifier) if word)


def version_order(version: str) -> tuple[int, int, int]:
    """What a version sorts by. Raises ValueError where it is no semantic version."""
    match = re.fullmatch(VERSION.strip("^$"), version)
    if match is None:
        raise ValueError(f"`{version}` is no version")
    major, minor, patch = match.groups()
    return int(major), int(minor), int(patch)
