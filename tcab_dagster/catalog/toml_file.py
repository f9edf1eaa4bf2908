"""One TOML document: its values, fast, and its positions, when a diagnostic asks for them.

Belongs here: reading, syntax faults, and where a key, a value or a table stands. Does not: what
the keys mean (manifest.py). Values come from a native parser without positions; the grammar that
knows positions parses the file a second time, and only once something is wrong with it.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, cast

import rtoml
import tree_sitter
import tree_sitter_toml

from tcab_dagster.catalog.diagnostics import Code, Place, Report

Step = str | int
KeyPath = tuple[Step, ...]
MAX_BYTES = 1 << 20


Point = tuple[int, int]
Span = tuple[Point, Point]
"""Start and exclusive end, each (row, byte column) from 0."""


@dataclass(frozen=True, slots=True)
class _Spans:
    """Where a path of the document stands: its key, and its value or its header's brackets."""

    key: Span | None
    value: Span | None


@dataclass(frozen=True, slots=True)
class Spot:
    """A key, a value or a table of a document, located when asked."""

    file: TomlFile
    path: KeyPath
    part: Literal["key", "value", "table"]

    @property
    def place(self) -> Place:
        return self.file.place_of(self.path, self.part)


@dataclass(eq=False)
class TomlFile:
    """A parsed document. `name` is its path as diagnostics show it."""

    name: str
    text: str
    values: dict[str, object] = field(repr=False)
    is_whole: bool = True
    """Whether its shape is faultless: else some of what it says was left out."""
    forgotten: dict[KeyPath, list[int]] = field(default_factory=dict, repr=False)
    _forgotten_values: dict[KeyPath, list[object]] = field(default_factory=dict, repr=False)

    def forget(self, path: KeyPath, value: object) -> None:
        """An array's entry is faulty and left out: positions go on counting the entries as
        written, and `forgotten_names` still knows how it called itself."""
        self.forgotten.setdefault(path[:-1], []).append(cast(int, path[-1]))
        self.called(path, value)

    def called(self, path: KeyPath, value: object) -> None:
        """What an array's entry said of itself before its faults were cut out."""
        self._forgotten_values.setdefault(path[:-1], []).append(value)

    def forgotten_names(self, *array: Step, key: str) -> set[str]:
        """What the faulty entries of `array` say under `key`."""
        entries = self._forgotten_values.get(array, [])
        names = (entry.get(key) for entry in entries if isinstance(entry, dict))
        return {name for name in names if isinstance(name, str)}

    def key(self, *path: Step) -> Spot:
        return Spot(self, path, "key")

    def value(self, *path: Step) -> Spot:
        """The value at `path`; of a table its header."""
        return Spot(self, path, "value")

    def table(self, *path: Step) -> Spot:
        """The nearest table around `path`: its header, its braces, or the document's start."""
        return Spot(self, path, "table")

    def place_of(self, path: KeyPath, part: Literal["key", "value", "table"]) -> Place:
        """Where it stands, or the nearest table around it."""
        path = self._as_written(path)
        while path:
            spans = self._positions.get(path)
            if spans is not None:
                first, second = spans.value, spans.key
                span = second or first if part == "key" else first or second
                if span is not None:
                    return self._place(span)
            path, part = path[:-1], "table"
        return self.start

    def _as_written(self, path: KeyPath) -> KeyPath:
        for end, step in enumerate(path):
            if isinstance(step, int):
                for gone in sorted(self.forgotten.get(path[:end], [])):
                    step += gone <= step
                path = (*path[:end], step, *path[end + 1 :])
        return path

    @property
    def start(self) -> Place:
        first = self.text.split("\n", 1)[0].rstrip("\r")
        return Place(self.name, text=first)

    @cached_property
    def _lines(self) -> list[bytes]:
        return self.text.encode().split(b"\n")

    @cached_property
    def _positions(self) -> dict[KeyPath, _Spans]:
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_toml.language()))
        found: dict[KeyPath, _Spans] = {}
        _walk_document(parser.parse(self.text.encode()).root_node, found)
        return found

    def _place(self, span: Span) -> Place:
        (row, column), (end_row, end_column) = span
        line = self._lines[row]
        return Place(
            self.name,
            row + 1,
            _characters(line, column) + 1,
            end_row + 1,
            _characters(self._lines[end_row], end_column) + 1,
            line.decode().rstrip("\r"),
        )


def _characters(line: bytes, column: int) -> int:
    return len(line[:column].decode(errors="replace"))


def read_toml(path: Path, name: str, report: Report) -> TomlFile | None:
    """Parses the file at `path`. None, with the faults reported, where it cannot be parsed."""
    text = read_text(path, name, report)
    if text is None:
        return None
    if text.startswith("\ufeff"):
        text = text[1:]
        report.error(
            Code.BYTE_ORDER_MARK,
            Place(name, text=text.split("\n", 1)[0].rstrip("\r")),
            "the file starts with a byte order mark",
            "save it as UTF-8 without a byte order mark",
        )
    if (at := text.find("\r\n")) >= 0:
        line = text[:at]
        report.warn(
            Code.CRLF,
            Place(name, 1, len(line) + 1, 1, len(line) + 2, line),
            "lines end in CRLF, so the version's digest depends on how git checked it out",
            "save it with LF line ends, and say `* text=auto eol=lf` in .gitattributes",
        )
    try:
        values = rtoml.loads(text)
    except rtoml.TomlParsingError as error:
        _report_syntax(str(error), name, text, report)
        return None
    return TomlFile(name, text, values)


def read_text(path: Path, name: str, report: Report) -> str | None:
    """The UTF-8 text of a regular file. None, with the fault reported, where there is none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            report.error(
                Code.NOT_A_FILE,
                Place(name),
                "this is no regular file",
                "put the file itself there",
            )
            return None
        if status.st_size > MAX_BYTES:
            report.error(
                Code.TOO_LARGE,
                Place(name),
                f"the file has {status.st_size} bytes, more than the {MAX_BYTES} it may have",
                "a manifest and a seeded text are written by hand: split it, or trim it",
            )
            return None
        content = path.read_bytes()
    except OSError as error:
        report.error(
            Code.UNREADABLE,
            Place(name),
            f"the file cannot be read: {error.strerror or error}",
            "make it a file that the user tcab runs as may read",
        )
        return None
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        begin = content.rfind(b"\n", 0, error.start) + 1
        shown = content[begin:].split(b"\n", 1)[0].decode(errors="replace").rstrip("\r")
        column = len(content[begin : error.start].decode(errors="replace")) + 1
        report.error(
            Code.NOT_UTF8,
            Place(name, line, column, line, column + 1, shown),
            f"the byte 0x{content[error.start]:02x} is not UTF-8",
            "save the file as UTF-8",
        )
        return None


_AT = re.compile(r"\s*at line (\d+) column (\d+)\s*$")


def _report_syntax(message: str, name: str, text: str, report: Report) -> None:
    place = Place(name)
    if match := _AT.search(message):
        row, column = int(match[1]), int(match[2])
        lines = text.split("\n")
        shown = lines[row - 1].rstrip("\r") if row <= len(lines) else ""
        place = Place(name, row, column, row, column + 1, shown)
        message = message[: match.start()]
    report.error(
        Code.SYNTAX, place, f"not TOML: {message}", "the format is described at https://toml.io"
    )


def _span(first: tree_sitter.Node, last: tree_sitter.Node) -> Span:
    return (
        (first.start_point.row, first.start_point.column),
        (last.end_point.row, last.end_point.column),
    )


def _walk_document(root: tree_sitter.Node, found: dict[KeyPath, _Spans]) -> None:
    lengths: dict[KeyPath, int] = {}
    for node in root.named_children:
        if node.type == "pair":
            _walk_pair(node, (), found)
        elif node.type in ("table", "table_array_element") and len(node.children) >= 3:
            opening, header, closing = node.children[:3]
            spans = _Spans(_span(header, header), _span(opening, closing))
            path: KeyPath = ()
            for name in _names(header):
                path = (*_last_element(path, lengths), name)
                found.setdefault(path, spans)
            if node.type == "table_array_element":
                lengths[path] = lengths.get(path, 0) + 1
                path = _last_element(path, lengths)
            found[path] = spans
            for child in node.named_children[1:]:
                if child.type == "pair":
                    _walk_pair(child, path, found)


def _last_element(path: KeyPath, lengths: dict[KeyPath, int]) -> KeyPath:
    """`[[a.b]]` and `[a.b]` inside `[[a]]` belong to the last `a`."""
    return (*path, lengths[path] - 1) if path in lengths else path


def _walk_pair(pair: tree_sitter.Node, table: KeyPath, found: dict[KeyPath, _Spans]) -> None:
    if len(pair.named_children) < 2:
        return
    key, value = pair.named_children[0], pair.named_children[-1]
    path = table
    for name in _names(key):
        path = (*path, name)
        found.setdefault(path, _Spans(_span(key, key), None))
    found[path] = _Spans(_span(key, key), _span(value, value))
    _walk_value(value, path, found)


def _walk_value(value: tree_sitter.Node, path: KeyPath, found: dict[KeyPath, _Spans]) -> None:
    if value.type == "inline_table":
        for child in value.named_children:
            if child.type == "pair":
                _walk_pair(child, path, found)
    elif value.type == "array":
        elements = [c for c in value.named_children if c.type not in ("comment", "ERROR")]
        for index, element in enumerate(elements):
            found[(*path, index)] = _Spans(None, _span(element, element))
            _walk_value(element, (*path, index), found)


def _names(key: tree_sitter.Node) -> list[str]:
    if key.type == "dotted_key":
        return [name for child in key.named_children for name in _names(child)]
    text = (key.text or b"").decode()
    if key.type == "quoted_key":
        parsed: dict[str, object] = rtoml.loads(f"{text} = 0")
        return list(parsed)
    return [text]
