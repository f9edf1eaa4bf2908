"""Whose fault a failed install or build is, from the package manager's own words.

Belongs here: reading exit statuses and npm's error codes. Does not: running anything.
What is not recognized as the tree's is never the tree's: we fail closed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tcab_dagster.containers.protocol import ExecResult

Blame = Literal["tree", "infrastructure"]

_CODE = re.compile(r"^npm (?:error|ERR!) code (\S+)", re.MULTILINE)

_TREE_CODES = {
    "EUSAGE": "there is no lock file, or it does not match package.json",
    "ENOLOCK": "there is no lock file",
    "ETARGET": "a version that does not exist is asked for",
    "E404": "a package that does not exist is asked for",
    "ERESOLVE": "its dependencies contradict each other",
    "EBADENGINE": "it asks for another version of Node",
    "EBADPLATFORM": "it asks for a package of another platform",
    "EINVALIDPACKAGENAME": "a dependency's name is invalid",
    "EINVALIDTAGNAME": "a dependency's version is invalid",
    "EUNSUPPORTEDPROTOCOL": "a dependency's source is of an unknown kind",
    "EOVERRIDE": "its overrides contradict its dependencies",
    "EDUPLICATEWORKSPACE": "two of its workspaces share a name",
}

_SURROUNDINGS = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONN[A-Z]+|E[A-Z]*TIMEDOUT|ERR_SOCKET_TIMEOUT|EHOSTUNREACH"
    r"|ENETUNREACH|UND_ERR_\w+|EPROTO|ERR_SSL_\w+|CERT_\w+|\w*SELF_SIGNED_CERT\w*"
    r"|UNABLE_TO_(?:GET|VERIFY)\w+|E429|E5\d\d|ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE|ENOMEM)\b"
)
_MISSING_FILE = re.compile(r"^npm (?:error|ERR!) path /work/(?!.*node_modules/)", re.MULTILINE)
_LAST_LINES = 12


@dataclass(frozen=True, slots=True)
class Failure:
    """`reason` is one line for a person."""

    blame: Blame
    reason: str


def install_failure(ended: ExecResult, output: str) -> Failure:
    """Why an install that did not end with 0 failed."""
    stopped = _stopped(ended)
    if stopped is not None:
        return Failure("infrastructure", f"the install {stopped}")
    codes = _CODE.findall(output)
    code = codes[-1] if codes else None
    if code in _TREE_CODES:
        return Failure("tree", f"the install failed: {_TREE_CODES[code]} ({code})")
    if code == "EJSONPARSE" and "package.json" in output:
        return Failure("tree", "the install failed: package.json is not JSON (EJSONPARSE)")
    if code == "ENOENT" and _MISSING_FILE.search(output):
        return Failure("tree", "the install failed: a file that it names is missing (ENOENT)")
    surroundings = _SURROUNDINGS.search(output)
    if surroundings is not None:
        return Failure("infrastructure", f"the install failed: {surroundings.group(1)}")
    if code is not None and code.isdigit():
        return Failure("tree", f"the install failed: a script of it ended with {code}")
    said = code or f"exit status {ended.exit_code}"
    return Failure("infrastructure", f"the install failed, and nobody knows why: {said}")


def build_failure(ended: ExecResult, output: str) -> Failure:
    """Why a build that did not end with 0 failed. It needs nothing that the install did not need,

    so it is the tree's, save where the machine or the network shows in its words. A build that
    does not end is the tree's too: what starts a server or a watcher never does.
    """
    if ended.ended == "timeout":
        return Failure("tree", f"the build did not end within {ended.seconds:.0f} s")
    if ended.ended != "exited":
        return Failure("infrastructure", f"the build {_stopped(ended)}")
    if ended.oom_killed:
        return Failure("tree", "the build used more memory than its container has")
    surroundings = _SURROUNDINGS.search(last_lines(output))
    if surroundings is not None:
        return Failure("infrastructure", f"the build failed: {surroundings.group(1)}")
    return Failure("tree", f"the build ended with {ended.exit_code}")


def _stopped(ended: ExecResult) -> str | None:
    if ended.oom_killed:
        return "ran out of memory"
    match ended.ended:
        case "exited":
            return None
        case "disk":
            return "filled its disk"
        case "timeout":
            return f"did not end within {ended.seconds:.0f} s"
        case other:
            return f"was stopped: {other}"


def last_lines(output: str) -> str:
    """The end of an output: where tools say why they failed."""
    return "\n".join(output.splitlines()[-_LAST_LINES:])
