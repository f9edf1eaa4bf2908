"""Small pictures of everything captured, for pages and tables.

Belongs here: scaling down. What is scaled is hostile (a proof is any file), so a failure leaves no
thumbnail and nothing else.
"""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

from PIL import Image

SIZE = (320, 180)
LARGEST_PICTURE = 64_000_000
FRAME_SECONDS = 15.0

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif"})


def thumbnail(source: Path, out: Path) -> bool:
    """Writes `out`, a JPEG of at most 320 x 180; False where `source` has no picture."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix.lower() not in IMAGES:
        return _frame(source, out)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(source, formats=("PNG", "JPEG", "WEBP", "GIF")) as picture:
                if picture.width * picture.height > LARGEST_PICTURE:
                    return False
                small = picture.convert("RGB")
                small.thumbnail(SIZE)
                small.save(out, "JPEG", quality=80)
    except Exception:  # noqa: BLE001 - a decoder fed by an enemy raises whatever it likes
        out.unlink(missing_ok=True)
        return False
    return True


def _frame(clip: Path, out: Path) -> bool:
    """The frame in the clip's middle says more than its first."""
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
            return True
    return False
