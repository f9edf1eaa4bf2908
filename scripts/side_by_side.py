"""The README's picture, of a recorded run: `side_by_side.py RUN_ID OUT.png [NAME]...`.

Expected (the committed baseline) beside actual (the run's media), one row for each still named.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from tcab_dagster.catalog.store import Store
from tcab_dagster.home import Home
from tcab_dagster.settings import Settings

SIZE = (640, 360)
GAP, HEAD = 16, 44
STILLS = ("title-menu__menu.png", "drawing__table.png")


def main(run_id: str, out: Path, stills: tuple[str, ...]) -> None:
    home = Home.open(Settings.load().home)
    record = home.record(run_id)
    if record is None:
        sys.exit(f"no run `{run_id}` is recorded")
    sides = (Store(home).baselines(record.case_key, record.variant), home.run(run_id).media)
    width = 2 * SIZE[0] + 3 * GAP
    sheet = Image.new("RGB", (width, HEAD + len(stills) * (SIZE[1] + GAP)), "#f6f5f1")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=20)
    for column, (title, folder) in enumerate(zip(("expected", "actual"), sides, strict=True)):
        left = GAP + column * (SIZE[0] + GAP)
        draw.text((left, 12), title, fill="#333333", font=font)
        for row, name in enumerate(stills):
            with Image.open(folder / name) as still:
                shrunk = still.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
            sheet.paste(shrunk, (left, HEAD + row * (SIZE[1] + GAP)))
    sheet.save(out, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), tuple(sys.argv[3:]) or STILLS)
