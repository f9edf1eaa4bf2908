"""A harness's key and base URL, from the driver's environment.

Belongs here: which variable wins, and what is too short to be redacted safely. Does not: under
which name the container sees it; each adapter knows that.
Concept: docs/add-a-harness.md, "Keys".
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from tcab_dagster.errors import UsageError

RUN_HOST = "host.docker.internal"
SHORTEST_KEY = 8


def _own(prefix: str, slug: str) -> str:
    return f"{prefix}_{slug.upper().replace('-', '_')}"


def find_key(environment: Mapping[str, str], slug: str, variable: str) -> str | None:
    """`TCAB_API_KEY_<SLUG>`, else the harness's own variable; None where neither is set."""
    return environment.get(_own("TCAB_API_KEY", slug)) or environment.get(variable) or None


def require_key(environment: Mapping[str, str], slug: str, variable: str) -> str:
    """The key. Raises UsageError where there is none, or one that redaction could not cover."""
    own = _own("TCAB_API_KEY", slug)
    key = find_key(environment, slug, variable)
    if key is None:
        raise UsageError(
            f"the harness `{slug}` needs a key, and neither {own} nor {variable} is set",
            help=f"set {own} (or {variable}) where the driver runs",
        )
    if len(key) < SHORTEST_KEY:
        raise UsageError(
            f"the key of `{slug}` is shorter than {SHORTEST_KEY} characters: to redact it would"
            " shred everything recorded",
            help="a gateway that takes any key takes a longer one too",
        )
    return key


def base_url(environment: Mapping[str, str], slug: str) -> str | None:
    """`TCAB_BASE_URL_<SLUG>`: where the harness's API is asked for, if not at its own place."""
    return environment.get(_own("TCAB_BASE_URL", slug)) or None


def is_on_run_host(url: str | None) -> bool:
    """Whether a base URL needs the route to the run host."""
    return url is not None and urlsplit(url).hostname == RUN_HOST
