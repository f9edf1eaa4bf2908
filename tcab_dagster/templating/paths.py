"""Reads the names within a tag: `variant.name`, `../this`, `@index`, `[a key]`.

Belongs here: paths and block parameters as written. Does not: whether they exist (analysis.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tcab_dagster.templating.problems import SYNTAX, UNSUPPORTED, ProblemLog
from tcab_dagster.templating.tree import Path

HELPERS = frozenset(
    {"if", "unless", "each", "with", "lookup", "log", "helperMissing", "blockHelperMissing"}
)
_LITERALS = frozenset({"true", "false", "null", "undefined"})
_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_BRACKETED = r"\[[A-Za-z0-9_][A-Za-z0-9_ .:-]*\]"
_PIECE = re.compile(rf"{_BRACKETED}|\.\.(?=/|\Z)|\.(?=/|\Z)|{_NAME}|[./]")
_WORD = re.compile(r"(?:\[[^\]]*\]|[^ \t\r\n\[])+|\[")
# handlebars.js takes a path of this form for one that says where it starts, even `xthis`.
_EXPLICIT = re.compile(r"^\.|this\b", re.ASCII)


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def words(text: str, offset: int) -> list[Word]:
    """The words of a tag, `offset` being where its text starts in the source."""
    return [Word(found.group(), offset + found.start()) for found in _WORD.finditer(text)]


def read_path(word: Word, log: ProblemLog) -> Path | None:
    """The path that a word is; None, and a problem logged, where it is something else."""
    is_data = word.text.startswith("@")
    written = word.text.removeprefix("@")
    pieces = _PIECE.findall(written)
    if (
        "".join(pieces) != written
        or len(pieces) % 2 == 0
        or any(separator not in {".", "/"} for separator in pieces[1::2])
        or any(piece == "/" for piece in pieces[::2])
        or any(piece in _LITERALS for piece in pieces[::2])
    ):
        _refuse(word, log)
        return None
    depth = 0
    names: list[str] = []
    for piece in pieces[::2]:
        if piece in {".", "..", "this"}:
            if names:
                log.add(
                    SYNTAX, word.start, word.end, f"`{piece}` stands after a name in `{word.text}`",
                    "only the start of a path may be `this`, `./` or `../`",
                )  # fmt: skip
                return None
            depth += piece == ".."
        else:
            names.append(piece.strip("[]"))
    if "this" in names:
        log.add(UNSUPPORTED, word.start, word.end, "a name cannot be `[this]`")
        return None
    if is_data and not _is_data_path(names, depth):
        log.add(
            UNSUPPORTED, word.start, word.end, f"`{word.text}` is not supported",
            "there are `@root`, and in `#each` `@index`, `@key`, `@first`, `@last`",
        )  # fmt: skip
        return None
    bare = word.text.replace("[", "").replace("]", "")
    return Path(
        text=word.text,
        start=word.start,
        end=word.end,
        depth=depth,
        names=tuple(names),
        is_data=is_data,
        explicit=_EXPLICIT.search(bare) is not None,
    )


def _is_data_path(names: list[str], depth: int) -> bool:
    if not names:
        return False
    if names[0] == "root":
        return depth == 0
    return len(names) == 1 and names[0] in {"index", "key", "first", "last"}


def refuse_expressions(listed: list[Word], log: ProblemLog) -> bool:
    """Logs the first word that is an expression of Handlebars rather than a name, if any."""
    for word in listed:
        if reason := _expression(word.text):
            log.add(UNSUPPORTED, word.start, word.end, reason, "a tag holds names only")
            return True
    return False


def _expression(text: str) -> str | None:
    if text.startswith("["):
        return None
    if "(" in text or ")" in text:
        return "subexpressions are not supported"
    if text.startswith(('"', "'")) or text in _LITERALS or re.fullmatch(r"-?\d+(\.\d+)?", text):
        return f"the literal {text} is not supported"
    if "=" in text:
        return f"named arguments (`{text}`) are not supported"
    return None


def _refuse(word: Word, log: ProblemLog) -> None:
    if not refuse_expressions([word], log):
        log.add(
            UNSUPPORTED, word.start, word.end, f"`{word.text}` is not a name that can be read",
            "a name has letters, digits, `_` and `-`; write `[a name]` for any other",
        )  # fmt: skip


def parameter_names(
    listed: list[Word], start: int, end: int, log: ProblemLog
) -> tuple[str, ...] | None:
    """The names of `as |item index|`; None, and a problem logged, where they are no such."""
    names = tuple(word.text for word in listed)
    if not names or len(set(names)) < len(names):
        log.add(SYNTAX, start, end, "block parameters need one name each")
        return None
    for word in listed:
        if (
            not re.fullmatch(_NAME, word.text)
            or word.text in HELPERS | _LITERALS
            or word.text.startswith("else")
            or _EXPLICIT.search(word.text)
        ):
            log.add(UNSUPPORTED, word.start, word.end, f"`{word.text}` cannot be a block parameter")
            return None
    return names
