"""The stored catalog: resolved versions by digest, and what may change beside them.

Belongs here: the layout below `TCAB_HOME/catalog/`, putting, loading, removing. Does not: deciding
what to put (ingest.py). Everything is addressed by its content and never changes; an entry, one
small file replaced atomically, says what a key stands for. Concept: docs/storage.md.

    versions/<digest>/tree/<version>/                     the definition's files
    versions/<digest>/references/<variant>/<view>.png     rendered by others
    errata/<digest>/errata.toml
    baselines/<digest>/<variant>/
    entries/<slug@version>.json
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tcab_dagster.catalog.catalog import find_key
from tcab_dagster.catalog.diagnostics import CatalogError, Report
from tcab_dagster.catalog.digests import (
    baseline_entries,
    definition_entries,
    digest,
    errata_entries,
)
from tcab_dagster.catalog.errata import check_errata, read_errata_file, resolved_errata
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.resolution import resolve_version
from tcab_dagster.catalog.version_folder import BASELINES, ERRATA, Entry, VersionFolder
from tcab_dagster.errors import UsageError
from tcab_dagster.home import Home, UnreadableDocument, read_document, write_atomically


class StoreEntry(BaseModel):
    """What a key stands for at present, and where that came from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    slug: str
    version: str
    digest: str
    errata_digest: str
    baselines_digest: str
    folder: str
    """Where it lay in the checkout, relative to its root."""
    commit: str | None
    dirty: bool
    ingested_at: datetime
    hidden: bool
    """An experimental version, ingested where such are not shown."""

    @property
    def key(self) -> str:
        return f"{self.slug}@{self.version}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version came from: the checkout's commit (None outside git) and its folder."""

    folder: str
    commit: str | None
    dirty: bool


STALE_SECONDS = 3600
NOWHERE = Origin(folder="", commit=None, dirty=False)


class Store:
    """The store of one home. Reading takes no lock: what is there is whole."""

    def __init__(self, home: Home) -> None:
        self._root = home.catalog

    def put(
        self, case: CaseVersion, *, origin: Origin = NOWHERE, hidden: bool = False
    ) -> StoreEntry:
        """Copies a resolved version from where it lies and makes its key stand for it.

        Raises CatalogError where the files are no longer those that were resolved.
        """
        folder = VersionFolder.listing(case.folder)
        baselines = baseline_entries(folder)
        entry = StoreEntry(
            slug=case.slug,
            version=case.version,
            digest=case.digest,
            errata_digest=case.errata_digest,
            baselines_digest=digest(folder, case.version, baselines),
            folder=origin.folder,
            commit=origin.commit,
            dirty=origin.dirty,
            ingested_at=datetime.now(UTC),
            hidden=hidden,
        )
        self._copy(
            folder,
            definition_entries(folder, case.implementations),
            self._versions / entry.digest / "tree",
            case.version,
            entry.digest,
        )
        self._copy(
            folder, errata_entries(folder), self._errata(entry), case.version, entry.errata_digest
        )
        self._copy(folder, baselines, self._baselines(entry), case.version, entry.baselines_digest)
        self.write_entry(entry)
        return entry

    def load(self, digest: str) -> CaseVersion:
        """The version that a request pins, as it was then, without errata.

        Raises UsageError where it is not stored, CatalogError where the copy is damaged.
        """
        tree = self._versions / digest / "tree"
        folders = sorted(tree.iterdir()) if tree.is_dir() else []
        if "/" in digest or len(folders) != 1:
            raise UsageError(
                f"no version with the definition {digest} is stored",
                help="ingest the checkout that declares it: `tcab catalog ingest`",
            )
        case = resolve_version(folders[0])
        if case.digest != digest:
            raise CatalogError(
                f"the stored copy of {case.key} was altered: its digest is {case.digest}, not "
                f"{digest}",
                (),
            )
        return case

    def current(self, key: str) -> CaseVersion:
        """What `slug@version` stands for at present, with the errata known by now."""
        entry = self.entry(key)
        if entry is None or entry.hidden:
            raise UsageError(f"{find_key(self.keys(), key)} is not stored")
        case = self.load(entry.digest)
        report = Report()
        path = self._errata(entry) / entry.version / ERRATA
        errata = read_errata_file(path, ERRATA, report) if path.is_file() else []
        check_errata(errata, case.variants, report)
        if report.has_errors:
            raise CatalogError(f"the stored errata of {key} do not resolve", report.diagnostics)
        return replace(case, errata=resolved_errata(errata), errata_digest=entry.errata_digest)

    def keys(self) -> tuple[str, ...]:
        """Every version that is shown, `slug@version`."""
        return tuple(entry.key for entry in self.entries() if not entry.hidden)

    def entries(self) -> list[StoreEntry]:
        """All entries that can be read, hidden ones too."""
        return self._read_entries()[0]

    def unreadable(self) -> frozenset[str]:
        """The keys whose entry does not parse: what they stand for, nothing here tells."""
        return self._read_entries()[1]

    def stamps(self) -> dict[str, int]:
        """Every key, hidden ones too, with a number that changes whenever its entry is written."""
        if not self._entries.is_dir():
            return {}
        return {
            path.name.removesuffix(".json"): path.stat().st_mtime_ns
            for path in self._entries.iterdir()
            if not path.name.startswith(".")
        }

    def entry(self, key: str) -> StoreEntry | None:
        """None for a key that is not stored. Raises UnreadableDocument."""
        try:
            return read_document(
                self._entry(key),
                StoreEntry,
                what="catalog entry",
                mend="`tcab catalog ingest` writes it anew",
            )
        except FileNotFoundError:
            return None

    def write_entry(self, entry: StoreEntry) -> None:
        write_atomically(self._entry(entry.key), entry.model_dump_json(indent=2).encode())

    def moved(self, key: str, origin: Origin) -> None:
        """The same content lies in another folder of the checkout now."""
        entry = self.entry(key)
        if entry is not None and entry.folder != origin.folder:
            update = {"folder": origin.folder, "commit": origin.commit, "dirty": origin.dirty}
            self.write_entry(entry.model_copy(update=update))

    def hide(self, key: str) -> None:
        """The version is experimental now, where such are not shown."""
        entry = self.entry(key)
        if entry is not None:
            self.write_entry(entry.model_copy(update={"hidden": True}))

    def references(self, digest: str) -> Path:
        """Where the rendered screenshots of a version lie: `<variant>/<view>.png`."""
        return self._versions / digest / "references"

    def baselines(self, key: str, variant: str) -> Path:
        """Where the committed baselines of a variant lie. Raises UsageError for an unknown key."""
        entry = self.entry(key)
        if entry is None:
            raise UsageError(f"{find_key(self.keys(), key)} is not stored")
        return self._baselines(entry) / entry.version / BASELINES / variant

    def remove(self, key: str) -> None:
        """Forgets a key, and the files that no other key stands for, as far as that is known."""
        try:
            entry = self.entry(key)
        except UnreadableDocument:
            entry = None
        self._entry(key).unlink(missing_ok=True)
        others, unreadable = self._read_entries()
        if entry is None or unreadable:
            return
        if all(other.digest != entry.digest for other in others):
            shutil.rmtree(self._versions / entry.digest, ignore_errors=True)

    def clear_incoming(self) -> None:
        """Removes what a process killed an hour ago or more was about to store."""
        for left in self._incoming.glob("*"):
            if time.time() - left.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(left, ignore_errors=True)

    def _read_entries(self) -> tuple[list[StoreEntry], frozenset[str]]:
        if not self._entries.is_dir():
            return [], frozenset()
        found, unreadable = [], set()
        for name in sorted(p.name for p in self._entries.iterdir() if not p.name.startswith(".")):
            key = name.removesuffix(".json")
            try:
                found.append(self.entry(key))
            except UnreadableDocument:
                unreadable.add(key)
        return [entry for entry in found if entry is not None], frozenset(unreadable)

    def _copy(
        self,
        folder: VersionFolder,
        entries: Iterable[Entry],
        destination: Path,
        version: str,
        expected: str,
    ) -> None:
        if destination.exists():
            return
        self._incoming.mkdir(parents=True, exist_ok=True)
        incoming = Path(tempfile.mkdtemp(dir=self._incoming))
        copied = incoming / version
        copied.mkdir()
        for entry in entries:
            target = copied / entry.path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder.root / entry.path, target, follow_symlinks=False)
            if entry.executable:
                target.chmod(0o755)
        copy = VersionFolder.listing(copied)
        if digest(copy, version, copy.below("")) != expected:
            shutil.rmtree(incoming)
            raise CatalogError(
                f"{folder.root} changed while it was being stored: ingest it again", ()
            )
        incoming.chmod(0o755)
        destination.parent.mkdir(parents=True, exist_ok=True)
        try:
            incoming.rename(destination)
        except OSError:
            shutil.rmtree(incoming)
            if not destination.exists():
                raise

    @property
    def _versions(self) -> Path:
        return self._root / "versions"

    @property
    def _entries(self) -> Path:
        return self._root / "entries"

    @property
    def _incoming(self) -> Path:
        return self._root / "incoming"

    def _entry(self, key: str) -> Path:
        if "/" in key or key.startswith("."):
            raise UsageError(f"`{key}` is no slug@version")
        return self._entries / f"{key}.json"

    def _errata(self, entry: StoreEntry) -> Path:
        return self._root / "errata" / entry.errata_digest

    def _baselines(self, entry: StoreEntry) -> Path:
        return self._root / "baselines" / entry.baselines_digest
