"""One attempt at a run: its stages in order, and what is known of it so far.

Belongs here: what happens between the request and the record. Does not: what an end means
(outcome.py), how a stage is done, or what becomes of an attempt that is interrupted (driver.py).
Concept: spec 004; docs/runs.md, "The stages".
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tcab_dagster import seeding, warehouse
from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.catalog.store import Store
from tcab_dagster.containers.extraction import CapsExceeded, ExtractionError, extract
from tcab_dagster.containers.images import resolve_image, run_image_name
from tcab_dagster.containers.protocol import (
    WORKSPACE,
    Bounds,
    Runtime,
    Sandbox,
    SandboxError,
    SandboxSpec,
)
from tcab_dagster.containers.slots import start_turn
from tcab_dagster.errors import Canceled, TcabError, UsageError
from tcab_dagster.execution.cancellation import Interruption
from tcab_dagster.execution.journal import Journal, Stage
from tcab_dagster.execution.outcome import Outcome, StageFailed, one_line, session_outcome
from tcab_dagster.execution.ownership import clear
from tcab_dagster.execution.recorder import OnEvent, Recorder
from tcab_dagster.execution.references import ensure_references
from tcab_dagster.execution.setup import SetupRoom
from tcab_dagster.harnesses.protocol import SESSION_FILES, Harness, SessionCommand, SessionReading
from tcab_dagster.harnesses.redaction import Redaction
from tcab_dagster.home import Home, RunFolder
from tcab_dagster.records import (
    CollectedTree,
    Durations,
    Event,
    Fault,
    RunRecord,
    RunRequest,
    State,
    Usage,
)
from tcab_dagster.settings import Settings

LONGEST_ARGUMENT = 128 * 1024
"""Linux takes no single argument that is longer, and the prompt is one."""
LOCKFILES = ("package-lock.json", "npm-shrinkwrap.json")


@dataclass
class Attempt:
    """One attempt at a run: its means, and what is known of it so far."""

    request: RunRequest
    home: Home
    runtime: Runtime
    settings: Settings
    harness: Harness
    command: SessionCommand
    redaction: Redaction
    interruption: Interruption
    cancel: threading.Event
    idle_seconds: float
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    began: float = field(default_factory=time.monotonic)
    image: str | None = None
    image_digest: str | None = None
    harness_version: str | None = None
    seed_commit: str | None = None
    durations: Durations = field(default_factory=Durations)
    reading: SessionReading | None = None
    tree: CollectedTree | None = None

    @property
    def folder(self) -> RunFolder:
        return self.home.run(self.request.run_id)

    def run(self, on_event: OnEvent) -> RunRecord:
        clear(self.folder)
        self.journal = Journal(self.folder.journal, self.started_at, "seed")
        with (
            # From the session's end to the record's being written, when `_drive` enters it.
            contextlib.ExitStack() as self.paid,
            self.journal.kept(),
            Recorder(self.folder, self.redaction, on_event) as self.recorder,
        ):
            case: CaseVersion | None = None
            try:
                with self._stage("seed", announced=False):
                    case = Store(self.home).load(self.request.definition_digest)
                    variant = case.variant(self.request.variant)
                outcome = self._drive(case, variant)
            except StageFailed as failed:
                outcome = failed.outcome
            except Canceled:
                raise
            except Exception as error:  # noqa: BLE001 - nobody recognizes it: the run says so
                outcome = self._failed(self.journal.stage, error, Fault.UNKNOWN).outcome
            with self.interruption.deferred():
                return self._record(case, outcome)

    @contextlib.contextmanager
    def _stage(self, stage: Stage, *, announced: bool = True) -> Iterator[None]:
        """A stage that is not the session: whatever fails in it is never the model's fault."""
        self._heed_cancellation()
        self.journal.enter(stage)
        if announced:
            self.recorder.enter(stage)
        try:
            yield
        except (StageFailed, Canceled):
            raise
        except UsageError as error:
            raise self._failed(stage, error, Fault.OPERATOR) from error
        except (SandboxError, ExtractionError, TcabError, OSError) as error:
            raise self._failed(stage, error, Fault.INFRASTRUCTURE) from error
        except Exception as error:
            raise self._failed(stage, error, Fault.UNKNOWN) from error

    def _failed(self, stage: Stage, error: Exception, fault: Fault) -> StageFailed:
        words = error.message if isinstance(error, TcabError) else str(error)
        known = isinstance(error, TcabError | SandboxError | ExtractionError)
        kind = "" if known else f"{type(error).__name__}: "
        return StageFailed(f"{stage}: {kind}{one_line(words)}", fault)

    def _heed_cancellation(self) -> None:
        if self.cancel.is_set():
            raise Canceled(f"the run {self.request.run_id} was canceled; nothing is recorded")

    def _progress(self, words: str) -> None:
        self._heed_cancellation()
        self.recorder.say(Event(at=self.recorder.elapsed, kind="system", text=words))

    def _drive(self, case: CaseVersion, variant: Variant) -> Outcome:
        with contextlib.ExitStack() as stack:
            temporary = Path(
                stack.enter_context(
                    tempfile.TemporaryDirectory(dir=self.folder.path, prefix=".seed.")
                )
            )
            with self._stage("seed", announced=False):
                references = ensure_references(
                    case,
                    variant,
                    self.home,
                    self.runtime,
                    environment=self.settings.environment,
                    progress=self._progress,
                )
                seeded = seeding.seed(case, variant, temporary / "work", references=references)
                self.seed_commit = seeded.commit
                prompt = seeding.render_prompt(
                    case, variant, max_runtime_hours=self.request.max_runtime_hours
                )
                if len(prompt.encode()) >= LONGEST_ARGUMENT:
                    raise UsageError(f"the prompt is longer than {LONGEST_ARGUMENT} bytes")
            sandbox = self._start(case, stack)
            self._prepare(sandbox, case, temporary)
            self.durations = Durations(setup=time.monotonic() - self.began)
            outcome = self._session(sandbox, prompt)
            self.paid.enter_context(self.interruption.deferred())
            return self._wind_up(sandbox, outcome)

    def _start(self, case: CaseVersion, stack: contextlib.ExitStack) -> Sandbox:
        with self._stage("pull_image"):
            image = resolve_image(run_image_name(case.type), self.settings.environment)
            self.image = image.reference
            self.runtime.ensure_image(image.reference, self._progress)
        with self._stage("start_container"), start_turn(self.home, self.cancel):
            sandbox = self.runtime.start(
                SandboxSpec(
                    run_id=self.request.run_id,
                    role="agent",
                    image=image.reference,
                    network="egress",
                    host_route=self.command.host_route,
                )
            )
            stack.callback(self._stop, sandbox)
            self.image_digest = sandbox.image_digest()
        return sandbox

    def _stop(self, sandbox: Sandbox) -> None:
        """Teardown, on every path. What cannot be removed now is the reaper's."""
        with self.interruption.deferred():
            try:
                sandbox.stop()
            except SandboxError as error:
                self.recorder.warn(f"teardown: {one_line(str(error))}")

    def _prepare(self, sandbox: Sandbox, case: CaseVersion, temporary: Path) -> None:
        bounds = Bounds(timeout=self.request.max_runtime_hours * 3600, cancel=self.cancel)
        room = SetupRoom(sandbox, bounds)
        with self._stage("start_container", announced=False):
            sandbox.put(temporary / "work", WORKSPACE)
        with self._stage("install_harness"):
            room.install(self.harness)
        with self._stage("probe_harness"):
            self.harness_version = room.probe(self.harness)
        if case.init is not None:
            with self._stage("init"):
                locked = any((temporary / "work" / name).is_file() for name in LOCKFILES)
                attempts = room.init(case.init, verified=locked)
                if attempts > 1:
                    self.recorder.warn(f"init took {attempts} attempts")

    def _session(self, sandbox: Sandbox, prompt: str) -> Outcome:
        with self._stage("session"):
            with tempfile.TemporaryDirectory(dir=self.folder.path, prefix=".session.") as files:
                for name, content in self.command.files.items():
                    (Path(files) / name).write_bytes(content)
                if self.command.files:
                    sandbox.put(Path(files), SESSION_FILES, owner="root")
            recording = self.recorder.session(self.harness.reader())
            began = time.monotonic()
            try:
                ended = sandbox.exec(
                    [*self.command.argv, *([prompt] if self.command.takes_prompt else [])],
                    env=self.command.env,
                    bounds=Bounds(
                        timeout=self.request.max_runtime_hours * 3600,
                        idle=self.idle_seconds,
                        cancel=self.cancel,
                    ),
                    on_output=recording.take,
                )
            finally:
                reading = recording.end()
                self.durations = self.durations.model_copy(
                    update={"session": time.monotonic() - began}
                )
            if ended.ended == "canceled":
                raise Canceled(f"the run {self.request.run_id} was canceled; nothing is recorded")
            outcome = session_outcome(
                self.harness.slug,
                ended,
                reading,
                recording.last_words,
                max_runtime_hours=self.request.max_runtime_hours,
                idle_seconds=self.idle_seconds,
            )
            if outcome.keeps_totals:
                self.reading = reading
            return outcome

    def _wind_up(self, sandbox: Sandbox, outcome: Outcome) -> Outcome:
        """Collection and teardown."""
        began = time.monotonic()
        self.cancel = threading.Event()  # A kill no longer undoes what is paid for.
        try:
            if outcome.keeps_tree:
                with self._stage("collect"):
                    self.tree = self._collect(sandbox)
        except StageFailed as failed:
            if isinstance(failed.__cause__, CapsExceeded):
                return _too_large(outcome, failed)
            if outcome.state is State.COLLECTED:
                return failed.outcome
            self.recorder.warn(failed.detail)
        finally:
            self.journal.enter("teardown")
            self.recorder.enter("teardown")
            self._stop(sandbox)
            self.durations = self.durations.model_copy(
                update={"teardown": time.monotonic() - began}
            )
        return outcome

    def _collect(self, sandbox: Sandbox) -> CollectedTree:
        """The tree, with the keys blanked, and its `.git` unopened beside it."""
        with tempfile.TemporaryDirectory(dir=self.folder.path, prefix=".collect.") as temporary:
            tree, git = Path(temporary) / "tree", Path(temporary) / "git.tar"
            tree.mkdir()
            collected = extract(
                self.redaction.blank_stream(sandbox.get(WORKSPACE)), tree, git_archive=git
            )
            if git.exists():
                git.rename(self.folder.git_archive)
            tree.rename(self.folder.tree)
        return collected

    def _record(self, case: CaseVersion | None, outcome: Outcome) -> RunRecord:
        self.journal.enter("record")
        request, reading = self.request, self.reading
        detail = None if outcome.detail is None else self.redaction.mark_text(outcome.detail)
        record = RunRecord(
            **request.model_dump(),
            started_at=self.started_at,
            ended_at=datetime.now(UTC),
            harness_version=self.harness_version,
            runtime=self.runtime.name,
            image=self.image,
            image_digest=self.image_digest,
            seed_commit=self.seed_commit,
            state=outcome.state,
            fault=outcome.fault,
            detail=detail,
            durations=self.durations,
            usage=Usage() if reading is None else reading.usage,
            tool_calls={} if reading is None else dict(reading.tool_calls),
            tree=self.tree,
        )
        self.home.write_record(record)
        if case is not None:
            write_rows(self.home, record, case, self.recorder.warn)
        return record


def _too_large(outcome: Outcome, failed: StageFailed) -> Outcome:
    """The run went past a limit of its own: nothing of its tree is kept."""
    detail = f"{failed.detail}" if outcome.detail is None else f"{outcome.detail}; {failed.detail}"
    return Outcome(State.HARNESS_ERROR, outcome.fault or Fault.AGENT, detail)


def write_rows(
    home: Home, record: RunRecord, case: CaseVersion, warn: Callable[[str], None]
) -> None:
    """The run's rows in the warehouse. The record stands without them: the reaper adds them."""
    try:
        warehouse.write_run(home, record, case)
    except Exception as error:  # noqa: BLE001 - the run is paid for, whatever ails the warehouse
        warn(f"the warehouse lacks this run until `tcab reap`: {one_line(str(error))}")
