"""Markdown for asset metadata, out of text that nobody trusts.

Belongs here: escaping, tables, code blocks and inlined pictures. Does not: what is shown
(metadata.py). Everything that a run produced goes through `text` or `code`: names, logs, reasons.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import dagster as dg

Metadata = dict[
    str, dg.MarkdownMetadataValue | dg.PathMetadataValue | dg.TextMetadataValue | str | int | float
]
"""What an event carries for a person, by label."""

LONGEST = 300
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&$:@/])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def text(untrusted: str, *, longest: int = LONGEST) -> str:
    """One line that renders as these characters and no more: no markup, no HTML, and no link,
    which the page would otherwise make of any address."""
    line = " ".join(_CONTROL.sub("\ufffd", untrusted).split())
    cut = line if len(line) <= longest else line[: longest - 1] + "…"
    cut = cut.replace("://", ":\u200b//")
    entities = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    return _SPECIAL.sub(lambda m: entities.get(m[1], "\\" + m[1]), cut)


def code(untrusted: str, *, lines: int = 40) -> str:
    """A code block with the last `lines` lines; its fence is longer than any within."""
    tail = _CONTROL.sub("\ufffd", untrusted.replace("\r\n", "\n")).splitlines()[-lines:]
    body = "\n".join(line[:1000] for line in tail)
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", body))])
    return f"{fence}\n{body}\n{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are Markdown already: `text` is the caller's, so that a cell can hold a picture."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def picture(file: Path, caption: str) -> str:
    """A JPEG or PNG itself, inlined, since the page has no way to the home's files."""
    kind = "png" if file.suffix == ".png" else "jpeg"
    encoded = base64.b64encode(file.read_bytes()).decode()
    return f"![{text(caption)}](data:image/{kind};base64,{encoded})"
