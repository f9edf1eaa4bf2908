"""What a script returned, read as verdicts.

Belongs here: the shapes that a return may have, and what is malformed. Does not: running it
(script.py). Concept: spec 000, "Automated validation"; facts: a list passes when it is not empty
and all of it passes.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

MOST_FINDINGS = 200
LONGEST_TEXT = 500
LONGEST_NOTES = 4000


class Malformed(Exception):
    """The return is not what a script may return; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Finding:
    label: str
    passed: bool
    expected: str | None = None
    actual: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    verdict: Literal["pass", "fail"]
    findings: tuple[Finding, ...]


def decisions(returned: Any, backs: Collection[str] | None) -> tuple[dict[str, Decision], str]:
    """Every verdict of a return, by id, and its notes. `backs`: the ids it may decide.

    Raises Malformed.
    """
    if not isinstance(returned, dict) or not isinstance(returned.get("verdicts"), dict):
        raise Malformed("it returned no `verdicts` object")
    decided = {}
    for verdict_id, value in returned["verdicts"].items():
        if backs is not None and verdict_id not in backs:
            raise Malformed(
                f"it returned a verdict for `{_text(verdict_id)}`, which it does not back"
            )
        decided[verdict_id] = _decision(verdict_id, value)
    return decided, _notes(returned.get("notes"))


def _decision(verdict_id: str, value: Any) -> Decision:
    if isinstance(value, list):
        if len(value) > MOST_FINDINGS:
            raise Malformed(f"`{verdict_id}` has more than {MOST_FINDINGS} findings")
        findings = tuple(_finding(verdict_id, v) for v in value)
        passed = bool(findings) and all(f.passed for f in findings)
        return Decision("pass" if passed else "fail", findings)
    passed_whole = _passed(value)
    if passed_whole is None:
        raise Malformed(
            f"`{verdict_id}` is {_text(value)}: neither true, false, pass, fail nor a list"
        )
    return Decision("pass" if passed_whole else "fail", ())


def _finding(verdict_id: str, value: Any) -> Finding:
    passed = _passed(value.get("pass")) if isinstance(value, dict) else None
    if not isinstance(value, dict) or passed is None or not isinstance(value.get("label"), str):
        raise Malformed(f"a finding of `{verdict_id}` has no `label` or no `pass`: {_text(value)}")
    return Finding(
        label=_text(value["label"]),
        passed=passed,
        expected=_text(value["expected"]) if value.get("expected") is not None else None,
        actual=_text(value["actual"]) if value.get("actual") is not None else None,
    )


def _passed(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"pass": True, "fail": False}.get(value) if isinstance(value, str) else None


def _notes(value: Any) -> str:
    if isinstance(value, list):
        value = "\n".join(v if isinstance(v, str) else json.dumps(v) for v in value)
    return "" if value is None else _text(value, LONGEST_NOTES)


def _text(value: Any, longest: int = LONGEST_TEXT) -> str:
    """A page's words may be in it: shortened, and without control characters."""
    text = value if isinstance(value, str) else json.dumps(value)
    text = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"
