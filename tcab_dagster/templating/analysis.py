"""Checks a template against the shape of its context, and restates it for pybars3.

Belongs here: what every name refers to. Does not: reading (parser.py), rendering (rendering.py).

The restated template holds tags only: texts are numbered and put back by a helper, every path says
where it starts, sections and block parameters are resolved. So nothing is left that pybars3 would
read in its own way, nor any text that its grammar would go through character by character.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tcab_dagster.templating.parser import parse
from tcab_dagster.templating.problems import (
    UNKNOWN_NAME,
    UNSUPPORTED,
    ProblemLog,
    TemplateProblem,
)
from tcab_dagster.templating.shapes import (
    ListShape,
    MappingShape,
    Mixed,
    Scalar,
    Shape,
    described,
    merged,
)
from tcab_dagster.templating.tree import Block, Node, Output, Path, Program, Text


@dataclass(frozen=True, slots=True)
class Restated:
    """A template for pybars3, and the texts that `{{{text N}}}` stands for."""

    source: str
    texts: tuple[str, ...]


Origin = tuple[str, ...]
EVERY = "*"
"""In an origin: any of the names or items there."""


@dataclass(frozen=True, slots=True)
class _Target:
    """What a path refers to. `shape` is None where nothing is known and all is allowed.

    `origin` names the place in the context; two targets of one origin may be one value.
    """

    shape: Shape | None
    origin: Origin
    restated: str


_NOTHING_KNOWN = _Target(None, ("?",), "this")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Part of the restated template. `is_text`: its output is text to handlebars.js, too.

    Where escaping is off, handlebars.js joins outputs with JavaScript's `+`, which adds numbers.
    """

    restated: str
    is_text: bool


@dataclass(frozen=True, slots=True)
class _Scope:
    """A context that a block has entered; `is_loop` where it has an `@index`."""

    shape: Shape | None
    origin: Origin
    parameters: tuple[str, ...] = ()
    is_loop: bool = False


def check(source: str, shape: Shape, *, name: str = "template") -> list[TemplateProblem]:
    """Every problem that rendering `source` in a context of `shape` would raise, in order.

    Far quicker than rendering, since pybars3 compiles nothing. `name` is for symmetry with
    `render`: a problem holds no file name.
    """
    return analyze(source, shape)[1]


def analyze(source: str, shape: Shape) -> tuple[Restated, list[TemplateProblem]]:
    """The template for pybars3, to be used only where there are no problems."""
    log = ProblemLog(source)
    root = parse(source, log)
    analysis = _Analysis(log)
    result = analysis.program(root, (_Scope(shape, ()),))
    return Restated(result.restated, tuple(analysis.texts)), log.sorted()


class _Analysis:
    def __init__(self, log: ProblemLog) -> None:
        self._log = log
        self.texts: list[str] = []

    def program(self, program: Program | None, scopes: Sequence[_Scope]) -> _Piece:
        whole = _Piece("", is_text=True)
        for node in program.body if program is not None else ():
            match node:
                case Text(value=value) if value:
                    piece = _Piece(f"{{{{{{text {len(self.texts)}}}}}}}", is_text=True)
                    self.texts.append(value)
                case Output(path=path):
                    piece = self._output(path, scopes)
                case Block():
                    piece = self._block(node, scopes)
                case _:
                    continue
            whole = self._joined(whole, piece, node)
        return whole

    def _joined(self, before: _Piece, piece: _Piece, node: Node) -> _Piece:
        if not before.restated:
            return piece
        if not before.is_text and not piece.is_text and isinstance(node, Output | Block):
            self._log.add(
                UNSUPPORTED, node.start, node.end,
                "two numbers or booleans with no text between: Handlebars would add them up",
                "put text between or before them",
            )  # fmt: skip
        return _Piece(before.restated + piece.restated, before.is_text or piece.is_text)

    def _output(self, path: Path, scopes: Sequence[_Scope]) -> _Piece:
        target = self._resolve(path, scopes)
        match target.shape:
            case ListShape() | MappingShape() | Mixed():
                self._refuse(
                    path,
                    f"`{path.text}` is {described(target.shape)}, which cannot be printed",
                    "loop over it with `#each`, or print one of its names",
                )
        is_number = isinstance(target.shape, Scalar) and target.shape is not Scalar.TEXT
        return _Piece(f"{{{{{{show {target.restated}}}}}}}", is_text=not is_number)

    def _block(self, block: Block, scopes: Sequence[_Scope]) -> _Piece:
        target = _NOTHING_KNOWN
        if block.subject is not None:
            target = self._resolve(block.subject, scopes)
        helper = block.helper or self._section_helper(block, target)
        inner = self._entered(helper, block, target, scopes)
        program = self.program(block.program, inner)
        inverse = self.program(block.inverse, scopes)
        restated = (
            f"{{{{#{helper} {target.restated}}}}}{program.restated}"
            f"{{{{else}}}}{inverse.restated}{{{{/{helper}}}}}"
        )
        return _Piece(restated, inverse.is_text and (helper == "each" or program.is_text))

    def _entered(
        self, helper: str, block: Block, target: _Target, scopes: Sequence[_Scope]
    ) -> Sequence[_Scope]:
        """The scopes within a block."""
        if helper == "each":
            item = self._item(block, target)
            return (*scopes, _Scope(item, (*target.origin, EVERY), block.parameters, is_loop=True))
        if helper == "with":
            if target.shape is not None and not isinstance(target.shape, MappingShape):
                self._refuse_subject(block, target, "`#with` enters a mapping")
            elif block.subject is not None and not block.subject.names:
                self._refuse_subject(block, target, "`#with` needs a name to enter")
            return (*scopes, _Scope(target.shape, target.origin, block.parameters))
        if isinstance(target.shape, Mixed):
            self._refuse_subject(block, target, f"`#{helper}` needs a value of one kind")
        return scopes

    def _section_helper(self, block: Block, target: _Target) -> str:
        """What `{{#name}}` means for what the name holds."""
        match target.shape:
            case ListShape():
                return "each"
            case MappingShape():
                return "with"
            case Scalar.FLAG | None:
                return "if"
        self._refuse_subject(
            block, target, "a section needs a boolean, a list or a mapping; use `#if`"
        )
        return "if"

    def _item(self, block: Block, target: _Target) -> Shape | None:
        match target.shape:
            case ListShape(item=item):
                return item
            case MappingShape(fields=fields):
                if any(re.fullmatch(r"0|[1-9]\d*", name, re.ASCII) for name in fields):
                    self._refuse_subject(
                        block, target, "JavaScript reorders a mapping with numbers for names"
                    )
                return merged(fields.values())
            case None:
                return None
        self._refuse_subject(block, target, "`#each` loops over a list or a mapping")
        return None

    def _resolve(self, path: Path, scopes: Sequence[_Scope]) -> _Target:
        if path.is_data and path.names[0] != "root":
            return self._loop_data(path, scopes)
        if path.is_data:
            root = _entered(scopes, len(scopes) - 1)
            return self._descend(path, root, path.names[1:])
        if path.names and not path.depth and not path.explicit:
            for hops, scope in enumerate(reversed(scopes)):
                if path.names[0] in scope.parameters:
                    return self._parameter(path, scope, scopes, hops)
        if path.depth >= len(scopes):
            self._log.add(
                UNKNOWN_NAME, path.start, path.end, f"`{path.text}` leaves the template's context",
                f"here are {len(scopes) - 1} levels of `../`; `#if` and `#unless` are none",
            )  # fmt: skip
            return _NOTHING_KNOWN
        self._refuse_doubtful_parents(path, scopes)
        return self._descend(path, _entered(scopes, path.depth), path.names)

    def _refuse_doubtful_parents(self, path: Path, scopes: Sequence[_Scope]) -> None:
        """handlebars.js enters no new level where a block's context equals the one around it."""
        for inner in range(len(scopes) - 1, len(scopes) - 1 - path.depth, -1):
            if _may_be_equal(scopes[inner], scopes[inner - 1]):
                self._refuse(
                    path,
                    f"`{path.text}` is ambiguous: the blocks around it may hold the same value",
                    "name the outer value with a block parameter: `{{#each list as |item|}}`",
                )
                return

    def _parameter(self, path: Path, scope: _Scope, scopes: Sequence[_Scope], hops: int) -> _Target:
        if scope.parameters.index(path.names[0]) == 0:
            return self._descend(path, _entered(scopes, hops), path.names[1:])
        key = _Target(Scalar.ANY, ("@",), "../" * hops + "./[@key]")
        return self._descend(path, key, path.names[1:])

    def _loop_data(self, path: Path, scopes: Sequence[_Scope]) -> _Target:
        loops = [hops for hops, scope in enumerate(reversed(scopes)) if scope.is_loop]
        if path.depth >= len(loops):
            self._log.add(
                UNKNOWN_NAME, path.start, path.end,
                f"`{path.text}` exists only within "
                + ("`#each`" if not path.depth else f"{path.depth + 1} levels of `#each`"),
            )  # fmt: skip
            return _NOTHING_KNOWN
        name = path.names[0]
        kind = {"index": Scalar.NUMBER, "key": Scalar.ANY}.get(name, Scalar.FLAG)
        return _Target(kind, ("@",), "../" * loops[path.depth] + f"./[@{name}]")

    def _descend(self, path: Path, target: _Target, names: Sequence[str]) -> _Target:
        for depth, name in enumerate(names):
            match target.shape:
                case None:
                    return _NOTHING_KNOWN
                case MappingShape(fields=fields) if name in fields:
                    shape: Shape = fields[name]
                case ListShape() if name == "length":
                    shape = Scalar.NUMBER
                case _:
                    self._unknown(path, target.shape, names, depth)
                    return _NOTHING_KNOWN
            target = _Target(shape, (*target.origin, name), f"{target.restated}/[{name}]")
        return target

    def _unknown(self, path: Path, holder: Shape, names: Sequence[str], depth: int) -> None:
        name = names[depth]
        where = f"`{'.'.join(names[:depth])}`" if depth else "this place"
        help: str | None = None
        if isinstance(holder, MappingShape):
            known = sorted(holder.fields)
            message = f"there is no `{name}` in {where}"
            help = "there are " + ", ".join(f"`{k}`" for k in known) if known else "it is empty"
            if near := difflib.get_close_matches(name, known, n=1):
                help = f"did you mean `{near[0]}`? {help}"
        else:
            message = f"there is no `{name}` in {where}, which is {described(holder)}"
            if isinstance(holder, ListShape):
                help = "loop over a list with `#each`; its only name is `length`"
        self._log.add(UNKNOWN_NAME, path.start, path.end, message, help)

    def _refuse(self, path: Path, message: str, help: str | None = None) -> None:
        self._log.add(UNSUPPORTED, path.start, path.end, message, help)

    def _refuse_subject(self, block: Block, target: _Target, rule: str) -> None:
        if block.subject is not None and target.shape is not None:
            text = block.subject.text
            self._refuse(block.subject, f"`{text}` is {described(target.shape)}: {rule}")


def _may_be_equal(one: _Scope, other: _Scope) -> bool:
    """Whether JavaScript's `==` may hold between them: one value, or plain ones that compare."""
    if len(one.origin) == len(other.origin) and all(
        a == b or EVERY in (a, b) for a, b in zip(one.origin, other.origin, strict=True)
    ):
        return True
    kinds = (type(one.shape), type(other.shape))
    plain = [kind in {Scalar, Mixed} for kind in kinds]
    return all(plain) or (any(plain) and ListShape in kinds)


def _entered(scopes: Sequence[_Scope], hops: int) -> _Target:
    """The context itself, `hops` levels out."""
    scope = scopes[len(scopes) - 1 - hops]
    return _Target(scope.shape, scope.origin, "../" * hops + ("this" if hops else "."))
