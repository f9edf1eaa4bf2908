"""Reference mockups rendered, and checks: how like its reference a view of the build is.

Belongs here: rendering, reaching a view, similarity. There is no threshold: similarity informs.
Concept: spec 000, "check"; facts: mean SSIM over luma, 0 when the view was not reached.
"""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from .browser import Chrome
from .load import painted
from .page import Page, PageFailed
from .pictures import store
from .request import Action, CheckRequest, Limits, Mockup

_FONTS = "document.fonts.ready.then(() => true)"


class MockupFailed(Exception):
    """A reference of the case's own could not be rendered."""


@dataclass(slots=True)
class Checked:
    view: str
    similarity: float
    reason: str | None = None
    picture: str | None = None


async def render(chrome: Chrome, origin: str, mockup: Mockup) -> bytes:
    """The mockup's picture, a PNG of the viewport. Raises MockupFailed."""
    try:
        async with chrome.page() as page:
            await page.goto(f"{origin}/{quote(mockup.path)}")
            await page.look(_FONTS)
            await page.frames()
            return await page.png()
    except PageFailed as error:
        raise MockupFailed(f"the mockup {mockup.path} of `{mockup.view}`: {error}") from error


async def check(
    chrome: Chrome, origin: str, request: CheckRequest, reference: bytes, limits: Limits, out: Path
) -> Checked:
    """Drives a fresh page into the view and compares. Raises BrowserMissing."""
    checked = Checked(request.view, 0.0)
    try:
        async with chrome.page() as page:
            await page.goto(f"{origin}/")
            await page.look(_FONTS)
            await painted(page, limits.flat)
            for action in request.actions:
                await act(page, action)
            await page.frames()
            picture = await page.png()
    except PageFailed as error:
        checked.reason = f"the view was not reached: {error}"
        return checked
    checked.picture = f"check__{request.view}.png"
    await asyncio.to_thread(store, picture, out / checked.picture)
    checked.similarity = await asyncio.to_thread(similarity, reference, picture)
    return checked


async def act(page: Page, action: Action) -> None:
    """One action of a check, in the manifest's terms."""
    match action["type"]:
        case "wait":
            await asyncio.sleep(float(action["ms"]) / 1000)
        case "key":
            await page.press(str(action["key"]))
        case "hold":
            await page.press(str(action["key"]), float(action["ms"]))
        case "click":
            await page.click(float(action["x"]), float(action["y"]))
        case other:
            raise PageFailed(f"there is no action `{other}`")


def similarity(expected: bytes, actual: bytes) -> float:
    """Mean SSIM over luma, clamped to 0..1; 0 where the sizes differ."""
    # Half a second to import: only where something is compared.
    import numpy
    from PIL import Image
    from skimage.metrics import structural_similarity

    one, two = (
        numpy.asarray(Image.open(io.BytesIO(png)).convert("L")) for png in (expected, actual)
    )
    if one.shape != two.shape:
        return 0.0
    score: float = structural_similarity(one, two, data_range=255)  # type: ignore[no-untyped-call]
    return round(min(max(float(score), 0.0), 1.0), 6)
