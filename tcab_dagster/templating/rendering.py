"""Renders templates through pybars3, as handlebars.js would.

Belongs here: the one use of pybars3, its helpers, and JavaScript's idea of truth and of numbers.
Does not: what may be rendered (analysis.py, which has always had its say before).
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from tcab_dagster.errors import TcabError
from tcab_dagster.templating.analysis import analyze
from tcab_dagster.templating.problems import TemplateError
from tcab_dagster.templating.shapes import shape_of

_compiling = threading.Lock()


def render(source: str, context: Mapping[str, object], *, name: str) -> str:
    """The template rendered in `context`, without HTML escaping; `name` is for messages.

    Raises TemplateError with every problem that `check` finds.
    """
    restated, problems = analyze(source, shape_of(context))
    if problems:
        raise TemplateError(name, problems)
    helpers = {**_HELPERS, "text": lambda this, number: restated.texts[number]}
    with _compiling:  # pybars3's compiler keeps its state in its class.
        template = _compiled(restated.source)
    rendered = template(_Names.of(context), helpers=helpers)
    return str(rendered)


@functools.lru_cache(maxsize=512)
def _compiled(source: str) -> Callable[..., object]:
    # Importing pybars builds its grammars, which takes longer than checking a whole catalog.
    from pybars import Compiler

    template: Callable[..., object] = Compiler().compile(source)
    return template


class _Names(dict[str, Any]):
    """A mapping whose missing names are errors, where pybars3 would look for an attribute."""

    @classmethod
    def of(cls, value: object) -> Any:
        match value:
            case Mapping():
                return cls((key, cls.of(held)) for key, held in value.items())
            case list() | tuple():
                return _Items(cls.of(item) for item in value)
        return value

    def __missing__(self, name: str) -> Any:
        raise TcabError(f"pybars3 looked for `{name}`, which the template's check had not allowed")


class _Items(list[Any]):
    """A list with JavaScript's `length`, which pybars3 knows only for a plain list."""

    @property
    def length(self) -> int:
        return len(self)


def _value(found: Any) -> Any:
    """What a path led to: pybars3 hands out its own scope for `../this`."""
    from pybars import Scope

    return found.context if isinstance(found, Scope) else found


def _show(this: Any, found: Any) -> str:
    value = _value(found)
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, int | float) else str(value)


def _is_true(value: Any) -> bool:
    """JavaScript's truth, but for an empty list, which Handlebars takes for false."""
    if isinstance(value, Mapping):
        return True
    return bool(value) and not (isinstance(value, float) and math.isnan(value))


def _if(this: Any, options: Mapping[str, Any], found: Any) -> Any:
    return options["fn" if _is_true(_value(found)) else "inverse"](this)


def _unless(this: Any, options: Mapping[str, Any], found: Any) -> Any:
    return options["inverse" if _is_true(_value(found)) else "fn"](this)


def _each(this: Any, options: Mapping[str, Any], found: Any) -> Any:
    from pybars import Scope, strlist

    held = _value(found)
    entries = list(held.items()) if isinstance(held, Mapping) else list(enumerate(held))
    if not entries:
        return options["inverse"](this)
    result = strlist()
    for index, (key, item) in enumerate(entries):
        scope = Scope(
            item, this, options["root"],
            index=index, key=key, first=index == 0, last=index == len(entries) - 1,
        )  # fmt: skip
        result.grow(options["fn"](scope))
    return result


def _with(this: Any, options: Mapping[str, Any], found: Any) -> Any:
    from pybars import Scope

    return options["fn"](Scope(_value(found), this, options["root"]))


_HELPERS: Mapping[str, Callable[..., Any]] = {
    "show": _show,
    "if": _if,
    "unless": _unless,
    "each": _each,
    "with": _with,
}


def number_text(value: float) -> str:
    """A number in JavaScript's shortest form: `0.5`, `1`, `1e+21`."""
    number = float(value)
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    _, digit_tuple, exponent = Decimal(repr(abs(number))).normalize().as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, digit_tuple))
    point = len(digits) + exponent
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{sign}{mantissa}e{point - 1:+d}"
