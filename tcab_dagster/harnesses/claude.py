"""Claude Code: its install, its session command, and how its stream is read.

Belongs here: everything that is Claude Code's own. Does not: what is common to all harnesses.
Seen to work: 2.1.197, as a user other than root, against a scripted Messages endpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tcab_dagster.errors import UsageError
from tcab_dagster.harnesses.faults import fault_of_message, fault_of_status
from tcab_dagster.harnesses.keys import base_url, find_key, is_on_run_host, require_key
from tcab_dagster.harnesses.protocol import SessionCommand, SessionOrder, SessionReading
from tcab_dagster.harnesses.stream import (
    Json,
    Tally,
    count,
    dollars,
    event,
    parse_line,
    part,
    parts,
    text,
    unknown,
)
from tcab_dagster.records import Event, Fault, Usage

KEY_VARIABLE = "ANTHROPIC_API_KEY"

_KINDS = {
    "Bash": ("command", "command"),
    "Read": ("read", "file_path"),
    "Write": ("write", "file_path"),
    "Edit": ("write", "file_path"),
    "MultiEdit": ("write", "file_path"),
    "NotebookEdit": ("write", "notebook_path"),
    "Grep": ("search", "pattern"),
    "WebSearch": ("search", "query"),
    "WebFetch": ("search", "url"),
    "Glob": ("list", "pattern"),
    "LS": ("list", "path"),
}
_ERROR_CLASSES = {
    "rate_limit": Fault.PROVIDER,
    "overloaded": Fault.PROVIDER,
    "server_error": Fault.PROVIDER,
    "authentication_failed": Fault.OPERATOR,
    "billing_error": Fault.OPERATOR,
    "model_not_found": Fault.OPERATOR,
    "max_output_tokens": Fault.AGENT,
}
_AGENT_ENDS = frozenset({"prompt_too_long", "max_turns", "error_max_turns"})


class Claude:
    """The adapter of Claude Code."""

    slug = "claude"
    name = "Claude Code"
    seen_version = "2.1.197"
    default_model = None

    def install(self) -> Sequence[str]:
        return ("npm", "install", "-g", "@anthropic-ai/claude-code")

    def probe(self) -> Sequence[str]:
        return ("claude", "--version")

    def session(self, order: SessionOrder) -> SessionCommand:
        if order.model is None:
            raise UsageError("the harness `claude` needs a model", help="name one with --model")
        url = base_url(order.environment, self.slug)
        env = {
            KEY_VARIABLE: require_key(order.environment, self.slug, KEY_VARIABLE),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        if url is not None:
            env["ANTHROPIC_BASE_URL"] = url
        return SessionCommand(
            argv=(
                *("claude", "--print", "--permission-mode", "bypassPermissions"),
                *("--output-format", "stream-json", "--verbose", "--model", order.model, "--"),
            ),
            env=env,
            host_route=is_on_run_host(url),
        )

    def secrets(self, environment: Mapping[str, str]) -> Sequence[str]:
        key = find_key(environment, self.slug, KEY_VARIABLE)
        return () if key is None else (key,)

    def reader(self) -> ClaudeReader:
        return ClaudeReader()


class ClaudeReader:
    """Reads `--output-format stream-json`: one message a line."""

    def __init__(self) -> None:
        self._tally = Tally()

    def reading(self) -> SessionReading:
        return self._tally.reading()

    def feed(self, line: bytes, at: float) -> list[Event]:
        message = parse_line(line)
        match text(message, "type"):
            case "system":
                return self._system(message or {}, at)
            case "assistant":
                return self._assistant(message or {}, at)
            case "user":
                for block in parts(part(message, "message"), "content"):
                    self._tally.returned(text(block, "tool_use_id"))
                return []
            case "result":
                return self._result(message or {}, at)
            case "rate_limit_event":
                return [event(at, "system", "rate limit status")]
            case _:
                return [unknown(at, line)]

    def _system(self, message: Json, at: float) -> list[Event]:
        subtype = text(message, "subtype")
        if subtype == "init":
            words = f"Claude Code {text(message, 'claude_code_version')} {text(message, 'model')}"
            return [event(at, "system", words)]
        if subtype == "api_retry":
            return [event(at, "warning", self._retry(message))]
        return [event(at, "system", subtype)]

    def _retry(self, message: Json) -> str:
        """Without a status nothing answered: the network, which counts as the provider's."""
        status, kind = count(message, "error_status"), text(message, "error")
        fault = _ERROR_CLASSES.get(kind)
        if fault is None:
            fault = Fault.PROVIDER if status is None else fault_of_status(status)
        words = f"{kind} ({'no answer' if status is None else status}), attempt " + str(
            count(message, "attempt")
        )
        self._tally.erred(fault, words)
        return words

    def _assistant(self, message: Json, at: float) -> list[Event]:
        body = part(message, "message")
        blocks = parts(body, "content")
        if text(body, "model") == "<synthetic>":
            # Claude Code's own words in the assistant's place: an API error.
            words = " ".join(text(b, "text") for b in blocks)
            self._tally.erred(
                _ERROR_CLASSES.get(text(message, "error")) or fault_of_message(words), words
            )
            return [event(at, "error", words)]
        return [e for block in blocks for e in self._block(block, at)]

    def _block(self, block: Json, at: float) -> list[Event]:
        match text(block, "type"):
            case "text":
                self._tally.spoke()
                return [event(at, "agent", text(block, "text"))]
            case "thinking" | "redacted_thinking":
                self._tally.spoke()
                return [event(at, "reasoning", text(block, "thinking"))]
            case "tool_use":
                tool = text(block, "name")
                if not self._tally.called(tool, text(block, "id")):
                    return []
                kind, key = _KINDS.get(tool, ("command", ""))
                words = text(part(block, "input"), key) if key else tool
                return [event(at, kind, words)]
            case _:
                return []

    def _result(self, message: Json, at: float) -> list[Event]:
        usage = part(message, "usage")
        fresh = [count(usage, k) for k in ("input_tokens", "cache_creation_input_tokens")]
        self._tally.usage = Usage(
            uncached_input=None if fresh == [None, None] else sum(n or 0 for n in fresh),
            cached_input=count(usage, "cache_read_input_tokens"),
            output=count(usage, "output_tokens"),
            cost_usd=dollars(message, "total_cost_usd"),
        )
        events = [event(at, "usage", self._tally.usage.model_dump_json(exclude_none=True))]
        if message.get("is_error") is True or text(message, "subtype").startswith("error"):
            words = text(message, "result") or text(message, "subtype")
            self._tally.erred(self._fault_of_result(message, words), words)
            events.append(event(at, "error", words))
        return events

    def _fault_of_result(self, message: Json, words: str) -> Fault | None:
        if _AGENT_ENDS & {text(message, "terminal_reason"), text(message, "subtype")}:
            return Fault.AGENT
        status = count(message, "api_error_status")
        by_status = fault_of_status(status) if status is not None else None
        return by_status or fault_of_message(words)
