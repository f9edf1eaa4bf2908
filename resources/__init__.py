"""The Dagster resources: the home, the checkout and the container runtime.

Belongs here: how configuration and environment become the domain's objects. Does not: what is
done with them. Concept: docs/operate.md, "Settings".
"""

import os

import dagster as dg

from resources.engine import EngineResource
from resources.home import HomeResource

__all__ = ["EngineResource", "HomeResource", "default_resources"]


def default_resources() -> dict[str, object]:
    """The resources of a deployment, steered by the environment; tests replace them."""
    return {
        "home": HomeResource(
            checkout=_variable("TCAB_CHECKOUT"),
            home=_variable("TCAB_HOME"),
        ),
        "engine": EngineResource(runtime_name=_variable("TCAB_RUNTIME")),
    }


def _variable(name: str) -> str | None:
    """A reference that the UI shows by name, or None where the variable is not set: Dagster
    refuses a reference to one that is missing, and the domain has a default for each."""
    return dg.EnvVar(name) if os.environ.get(name) else None
