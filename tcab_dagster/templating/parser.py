"""Reads a template into a tree, matching its blocks.

Belongs here: nesting. Does not: what one tag holds (tags.py), trimming (whitespace.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tcab_dagster.templating.problems import SYNTAX, UNSUPPORTED, ProblemLog
from tcab_dagster.templating.tags import Tag, scan
from tcab_dagster.templating.tree import NO_STRIP, Block, Comment, Output, Program, Strip, Text
from tcab_dagster.templating.whitespace import trim

MAXIMUM_NESTING = 32


@dataclass(slots=True)
class _Branch:
    """An `else` (`tag` is the tag itself) and what follows it."""

    tag: Tag
    program: Program


@dataclass(slots=True)
class _Open:
    tag: Tag
    program: Program = field(default_factory=Program)
    branches: list[_Branch] = field(default_factory=list)

    @property
    def current(self) -> Program:
        return self.branches[-1].program if self.branches else self.program


def parse(source: str, log: ProblemLog) -> Program:
    """The tree of a template, trimmed. Where problems were logged, it is as much as was read."""
    if (nul := source.find("\0")) >= 0:
        log.add(SYNTAX, nul, nul + 1, "a template cannot hold the character U+0000")
    root = Program()
    stack: list[_Open] = []
    for piece in scan(source, log):
        body = (stack[-1].current if stack else root).body
        if isinstance(piece, str):
            body.append(Text(piece, piece))
            continue
        match piece.kind:
            case "comment":
                body.append(Comment(piece.strip))
            case "output":
                assert piece.path is not None
                body.append(Output(piece.path, piece.start, piece.end, piece.strip))
            case "open" | "inverted":
                stack.append(_Open(piece))
                _limit_nesting(piece, stack, log)
            case "else" | "chain":
                _branch(piece, stack, log)
            case "close":
                _close(piece, stack, root, log)
    for unclosed in stack:
        log.add(SYNTAX, unclosed.tag.start, unclosed.tag.end,
                f"the block `{unclosed.tag.word}` is never closed",
                f"close it with `{{{{/{unclosed.tag.word}}}}}`")  # fmt: skip
    if log.is_empty:
        trim(root)
    else:
        # Their text is of no use any more, but their names are still checked.
        for unclosed in stack:
            root.body.append(_block(unclosed, NO_STRIP))
    return root


def _branch(tag: Tag, stack: list[_Open], log: ProblemLog) -> None:
    if not stack:
        log.add(SYNTAX, tag.start, tag.end, "an `else` stands outside any block")
        return
    block = stack[-1]
    if block.branches and block.branches[-1].tag.kind == "else":
        log.add(SYNTAX, tag.start, tag.end, f"the block `{block.tag.word}` already has its `else`")
        return
    if tag.kind == "chain" and block.tag.kind == "inverted":
        log.add(SYNTAX, tag.start, tag.end, "an inverted block takes a plain `{{else}}` only")
        return
    block.branches.append(_Branch(tag, Program()))
    _limit_nesting(tag, stack, log)


def _limit_nesting(tag: Tag, stack: list[_Open], log: ProblemLog) -> None:
    depth = sum(1 + sum(b.tag.kind == "chain" for b in block.branches) for block in stack)
    if depth > MAXIMUM_NESTING:
        log.add(UNSUPPORTED, tag.start, tag.end,
                f"blocks are nested more than {MAXIMUM_NESTING} deep",
                "each `{{else if}}` counts as one more")  # fmt: skip


def _close(tag: Tag, stack: list[_Open], root: Program, log: ProblemLog) -> None:
    if not stack:
        log.add(
            SYNTAX, tag.start, tag.end, f"`{{{{/{tag.word}}}}}` closes a block that is not open"
        )
        return
    if stack[-1].tag.word != tag.word:
        expected = stack[-1].tag.word
        log.add(SYNTAX, tag.start, tag.end,
                f"`{{{{/{tag.word}}}}}` stands where `{expected}` is open",
                f"close it first with `{{{{/{expected}}}}}`")  # fmt: skip
        if all(block.tag.word != tag.word for block in stack):
            return
        while stack[-1].tag.word != tag.word:
            _finish(stack, root, NO_STRIP)
    _finish(stack, root, tag.strip)


def _finish(stack: list[_Open], root: Program, close_strip: Strip) -> None:
    closed = stack.pop()
    (stack[-1].current if stack else root).body.append(_block(closed, close_strip))


def _block(closed: _Open, close_strip: Strip) -> Block:
    return _made(closed.tag, closed.program, closed.branches, close_strip)


def _made(tag: Tag, program: Program, branches: list[_Branch], close_strip: Strip) -> Block:
    """A block with its branches, an `{{else if}}` being a block within the inverse.

    As in handlebars.js, what trims the end of a second `{{else if}}` is its own `~`.
    """
    inverse: Program | None = None
    inverse_strip = NO_STRIP
    if branches:
        branch, rest = branches[0], branches[1:]
        inverse_strip = branch.tag.strip
        inverse = branch.program
        if branch.tag.kind == "chain":
            ends = branch.tag.strip if tag.kind == "chain" else close_strip
            inverse = Program([_made(branch.tag, branch.program, rest, ends)], chained=True)
    is_inverted = tag.kind == "inverted"
    return Block(
        helper=tag.helper,
        subject=tag.path,
        parameters=tag.parameters,
        start=tag.start,
        end=tag.end,
        program=inverse if is_inverted else program,
        inverse=program if is_inverted else inverse,
        open_strip=tag.strip,
        inverse_strip=inverse_strip,
        close_strip=close_strip,
    )
