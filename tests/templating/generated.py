"""Valid templates within the promised subset, made from a seed; and broken ones.

The generator knows the context, so that every name it writes exists. It leaves out nothing that
docs/templates.md promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

CONTEXT: Mapping[str, object] = {
    "version": "v1.2.0",
    "title": "Ball & <Paddle> \"spin\" 'n' `co`",
    "empty": "",
    "zero": 0,
    "one": 1.0,
    "half": 0.5,
    "huge": 1e21,
    "yes": True,
    "no": False,
    "nothing": [],
    "is_frenzy-mode": "frenzy",
    "a key": "spaced",
    "1st": "digit",
    "items": {"keys": "K", "get": "G", "values": ["x", "y"], "pop": False},
    "variant": {"slug": "base", "name": "Base", "description": "", "deep": {"er": {"est": 7}}},
    "specs": [
        {"dest": "a.md", "name": "a", "tags": ["t1", "t2"], "main": True, "weight": 1.5},
        {"dest": "b/c.md", "name": "c", "tags": [], "main": False, "weight": 0},
    ],
    "words": ["one", "", "three"],
    "numbers": [0, 1, 2.25, -3, 1e-7],
    "flags": [True, False],
    "matrix": [[1, 2], [], [3]],
}

TEXTS = [
    "Read",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "- ",
    " and\n",
    "x\n  y",
    "{ ",
    " }",
    "é€𝄞",
    "<b>&",
]


@dataclass(frozen=True)
class _Scope:
    value: object
    parameters: tuple[str, ...] = ()
    is_loop: bool = False


class Generator:
    """Writes templates; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def template(self) -> str:
        return self._program([_Scope(CONTEXT)], depth=0)

    def _program(self, scopes: list[_Scope], depth: int) -> str:
        start = self._text() if self._random.random() < 0.6 else ""
        pieces = (self._piece(scopes, depth) for _ in range(self._random.randint(1, 6 - depth)))
        return start + "".join(pieces)

    def _piece(self, scopes: list[_Scope], depth: int) -> str:
        roll = self._random.random()
        if roll < 0.40:
            return self._text()
        if roll < 0.44:
            return self._text() + self._output(scopes)
        if roll < 0.62:
            return self._output(scopes)
        if roll < 0.70:
            return self._comment()
        if roll < 0.73:
            return self._random.choice(["\\{{raw}}", " \\\\", " \\{{a\\{{b "])
        if depth < 3:
            return self._block(scopes, depth)
        return self._output(scopes)

    def _text(self) -> str:
        return "".join(self._random.choices(TEXTS, k=self._random.randint(1, 3)))

    def _comment(self) -> str:
        return self._random.choice(
            ["{{! note }}", "{{!-- a }} b --}}", "{{!}}", "{{~! x ~}}", "{{!--\nlines\n--~}}"]
        )

    def _tag(self, inner: str, sigil: str = "") -> str:
        left = "~" if self._random.random() < 0.1 else ""
        right = "~" if self._random.random() < 0.1 else ""
        pad = self._random.choice(["", "", "", " "])
        return "{{" + left + sigil + pad + inner + pad + right + "}}"

    def _output(self, scopes: list[_Scope]) -> str:
        path = self._path(scopes, (str, int, float, bool))
        if path is None:
            return "-"
        roll = self._random.random()
        if roll < 0.15:
            return "{{{" + path + "}}}"
        return self._tag(path, "&" if roll < 0.2 else "")

    def _block(self, scopes: list[_Scope], depth: int) -> str:
        kind = self._random.choice(["if", "if", "unless", "each", "each", "with", "section"])
        make = {"if": self._if, "unless": self._if, "section": self._section}.get(kind)
        if make is not None:
            return make(kind, scopes, depth)
        return self._entering(kind, scopes, depth)

    def _if(self, kind: str, scopes: list[_Scope], depth: int) -> str:
        path = self._path(scopes, (str, int, float, bool, list, dict)) or "@root"
        written = self._tag(f"{kind} {path}", "#") + self._program(scopes, depth + 1)
        while self._random.random() < 0.25:
            other = self._path(scopes, (str, int, float, bool, list, dict)) or "@root"
            written += self._tag(f"else {self._random.choice(['if', 'unless'])} {other}")
            written += self._program(scopes, depth + 1)
        return written + self._otherwise(scopes, depth) + self._tag(kind, "/")

    def _otherwise(self, scopes: list[_Scope], depth: int) -> str:
        if self._random.random() < 0.5:
            return ""
        tag = self._tag("", "^") if self._random.random() < 0.2 else self._tag("else")
        return tag + self._program(scopes, depth + 1)

    def _section(self, kind: str, scopes: list[_Scope], depth: int) -> str:
        found = self._found(scopes, (bool, list, dict))
        if found is None:
            return ""
        path, value = found
        inner = scopes
        if isinstance(value, dict):
            inner = [*scopes, _Scope(value)]
        elif isinstance(value, list):
            inner = [*scopes, _Scope(value[0] if value else "", is_loop=True)]
        if self._random.random() < 0.4:
            written = self._tag(path, "^") + self._program(scopes, depth + 1)
            if self._random.random() < 0.3:
                written += self._tag("else") + self._program(inner, depth + 1)
        else:
            written = self._tag(path, "#") + self._program(inner, depth + 1)
            written += self._otherwise(scopes, depth)
        return written + self._tag(path, "/")

    def _entering(self, kind: str, scopes: list[_Scope], depth: int) -> str:
        is_loop = kind == "each"
        found = self._found(scopes, (list, dict) if is_loop else (dict,))
        if found is None or (kind == "with" and found[0] in {"this", ".", "@root"}):
            return ""
        path, value = found
        parameters: tuple[str, ...] = ()
        if self._random.random() < 0.4:
            names = ["item", "at"] if is_loop else ["item"]
            parameters = tuple(names[: self._random.randint(1, len(names))])
        if is_loop:
            held = list(value.values()) if isinstance(value, dict) else value
            value = held[0] if held and len({type(h) for h in held}) == 1 else ""
        listed = f" as |{' '.join(parameters)}|" if parameters else ""
        written = self._tag(f"{kind} {path}{listed}", "#")
        written += self._program([*scopes, _Scope(value, parameters, is_loop)], depth + 1)
        return written + self._otherwise(scopes, depth) + self._tag(kind, "/")

    def _path(self, scopes: list[_Scope], kinds: tuple[type, ...]) -> str | None:
        found = self._found(scopes, kinds)
        return found[0] if found else None

    def _found(self, scopes: list[_Scope], kinds: tuple[type, ...]) -> tuple[str, object] | None:
        """A path, written in one of its ways, to a value of one of the kinds."""
        candidates: list[tuple[str, object]] = []
        for hops, scope in enumerate(reversed(scopes)):
            shadowed = {name for inner in scopes for name in inner.parameters}
            candidates += _below(scope.value, "../" * hops, shadowed)
            for name in scope.parameters[:1]:
                candidates += [(name, scope.value), *_below(scope.value, f"{name}.", set())]
        candidates += _below(CONTEXT, "@root.", set())
        candidates.append((self._random.choice(["this", "."]), scopes[-1].value))
        loops = [scope for scope in scopes if scope.is_loop]
        for hops in range(len(loops)):
            dots = "../" * hops
            candidates += [(f"@{dots}index", 0), (f"@{dots}first", True), (f"@{dots}last", True)]
            candidates.append((f"@{dots}key", ""))
        fitting = [c for c in candidates if type(c[1]) in kinds]
        return self._random.choice(fitting) if fitting else None


def _below(value: object, prefix: str, shadowed: set[str]) -> list[tuple[str, object]]:
    if isinstance(value, list) and prefix:
        return [(prefix + "length", 0)] if prefix.endswith(".") else []
    if not isinstance(value, Mapping):
        return []
    found: list[tuple[str, object]] = []
    for name, held in value.items():
        written = f"[{name}]" if " " in name or name[0].isdigit() else name
        path = prefix + written
        if name in shadowed and not prefix:
            path = f"this.{written}"
        found.append((path, held))
        found += _below(held, f"{path}.", set())
    return found


def broken(template: str, random: Random) -> str:
    """A template with one to three small faults: characters lost, doubled, swapped or put in."""
    characters = list(template)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(characters) + 1)
        match random.randrange(4):
            case 0 if characters:
                del characters[min(at, len(characters) - 1)]
            case 1:
                characters.insert(at, random.choice("{}#/^~!-.@|[]\\& \nxe"))
            case 2:
                inserted = [
                    "{{else}}",
                    "{{/if}}",
                    "{{^}}",
                    "}}",
                    "{{",
                    "{{!--",
                    "--}}",
                    "{{#if yes}}",
                ]
                characters.insert(at, random.choice(inserted))
            case _ if len(characters) > 1:
                other = random.randrange(len(characters))
                at = min(at, len(characters) - 1)
                characters[at], characters[other] = characters[other], characters[at]
    return "".join(characters)
