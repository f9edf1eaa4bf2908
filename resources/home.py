"""`TCAB_HOME` and the checkout, as a resource.

Belongs here: from the resource's fields to `Settings` and `Home`. Does not: what lies in them.
"""

import os

import dagster as dg
from pydantic import Field

from tcab_dagster.home import Home
from tcab_dagster.settings import Settings


class HomeResource(dg.ConfigurableResource):
    """Where the catalog is read and where everything recorded lies."""

    checkout: str | None = Field(
        default=None,
        description="The catalog's checkout. By default the git top level of the working folder.",
    )
    home: str | None = Field(
        default=None,
        description="Requests, runs, store and warehouse. By default `.tcab/` in the checkout.",
    )

    def settings(self, **more: str) -> Settings:
        """The settings of this process, the resource's own fields and `more` above the
        environment. Raises UsageError where the checkout is none."""
        named = {"TCAB_CHECKOUT": self.checkout, "TCAB_HOME": self.home}
        return Settings.load({**os.environ, **{k: v for k, v in named.items() if v}, **more})

    def open(self) -> Home:
        """The home, made where it is missing."""
        return Home.open(self.settings().home)
