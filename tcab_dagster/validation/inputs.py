"""What of a version folder goes into the validator's sandbox.

Belongs here: choosing and copying scripts with what they import, and mockups with what they show.
Does not: anything else of the folder: the sandbox opens hostile pages, so it holds only what
it needs.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}/[^"']+)["']""")


def copy_scripts(folder: Path, scripts: Iterable[str], out: Path) -> None:
    """Copies scripts, the folders they stand in from the top, and what they import."""
    wanted = list(scripts)
    for script in wanted:
        _copy_top(folder, script, out)
    for path in closure(folder, wanted):
        _copy_file(folder, path, out)


def copy_mockups(folder: Path, mockups: Iterable[str], assets: Iterable[str], out: Path) -> None:
    """Copies mockups, the folders they stand in from the top, and the case's assets."""
    for path in [*mockups, *assets]:
        if (folder / path).is_dir():
            shutil.copytree(folder / path, out / path, dirs_exist_ok=True)
        else:
            _copy_top(folder, path, out)


def closure(folder: Path, scripts: Iterable[str]) -> list[str]:
    """Scripts and whatever they import by relative path below the version folder, sorted."""
    found: set[str] = set()
    waiting = list(scripts)
    while waiting:
        path = waiting.pop()
        source = folder / path
        if path in found or not source.is_file():
            continue
        found.add(path)
        for imported in _IMPORT.findall(source.read_text(errors="replace")):
            target = (source.parent / imported).resolve()
            if target.is_relative_to(folder.resolve()):
                waiting.append(target.relative_to(folder.resolve()).as_posix())
    return sorted(found)


def script_digest(folder: Path, script: str) -> str:
    """SHA-256 over a script and all that it imports: what a baseline depends on."""
    digest = hashlib.sha256()
    for path in closure(folder, [script]):
        content = (folder / path).read_bytes()
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _copy_top(folder: Path, path: str, out: Path) -> None:
    top = PurePosixPath(path).parts[0]
    if (folder / top).is_dir():
        if not (out / top).exists():
            shutil.copytree(folder / top, out / top)
    else:
        _copy_file(folder, path, out)


def _copy_file(folder: Path, path: str, out: Path) -> None:
    target = out / path
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / path, target)
