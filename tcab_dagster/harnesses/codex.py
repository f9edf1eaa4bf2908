"""Codex: its install, its session command, and how its stream is read.

Belongs here: everything that is Codex's own. Does not: what is common to all harnesses.
Seen to work: 0.171.0, as a user other than root, against a scripted Responses endpoint. It ignores
`OPENAI_BASE_URL`, sends no key from `OPENAI_API_KEY`, and without a network it waits without end,
one "Reconnecting" line after the other: only the maximum runtime ends such a session.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tcab_dagster.errors import UsageError
from tcab_dagster.harnesses.faults import fault_of_message
from tcab_dagster.harnesses.keys import base_url, find_key, is_on_run_host, require_key
from tcab_dagster.harnesses.protocol import SessionCommand, SessionOrder, SessionReading
from tcab_dagster.harnesses.stream import (
    Json,
    Tally,
    count,
    event,
    parse_line,
    part,
    parts,
    text,
    unknown,
)
from tcab_dagster.records import Event, Usage

KEY_VARIABLE = "OPENAI_API_KEY"


class Codex:
    """The adapter of Codex."""

    slug = "codex"
    name = "Codex"
    seen_version = "0.171.0"
    default_model = None

    def install(self) -> Sequence[str]:
        return ("npm", "install", "-g", "@openai/codex")

    def probe(self) -> Sequence[str]:
        return ("codex", "--version")

    def session(self, order: SessionOrder) -> SessionCommand:
        if order.model is None:
            raise UsageError("the harness `codex` needs a model", help="name one with --model")
        url = base_url(order.environment, self.slug)
        # A JSON string is a TOML string too, which is what `-c` reads.
        where = () if url is None else ("-c", f"openai_base_url={json.dumps(url)}")
        return SessionCommand(
            argv=(
                *("codex", "exec", "--json", "--skip-git-repo-check"),
                *("--dangerously-bypass-approvals-and-sandbox", *where),
                *("--model", order.model, "--"),
            ),
            env={"CODEX_API_KEY": require_key(order.environment, self.slug, KEY_VARIABLE)},
            host_route=is_on_run_host(url),
        )

    def secrets(self, environment: Mapping[str, str]) -> Sequence[str]:
        key = find_key(environment, self.slug, KEY_VARIABLE)
        return () if key is None else (key,)

    def reader(self) -> CodexReader:
        return CodexReader()


class CodexReader:
    """Reads `codex exec --json`: one thread event a line."""

    def __init__(self) -> None:
        self._tally = Tally()

    def reading(self) -> SessionReading:
        return self._tally.reading()

    def feed(self, line: bytes, at: float) -> list[Event]:
        message = parse_line(line)
        match text(message, "type"):
            case "thread.started" | "turn.started" as kind:
                return [event(at, "system", kind)]
            case "item.started" | "item.updated" | "item.completed" as kind:
                item = part(message, "item")
                events = self._item(item, at, done=kind == "item.completed")
                return [unknown(at, line)] if events is None else events
            case "turn.completed":
                return [self._usage(part(message, "usage"), at)]
            case "turn.failed":
                return [self._error(text(part(message, "error"), "message"), at)]
            case "error":
                return [self._error(text(message, "message"), at)]
            case _:
                return [unknown(at, line)]

    def _error(self, words: str, at: float) -> Event:
        self._tally.erred(fault_of_message(words), words)
        return event(at, "warning" if words.startswith("Reconnecting") else "error", words)

    def _usage(self, usage: Json, at: float) -> Event:
        """A turn's totals count from the session's start: the last one is the session's.

        `input_tokens` includes what was cached; `output_tokens` what was reasoned.
        """
        whole, cached = count(usage, "input_tokens"), count(usage, "cached_input_tokens")
        self._tally.usage = Usage(
            uncached_input=None if whole is None else max(0, whole - (cached or 0)),
            cached_input=cached,
            output=count(usage, "output_tokens"),
            reasoning=count(usage, "reasoning_output_tokens"),
        )
        return event(at, "usage", self._tally.usage.model_dump_json(exclude_none=True))

    def _item(self, item: Json, at: float, *, done: bool) -> list[Event] | None:
        """An item is shown once: a call when it begins, what is said when it is complete.

        None for one of a type that nobody knows.
        """
        match text(item, "type"):
            case "agent_message" if done:
                self._tally.spoke()
                return [event(at, "agent", text(item, "text"))]
            case "reasoning" if done:
                self._tally.spoke()
                return [event(at, "reasoning", text(item, "text"))]
            case "error" if done:
                # Advice about the installation or the transport, not the end of anything.
                return [event(at, "warning", text(item, "message"))]
            case "command_execution":
                return self._call(item, at, "command", text(item, "command"), done=done)
            case "file_change":
                paths = ", ".join(text(c, "path") for c in parts(item, "changes"))
                return self._call(item, at, "write", paths, done=done)
            case "web_search":
                return self._call(item, at, "search", text(item, "query"), done=done)
            case "mcp_tool_call" | "collab_tool_call":
                return self._call(item, at, "command", text(item, "tool"), done=done)
            case "agent_message" | "reasoning" | "error" | "todo_list":
                return []
            case _:
                return None

    def _call(self, item: Json, at: float, kind: str, words: str, *, done: bool) -> list[Event]:
        call = text(item, "id")
        first = self._tally.called(text(item, "type"), call, done=done)
        if done:
            self._tally.returned(call)
        return [event(at, kind, words)] if first else []
