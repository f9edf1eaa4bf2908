"""A secret is taken out of a stream however its chunks break."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tcab_dagster.harnesses.redaction import MARK, Redaction

SECRET = 'sk-canary-"0123456789"/+'


@given(st.lists(st.integers(min_value=1, max_value=9), min_size=1), st.integers(0, 40))
def test_no_chunk_boundary_lets_a_secret_through(sizes: list[int], before: int) -> None:
    content = b"x" * before + SECRET.encode() + b" and " + json.dumps(SECRET).encode() + b"\n"
    filtered = Redaction([SECRET]).stream()

    out, at, turn = b"", 0, 0
    while at < len(content):
        size = sizes[turn % len(sizes)]
        out += filtered.feed(content[at : at + size])
        at, turn = at + size, turn + 1
    out += filtered.end()

    assert out == b"x" * before + MARK + b" and " + b'"' + MARK + b'"\n'


@given(st.binary(max_size=200), st.integers(min_value=1, max_value=50))
def test_what_holds_no_secret_passes_byte_for_byte(content: bytes, size: int) -> None:
    filtered = Redaction(["a-secret-that-is-not-there"]).stream()
    chunks = [content[i : i + size] for i in range(0, len(content), size)]

    assert b"".join(filtered.feed(c) for c in chunks) + filtered.end() == content


def test_a_stream_that_ends_in_the_midst_of_a_secret_gives_none_of_it_away() -> None:
    filtered = Redaction([SECRET]).stream()

    assert filtered.feed(b"key: " + SECRET.encode()[:-2]) + filtered.end() == b"key: " + MARK


@given(st.integers(min_value=1, max_value=30))
def test_an_archive_keeps_its_length(size: int) -> None:
    content = b"head " + SECRET.encode() + b" tail " + SECRET.encode()
    chunks = [content[i : i + size] for i in range(0, len(content), size)]

    out = b"".join(Redaction([SECRET]).blank_stream(chunks))

    assert len(out) == len(content)
    assert SECRET.encode() not in out
    assert out.startswith(b"head *")
    assert b" tail " in out
