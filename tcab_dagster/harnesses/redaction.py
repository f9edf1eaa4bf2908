"""Takes secrets out of a byte stream, wherever its chunks happen to break.

Belongs here: the filter. Does not: what the secrets are (adapters) or which streams are recorded
(execution/). Concept: docs/runs.md, "Keys".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

MARK = b"[redacted]"


def _spellings(secret: str) -> set[bytes]:
    """A secret as itself, as a JSON string spells it, and as a URL does."""
    return {
        secret.encode(),
        json.dumps(secret)[1:-1].encode(),
        json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
        quote(secret, safe="").encode(),
    }


class Redaction:
    """The secrets of one run, and how they are taken out of what is recorded."""

    def __init__(self, secrets: Iterable[str]) -> None:
        spelt = {s for secret in secrets if secret for s in _spellings(secret)}
        self.secrets: tuple[bytes, ...] = tuple(sorted(spelt, key=len, reverse=True))
        self._pattern = re.compile(b"|".join(map(re.escape, self.secrets))) if spelt else None

    def mark(self, content: bytes) -> bytes:
        """Whole content with every secret replaced by a mark."""
        return self._pattern.sub(MARK, content) if self._pattern else content

    def mark_text(self, text: str) -> str:
        return self.mark(text.encode(errors="replace")).decode(errors="replace")

    def blank(self, content: bytes) -> bytes:
        """Like `mark`, but of the same length, so that an archive's offsets hold."""
        if self._pattern is None:
            return content
        return self._pattern.sub(lambda found: b"*" * len(found.group()), content)

    def undecided(self, content: bytes) -> int:
        """How many bytes at the end could be the beginning of a secret."""
        longest = min(len(content), len(self.secrets[0]) - 1) if self.secrets else 0
        for length in range(longest, 0, -1):
            tail = content[-length:]
            if any(s.startswith(tail) for s in self.secrets):
                return length
        return 0

    def stream(self) -> RedactedStream:
        """A filter for one stream that arrives in chunks."""
        return RedactedStream(self)

    def blank_stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """An archive's chunks, its length kept, with every secret blanked."""
        held = b""
        for chunk in chunks:
            blanked = self.blank(held + chunk)
            keep = self.undecided(blanked)
            held = blanked[len(blanked) - keep :]
            if len(blanked) > keep:
                yield blanked[: len(blanked) - keep]
        if held:
            yield held


class RedactedStream:
    """One stream's filter: what may be the beginning of a secret is held back until it is not."""

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        marked = self._redaction.mark(self._held + chunk)
        keep = self._redaction.undecided(marked)
        self._held = marked[len(marked) - keep :]
        return marked[: len(marked) - keep]

    def end(self) -> bytes:
        """What was held back: the stream ended in the midst of what might have been a secret.

        Such a tail is a beginning of the key, so it is not given away either, where it is long.
        """
        held, self._held = self._held, b""
        return MARK if len(held) >= 8 else held
