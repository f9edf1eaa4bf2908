"""What is wrong with a catalog's files, and where: diagnostics as good as a compiler's.

Belongs here: the codes, the shape, collecting, the text for people and the JSON for programs.
Does not: the rules that find a fault. Concept: docs/author-a-case.md, "Diagnostics".
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, Protocol, TypedDict

from rich.cells import cell_len

from tcab_dagster.errors import TcabError

Severity = Literal["error", "warning"]


class Code(StrEnum):
    """Every diagnostic's stable name: words, so that it can be read, searched and guessed."""

    # A file as a file.
    UNREADABLE = "unreadable"
    NOT_UTF8 = "not-utf8"
    BYTE_ORDER_MARK = "byte-order-mark"
    CRLF = "crlf"
    TOO_LARGE = "too-large"
    SYNTAX = "syntax"
    BROKEN_LINK = "broken-link"
    OUTSIDE_FOLDER = "outside-folder"
    SPECIAL_FILE = "special-file"
    # The catalog's tree.
    BAD_VERSION = "bad-version"
    NO_MANIFEST = "no-manifest"
    MISPLACED_MANIFEST = "misplaced-manifest"
    WRONG_MANIFEST = "wrong-manifest"
    LINK_NOT_FOLLOWED = "link-not-followed"
    SLUG_MISMATCH = "slug-mismatch"
    DUPLICATE_SLUG = "duplicate-slug"
    FROZEN_VERSION = "frozen-version"
    NOT_SUPPORTED = "not-supported"
    # A document's shape.
    UNKNOWN_KEY = "unknown-key"
    MISPLACED_KEY = "misplaced-key"
    MISSING_KEY = "missing-key"
    WRONG_TYPE = "wrong-type"
    BAD_VALUE = "bad-value"
    EMPTY = "empty"
    NOT_POSITIVE = "not-positive"
    BAD_SLUG = "bad-slug"
    BAD_ID = "bad-id"
    BAD_HANDLE = "bad-handle"
    BAD_DATE = "bad-date"
    # Paths, and what is seeded.
    BAD_PATH = "bad-path"
    NO_SUCH_FILE = "no-such-file"
    NOT_A_FILE = "not-a-file"
    NOT_A_FOLDER = "not-a-folder"
    BAD_EXTENSION = "bad-extension"
    NEVER_SEEDED = "never-seeded"
    SEEDED_LINK = "seeded-link"
    SEEDED_COLLISION = "seeded-collision"
    PROOF_COLLISION = "proof-collision"
    # Between keys.
    DUPLICATE_ID = "duplicate-id"
    DUPLICATE_VARIANT = "duplicate-variant"
    ONE_OF = "one-of"
    TWO_GRAMMARS = "two-grammars"
    UNKNOWN_REFERENCE = "unknown-reference"
    NOT_RENDERED = "not-rendered"
    UNKNOWN_PROOF = "unknown-proof"
    UNKNOWN_DOMAIN = "unknown-domain"
    UNKNOWN_PACKAGE = "unknown-package"
    VALIDATION_ON_ITEM = "validation-on-item"
    TWO_VIDEOS = "two-videos"
    SCRIPT_REUSED = "script-reused"
    NO_INSTRUMENTATION = "no-instrumentation"
    UNKNOWN_VARIANT = "unknown-variant"
    UNKNOWN_VERDICT = "unknown-verdict"
    NOTHING_TO_EXCLUDE = "nothing-to-exclude"
    # Templates, and the author's contract with the model.
    TEMPLATE_SYNTAX = "template-syntax"
    TEMPLATE_UNSUPPORTED = "template-unsupported"
    TEMPLATE_UNKNOWN_NAME = "template-unknown-name"
    PROOF_NOT_REQUESTED = "proof-not-requested"
    UNSEEDED_TARGET = "unseeded-target"
    HANDLE_NOT_NAMED = "handle-not-named"
    NAMES_THE_CABINET = "names-the-cabinet"


class Located(Protocol):
    """Whatever can say where it stands. It is asked only once something is wrong with it."""

    @property
    def place(self) -> Place: ...


@dataclass(frozen=True, slots=True)
class Place:
    """A span of a file. Lines and columns count from 1, columns in characters; the end is
    exclusive. `text` is the first line of the span, for the caret; None where the place is a
    file or a folder as a whole."""

    file: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    text: str | None = None

    @property
    def place(self) -> Place:
        return self

    @property
    def is_header(self) -> bool:
        """Whether it is a table's header, as against an inline table."""
        return self.text is not None and self.text[self.column - 1 : self.column] == "["


@dataclass(frozen=True, slots=True)
class Related:
    """The other place of a conflict, and what it has to do with it."""

    place: Place
    label: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault. `help` is the mend."""

    severity: Severity
    code: Code
    message: str
    place: Place
    help: str | None = None
    related: tuple[Related, ...] = ()
    slug: str | None = None
    version: str | None = None


@dataclass(slots=True)
class Report:
    """Collects diagnostics, each once: common parts are checked with every variant."""

    _found: dict[Diagnostic, list[Related]] = field(default_factory=dict)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return [replace(d, related=tuple(others)) for d, others in self._found.items()]

    def error(
        self,
        code: Code,
        at: Located,
        message: str,
        help: str | None = None,
        related: Sequence[tuple[Located, str]] = (),
    ) -> None:
        others = tuple(Related(other.place, label) for other, label in related)
        self._add(Diagnostic("error", code, message, at.place, help, others))

    def warn(self, code: Code, at: Located, message: str, help: str | None = None) -> None:
        self._add(Diagnostic("warning", code, message, at.place, help))

    def extend(self, other: Report) -> None:
        for diagnostic in other.diagnostics:
            self._add(diagnostic)

    def _add(self, diagnostic: Diagnostic) -> None:
        """Of what is found once a variant, the other places are gathered."""
        others = self._found.setdefault(replace(diagnostic, related=()), [])
        others += [other for other in diagnostic.related if other not in others]

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._found)

    def of_version(self, slug: str | None, version: str | None) -> tuple[Diagnostic, ...]:
        """What was found, in order, each marked with the version that it is about."""
        return in_order(replace(d, slug=slug, version=version) for d in self.diagnostics)


class CatalogError(TcabError):
    """A version or a catalog that does not resolve; carries every diagnostic."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        if not self.diagnostics:
            return self.message
        return f"{self.message}\n\n{render_diagnostics(self.diagnostics, color=False)}"


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """By file, then position: the same catalog always reports in the same order."""
    return tuple(
        sorted(
            diagnostics,
            key=lambda d: (
                d.place.file,
                d.place.line,
                d.place.column,
                d.severity,
                d.code,
                d.message,
            ),
        )
    )


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """The help line for a misspelt name: the nearest one, else the whole valid set."""
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return one_of(names) if names else None


def one_of(names: Iterable[str]) -> str:
    """The valid set as a help line, in the order given."""
    listed = [f"`{name}`" for name in names]
    if len(listed) == 1:
        return f"the only one there is: {listed[0]}"
    return f"one of {', '.join(listed[:-1])} and {listed[-1]}"


class DiagnosticJson(TypedDict):
    severity: str
    code: str
    message: str
    help: str | None
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    slug: str | None
    version: str | None


class CatalogJson(TypedDict):
    ok: bool
    cases: int
    versions: int
    diagnostics: list[DiagnosticJson]


def diagnostic_json(diagnostic: Diagnostic) -> DiagnosticJson:
    place = diagnostic.place
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code.value,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "slug": diagnostic.slug,
        "version": diagnostic.version,
    }


def render_diagnostics(diagnostics: Sequence[Diagnostic], color: bool = False) -> str:
    """The text for people: each fault with its line, a caret and the mend; then a count."""
    paint = _paint if color else _plain
    parts = [_render(d, paint) for d in diagnostics]
    errors = sum(d.severity == "error" for d in diagnostics)
    warnings = len(diagnostics) - errors
    if parts:
        parts.append(f"{_count(errors, 'error')}, {_count(warnings, 'warning')}")
    return "\n\n".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


Paint = Callable[[str, str], str]

_STYLES = {"error": "1;31", "warning": "1;33", "frame": "1;34", "help": "1;36", "strong": "1"}


def _paint(style: str, text: str) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def _plain(style: str, text: str) -> str:
    return text


def _render(diagnostic: Diagnostic, paint: Paint) -> str:
    places = [diagnostic.place, *(related.place for related in diagnostic.related)]
    width = max(2, *(len(str(p.line)) + 1 for p in places if p.text is not None), 2)
    heading = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    lines = [f"{heading}: {paint('strong', _visible(diagnostic.message))}"]
    lines += _excerpt("-->", diagnostic.place, None, width, diagnostic.severity, paint)
    for other in diagnostic.related:
        lines += _excerpt(":::", other.place, other.label, width, "frame", paint)
    if diagnostic.help is not None:
        mend = f"{paint('frame', '=')} {paint('help', 'help')}: {_visible(diagnostic.help)}"
        lines.append(" " * (width + 1) + mend)
    return "\n".join(lines)


def _excerpt(
    arrow: str, place: Place, label: str | None, width: int, style: str, paint: Paint
) -> list[str]:
    margin = " " * width
    note = "" if label is None else f" {label}"
    where = f"{margin}{paint('frame', arrow)} {_visible(place.file)}"
    if place.text is None:
        return [f"{where}{note}"]
    bar = paint("frame", "|")
    number = paint("frame", str(place.line).rjust(width))
    end = place.end_column if place.end_line == place.line else len(place.text) + 1
    before = _visible(place.text[: place.column - 1])
    marked = _visible(place.text[place.column - 1 : end - 1])
    after = _visible(place.text[end - 1 :])
    caret = " " * cell_len(before) + paint(style, "^" * max(1, cell_len(marked)))
    return [
        f"{where}:{place.line}:{place.column}",
        f"{margin} {bar}",
        f"{number} {bar} {before}{marked}{after}".rstrip(),
        f"{margin} {bar} {caret}{note}",
    ]


def _visible(text: str) -> str:
    """Tabs as four blanks, control characters escaped: a manifest cannot steer a terminal."""
    return "".join(
        c if c.isprintable() else "    " if c == "\t" else c.encode("unicode_escape").decode()
        for c in text
    )
