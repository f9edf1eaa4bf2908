"""Captured pictures as files: packed small, each with a thumbnail in `thumbs/<name>.jpg`.

Belongs here: packing and scaling down. A proof is any file that a run produced, so a decoder's
failure leaves no thumbnail and nothing else.
"""

from __future__ import annotations

import io
import subprocess
import warnings
from pathlib import Path

from PIL import Image

SIZE = (320, 180)
LARGEST_PICTURE = 64_000_000
FRAME_SECONDS = 15.0
# Half the bytes of what the browser packs in a hurry, for 70 ms; the next step doubles the time.
COMPRESSION = 4

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif"})


def store(png: bytes, out: Path) -> None:
    """Writes a picture of the viewport and its thumbnail. The same picture gives the same bytes."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.save(out, "PNG", compress_level=COMPRESSION)
    _shrink(picture, _beside(out))


def store_thumbnail(picture: bytes, of: Path) -> None:
    """The thumbnail of a clip, from one of its frames."""
    _shrink(Image.open(io.BytesIO(picture)).convert("RGB"), _beside(of))


def thumbnail_proof(source: Path, media: Path) -> None:
    """A thumbnail of an untrusted file, where it has a picture."""
    out = _beside(media / source.name)
    if source.suffix.lower() not in IMAGES:
        _frame(source, out)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(source, formats=("PNG", "JPEG", "WEBP", "GIF")) as picture:
                if picture.width * picture.height <= LARGEST_PICTURE:
                    _shrink(picture.convert("RGB"), out)
    except Exception:  # noqa: BLE001 - a decoder fed by an enemy raises whatever it likes
        out.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    out = path.parent / "thumbs" / f"{path.name}.jpg"
    out.parent.mkdir(parents=True, exist_ok=True)
    return out


def _shrink(picture: Image.Image, out: Path) -> None:
    picture.thumbnail(SIZE)
    picture.save(out, "JPEG", quality=80)


def _frame(clip: Path, out: Path) -> None:
    """A frame near the clip's end says more than its first."""
    for seek in (["-sseof", "-0.5"], []):
        command = ["ffmpeg", "-loglevel", "error", "-y", *seek, "-i", str(clip), "-frames:v", "1"]
        scale = f"scale={SIZE[0]}:{SIZE[1]}:force_original_aspect_ratio=decrease"
        try:
            subprocess.run(
                [*command, "-vf", scale, "-update", "1", "-q:v", "4", str(out)],
                capture_output=True,
                timeout=FRAME_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        if out.is_file() and out.stat().st_size > 0:
            return
