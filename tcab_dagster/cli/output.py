"""How `tcab` speaks: human text or one JSON document on stdout, all else on stderr.

Belongs here: formats, tables, the progress display, error text. Does not: what is said.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from fractions import Fraction
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from tcab_dagster.errors import TcabError
from tcab_dagster.records import Event


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="json is for programs.")]

WIDEST_CELL = 60
PIPED_WIDTH = 160
"""Columns of a table that goes to no terminal, and so knows no width of its own."""


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    return console


stdout = _console(stderr=False)
stderr = _console(stderr=True)


def print_error(error: TcabError) -> None:
    stderr.print(f"[bold red]error[/]: {escape(printable(error.message))}")
    if error.help is not None:
        stderr.print(f"   = help: {escape(printable(error.help))}")


def print_json(document: object) -> None:
    """One document; not through rich, which would wrap and colour it."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n")


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Rows of any width: a table where it fits, else each row as a list of its columns."""
    shown = [[_cell(cell) for cell in row] for row in rows]
    widths = [
        max([len(column), *(min(len(row[i]), WIDEST_CELL) for row in shown)])
        for i, column in enumerate(columns)
    ]
    if sum(widths) + 2 * len(widths) <= stdout.width:
        print_table(columns, rows)
        return
    name_width = max(map(len, columns))
    for number, row in enumerate(shown, start=1):
        stdout.print(f"[bold]row {number}[/]")
        for column, cell in zip(columns, row, strict=True):
            stdout.print(f"  {escape(column.ljust(name_width))}  {escape(cell)}")


def _cell(value: object) -> str:
    return printable("" if value is None else str(value))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        # The first one names the row, and is there to be copied.
        table.add_column(escape(column), overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(escape(_cell(cell)) for cell in row))
    stdout.print(table)


def number(value: Fraction) -> str:
    """Points as a person writes them: 2, 1.5, 0.333."""
    return f"{float(value):.3f}".rstrip("0").rstrip(".")


def printable(text: str) -> str:
    """Text of a run with everything that could steer a terminal made visible."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


class Live:
    """What a long command says meanwhile: a line that moves on a terminal, else plain lines."""

    def __init__(self, bar: Progress | None) -> None:
        self._bar = bar
        self._task = None if bar is None else bar.add_task("starting", total=None)

    def say(self, text: str) -> None:
        """A line that stays."""
        (self._bar.console if self._bar else stderr).print(escape(printable(text)))

    def now(self, text: str) -> None:
        """What is going on; on a terminal it takes the place of what went on before."""
        line = printable(text).splitlines()[0] if text else ""
        if self._bar is not None and self._task is not None:
            width = max(20, self._bar.console.width - 16)
            self._bar.update(self._task, description=escape(line[:width]))
        else:
            stderr.print(escape(line))

    def event(self, event: Event) -> None:
        """One event of a session: stages stay, the rest passes by."""
        stamp = f"{event.at:7.1f}s"
        if event.kind == "system":
            self.say(f"{stamp}  {event.stage or 'system'}  {event.text}".rstrip())
        else:
            self.now(f"{stamp}  {event.kind}  {event.text}")


@contextmanager
def live() -> Iterator[Live]:
    """The progress display, on a terminal only."""
    if not stderr.is_terminal:
        yield Live(None)
        return
    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=stderr, transient=True) as bar:
        yield Live(bar)
