"""The documents that an author writes, key by key: test-case.toml, variant files, errata.toml.

Belongs here: which keys there are, their types, defaults and the form of a single value. Does not:
files, conflicts between keys (resolution.py and its neighbours), positions (toml_file.py). Every
table is closed: a key that is not declared here is a fault. Concept: spec 000, "Manifests".
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

TEXT = r"\S"
SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
ID = r"^[A-Za-z0-9]+((-+(_-+)*_?|_(-+_)*-*)[A-Za-z0-9]+)*$"
"""Letters, digits, hyphens and single underscores, the first and the last no separator."""
HANDLE = r"^[A-Za-z_$][A-Za-z0-9_$]*$"
VERSION = r"^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$"
PACK = r"^[^@\s]+@[^@\s]+$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

Text = Annotated[str, StringConstraints(pattern=TEXT)]
Slug = Annotated[str, StringConstraints(pattern=SLUG)]
Id = Annotated[str, StringConstraints(pattern=ID)]
Handle = Annotated[str, StringConstraints(pattern=HANDLE)]
VersionName = Annotated[str, StringConstraints(pattern=VERSION)]
Date = Annotated[str, StringConstraints(pattern=DATE)]
Pack = Annotated[str, StringConstraints(pattern=PACK)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BuildTable(Table):
    install: Text
    build: Text


class InstrumentationTable(Table):
    handle: Handle
    tick_hz: Positive | None = None


class AudioTable(Table):
    packs: list[Pack]


class SpecTable(Table):
    source: Text
    dest: Text | None = None
    kind: Literal["spec", "script"] = "spec"

    @property
    def is_template(self) -> bool:
        return self.source.endswith(".hbs")


class ReferenceTable(Table):
    view: Id
    path: Text | None = None
    media: Text | None = None


class ProofTable(Table):
    id: Id
    name: Text | None = None
    dest: Text


class WaitAction(Table):
    type: Literal["wait"]
    ms: NotNegative


class KeyAction(Table):
    type: Literal["key"]
    key: Text


class HoldAction(Table):
    type: Literal["hold"]
    key: Text
    ms: NotNegative


class ClickAction(Table):
    type: Literal["click"]
    x: Finite
    y: Finite


ActionTable = Annotated[
    WaitAction | KeyAction | HoldAction | ClickAction, Field(discriminator="type")
]


class CheckTable(Table):
    view: Id
    name: Text | None = None
    reference: Text
    actions: list[ActionTable] = []


class DomainTable(Table):
    id: Id
    name: Text | None = None
    description: Text


class OutputTable(Table):
    id: Id
    name: Text | None = None
    kind: Literal["image", "video"]


class ValidationTable(Table):
    script: Text
    outputs: list[OutputTable] = []


class SubItemTable(Table):
    id: Id
    title: Text
    validation: ValidationTable | None = None


SubItems = Annotated[list[SubItemTable], Field(min_length=1)]


class ReviewItemTable(Table):
    """Legacy grammar. `sub_items` and repeated `[[review_item.sub_item]]` say the same."""

    id: Id
    title: Text
    text: Text
    weight: Positive
    reference: Text | None = None
    proof: Text | None = None
    domain: Text | None = None
    sub_items: SubItems | None = None
    sub_item: SubItems | None = None
    validation: ValidationTable | None = None


class CategoryItemTable(Table):
    id: Id
    title: Text
    description: Text | None = None
    weight: Positive = 1
    reference: Text | None = None
    proof: Text | None = None
    validation: ValidationTable | None = None


class CategoryTable(Table):
    id: Id
    title: Text
    items: Annotated[list[CategoryItemTable], Field(min_length=1)]


class ReviewTable(Table):
    """The categories grammar, declared once, in the case's manifest."""

    format: Literal[2]
    categories: list[CategoryTable] = []


class VariantReviewTable(Table):
    """A variant's own categories; it inherits the format."""

    categories: list[CategoryTable] = []


class CaseManifest(Table):
    """test-case.toml."""

    slug: Slug
    type: Literal["end-to-end"] = "end-to-end"
    name: Text
    difficulty: Literal["easy", "medium", "hard"]
    tags: list[Text]
    summary: Text | None = None
    description: Text | None = None
    changelog: Text
    prompt: Text
    max_runtime_hours: Positive = 1
    experimental: bool = False
    workspace: Text | None = None
    init: Text | None = None
    assets: list[Text] = []
    packages: list[Text] = []
    variants: Annotated[list[Text], Field(min_length=1)]
    build: BuildTable
    instrumentation: InstrumentationTable | None = None
    audio: AudioTable | None = None
    spec: list[SpecTable] = []
    reference: list[ReferenceTable] = []
    proof: list[ProofTable] = []
    check: list[CheckTable] = []
    domain: Annotated[list[DomainTable], Field(min_length=1)]
    review_item: list[ReviewItemTable] = []
    review: ReviewTable | None = None


class VariantManifest(Table):
    """A variant file; its paths are relative to the version folder all the same."""

    slug: Id
    name: Text | None = None
    description: Text | None = None
    workspace: Text | None = None
    reference_implementation: Text | None = None
    spec: list[SpecTable] = []
    reference: list[ReferenceTable] = []
    proof: list[ProofTable] = []
    domain: list[DomainTable] = []
    review_item: list[ReviewItemTable] = []
    review: VariantReviewTable | None = None


class ErratumTable(Table):
    id: Text
    title: Text
    body: Text
    date: Date | None = None
    severity: Literal["info", "minor", "major"] = "minor"
    affects_scoring: bool = False
    resolved_in: VersionName | None = None
    variant: Text | None = None
    review: Text | None = None
    exclude_from_score: bool = False


class ErrataManifest(Table):
    """errata.toml."""

    erratum: list[ErratumTable] = []
