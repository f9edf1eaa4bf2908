"""Streams that the real command lines printed against a scripted endpoint, read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcab_dagster.harnesses.protocol import SessionReading, StreamReader
from tcab_dagster.harnesses.registry import HARNESSES, harness
from tcab_dagster.records import Event, Fault, Usage

STREAMS = Path(__file__).parent / "streams"


def read(name: str) -> tuple[list[Event], SessionReading]:
    reader = harness(name.split("-")[0]).reader()
    events = feed(reader, (STREAMS / f"{name}.jsonl").read_bytes().splitlines())
    return events, reader.reading()


def feed(reader: StreamReader, lines: list[bytes]) -> list[Event]:
    return [event for line in lines for event in reader.feed(line, 1.0)]


def shown(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.kind, event.text) for event in events]


def test_a_session_of_claude_code_is_read_whole() -> None:
    events, reading = read("claude-ok")

    assert shown(events)[:3] == [
        ("system", "Claude Code 2.1.197 claude-sonnet-4-5"),
        ("command", "echo 'it works' > made.txt"),
        ("agent", "I wrote made.txt."),
    ]
    assert reading.tool_calls == {"Bash": 1}
    assert reading.usage == Usage(
        uncached_input=300, cached_input=800, output=50, cost_usd=0.0019349999999999999
    )
    assert not reading.call_open


def test_a_session_of_codex_is_read_whole() -> None:
    events, reading = read("codex-ok")

    assert [kind for kind, _ in shown(events)] == [
        *("system", "warning", "system", "reasoning", "command", "agent", "usage")
    ]
    assert shown(events)[4] == ("command", "/bin/sh -lc \"echo 'it works' > made.txt\"")
    assert reading.tool_calls == {"command_execution": 1}
    assert reading.usage == Usage(uncached_input=300, cached_input=700, output=80, reasoning=32)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("claude-400", Fault.AGENT),
        ("claude-401", Fault.OPERATOR),
        ("claude-429", Fault.PROVIDER),
        ("claude-500", Fault.PROVIDER),
        ("claude-529", Fault.PROVIDER),
        ("claude-refused", Fault.PROVIDER),
        ("codex-400", Fault.AGENT),
        ("codex-401", Fault.OPERATOR),
        ("codex-429", Fault.PROVIDER),
        ("codex-500", Fault.PROVIDER),
        ("codex-refused", Fault.PROVIDER),
    ],
)
def test_a_real_bad_end_names_whose_fault_it_was(name: str, fault: Fault) -> None:
    events, reading = read(name)

    assert reading.fault is fault
    assert not reading.model_spoke
    assert reading.detail
    assert any(e.kind in ("error", "warning") for e in events)


def test_errors_that_the_model_got_over_are_nobodys_fault() -> None:
    reader = harness("codex").reader()
    feed(
        reader,
        [
            b'{"type":"error","message":"Reconnecting... 1/5 (stream disconnected)"}',
            b'{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"on"}}',
        ],
    )

    assert reader.reading().fault is Fault.UNKNOWN
    assert reader.reading().model_spoke


def test_what_the_model_says_about_rate_limits_is_no_rate_limit() -> None:
    reader = harness("claude").reader()
    said = {"type": "text", "text": "Error: 429 rate limit. The server is overloaded."}
    feed(
        reader,
        [json.dumps({"type": "assistant", "message": {"content": [said]}}).encode()],
    )

    assert reader.reading().fault is Fault.UNKNOWN


def test_a_call_that_never_came_back_stays_open() -> None:
    reader = harness("codex").reader()
    item = {"id": "i1", "type": "command_execution", "command": "sleep 9000"}
    feed(reader, [json.dumps({"type": "item.started", "item": item}).encode()])

    assert reader.reading().call_open


def test_an_exhausted_quota_is_the_operators_though_its_status_is_429() -> None:
    reader = harness("codex").reader()
    message = "exceeded retry limit, last status: 429: You exceeded your current quota"
    feed(reader, [json.dumps({"type": "error", "message": message}).encode()])

    assert reader.reading().fault is Fault.OPERATOR


def test_tokens_that_are_not_reported_are_null_and_not_zero() -> None:
    reader = harness("claude").reader()
    feed(reader, [b'{"type":"result","subtype":"success","usage":{"output_tokens":7}}'])

    assert reader.reading().usage == Usage(output=7)


def test_a_result_that_gave_up_on_turns_is_the_agents() -> None:
    reader = harness("claude").reader()
    feed(reader, [b'{"type":"result","subtype":"error_max_turns","is_error":true}'])

    assert reader.reading().fault is Fault.AGENT


def test_a_replayed_session_carries_what_was_recorded() -> None:
    reader = harness("replay").reader()
    events = feed(
        reader,
        [
            b'{"kind":"command","text":"npm install"}',
            b'{"kind":"write","text":"src/main.js","tool":"Write"}',
            b'{"kind":"usage","usage":{"uncached_input":5,"output":0}}',
            b'{"kind":"error","text":"overloaded","fault":"provider"}',
            b"plain words",
        ],
    )

    assert [e.kind for e in events] == ["command", "write", "usage", "error", "unknown"]
    reading = reader.reading()
    assert reading.tool_calls == {"command": 1, "Write": 1}
    assert reading.usage == Usage(uncached_input=5, output=0)
    assert reading.fault is Fault.PROVIDER


KEYS = [
    "type",
    "message",
    "content",
    "item",
    "usage",
    "input",
    "id",
    "name",
    "kind",
    "error",
    "text",
    "subtype",
    "fault",
    "changes",
    "input_tokens",
]
VALUES = [
    "assistant",
    "user",
    "result",
    "system",
    "api_retry",
    "text",
    "tool_use",
    "item.completed",
    "item.started",
    "turn.completed",
    "turn.failed",
    "error",
    "file_change",
    "agent_message",
    "usage",
    "command",
    "command_execution",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner | st.sampled_from(VALUES), max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(JSON.map(json.dumps).map(str.encode) | st.binary(max_size=40), max_size=6))
def test_no_line_makes_a_reader_raise(lines: list[bytes]) -> None:
    for each in HARNESSES.values():
        reader = each.reader()
        for event in feed(reader, lines):
            event.model_dump_json()
        reader.reading()


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"type":"turn.completed","usage":{"input_tokens":' + b"9" * 5000 + b"}}",
        b'{"type":"result","usage":{"input_tokens":-1,"output_tokens":true},"total_cost_usd":NaN}',
        b'{"type":"assistant","message":{"content":[{"type":"text","text":"\\ud800"}]}}',
    ],
)
def test_a_poisoned_line_does_no_harm(line: bytes) -> None:
    for each in HARNESSES.values():
        reader = each.reader()
        for event in feed(reader, [line]):
            event.model_dump_json()
        assert reader.reading().usage == Usage()
