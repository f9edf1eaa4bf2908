"""The steps in the container before the session: install, probe, init.

Belongs here: their bounds, retries and failures. Does not: the container (containers/), the
commands (harnesses/, the case). Concept: spec 004, "Harness install" and "Init".
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from tcab_dagster.containers.protocol import Bounds, ExecResult, Sandbox, Stream
from tcab_dagster.errors import Canceled
from tcab_dagster.execution.outcome import StageFailed, one_line
from tcab_dagster.harnesses.protocol import Harness
from tcab_dagster.records import Fault

INIT_ATTEMPTS = 3
_KEPT_OUTPUT = 64 * 1024
_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A command that ran: how it ended and the end of what it wrote."""

    what: str
    ended: ExecResult
    output: str

    @property
    def passed(self) -> bool:
        return self.ended.exit_code == 0

    def failed(self, why: str | None = None) -> StageFailed:
        """The failure in one line: who, what, and the end of the evidence."""
        if why is None:
            status = self.ended.exit_code
            why = f"exited with {status}" if status is not None else f"ended by {self.ended.ended}"
        evidence = one_line(self.output)
        return StageFailed(
            f"{self.what} {why}" + (f": {evidence}" if evidence else ""), Fault.INFRASTRUCTURE
        )


@dataclass(frozen=True, slots=True)
class SetupRoom:
    """The container of a run before its session, and what bounds each of its steps."""

    sandbox: Sandbox
    bounds: Bounds

    def run(self, what: str, argv: Sequence[str]) -> SetupStep:
        """Runs a command to its end. Raises Canceled, and StageFailed for one past its bounds."""
        kept = bytearray()

        def keep(_stream: Stream, data: bytes) -> None:
            kept.extend(data)
            del kept[:-_KEPT_OUTPUT]

        ended = self.sandbox.exec(argv, bounds=self.bounds, on_output=keep)
        step = SetupStep(what, ended, kept.decode(errors="replace"))
        if ended.ended == "canceled":
            raise Canceled(f"{what} was canceled")
        if ended.ended != "exited":
            why = "wrote past the disk limit" if ended.ended == "disk" else "ran out of time"
            raise step.failed(why)
        return step

    def install(self, harness: Harness) -> None:
        argv = harness.install()
        if argv is None:
            return
        step = self.run(f"the install of {harness.slug} (`{' '.join(argv)}`)", argv)
        if not step.passed:
            raise step.failed()

    def probe(self, harness: Harness) -> str | None:
        """The version that the installed command reports; None where nothing is installed."""
        argv = harness.probe()
        if argv is None:
            return None
        step = self.run(f"the probe of {harness.slug} (`{' '.join(argv)}`)", argv)
        if not step.passed:
            raise step.failed()
        version = _VERSION.search(step.output)
        return version.group() if version else one_line(step.output, 80)

    def init(self, command: str, *, verified: bool) -> int:
        """Runs the case's init, up to three times, until it ends well and nothing is missing.

        Returns the attempts that it took. A step past its time is not retried.
        """
        what = f"init (`{one_line(command, 80)}`)"
        attempt = 1
        while True:
            step = self.run(what, ["sh", "-c", command])
            why = None if step.passed else f"exited with {step.ended.exit_code}"
            if why is None and verified:
                why = self._incomplete(command)
            if why is None:
                return attempt
            if attempt == INIT_ATTEMPTS:
                raise step.failed(f"{why}, in {attempt} attempts")
            attempt += 1

    def _incomplete(self, command: str) -> str | None:
        """What the lock file names for this platform and init did not bring; None where all is.

        It is the workspace's own file, which nobody but its author has touched yet.
        """
        script = files("tcab_dagster.validation.building").joinpath("lockfile.mjs").read_text()
        check = ["node", "--input-type=module", "-e", script, "--", command]
        step = self.run("the check of init against the lock file", check)
        try:
            missing = json.loads(step.output)["missing"]
        except (ValueError, KeyError, TypeError):
            raise step.failed("gave no answer") from None
        if not missing:
            return None
        return f"left {len(missing)} packages of the lock file missing, such as {missing[0]}"
