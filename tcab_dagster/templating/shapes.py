"""The shape of a context: which names exist, and what each holds.

Belongs here: shapes, and the shape of a given context. Does not: what is done with them
(analysis.py). A context holds text, numbers, booleans, lists and mappings with string keys; there
is no null, so that a missing value is always an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from tcab_dagster.errors import TcabError


class Scalar(Enum):
    """A value that can be printed. ANY is one of several kinds."""

    TEXT = "text"
    NUMBER = "a number"
    FLAG = "a boolean"
    ANY = "a value"


@dataclass(frozen=True, slots=True)
class ListShape:
    """A list. `item` is None where the list is empty, so that nothing is known of an item."""

    item: Shape | None


@dataclass(frozen=True, slots=True)
class MappingShape:
    fields: Mapping[str, Shape]


@dataclass(frozen=True, slots=True)
class Mixed:
    """Values of kinds that have nothing in common."""


Shape = Scalar | ListShape | MappingShape | Mixed


def shape_of(value: object) -> Shape:
    """The shape of a context. Raises TcabError for a value that no template can hold."""
    match value:
        case bool():
            return Scalar.FLAG
        case int() | float():
            return Scalar.NUMBER
        case str():
            return Scalar.TEXT
        case list() | tuple():
            return ListShape(merged(shape_of(item) for item in value))
        case Mapping():
            return MappingShape({_key(key): shape_of(held) for key, held in value.items()})
    raise TcabError(f"a template's context cannot hold {type(value).__name__}: {value!r}")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TcabError(f"a template's context has a key that is not text: {key!r}")
    return key


def merged(shapes: Iterable[Shape]) -> Shape | None:
    """What holds of every one of them; None of none."""
    result: Shape | None = None
    for shape in shapes:
        result = shape if result is None else _both(result, shape)
    return result


def _both(one: Shape, other: Shape) -> Shape:
    if one == other:
        return one
    match one, other:
        case Scalar(), Scalar():
            return Scalar.ANY
        case ListShape(), ListShape():
            return ListShape(merged(s.item for s in (one, other) if s.item is not None))
        case MappingShape(), MappingShape():
            shared = (name for name in one.fields if name in other.fields)
            return MappingShape(
                {name: _both(one.fields[name], other.fields[name]) for name in shared}
            )
    return Mixed()


def described(shape: Shape) -> str:
    """For a message: what a value of this shape is."""
    match shape:
        case Scalar():
            return shape.value
        case ListShape():
            return "a list"
        case MappingShape():
            return "a mapping"
    return "of several kinds"
