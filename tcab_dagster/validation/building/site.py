"""A collected tree becomes a built site, in a fresh sandbox that is given nothing else.

Belongs here: install, its check against the lock file and its retries, build, finding and
fetching the site. Does not: whose fault a failure is (faults.py).
Concept: spec 000, "[build]"; docs/validation.md, "Install and build".
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tcab_dagster.catalog.model import BuildCommands, CaseVersion
from tcab_dagster.containers.extraction import CapsExceeded, ExtractionError, extract
from tcab_dagster.containers.images import resolve_image, run_image_name
from tcab_dagster.containers.protocol import (
    WORKSPACE,
    Bounds,
    ExecResult,
    Progress,
    Runtime,
    Sandbox,
    SandboxError,
    SandboxSpec,
)
from tcab_dagster.validation.building.faults import Failure, build_failure, install_failure
from tcab_dagster.validation.result import CommandReport

ATTEMPTS = 3
COMMAND_SECONDS = 600.0
CHECK_SECONDS = 60.0
OUTPUT_TAIL = 4000
READ_OUTPUT = 2**20
SITES = ("dist", "build", "out")
NO_SITE = "the build made no dist/, build/ or out/ that holds an index.html"

OTHER_MANAGERS = ("pnpm", "yarn", "bun")
LOCKFILES = ("package-lock.json", "npm-shrinkwrap.json")
OTHER_LOCKFILES = ("pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb")

LEFT_OUT = frozenset({"node_modules", ".git"})
"""Folders of a tree that no container is given."""

_VERIFY = Path(__file__).with_name("lockfile.mjs")


@dataclass(slots=True)
class Built:
    """`failed` is None where there is a site to serve, in `site`, one of SITES."""

    install: CommandReport
    build: CommandReport
    site: str | None = None
    failed: Literal["catastrophic", "infrastructure"] | None = None
    detail: str | None = None
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def fail(self, failure: Failure) -> None:
        self.failed = "catastrophic" if failure.blame == "tree" else "infrastructure"
        self.detail = failure.reason


def build_site(
    tree: Path,
    case: CaseVersion,
    runtime: Runtime,
    out: Path,
    *,
    run_id: str,
    environment: Mapping[str, str],
    progress: Progress,
) -> Built:
    """Builds `tree` and writes the site into `out`. Raises nothing of the tree's or runtime's."""
    commands = case.build
    built = Built(
        CommandReport(command=commands.install, status="not_run"),
        CommandReport(command=commands.build, status="not_run"),
    )
    manifest = tree / "package.json"
    if not manifest.is_file() or manifest.is_symlink():
        built.fail(Failure("tree", "there is no package.json"))
        return built
    try:
        image = resolve_image(run_image_name(case.type), environment).reference
        runtime.ensure_image(image, progress)
        spec = SandboxSpec(run_id=run_id, role="build", image=image, network="egress")
        began = time.monotonic()
        sandbox = runtime.start(spec)
        try:
            with _sources(tree) as sources:
                sandbox.put(Path(sources), WORKSPACE)
            built.seconds["build_start"] = time.monotonic() - began
            _build(sandbox, tree, commands, out, built, progress)
        finally:
            sandbox.stop()
    except CapsExceeded as error:
        built.fail(Failure("tree", f"the built site: {error}"))
    except (SandboxError, ExtractionError) as error:
        built.fail(Failure("infrastructure", str(error)))
    return built


def _build(
    sandbox: Sandbox,
    tree: Path,
    commands: BuildCommands,
    out: Path,
    built: Built,
    progress: Progress,
) -> None:
    progress(f"install: {commands.install}")
    _install(sandbox, tree, commands.install, built)
    if built.failed is not None:
        return
    progress(f"build: {commands.build}")
    output = _Output()
    ended = _run(sandbox, commands.build, output)
    built.seconds["build"] = ended.seconds
    passed = ended.exit_code == 0
    built.build = _report(commands.build, passed, ended, output)
    if not passed:
        built.fail(build_failure(ended, output.text))
        return
    built.site = _find_site(sandbox)
    if built.site is not None:
        extract(sandbox.get(f"{WORKSPACE}/{built.site}"), out, git_archive=None, skip=frozenset())
    if built.site is None or not (out / "index.html").is_file():
        built.build = _report(commands.build, False, ended, output)
        built.fail(Failure("tree", NO_SITE))


def _install(sandbox: Sandbox, tree: Path, command: str, built: Built) -> None:
    unchecked = _unchecked(tree, command)
    if unchecked is not None:
        built.notes.append(f"the install is accepted unchecked: {unchecked}")
    spent = 0.0
    for attempt in range(1, ATTEMPTS + 1):
        output = _Output()
        ended = _run(sandbox, command, output)
        spent += ended.seconds
        failure, note = None, None
        if ended.exit_code != 0:
            failure = install_failure(ended, output.text)
        elif unchecked is None and (missing := _missing(sandbox, command, built)):
            note = f"packages of the lock file are missing: {', '.join(missing[:3])}"
            failure = Failure("infrastructure", f"the install is incomplete: {note}")
        report = _report(command, failure is None, ended, output)
        built.install = report.model_copy(
            update={"attempts": attempt, "seconds": round(spent, 3), "note": note}
        )
        built.seconds["install"] = spent
        if failure is None:
            return
        if attempt == ATTEMPTS or ended.ended != "exited":
            built.fail(failure)
            return
        built.notes.append(f"install, attempt {attempt}: {failure.reason}")


def _unchecked(tree: Path, command: str) -> str | None:
    """Why there is nothing to check the install against; None where there is."""
    words = command.split()
    manager = next((m for m in OTHER_MANAGERS if m in words), None)
    if manager is not None:
        return f"lock files of {manager} are not read"
    if any((tree / name).is_file() for name in LOCKFILES):
        return None
    other = next((name for name in OTHER_LOCKFILES if (tree / name).is_file()), None)
    return f"{other} is not read" if other else "the tree has no lock file"


def _missing(sandbox: Sandbox, command: str, built: Built) -> list[str]:
    output = _Output()
    ended = sandbox.exec(
        ["node", "--input-type=module", "-e", _VERIFY.read_text(), "--", command],
        bounds=Bounds(timeout=CHECK_SECONDS),
        on_output=lambda stream, chunk: output.add(chunk) if stream == "stdout" else None,
    )
    try:
        answer = json.loads(output.text)
        missing, unchecked = answer.get("missing", []), answer.get("unchecked")
    except (ValueError, AttributeError):
        missing, unchecked = [], f"the lock file's check ended with {ended.exit_code}"
    note = f"the install is accepted unchecked: {unchecked}"
    if unchecked is not None and note not in built.notes:
        built.notes.append(note[:300])
    return [str(m)[:200] for m in missing] if isinstance(missing, list) else []


def _find_site(sandbox: Sandbox) -> str | None:
    tests = "; ".join(f"[ ! -L {d} ] && [ -f {d}/index.html ] && echo {d} && exit" for d in SITES)
    output = _Output()
    sandbox.exec(
        ["sh", "-c", tests],
        bounds=Bounds(timeout=CHECK_SECONDS),
        on_output=lambda _, chunk: output.add(chunk),
    )
    found = output.text.strip()
    return found if found in SITES else None


class _Output:
    """The end of a command's output; a command may write without end."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def add(self, chunk: bytes) -> None:
        self._kept += chunk
        if len(self._kept) > 2 * READ_OUTPUT:
            del self._kept[:-READ_OUTPUT]

    @property
    def text(self) -> str:
        return self._kept.decode(errors="replace")


def _run(sandbox: Sandbox, command: str, output: _Output) -> ExecResult:
    return sandbox.exec(
        ["sh", "-c", command],
        # Plain words in the record. Not CI=1, under which some builds make errors of warnings.
        env={"NO_COLOR": "1"},
        bounds=Bounds(timeout=COMMAND_SECONDS),
        on_output=lambda _, chunk: output.add(chunk),
    )


def _report(command: str, passed: bool, ended: ExecResult, output: _Output) -> CommandReport:
    return CommandReport(
        command=command,
        status="passed" if passed else "failed",
        exit_code=ended.exit_code,
        seconds=round(ended.seconds, 3),
        output_tail=output.text[-OUTPUT_TAIL:],
    )


def _sources(tree: Path) -> tempfile.TemporaryDirectory[str] | _AsItStands:
    """The tree without what an install brings back: a folder of ours only where it has such."""
    for _, folders, _ in os.walk(tree):
        if LEFT_OUT & set(folders):
            break
    else:
        return _AsItStands(tree)
    copy = tempfile.TemporaryDirectory(prefix="tcab-sources-")
    shutil.copytree(
        tree,
        copy.name,
        symlinks=True,
        dirs_exist_ok=True,
        ignore=lambda _, names: [n for n in names if n in LEFT_OUT],
    )
    return copy


@dataclass(frozen=True, slots=True)
class _AsItStands:
    tree: Path

    def __enter__(self) -> str:
        return str(self.tree)

    def __exit__(self, *_: object) -> None:
        return None
