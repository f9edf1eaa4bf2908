"""The container runtime, as a resource.

Belongs here: which runtime opens, and that it is closed. Does not: any runtime (containers/).
"""

import contextlib
from collections.abc import Iterator

import dagster as dg
from pydantic import Field

from resources.home import HomeResource
from tcab_dagster.containers.protocol import Runtime
from tcab_dagster.containers.runtimes import open_runtime


class EngineResource(dg.ConfigurableResource):
    """Docker or Podman through `DOCKER_HOST`, or a cluster."""

    runtime_name: str | None = Field(
        default=None, description="`engine` or `kubernetes`. By default `engine`."
    )

    @contextlib.contextmanager
    def runtime(self, home: HomeResource) -> Iterator[Runtime]:
        """The runtime that holds the sandboxes of `home`.

        Raises EnvironmentMissing where none answers.
        """
        named = {"TCAB_RUNTIME": self.runtime_name} if self.runtime_name else {}
        with open_runtime(home.settings(**named), home.open()) as runtime:
            yield runtime
