"""The author's contract with the model, as far as a machine can read it: warnings.

Belongs here: what a seeded text should say, or should not. Does not: errors. Concept: spec 000,
"proof" and "instrumentation" ("the spec that asks for it must reference the same path").
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from tcab_dagster.catalog.diagnostics import Code, Located, Place, Report
from tcab_dagster.catalog.seeded import SeededFile


@dataclass(frozen=True, slots=True)
class SeededText:
    """A seeded file's text. `name` is its source as diagnostics show it."""

    name: str
    dest: str
    text: str
    is_spec: bool


def check_prose(
    texts: Sequence[SeededText],
    seeded: Sequence[SeededFile],
    proofs: Sequence[SeededFile],
    handle: tuple[str, Located] | None,
    report: Report,
) -> None:
    """Warns where the seeded texts of a variant do not say what its manifest relies on."""
    specs = [text for text in texts if text.is_spec]
    for proof in proofs:
        if not any(proof.dest in spec.text for spec in specs):
            report.warn(
                Code.PROOF_NOT_REQUESTED,
                proof.place,
                f"no seeded spec mentions `{proof.dest}`, so no model will write it",
                "ask for it, by this path, in a spec",
            )
    if handle is not None and not any(handle[0] in spec.text for spec in specs):
        report.warn(
            Code.HANDLE_NOT_NAMED,
            handle[1],
            f"no seeded spec names the debug API's handle `{handle[0]}`",
            "specify it as an ordinary debug feature of the game",
        )
    reachable = _reachable([*seeded, *proofs])
    for text in texts:
        for place in _matches(_CABINET, text):
            report.warn(
                Code.NAMES_THE_CABINET,
                place,
                "a seeded text names The Test Cabinet",
                "a model should read a specification, not a benchmark's: remove the name",
            )
        if text.dest.lower().endswith(".md"):
            _check_links(text, reachable, report)


_CABINET = re.compile(r"(?<![@\w])(?:the\s+)?test\s+cabinet\b", re.IGNORECASE)
_LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)>?(?:\s+[\"'][^\"']*[\"'])?\s*\)")
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def _check_links(text: SeededText, reachable: set[str], report: Report) -> None:
    prose = _CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text.text)
    for match in _LINK.finditer(prose):
        target = match[1].partition("#")[0].partition("?")[0]
        if not target or "{{" in target or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", target):
            continue
        path = posixpath.normpath(
            posixpath.join(posixpath.dirname(text.dest), unquote(target))
        ).lstrip("/")
        if path not in reachable:
            report.warn(
                Code.UNSEEDED_TARGET,
                _place(text, match.start(1), match.end(1)),
                f"`{match[1]}` links to `{path}`, which is not seeded",
                "a seeded text refers only to files of the seeded repository",
            )


def _reachable(files: Sequence[SeededFile]) -> set[str]:
    reachable = {"."}
    for file in files:
        path = file.dest
        while path:
            reachable.add(path)
            path = posixpath.dirname(path)
    return reachable


def _matches(pattern: re.Pattern[str], text: SeededText) -> Iterator[Place]:
    for match in pattern.finditer(text.text):
        yield _place(text, match.start(), match.end())


def _place(text: SeededText, start: int, end: int) -> Place:
    line_start = text.text.rfind("\n", 0, start) + 1
    line = text.text[line_start:].split("\n", 1)[0].rstrip("\r")
    row = text.text.count("\n", 0, start) + 1
    end_row = text.text.count("\n", 0, end) + 1
    end_column = end - (text.text.rfind("\n", 0, end) + 1) + 1
    return Place(text.name, row, start - line_start + 1, end_row, end_column, line)
