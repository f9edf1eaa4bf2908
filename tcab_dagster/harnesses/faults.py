"""Whose fault a harness's own error message says a bad end was.

Belongs here: what provider APIs and the network say, in status codes and in words. Does not: which
lines of a stream are the harness's own words; each adapter knows that, and never hands over what
the model wrote: a game about rate limits is no rate limit.
"""

from __future__ import annotations

import re

from tcab_dagster.records import Fault

_OPERATOR = re.compile(
    r"""(?ix) invalid\s+(x-)?api[\s-]?key | incorrect\s+api\s+key | authenticat | unauthori[sz]ed
    | permission[_\s](error|denied) | credit\s+balance | insufficient[_\s](quota|credits|funds)
    | exceeded\s+your\s+current\s+quota | billing | payment\s+required
    | model\b.{0,80}(not\s+found|does\s+not\s+exist|not\s+supported|no\s+access) | unknown\s+model
    | not[_\s]found[_\s]error"""
)
_AGENT = re.compile(
    r"""(?ix) prompt\s+is\s+too\s+long | context[_\s]+(length|window) | maximum\s+context
    | max(imum)?[_\s]turns | output\s+token\s+maximum | request\s+too\s+large"""
)
_PROVIDER = re.compile(
    r"""(?ix) rate[_\s-]?limit | too\s+many\s+requests | overloaded | high\s+demand
    | (internal\s+)?server[_\s]error | api_error | bad\s+gateway | service\s+unavailable
    | gateway\s+time-?out | connection\s*(was\s+)?(refused|reset|failed|error|closed|aborted)
    | ECONN\w+ | ETIMEDOUT | ENOTFOUND | EAI_AGAIN | EPIPE | unable\s+to\s+connect
    | error\s+sending\s+request | stream\s+(disconnected|closed|error) | waiting\s+for\s+network
    | (request|connection|connect|read)\s+timed\s+out | socket\s+hang\s+up | dns\s+error"""
)
_STATUS = re.compile(r"(?i)\b(?:status|error|code|rejected)\b[\s:(]*([45]\d\d)\b")


def fault_of_status(status: int) -> Fault | None:
    """What an HTTP status of the provider's API says; None where the words must decide."""
    if status in (408, 429) or status >= 500:
        return Fault.PROVIDER
    if status in (401, 402, 403, 404):
        return Fault.OPERATOR
    return None


def fault_of_message(message: str) -> Fault | None:
    """What an error message of a harness says; None where nobody recognizes it.

    An exhausted quota comes as 429 and is the operator's: words are asked before the status.
    """
    if _OPERATOR.search(message):
        return Fault.OPERATOR
    if _AGENT.search(message):
        return Fault.AGENT
    if _PROVIDER.search(message):
        return Fault.PROVIDER
    status = _STATUS.search(message)
    return fault_of_status(int(status.group(1))) if status else None
