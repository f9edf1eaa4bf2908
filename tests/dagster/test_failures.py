"""A failure that a person can act on is shown as its message and its mend."""

import dagster as dg
import pytest

from assets.failures import told_in_one_line
from tcab_dagster.containers.protocol import SandboxLost
from tcab_dagster.errors import UsageError


def test_an_error_with_a_mend_is_shown_with_it() -> None:
    with pytest.raises(dg.Failure) as raised, told_in_one_line():
        raise UsageError("no run `x` was requested", help="launch one")

    assert raised.value.description == "no run `x` was requested"
    assert raised.value.metadata["help"].value == "launch one"
    assert raised.value.allow_retries is False


def test_a_runtime_that_failed_us_is_shown_in_its_own_words() -> None:
    with pytest.raises(dg.Failure, match="the engine went away"), told_in_one_line():
        raise SandboxLost("the engine went away")


def test_an_interrupt_passes_as_it_is() -> None:
    with pytest.raises(dg.DagsterExecutionInterruptedError), told_in_one_line():
        raise dg.DagsterExecutionInterruptedError
