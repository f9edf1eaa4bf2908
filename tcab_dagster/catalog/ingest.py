"""From a checkout to the store: what changed, decided by digests, and nothing else touched.

Belongs here: the comparison of two snapshots, and one pass that carries it out. Does not: the
warehouse's rows, partitions (whoever calls derives them from the report). Concept: spec 000 ("a
whole-catalog ingest ..."); docs/storage.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import git

from tcab_dagster.catalog.catalog import Catalog, load_catalog
from tcab_dagster.catalog.diagnostics import CatalogError, Code, Diagnostic, Place, in_order
from tcab_dagster.catalog.digests import baseline_entries, digest
from tcab_dagster.catalog.discovery import CASES, JAMS
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.resolution import MANIFEST
from tcab_dagster.catalog.store import Origin, Store, StoreEntry
from tcab_dagster.catalog.version_folder import VersionFolder
from tcab_dagster.errors import TcabError, UsageError
from tcab_dagster.home import Home, file_lock

Keys = frozenset[str]
RETRY = "what is stored of it stays; ingest again when it can be read"


@dataclass(frozen=True, slots=True)
class Digests:
    """What a version is made of, told apart by what a change of it means."""

    definition: str
    errata: str
    baselines: str


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """What differs between two snapshots of a catalog, as `slug@version` keys.

    Every key of `after` is in exactly one of added, changed, frozen, errata_changed,
    baselines_changed and unchanged; a change of more than one kind counts as the first of them.
    """

    added: Keys
    changed: Keys
    errata_changed: Keys
    baselines_changed: Keys
    unchanged: Keys
    frozen: Keys
    removed: Keys
    spared: Keys


def catalog_change(
    before: Mapping[str, Digests],
    after: Mapping[str, Digests],
    *,
    in_use: Keys,
    frozen: Mapping[str, str],
    unknown: Keys,
) -> CatalogChange:
    """Compares two snapshots.

    `in_use` keys are spared though no longer declared; `frozen` keys may not change from the
    definition that they map to; of `unknown` keys nothing could be read, so nothing is concluded.
    """
    both = (after.keys() & before.keys()) | (after.keys() & frozen.keys())
    refused = frozenset(k for k in both if k in frozen and after[k].definition != frozen[k])
    kept = (after.keys() & before.keys()) - refused
    changed = frozenset(k for k in kept if after[k].definition != before[k].definition)
    errata = frozenset(k for k in kept - changed if after[k].errata != before[k].errata)
    baselines = frozenset(
        k for k in kept - changed - errata if after[k].baselines != before[k].baselines
    )
    gone = before.keys() - after.keys() - unknown
    return CatalogChange(
        added=frozenset(after.keys() - before.keys() - refused),
        changed=changed,
        errata_changed=errata,
        baselines_changed=baselines,
        unchanged=frozenset(kept - changed - errata - baselines),
        frozen=refused,
        removed=frozenset(gone - in_use),
        spared=frozenset(gone & in_use),
    )


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, as `slug@version` keys.

    `refused` are versions that are broken, ambiguous, or frozen and changed: what was stored of
    them stays. `hidden` were shown before and are experimental now, where such are not shown.
    """

    added: Keys
    changed: Keys
    errata_changed: Keys
    baselines_changed: Keys
    removed: Keys
    spared: Keys
    refused: Keys
    hidden: Keys
    unchanged: Keys
    diagnostics: tuple[Diagnostic, ...]
    commit: str | None
    dirty: bool


def ingest(
    home: Home,
    checkout: Path,
    *,
    in_use: Keys,
    force: bool = False,
    allow_experimental: bool = False,
    frozen: Mapping[str, str] | None = None,
) -> IngestReport:
    """Brings the store to what the checkout declares, in one pass.

    `in_use` are the keys that runs refer to; `frozen` maps those that published runs refer to
    onto the digest of their definition. `force` counts every version as changed, and lets a
    checkout without any version empty the store. A broken version keeps none out, and what could
    not be read is not taken for removed. A stored entry that does not parse counts as
    absent. Raises UsageError where `checkout` is no catalog.
    """
    with file_lock(home.locks / "catalog", wait=True):
        store = Store(home)
        store.clear_incoming()
        commit, dirty = checkout_state(checkout)
        catalog = load_catalog(checkout, allow_experimental=allow_experimental)
        dirty = dirty or checkout_state(checkout) != (commit, dirty)
        return _ingest(store, catalog, commit, dirty, in_use, frozen or {}, force)


def _ingest(
    store: Store,
    catalog: Catalog,
    commit: str | None,
    dirty: bool,
    in_use: Keys,
    frozen: Mapping[str, str],
    force: bool,
) -> IngestReport:
    entries = {entry.key: entry for entry in store.entries()}
    unreadable = store.unreadable()
    stored = entries.keys() | unreadable
    if stored and not catalog.resolutions and not catalog.unread and not force:
        raise UsageError(
            f"{catalog.root} declares no version at all, and {len(stored)} are stored",
            help="mend the checkout, or remove them with --force",
        )
    shown = {key: _stored(entry) for key, entry in entries.items() if not entry.hidden}
    folders = {r.case.key: r.name for r in catalog.resolutions if r.case is not None}
    declared, failed = _read(catalog, folders)
    unknown = _unknown(catalog, entries) | failed.keys()
    change = catalog_change(
        shown, declared, in_use=in_use, frozen=frozen, unknown=unknown | catalog.hidden.keys()
    )
    for key in sorted(declared.keys() - change.frozen):
        origin = Origin(folders[key], commit, dirty)
        if not force and key in change.unchanged:
            store.moved(key, origin)
            continue
        try:
            store.put(catalog.versions[key], origin=origin)
        except CatalogError as error:
            failed[key] = _refused(Code.UNREADABLE, folders[key], key, error.message, RETRY)
    hidden = catalog.hidden.keys() & shown.keys()
    for key in hidden:
        store.hide(key)
    known = catalog.versions.keys() | catalog.hidden.keys() | unknown
    removed = change.removed | (entries.keys() - shown.keys() - known - in_use)
    if not (catalog.unread or catalog.broken):
        # Where something could not be read, it may be what an unreadable entry stood for.
        removed |= unreadable - known - in_use
    for key in sorted(removed):
        store.remove(key)
    refusals = [*failed.values(), *(_frozen(folders[key], key) for key in change.frozen)]
    stored_again = change.unchanged if force else frozenset()
    return IngestReport(
        added=change.added - failed.keys(),
        changed=(change.changed | stored_again) - failed.keys(),
        errata_changed=change.errata_changed - failed.keys(),
        baselines_changed=change.baselines_changed - failed.keys(),
        removed=removed,
        spared=change.spared,
        refused=change.frozen | failed.keys() | {r.key for r in catalog.broken if r.key},
        hidden=frozenset(hidden),
        unchanged=change.unchanged - stored_again,
        diagnostics=in_order([*catalog.diagnostics, *refusals]),
        commit=commit,
        dirty=dirty,
    )


def _read(
    catalog: Catalog, folders: Mapping[str, str]
) -> tuple[dict[str, Digests], dict[str, Diagnostic]]:
    """The declared versions' digests, and the versions of which something could not be read."""
    declared, failed = {}, {}
    for key, case in catalog.versions.items():
        try:
            declared[key] = _digests(case)
        except OSError as error:
            message = f"{error.filename} cannot be read: {error.strerror}"
            failed[key] = _refused(Code.UNREADABLE, folders[key], key, message, RETRY)
    return declared, failed


def checkout_state(checkout: Path) -> tuple[str | None, bool]:
    """The commit that is checked out, and whether the catalog's files differ from it.

    Outside git the commit is None. Raises TcabError where git refuses the checkout.
    """
    try:
        repository = git.Repo(checkout, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        return None, False
    with repository:
        try:
            commit = repository.head.commit.hexsha if repository.head.is_valid() else None
            parts = [str(checkout / part) for part in (CASES, JAMS) if (checkout / part).is_dir()]
            changes = repository.git.status("--porcelain", "--", *parts)
        except git.GitCommandError as error:
            raise TcabError(
                f"git does not read the checkout {checkout}: {str(error.stderr).strip()}",
                help="a checkout of another user needs `git config --global safe.directory`",
            ) from error
    return commit, bool(changes)


def _stored(entry: StoreEntry) -> Digests:
    return Digests(entry.digest, entry.errata_digest, entry.baselines_digest)


def _digests(case: CaseVersion) -> Digests:
    folder = VersionFolder.listing(case.folder)
    return Digests(
        case.digest, case.errata_digest, digest(folder, case.version, baseline_entries(folder))
    )


def _unknown(catalog: Catalog, entries: Mapping[str, StoreEntry]) -> Keys:
    """Stored keys whose version is broken now, or lay where nothing could be read."""
    unread = [*catalog.unread, *(r.name for r in catalog.broken)]
    below = tuple(f"{folder}/" for folder in unread)
    return frozenset(
        [
            *(k for k, e in entries.items() if f"{e.folder}/".startswith(below)),
            *(r.key for r in catalog.broken if r.key is not None),
        ]
    )


def _frozen(folder: str, key: str) -> Diagnostic:
    return _refused(
        Code.FROZEN_VERSION,
        folder,
        key,
        f"published runs refer to {key}, but its definition has changed",
        "restore it and publish the change as a new version; a known issue is an erratum",
    )


def _refused(code: Code, folder: str, key: str, message: str, help: str) -> Diagnostic:
    slug, _, version = key.partition("@")
    place = Place(f"{folder}/{MANIFEST}")
    return Diagnostic("error", code, message, place, help, slug=slug, version=version)
