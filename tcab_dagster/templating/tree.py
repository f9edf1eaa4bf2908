"""A template as a tree: text, outputs, comments and blocks.

Belongs here: the nodes. Does not: how they are read (parser.py) or trimmed (whitespace.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Strip:
    """The `~` of a tag: whether it eats the whitespace before its start and after its end."""

    open: bool = False
    close: bool = False


NO_STRIP = Strip()


@dataclass(frozen=True, slots=True)
class Path:
    """A reference such as `variant.name`, `../this` or `@index`.

    `depth` counts its `../`; no `names` means the context itself. `explicit` is a path that
    Handlebars looks up in the context only, never among block parameters or helpers.
    """

    text: str
    start: int
    end: int
    depth: int
    names: tuple[str, ...]
    is_data: bool
    explicit: bool

    @property
    def is_simple(self) -> bool:
        """One bare name, which Handlebars takes for a helper if there is one of that name."""
        return len(self.names) == 1 and not (self.depth or self.is_data or self.explicit)


@dataclass(slots=True)
class Text:
    """Literal text: as written, and what is left of it after trimming."""

    written: str
    value: str
    trimmed_left: bool = False
    trimmed_right: bool = False


@dataclass(slots=True)
class Comment:
    strip: Strip


@dataclass(slots=True)
class Output:
    path: Path
    start: int
    end: int
    strip: Strip


@dataclass(slots=True)
class Program:
    """A run of nodes. `chained` is the branch that an `{{else if ...}}` opens."""

    body: list[Node] = field(default_factory=list)
    chained: bool = False


@dataclass(slots=True)
class Block:
    """A block: `helper` is None for a section such as `{{#ready}}`.

    `program` renders when the subject holds, `inverse` when it does not. An inverted block
    (`{{^ready}}`) has its text in `inverse`, and in `program` what follows its `{{else}}`.
    `subject` is None where it could not be read; the problem is then already recorded.
    """

    helper: str | None
    subject: Path | None
    parameters: tuple[str, ...]
    start: int
    end: int
    program: Program | None
    inverse: Program | None
    open_strip: Strip
    inverse_strip: Strip
    close_strip: Strip


Node = Text | Comment | Output | Block
