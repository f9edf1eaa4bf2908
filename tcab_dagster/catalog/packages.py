"""The runtime libraries that a case may ship to its runs.

Belongs here: the one list of them, with what each provides. Does not: the libraries themselves
(packages/), vendoring. Concept: spec 000, "packages".
"""

from __future__ import annotations

from collections.abc import Mapping

SHIPPABLE: Mapping[str, str] = {}
"""Package name to what it provides, for people. None ships yet, so every declared package is
refused."""
