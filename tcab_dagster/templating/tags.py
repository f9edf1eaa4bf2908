"""Splits a template into text and tags, and reads what stands within a tag.

Belongs here: what one tag may hold; each tag is read by itself, so that one fault hides no other.
Does not: how tags nest (parser.py). What handlebars.js would read differently from what an author
sees (`{{elsewhere}}` is an `else` to it) is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tcab_dagster.templating.paths import (
    HELPERS,
    Word,
    parameter_names,
    read_path,
    refuse_expressions,
    words,
)
from tcab_dagster.templating.problems import SYNTAX, UNSUPPORTED, ProblemLog
from tcab_dagster.templating.tree import Path, Strip

BLOCK_HELPERS = ("if", "unless", "each", "with")

_ESCAPED = re.compile(r".{2,}?(?=\{\{|\\\{\{|\\\\\{\{|\Z)", re.DOTALL)
_COMMENT_END = re.compile(r"(~?)\}\}")
_LONG_COMMENT_END = re.compile(r"--(~?)\}\}")
_TRIPLE = re.compile(r"\{\{(~?)\{([^{}]*)\}(~?)\}\}(?!\})")
_TAG = re.compile(r"\{\{(~?)([#/^&]?)([^{}]*?)(~?)\}\}(?!\})")
_ELSE = re.compile(r"[ \t\r\n]*else(?=[ \t\r\n]|\Z)")
_PARAMETERS = re.compile(r"[ \t\r\n]as[ \t\r\n]+\|([^|]*)\|[ \t\r\n]*\Z")


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag. `word` is what a closing tag repeats; `helper` is None for a section."""

    kind: Literal["output", "comment", "open", "inverted", "else", "chain", "close"]
    start: int
    end: int
    strip: Strip
    word: str = ""
    helper: str | None = None
    path: Path | None = None
    parameters: tuple[str, ...] = ()


def scan(source: str, log: ProblemLog) -> Iterator[str | Tag]:
    """The pieces of a template in order: text as str, with `\\{{` undone, and tags.

    A tag that cannot be read is logged and left out, but for what keeps blocks matched.
    """
    position = 0
    while position < len(source):
        opening = source.find("{{", position)
        if opening < 0:
            yield source[position:]
            return
        text = source[position:opening]
        is_escaped = text.endswith("\\") and not text.endswith("\\\\")
        if text.endswith("\\"):
            text = text[:-1]
        if text:
            yield text
        if is_escaped:
            found = _ESCAPED.match(source, opening)
            assert found is not None, "two braces are there"
            yield found.group()
            position = found.end()
            continue
        tag, position = _read(source, opening, log)
        if tag is not None:
            yield tag


def _read(source: str, start: int, log: ProblemLog) -> tuple[Tag | None, int]:
    """The tag that opens at `start`, and where the source goes on."""
    if source.startswith("{{{{", start):
        log.add(
            UNSUPPORTED, start, start + 4, "raw blocks (`{{{{`) are not supported",
            r"write `\{{` for literal braces",
        )  # fmt: skip
        end = source.find("}}}}", start)
        return None, len(source) if end < 0 else end + 4
    if source.startswith(("{{!", "{{~!"), start):
        return _comment(source, start, log)
    if triple := _TRIPLE.match(source, start):
        strip = Strip(triple[1] == "~", triple[3] == "~")
        inner = words(triple[2], triple.start(2))
        return _output(inner, start, triple.end(), strip, log), triple.end()
    if found := _TAG.match(source, start):
        return _tag(found, log), found.end()
    return _broken(source, start, log)


def _comment(source: str, start: int, log: ProblemLog) -> tuple[Tag | None, int]:
    after = source.index("!", start) + 1
    is_long = source.startswith("--", after)
    end = (_LONG_COMMENT_END if is_long else _COMMENT_END).search(source, after)
    if end is None:
        closing = "--}}" if is_long else "}}"
        log.add(SYNTAX, start, after, "this comment is never closed", f"close it with `{closing}`")
        return None, len(source)
    strip = Strip(source[start + 2] == "~", end[1] == "~")
    return Tag("comment", start, end.end(), strip), end.end()


def _broken(source: str, start: int, log: ProblemLog) -> tuple[None, int]:
    end = source.find("}}", start)
    again = source.find("{{", start + 2)
    if end < 0 or 0 <= again < end:
        log.add(SYNTAX, start, start + 2, "this tag is never closed",
                r"close it with `}}`, or write `\{{` for literal braces")  # fmt: skip
        return None, again if again >= 0 else len(source)
    log.add(
        SYNTAX, start, end + 2, "the braces of this tag do not match",
        "write `{{name}}` or `{{{name}}}`, without braces inside",
    )  # fmt: skip
    while source.startswith("}", end):
        end += 1
    return None, end


def _tag(found: re.Match[str], log: ProblemLog) -> Tag | None:
    start, end = found.span()
    strip = Strip(found[1] == "~", found[4] == "~")
    sigil, text, offset = found[2], found[3], found.start(3)
    stripped = text.strip(" \t\r\n")
    if text.startswith((">", "*")) or (sigil == "" and stripped.startswith((">", "*"))):
        what = "partials" if ">" in text[:2] else "decorators"
        log.add(UNSUPPORTED, start, end, f"{what} are not supported")
        return None
    match sigil:
        case "/":
            return Tag("close", start, end, strip, word=stripped)
        case "#":
            return _open("open", found, text, offset, strip, log)
        case "^" if stripped:
            return _open("inverted", found, text, offset, strip, log)
        case "^":
            return Tag("else", start, end, strip)
        case "" if chain := _ELSE.match(text):
            if stripped == "else":
                return Tag("else", start, end, strip)
            return _open("chain", found, text[chain.end() :], offset + chain.end(), strip, log)
        case "" if stripped.startswith("else"):
            log.add(UNSUPPORTED, start, end, f"Handlebars reads `{{{{{stripped}}}}}` as an `else`",
                    f"write `{{{{this.{stripped}}}}}`, or `{{{{else if ...}}}}`")  # fmt: skip
            return None
    return _output(words(text, offset), start, end, strip, log)


def _output(inner: list[Word], start: int, end: int, strip: Strip, log: ProblemLog) -> Tag | None:
    if not inner:
        log.add(SYNTAX, start, end, "this tag is empty")
        return None
    path = read_path(inner[0], log)
    if path is None:
        return None
    if path.is_simple and path.names[0] in HELPERS:
        log.add(UNSUPPORTED, start, end, f"`{path.text}` is a helper of Handlebars, not a name",
                _helper_help(path.names[0]))  # fmt: skip
        return None
    if len(inner) > 1:
        log.add(UNSUPPORTED, start, end, f"there is no helper `{path.text}`",
                "an output is one name, such as `{{variant.name}}`")  # fmt: skip
        return None
    return Tag("output", start, end, strip, path=path)


def _helper_help(name: str) -> str:
    if name in BLOCK_HELPERS:
        return f"open a block with `{{{{#{name} ...}}}}`, or write `{{{{this.{name}}}}}` for a name"
    return f"write `{{{{this.{name}}}}}` for a name"


def _open(
    kind: Literal["open", "inverted", "chain"],
    found: re.Match[str],
    text: str,
    offset: int,
    strip: Strip,
    log: ProblemLog,
) -> Tag:
    """An opening tag. It is there even when faulty (without a path), so that blocks match."""
    start, end = found.span()
    parameters: tuple[str, ...] | None = ()
    if listed := _PARAMETERS.search(text):
        parameters = parameter_names(words(listed[1], offset + listed.start(1)), start, end, log)
        text = text[: listed.start()]
    inner = words(text, offset)
    word = inner[0].text if inner else ""
    helper = word if word in BLOCK_HELPERS else None
    path: Path | None = None
    if not inner:
        log.add(SYNTAX, start, end, "this block names nothing")
    elif refuse_expressions(inner[1:], log):
        pass
    elif helper is None and len(inner) > 1:
        log.add(UNSUPPORTED, start, end, f"there is no block helper `{word}`",
                "blocks are " + ", ".join(f"`#{name}`" for name in BLOCK_HELPERS))  # fmt: skip
    elif helper is not None and len(inner) != 2:
        log.add(SYNTAX, start, end, f"`#{helper}` takes exactly one name, not {len(inner) - 1}",
                f"such as `{{{{#{helper} variant.name}}}}`")  # fmt: skip
    elif helper is None and word.strip("[]") in HELPERS:
        log.add(UNSUPPORTED, start, end, f"`{word}` cannot open a block here")
    else:
        path = read_path(inner[-1], log)
    allowed = {"each": 2, "with": 1}.get(helper or "", 0)
    if parameters and len(parameters) > allowed:
        count = {0: "no block parameters", 1: "one block parameter"}.get(allowed, "at most two")
        log.add(UNSUPPORTED, start, end, f"`{word}` takes {count}")
        parameters = None
    if parameters is None:
        path, parameters = None, ()
    return Tag(kind, start, end, strip, word, helper, path, parameters)
