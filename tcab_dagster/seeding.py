"""A resolved variant as a fresh git repository, and the instruction that goes with it.

Belongs here: what is written where, the one commit, the prompt. Does not: whether a manifest is
sound (catalog/, whose rules are applied here once more, since what is seeded cannot be taken
back), rendering screenshots (validation/), carrying the repository into a container (execution/).
Concept: spec 004, "Seeding"; docs/author-a-case.md, "What is seeded".

git is run as a process with an environment of our own making: GitPython only ever adds to that of
its parent, whose `GIT_DIR`, hooks, ignore rules or line endings must have no effect.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tcab_dagster.catalog.diagnostics import CatalogError, Place, Report
from tcab_dagster.catalog.model import CaseVersion, Variant
from tcab_dagster.catalog.seeded import (
    Secrets,
    SeededFile,
    check_destinations,
    check_never_seeded,
    seeded_tree,
)
from tcab_dagster.catalog.version_folder import BASELINES, ERRATA, VersionFolder
from tcab_dagster.errors import EnvironmentMissing, TcabError, UsageError
from tcab_dagster.templating import prompt_context, render, spec_context
from tcab_dagster.templating.rendering import number_text

BRANCH = "main"
_MANIFESTS = {"end-to-end": "test-case.toml", "game-jam": "game-jam.toml"}

# The same input gives the same commit id, whoever seeds it and whenever.
_IDENTITY = {"NAME": "seed", "EMAIL": "seed@localhost", "DATE": "2026-01-01T00:00:00+00:00"}
# git itself would note what the file system of this machine can do.
_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
"""

_JAM_DIRECTIVE = """\
This is a game jam. Build one complete game on the theme below: playable from its first screen to
its end, and enjoyable to play. You have {hours} for all of it, so settle early on a game that you
can finish, and finish it. Deliver it as a static site that runs in a browser without a server of
its own, with a README that says what the game is and how it is played.
"""


@dataclass(frozen=True, slots=True)
class Seeded:
    """The one commit of a seeded repository, and its files in order."""

    commit: str
    files: tuple[str, ...]


def seed(case: CaseVersion, variant: Variant, out: Path, *, references: Path | None) -> Seeded:
    """Makes `out` the repository that a run of this variant starts from: spec 004, "Seeding".

    `references` holds the rendered screenshots, `<view>.png`. Raises UsageError where `out` is
    taken, CatalogError where something must not be seeded, TemplateError where a spec does not
    render. A failure leaves nothing at `out`.
    """
    _require_free(out)
    if case.packages:
        raise TcabError(
            f"{case.key} declares packages, and none can be vendored yet",
            help="seed a case without `packages`",
        )
    contents = _contents(case, variant, references)
    with _room_beside(out) as temporary:
        repository = temporary / "repository"
        _write(repository, contents)
        commit = _commit(repository)
        try:
            repository.rename(out)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            _require_free(out)
            raise
    return Seeded(commit, tuple(sorted(content.dest for content in contents)))


def render_prompt(case: CaseVersion, variant: Variant, *, max_runtime_hours: float) -> str:
    """The instruction that the harness is handed, exactly. `max_runtime_hours` is the run's cap."""
    prompt = render(
        _text(case.folder / case.prompt),
        prompt_context(case, variant, max_runtime_hours=max_runtime_hours),
        name=f"{case.key}/{case.prompt}",
    )
    if case.type != "game-jam":
        return prompt
    hours = number_text(max_runtime_hours) + (" hour" if max_runtime_hours == 1 else " hours")
    return f"{_JAM_DIRECTIVE.format(hours=hours)}\n{prompt}"


@dataclass(frozen=True, slots=True)
class _Content:
    dest: str
    bytes: bytes
    executable: bool


def _require_free(out: Path) -> None:
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError(f"{out} is not a folder", help="name a folder that does not exist yet")
    if out.is_dir() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty", help="name a folder that does not exist yet")


@contextlib.contextmanager
def _room_beside(out: Path) -> Iterator[Path]:
    """A folder from which `out` is a rename away. Raises UsageError where there can be none."""
    with contextlib.ExitStack() as held:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            room = held.enter_context(
                tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.")
            )
        except OSError as error:
            why = os.strerror(errno.ENOTDIR) if error.errno == errno.EEXIST else error.strerror
            raise UsageError(
                f"{out} cannot be made: {why}", help="name a place that this user may write"
            ) from error
        yield Path(room)


def _contents(case: CaseVersion, variant: Variant, references: Path | None) -> list[_Content]:
    """Every file of the repository, read and rendered before the first is written."""
    folder = VersionFolder.scan(case.folder, "", Report())
    report = Report()
    seeded = list(_seeded(case, variant, folder, report))
    proofs = [SeededFile(proof.dest, None, Place(proof.dest)) for proof in variant.proofs]
    check_never_seeded(seeded, _secrets(case, folder), report)
    check_destinations(seeded, proofs, report)
    if report.has_errors:
        raise CatalogError(
            f"{case.key} cannot be seeded", report.of_version(case.slug, case.version)
        )
    templates = {spec.dest for spec in variant.specs if spec.is_template}
    contents = []
    for file in seeded:
        if file.source is None:
            contents.append(_Content(file.dest, _screenshot(case, file.dest, references), False))
            continue
        path = folder.root / file.source
        written = path.read_bytes()
        if file.dest in templates:
            name = f"{case.key}/{file.source}"
            written = render(_text(path), spec_context(case, variant), name=name).encode()
        contents.append(_Content(file.dest, written, folder.entries[file.source].executable))
    return contents


def _seeded(
    case: CaseVersion, variant: Variant, folder: VersionFolder, report: Report
) -> Iterator[SeededFile]:
    """In the order of the spec: the workspace, specs, assets, references."""
    if variant.workspace is not None:
        place = Place(variant.workspace)
        workspace = folder.folder(variant.workspace, place, report)
        if workspace is not None:
            yield from seeded_tree(folder, workspace, "", place, report)
    for spec in variant.specs:
        place = Place(spec.source)
        if entry := folder.file(spec.source, place, report):
            yield SeededFile(spec.dest, entry.path, place)
    for asset in case.assets:
        place = Place(asset)
        entry = folder.either(asset, place, report)
        if entry is not None and entry.kind == "folder":
            yield from seeded_tree(folder, entry, asset.removeprefix("."), place, report)
        elif entry is not None:
            yield SeededFile(asset, entry.path, place)
    for reference in variant.references:
        place = Place(reference.media or reference.dest)
        if reference.media is None:
            yield SeededFile(reference.dest, None, place)
        elif entry := folder.file(reference.media, place, report):
            yield SeededFile(reference.dest, entry.path, place)


def _secrets(case: CaseVersion, folder: VersionFolder) -> Secrets:
    """What no run may see, whatever names it."""
    manifest = Place(_MANIFESTS[case.type])
    files = dict.fromkeys(_MANIFESTS.values(), "a manifest") | {ERRATA: "the errata"}
    named: list[tuple[str | None, str]] = [
        (case.description, "the description"),
        (case.changelog, "the changelog"),
        *((path, "a variant file") for path in _variant_files(folder, manifest)),
    ]
    for variant in case.variants:
        named += [(reference.path, "a mockup's source") for reference in variant.references]
        named += [
            (point.validation.script, "a validation script")
            for point in variant.points
            if point.validation is not None
        ]
    quiet = Report()
    for path, what in named:
        entry = folder.file(path, manifest, quiet) if path else None
        if entry is not None:
            files.setdefault(entry.path, what)
    folders = {BASELINES: "a baseline"}
    for implementation in case.implementations:
        if entry := folder.folder(implementation, manifest, quiet):
            folders[entry.path] = "a reference implementation"
    return Secrets(files, folders)


def _variant_files(folder: VersionFolder, manifest: Place) -> Sequence[str]:
    """Where the variants were read from, which a resolved case no longer says."""
    path = folder.root / manifest.file
    listed = tomllib.loads(_text(path)).get("variants", []) if path.is_file() else []
    return [str(name) for name in listed]


def _screenshot(case: CaseVersion, dest: str, references: Path | None) -> bytes:
    name = dest.removeprefix("reference/")
    try:
        if references is not None:
            return (references / name).read_bytes()
    except FileNotFoundError:
        pass
    raise TcabError(
        f"the screenshot {name} of {case.key} has not been rendered"
        + ("" if references is None else f": it is not in {references}"),
        help="ingest the case where a container engine runs: `tcab catalog ingest`",
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise TcabError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None


def _write(repository: Path, contents: Sequence[_Content]) -> None:
    """Writes the files with modes of our own, whatever the umask."""
    repository.mkdir()
    repository.chmod(0o755)
    made = {repository}
    for content in contents:
        path = repository / content.dest
        for folder in reversed(path.relative_to(repository).parents):
            if (repository / folder) not in made:
                (repository / folder).mkdir()
                (repository / folder).chmod(0o755)
                made.add(repository / folder)
        path.write_bytes(content.bytes)
        path.chmod(0o755 if content.executable else 0o644)


def _commit(repository: Path) -> str:
    """Commits everything below `repository`, also what its own ignore rules leave out."""
    _git(repository, "init", "--quiet", "--template=", "--object-format=sha1", "-b", BRANCH)
    (repository / ".git" / "config").write_text(_CONFIG)
    _git(repository, "add", "--all", "--force", "--", ".")
    _git(repository, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", "Initial commit")
    return _git(repository, "rev-parse", "HEAD").strip()


def _git(repository: Path, *arguments: str) -> str:
    # Housekeeping would go on in the background, in a folder about to be renamed.
    quiet = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
    try:
        done = subprocess.run(
            ["git", *quiet, *arguments],
            cwd=repository,
            env=_environment(),
            umask=0o022,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError:
        raise EnvironmentMissing("git is not installed", help="install git 2.32 or newer") from None
    except subprocess.CalledProcessError as error:
        raise TcabError(f"git {arguments[0]} failed: {error.stderr.strip()}") from None
    return done.stdout


def _environment() -> dict[str, str]:
    identity = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in _IDENTITY.items()
    }
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,  # also where the default ignore and attribute files would lie
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        **identity,
    }
