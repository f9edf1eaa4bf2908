"""What is sound of a faulty document, so that its other rules are checked in the same pass.

Belongs here: cutting faults out of a document's values, as small as the model allows. Does not:
telling them (shape.py). What comes out is never resolved to a case: the faults were reported.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, get_args

from pydantic import ValidationError

from tcab_dagster.catalog import manifest as m
from tcab_dagster.catalog.toml_file import KeyPath, TomlFile

M = TypeVar("M", bound=m.Table)

UNKNOWN = ""
"""Stands in a salvaged model for a required text that was faulty and is reported already."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What pydantic found at a path of a document. `kind` is its name for it."""

    kind: str
    path: KeyPath
    value: object
    context: Mapping[str, object]


_REQUIRED: Mapping[str, object] = {
    "slug": "x",
    "name": "x",
    "difficulty": "easy",
    "tags": [],
    "changelog": "x",
    "prompt": "x",
    "variants": ["x"],
    "build": {"install": "x", "build": "x"},
    "domain": [{"id": "x", "description": "x"}],
}
_STAND_INS: Mapping[str, object] = {
    "slug": UNKNOWN,
    "changelog": UNKNOWN,
    "prompt": UNKNOWN,
    "variants": [],
    "domain": [],
}


_STAND_IN_LEAVES: Mapping[str, object] = {
    "title": "x",
    "text": "x",
    "description": "x",
    "weight": 1,
    "kind": "image",
}


def salvaged(model: type[M], file: TomlFile, faults: Sequence[Fault]) -> M | None:
    """The document without its faulty parts, each cut out as small as the model allows."""
    values = copy.deepcopy(file.values)
    entries: set[KeyPath] = set()
    for number, fault in enumerate(faults):
        if fault.kind == "extra_forbidden":
            _delete(values, fault.path)
        else:
            cut = _mended(values, model, file, fault.path, f"faulty{number}")
            if cut is not None:
                entries.add(cut)
    for path in sorted(entries, key=lambda p: [str(s).rjust(9) for s in p], reverse=True):
        file.forget(path, _at(values, path))
        _delete(values, path)
    stand_ins = {
        key: _REQUIRED[key]
        for key, field in model.model_fields.items()
        if field.is_required() and not values.get(key) and key in _REQUIRED
    }
    try:
        whole = model.model_validate({**values, **stand_ins})
    except ValidationError:
        return None
    return whole.model_copy(
        update={key: value for key, value in _STAND_INS.items() if key in stand_ins}
    )


def _mended(
    values: object, model: type[m.Table], file: TomlFile, path: KeyPath, name: str
) -> KeyPath | None:
    """Stands in for a faulty required leaf, or drops the nearest optional key around it. Returns
    the array entry to be dropped where neither can be: later, so that others keep their index."""
    leaf, holder = path[-1], _at(values, path[:-1])
    if isinstance(holder, dict) and len(path) > 2:
        if leaf in ("id", "view"):
            file.called(path[:-1], dict(holder))
            holder[leaf] = name
            return None
        if leaf in _STAND_IN_LEAVES:
            holder[leaf] = _STAND_IN_LEAVES[str(leaf)]
            return None
    for end in range(len(path), 0, -1):
        step, outer = path[end - 1], path[: end - 1]
        if isinstance(step, int):
            if not any(isinstance(s, int) for s in outer):
                return path[:end]
            continue
        owner = model_at(model, outer)
        field = None if owner is None else owner.model_fields.get(step)
        if end == 1 or (field is not None and not field.is_required()):
            _delete(values, path[:end])
            return None
    return None


def _at(values: object, path: KeyPath) -> object:
    for step in path:
        if isinstance(values, dict):
            values = values.get(step)
        elif isinstance(values, list) and isinstance(step, int) and step < len(values):
            values = values[step]
        else:
            return None
    return values


def _delete(values: object, path: KeyPath) -> None:
    holder, step = _at(values, path[:-1]), path[-1]
    if isinstance(holder, dict):
        holder.pop(step, None)
    elif isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        del holder[step]


def model_at(model: type[m.Table], path: KeyPath) -> type[m.Table] | None:
    """The table that `path` names in a model; of a choice of tables the first."""
    current: type[m.Table] | None = model
    for step in path:
        if isinstance(step, int):
            continue
        if current is None or step not in current.model_fields:
            return None
        tables = list(_tables(current.model_fields[step].annotation))
        current = tables[0] if tables else None
    return current


def _tables(annotation: object) -> Iterator[type[m.Table]]:
    if isinstance(annotation, type) and issubclass(annotation, m.Table):
        yield annotation
    for argument in get_args(annotation):
        yield from _tables(argument)
