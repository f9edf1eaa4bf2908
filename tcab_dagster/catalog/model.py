"""A resolved case version: what everything after the catalog works with.

Belongs here: the frozen shapes that resolution produces, with defaults filled in and variants
made effective. Does not: parsing (manifest.py) or rules (resolution.py).
Concept: spec 000, "Manifests".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

from tcab_dagster.errors import UsageError

MediaKind = Literal["image", "video"]
TestType = Literal["end-to-end", "game-jam"]
Difficulty = Literal["easy", "medium", "hard"]


@dataclass(frozen=True, slots=True)
class BuildCommands:
    """Both run through `sh -c` in the repository root."""

    install: str
    build: str


@dataclass(frozen=True, slots=True)
class Instrumentation:
    """The window property of the debug API; `tick_hz` where `step` counts ticks."""

    handle: str
    tick_hz: float | None = None


@dataclass(frozen=True, slots=True)
class Spec:
    """A seeded file. `source` is relative to the version folder, `dest` to the workspace."""

    source: str
    dest: str
    kind: Literal["spec", "script"] = "spec"

    @property
    def is_template(self) -> bool:
        return self.source.endswith(".hbs")


@dataclass(frozen=True, slots=True)
class Reference:
    """A visual target: exactly one of `path` (a mockup to render) and `media` (served as-is)."""

    view: str
    path: str | None
    media: str | None
    kind: MediaKind

    @property
    def dest(self) -> str:
        """Where it is seeded: `reference/<view>.png`, or the media's own extension."""
        suffix = ".png" if self.media is None else Path(self.media).suffix
        return f"reference/{self.view}{suffix}"


@dataclass(frozen=True, slots=True)
class Proof:
    id: str
    name: str
    dest: str
    kind: MediaKind


Action = Mapping[str, str | float]
"""`{type: wait, ms}`, `{type: key, key}`, `{type: hold, key, ms}` or `{type: click, x, y}`."""


@dataclass(frozen=True, slots=True)
class Check:
    """A comparison of the built page with the rendered screenshot of `reference`."""

    view: str
    name: str
    reference: str
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    id: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Output:
    """Media that a validation script captures."""

    id: str
    name: str
    kind: MediaKind


@dataclass(frozen=True, slots=True)
class Validation:
    """A script, relative to the version folder, and the media it declares."""

    script: str
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One verdict unit, whichever grammar authored it.

    `verdict_id` is `item` or `item.sub`; `weight` is exact, so that thirds add up.
    """

    verdict_id: str
    item_id: str
    title: str
    text: str | None
    weight: Fraction
    domain: str | None
    reference: str | None
    proof: str | None
    validation: Validation | None
    graded: bool = False


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A heading of the checklist with its points: one whole item, or its sub-items."""

    id: str
    title: str
    text: str | None
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Erratum:
    """A known issue with a version that shipped. Concept: spec 000, "Errata"."""

    id: str
    title: str
    body: str
    date: str | None
    severity: Literal["info", "minor", "major"]
    affects_scoring: bool
    resolved_in: str | None
    variant: str | None
    review: str | None
    exclude_from_score: bool

    def applies_to(self, variant: str) -> bool:
        return self.variant is None or self.variant == variant


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant with the common parts folded in: the effective set."""

    slug: str
    name: str
    description: str | None
    workspace: str | None
    reference_implementation: str | None
    specs: tuple[Spec, ...]
    references: tuple[Reference, ...]
    proofs: tuple[Proof, ...]
    checks: tuple[Check, ...]
    domains: tuple[Domain, ...]
    items: tuple[ReviewItem, ...]

    @property
    def points(self) -> tuple[Point, ...]:
        return tuple(point for item in self.items for point in item.points)

    def reference(self, view: str) -> Reference:
        return next(r for r in self.references if r.view == view)


@dataclass(frozen=True, slots=True)
class CaseVersion:
    """One resolved version. `folder` is absolute: the checkout's or the store's copy of it."""

    slug: str
    version: str
    type: TestType
    folder: Path
    name: str
    difficulty: Difficulty | None
    tags: tuple[str, ...]
    summary: str | None
    description: str | None
    changelog: str
    prompt: str
    max_runtime_hours: float
    experimental: bool
    init: str | None
    build: BuildCommands
    instrumentation: Instrumentation | None
    assets: tuple[str, ...]
    packages: tuple[str, ...]
    audio_packs: tuple[str, ...]
    variants: tuple[Variant, ...]
    errata: tuple[Erratum, ...]
    digest: str
    errata_digest: str

    @property
    def key(self) -> str:
        """The partition key: `slug@version`."""
        return f"{self.slug}@{self.version}"

    @property
    def implementations(self) -> tuple[str, ...]:
        """The folders of the reference implementations, relative to the version folder."""
        paths = (v.reference_implementation for v in self.variants)
        return tuple(sorted({path for path in paths if path is not None}))

    def variant(self, slug: str | None = None) -> Variant:
        """The named variant, or the default one. Raises UsageError with those that exist."""
        if slug is None:
            return self.variants[0]
        for variant in self.variants:
            if variant.slug == slug:
                return variant
        raise UsageError(
            f"{self.key} has no variant `{slug}`",
            help="it has " + ", ".join(f"`{v.slug}`" for v in self.variants),
        )

    def excluded_points(self, variant: str) -> frozenset[str]:
        """Verdict ids that an erratum takes out of the score of this variant."""
        return frozenset(
            e.review
            for e in self.errata
            if e.exclude_from_score and e.review is not None and e.applies_to(variant)
        )
