"""The runner's document, read as the work of a stranger.

Belongs here: parsing, bounds and which media are taken. The sandbox opened hostile pages: what
comes out of it is no more to be trusted than they are. Does not: what a result means
(validate.py).
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tcab_dagster.validation.result import Media

LARGEST_DOCUMENT = 32 * 2**20
LARGEST_MEDIA = 64 * 2**20

Text = Annotated[str, Field(max_length=5000)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]

MAGIC = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF87a", b"GIF89a"),
    ".webp": (b"RIFF",),
    ".webm": (b"\x1a\x45\xdf\xa3",),
    ".mp4": (b"ftyp",),
}
_VIDEO = frozenset({".webm", ".mp4"})


class UnreadableResult(Exception):
    """The sandbox left no document, or none of ours."""


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class LoadedPage(_Read):
    status: Literal["loaded", "failed"]
    reason: Text | None
    console_errors: tuple[Text, ...] = Field(max_length=100)


class CheckedView(_Read):
    view: Text
    similarity: float = Field(ge=0, le=1, allow_inf_nan=False)
    reason: Text | None


class ReadFinding(_Read):
    label: Text
    passed: bool
    expected: Text | None
    actual: Text | None


class DrivenUnit(_Read):
    verdict_id: Text
    verdict: Literal["pass", "fail", "undecided"]
    reason: Text | None
    findings: tuple[ReadFinding, ...] = Field(max_length=200)
    notes: Text
    log: Text
    seconds: Seconds


class RunnerDocument(_Read):
    """`browser` says why there was none."""

    browser: Text | None
    load: LoadedPage | None
    checks: tuple[CheckedView, ...] = Field(max_length=1000)
    drives: tuple[DrivenUnit, ...] = Field(max_length=10_000)
    stages: dict[str, Seconds]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the scripts noted and printed, each under its verdict id."""
        noted = [f"{d.verdict_id}: {d.notes}" for d in self.drives if d.notes]
        printed = [f"{d.verdict_id} printed: {d.log.strip()}" for d in self.drives if d.log.strip()]
        return (*noted, *printed)


def read_document(out: Path) -> RunnerDocument:
    """Raises UnreadableResult."""
    path = out / "result.json"
    if not path.is_file() or path.is_symlink():
        raise UnreadableResult("the validator left no result")
    if path.stat().st_size > LARGEST_DOCUMENT:
        raise UnreadableResult(f"the validator's result is larger than {LARGEST_DOCUMENT} bytes")
    try:
        return RunnerDocument.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableResult(f"the validator's result: {where}: {first['msg']}") from None


def take(
    source: Path,
    media: Path,
    name: str,
    role: Literal["output", "check", "proof", "load"],
    *,
    verdict_id: str | None = None,
    output_id: str | None = None,
) -> Media | None:
    """Copies one captured file into `media`, if it is what its name says; None if not."""
    kind = media_kind(source)
    if kind is None:
        return None
    media.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, media / name)
    with (media / name).open("rb") as copied:
        digest = hashlib.file_digest(copied, "sha256").hexdigest()
    return Media(
        name=name,
        kind=kind,
        role=role,
        verdict_id=verdict_id,
        output_id=output_id,
        bytes=(media / name).stat().st_size,
        sha256=digest,
    )


def take_thumbnails(source: Path, media: Path, names: Collection[str]) -> None:
    """Copies the thumbnails of the media that were taken: `thumbs/<name>.jpg`."""
    for name in names:
        thumbnail = source / "thumbs" / f"{name}.jpg"
        if media_kind(thumbnail) == "image":
            (media / "thumbs").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(thumbnail, media / "thumbs" / thumbnail.name)


def media_kind(path: Path) -> Literal["image", "video"] | None:
    """By extension and first bytes, which must agree; None for anything else."""
    suffix = path.suffix.lower()
    if suffix not in MAGIC or path.is_symlink() or not path.is_file():
        return None
    if not 0 < path.stat().st_size <= LARGEST_MEDIA:
        return None
    with path.open("rb") as file:
        head = file.read(12)
    begins = head[4:] if suffix == ".mp4" else head
    if not begins.startswith(MAGIC[suffix]):
        return None
    return "video" if suffix in _VIDEO else "image"
