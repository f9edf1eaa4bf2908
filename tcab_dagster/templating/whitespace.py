"""Trims a template's text as Handlebars does: `~`, and tags that stand alone on their line.

Belongs here: trimming, which changes nothing but the `value` of text nodes. Does not: reading.
A tag alone on its line takes the line with it. Whether it is alone is judged by the text as it
was written, so that two tags on following lines do not depend on which was trimmed first.
"""

from __future__ import annotations

import re

from tcab_dagster.templating.tree import (
    Block,
    Comment,
    Node,
    Output,
    Program,
    Strip,
    Text,
)

# JavaScript's \s, which is not Python's.
_SPACE = r"[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_LINE_START = re.compile(rf"\r?\n{_SPACE}*?\Z")
_LINE_OR_FILE_START = re.compile(rf"(?:\A|\r?\n){_SPACE}*?\Z")
_LINE_END = re.compile(rf"{_SPACE}*?\r?\n")
_LINE_OR_FILE_END = re.compile(rf"{_SPACE}*?(?:\r?\n|\Z)")
_LEADING_SPACE = re.compile(rf"{_SPACE}+")
_TRAILING_SPACE = re.compile(rf"{_SPACE}+\Z")
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n?")
_INDENT = re.compile(r"[ \t]+\Z")


def trim(root: Program) -> None:
    """Trims a whole template in place."""
    _trim_program(root, is_root=True)


def _trim_program(program: Program, *, is_root: bool) -> None:
    body = program.body
    for index, node in enumerate(body):
        match node:
            case Text():
                continue
            case Output():
                _trim_beside(body, index, node.strip)
            case Comment():
                alone = _starts_line(body, index, is_root) and _ends_line(body, index, is_root)
                _trim_beside(body, index, node.strip)
                if alone:
                    _trim_after(body, index)
                    _trim_before(body, index)
            case Block():
                _trim_block(body, index, node, is_root)


def _trim_beside(body: list[Node], index: int, strip: Strip) -> None:
    if strip.close:
        _trim_after(body, index, all_space=True)
    if strip.open:
        _trim_before(body, index, all_space=True)


def _trim_block(body: list[Node], index: int, block: Block, is_root: bool) -> None:
    for branch in (block.program, block.inverse):
        if branch is not None:
            _trim_program(branch, is_root=False)
    first = block.program or block.inverse
    assert first is not None
    other = block.inverse if block.program is not None else None
    after_else, last = _ends_of_chain(other or first)

    opens_alone = _ends_line(first.body, -1, False)
    closes_alone = _starts_line(after_else.body, len(after_else.body), False)
    if block.open_strip.close:
        _trim_after(first.body, -1, all_space=True)
    if other is not None:
        _trim_else(block, first, after_else, last)
    elif block.close_strip.open:
        _trim_before(first.body, len(first.body), all_space=True)

    starts = _starts_line(body, index, is_root)
    ends = _ends_line(body, index, is_root)
    _trim_beside(body, index, Strip(open=block.open_strip.open, close=block.close_strip.close))
    if opens_alone and starts:
        _trim_after(first.body, -1)
        _trim_before(body, index)
    if closes_alone and ends:
        _trim_after(body, index)
        closing = block.inverse or first
        _trim_before(closing.body, len(closing.body))


def _ends_of_chain(branch: Program) -> tuple[Program, Program]:
    """The text that follows the first `else`, and the text before the closing tag."""
    after_else = last = branch
    if branch.chained:
        after_else = _chained_block(branch).program or branch
        while last.chained:
            last = _chained_block(last).program or Program()
    return after_else, last


def _chained_block(branch: Program) -> Block:
    block = branch.body[-1]
    assert isinstance(block, Block)
    return block


def _trim_else(block: Block, first: Program, after_else: Program, last: Program) -> None:
    if block.inverse_strip.open:
        _trim_before(first.body, len(first.body), all_space=True)
    if block.inverse_strip.close:
        _trim_after(after_else.body, -1, all_space=True)
    if block.close_strip.open:
        _trim_before(last.body, len(last.body), all_space=True)
    if _starts_line(first.body, len(first.body), False) and _ends_line(after_else.body, -1, False):
        _trim_before(first.body, len(first.body))
        _trim_after(after_else.body, -1)


def _starts_line(body: list[Node], index: int, is_root: bool) -> bool:
    """Whether only blanks stand between the line's start and the node at `index`."""
    if index == 0:
        return is_root
    before = body[index - 1]
    if not isinstance(before, Text):
        return False
    pattern = _LINE_OR_FILE_START if is_root and index == 1 else _LINE_START
    return pattern.search(before.written) is not None


def _ends_line(body: list[Node], index: int, is_root: bool) -> bool:
    """Whether only blanks stand between the node at `index` and the line's end."""
    if index + 1 >= len(body):
        return is_root
    after = body[index + 1]
    if not isinstance(after, Text):
        return False
    pattern = _LINE_OR_FILE_END if is_root and index + 2 == len(body) else _LINE_END
    return pattern.match(after.written) is not None


def _trim_after(body: list[Node], index: int, *, all_space: bool = False) -> None:
    text = body[index + 1] if index + 1 < len(body) else None
    if not isinstance(text, Text) or (text.trimmed_right and not all_space):
        return
    before = text.value
    pattern = _LEADING_SPACE if all_space else _REST_OF_LINE
    found = pattern.match(before)
    text.value = before[found.end() :] if found else before
    text.trimmed_right = text.value != before


def _trim_before(body: list[Node], index: int, *, all_space: bool = False) -> None:
    text = body[index - 1] if index > 0 else None
    if not isinstance(text, Text) or (text.trimmed_left and not all_space):
        return
    before = text.value
    pattern = _TRAILING_SPACE if all_space else _INDENT
    text.value = pattern.sub("", before)
    text.trimmed_left = text.value != before
