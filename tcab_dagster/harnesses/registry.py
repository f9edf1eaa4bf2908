"""The harnesses that work here, by slug.

Belongs here: the list and the lookup. Does not: any adapter. Concept: docs/add-a-harness.md.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from tcab_dagster.errors import UsageError
from tcab_dagster.harnesses.claude import Claude
from tcab_dagster.harnesses.codex import Codex
from tcab_dagster.harnesses.protocol import Harness
from tcab_dagster.harnesses.replay import Replay

_ALL: tuple[Harness, ...] = (Claude(), Codex(), Replay())

HARNESSES: Mapping[str, Harness] = MappingProxyType({h.slug: h for h in _ALL})


def harness(slug: str) -> Harness:
    """The harness of that slug. Raises UsageError with those that exist."""
    if slug in HARNESSES:
        return HARNESSES[slug]
    near = difflib.get_close_matches(slug, HARNESSES, n=1)
    raise UsageError(
        f"there is no harness `{slug}`",
        help=f"did you mean `{near[0]}`?" if near else "there are " + ", ".join(HARNESSES),
    )
