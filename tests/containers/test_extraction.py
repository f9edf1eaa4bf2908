"""Extraction from hostile tar streams: what becomes a file, what is refused, what is an error."""

from __future__ import annotations

import io
import stat
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tcab_dagster.containers.extraction import (
    Caps,
    CapsExceeded,
    ExtractionError,
    extract,
)
from tcab_dagster.records import CollectedTree

Entry = tarfile.TarInfo | tuple[tarfile.TarInfo, bytes]


def file(name: str, content: bytes = b"x", mode: int = 0o644) -> Entry:
    info = tarfile.TarInfo(name)
    info.mode, info.size = mode, len(content)
    return info, content


def folder(name: str) -> Entry:
    info = tarfile.TarInfo(name)
    info.type, info.mode = tarfile.DIRTYPE, 0o755
    return info


def special(name: str, kind: bytes, target: str = "") -> Entry:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def packed(*entries: Entry, root: bool = True) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(
        fileobj=archive,
        mode="w",
        format=tarfile.PAX_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    ) as tar:
        for entry in ([folder("work")] if root else []) + list(entries):
            if isinstance(entry, tuple):
                tar.addfile(entry[0], io.BytesIO(entry[1]))
            else:
                tar.addfile(entry)
    return archive.getvalue()


def chunks(data: bytes, size: int = 700) -> Iterator[bytes]:
    return (data[i : i + size] for i in range(0, len(data), size))


def collect(
    data: bytes, out: Path, git_archive: Path | None = None, caps: Caps | None = None
) -> CollectedTree:
    return extract(chunks(data), out, git_archive=git_archive, caps=caps or Caps())


def files_of(tree: Path) -> dict[str, bytes]:
    return {
        p.relative_to(tree).as_posix(): p.read_bytes()
        for p in sorted(tree.rglob("*"))
        if p.is_file() and not p.is_symlink()
    }


def names_in(folder_: Path) -> list[str]:
    return sorted(p.name for p in folder_.iterdir())


def test_files_and_folders_arrive_with_their_content_and_their_executable_bit(
    tmp_path: Path,
) -> None:
    data = packed(
        folder("work/src"),
        file("work/src/main.js", b"let a = 1;\n", 0o600),
        file("work/run.sh", b"#!/bin/sh\n", 0o6755),
        folder("work/empty"),
    )

    collected = collect(data, tmp_path / "tree")

    assert files_of(tmp_path / "tree") == {"src/main.js": b"let a = 1;\n", "run.sh": b"#!/bin/sh\n"}
    assert (tmp_path / "tree/empty").is_dir()
    assert stat.S_IMODE((tmp_path / "tree/run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "tree/src/main.js").stat().st_mode) == 0o644
    assert (collected.files, collected.bytes, collected.refused) == (2, 21, ())


def test_the_digest_follows_paths_modes_and_contents_and_nothing_else(tmp_path: Path) -> None:
    one = collect(packed(file("work/a", b"1"), file("work/b", b"2")), tmp_path / "1")
    other_order = collect(packed(file("work/b", b"2"), file("work/a", b"1")), tmp_path / "2")
    other_content = collect(packed(file("work/a", b"1"), file("work/b", b"3")), tmp_path / "3")
    other_mode = collect(packed(file("work/a", b"1", 0o755), file("work/b", b"2")), tmp_path / "4")

    assert one.digest == other_order.digest
    assert len({one.digest, other_content.digest, other_mode.digest}) == 3


HOSTILE: dict[str, tuple[Entry, str]] = {
    "a symbolic link": (special("work/l", tarfile.SYMTYPE, "/etc/passwd"), "a symbolic link"),
    "a hard link out of the tree": (
        special("work/l", tarfile.LNKTYPE, "etc/passwd"),
        "a hard link",
    ),
    "a hard link past the tree": (special("work/l", tarfile.LNKTYPE, "work/../ok"), "a hard link"),
    "a hard link to a folder": (special("work/l", tarfile.LNKTYPE, "work/sub"), "a hard link"),
    "a hard link to itself": (special("work/l", tarfile.LNKTYPE, "work/l"), "a hard link"),
    "a character device": (special("work/l", tarfile.CHRTYPE), "a device"),
    "a block device": (special("work/l", tarfile.BLKTYPE), "a device"),
    "a fifo": (special("work/l", tarfile.FIFOTYPE), "a fifo"),
    "a parent in the middle": (file("work/a/../../../evil"), "`..`"),
    "a parent at the end": (folder("work/a/.."), "`..`"),
    "an absolute path": (file("/etc/evil"), "not below the collected folder"),
    "another root": (file("home/evil"), "not below the collected folder"),
    "an empty part": (file("work//evil"), "empty part"),
    "a dot": (file("work/./evil"), "`.`"),
    "invalid UTF-8": (file("work/\udcff\udcfe"), "not UTF-8"),
    "an over-long name": (file("work/" + "n" * 300), "more than 255 bytes"),
    "an over-long path": (file("work/" + "/".join(["n" * 200] * 6)), "more than 1024 bytes"),
    "a deep path": (file("work/" + "d/" * 70 + "f"), "deeper than 64 folders"),
    "a nested repository": (file("work/sub/.git/config"), "a nested .git"),
    "a repository in other letters": (file("work/.GIT/config"), "a .git in other letters"),
    "a name that differs in case only": (file("work/OK"), "differs from ok in case only"),
    "a folder that differs in case only": (file("work/Sub/x"), "differs from sub in case only"),
    "the same path again": (file("work/ok", b"other"), "a second entry of the same path"),
    "a file below a file": (file("work/ok/below"), "below ok, which is a file"),
    "a folder where a file is": (folder("work/ok"), "a second entry of the same path"),
    "a file where a folder is": (file("work/sub"), "a second entry of the same path"),
    "an unknown kind": (special("work/l", b"Z"), "neither a file nor a folder"),
}


@pytest.mark.parametrize(("entry", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_entry_is_refused_recorded_and_hurts_nothing_else(
    tmp_path: Path, entry: Entry, reason: str
) -> None:
    data = packed(
        file("work/ok", b"fine"), folder("work/sub"), file("work/sub/in"), entry, file("work/z")
    )

    collected = collect(data, tmp_path / "tree")

    assert files_of(tmp_path / "tree") == {"ok": b"fine", "sub/in": b"x", "z": b"x"}
    assert [reason in r.reason for r in collected.refused] == [True]
    assert not (tmp_path / "evil").exists()
    assert names_in(tmp_path) == ["tree"]


def test_a_file_behind_a_link_to_elsewhere_is_not_written_through_it(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    data = packed(special("work/door", tarfile.SYMTYPE, str(target)), file("work/door/evil"))

    collected = collect(data, tmp_path / "tree")

    assert list(target.iterdir()) == []
    assert not (tmp_path / "tree/door").exists()
    assert [r.path for r in collected.refused] == ["door"]


def test_a_second_name_of_one_file_becomes_a_copy_that_counts(tmp_path: Path) -> None:
    again = special("work/again", tarfile.LNKTYPE, "work/run.sh")
    data = packed(file("work/run.sh", b"#!/bin/sh\n", 0o755), again)

    collected = collect(data, tmp_path / "tree")

    one, other = (tmp_path / "tree" / name for name in ("run.sh", "again"))
    assert files_of(tmp_path / "tree") == dict.fromkeys(["again", "run.sh"], b"#!/bin/sh\n")
    assert one.stat().st_ino != other.stat().st_ino
    assert one.stat().st_mode == other.stat().st_mode
    assert (collected.files, collected.bytes) == (2, 20)
    with pytest.raises(CapsExceeded):
        collect(data, tmp_path / "capped", caps=Caps(content_bytes=19))


def test_a_name_with_a_nul_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("work/pax")
    info.pax_headers = {"path": "work/a\0b"}
    data = packed(info, file("work/ok"))

    collected = collect(data, tmp_path / "tree")

    assert [r.reason for r in collected.refused] == ["a NUL in the name"]
    assert list(files_of(tmp_path / "tree")) == ["ok"]


def test_node_modules_are_left_out_anywhere_but_a_file_of_that_name_is_kept(
    tmp_path: Path,
) -> None:
    data = packed(
        file("work/node_modules/a/index.js"),
        file("work/packages/b/node_modules/c.js"),
        special("work/node_modules/.bin/tool", tarfile.SYMTYPE, "../a"),
        file("work/docs/node_modules"),
    )

    collected = collect(data, tmp_path / "tree")

    assert list(files_of(tmp_path / "tree")) == ["docs/node_modules"]
    assert collected.refused == ()


def test_the_repository_becomes_an_archive_and_is_not_opened(tmp_path: Path) -> None:
    hook = file("work/.git/hooks/post-checkout", b"#!/bin/sh\nevil\n", 0o755)
    link = special("work/.git/link", tarfile.SYMTYPE, "/etc")
    data = packed(folder("work/.git"), hook, link, file("work/index.html"))

    collected = collect(data, tmp_path / "tree", tmp_path / "git.tar")

    assert collected.has_git
    assert list(files_of(tmp_path / "tree")) == ["index.html"]
    with tarfile.open(tmp_path / "git.tar") as tar:
        assert tar.getnames() == [".git", ".git/hooks/post-checkout", ".git/link"]
        content = tar.extractfile(".git/hooks/post-checkout")
        assert content is not None
        assert content.read() == b"#!/bin/sh\nevil\n"
        assert tar.getmember(".git/link").linkname == "/etc"


def test_a_tree_without_a_repository_leaves_no_archive(tmp_path: Path) -> None:
    collected = collect(packed(file("work/a")), tmp_path / "tree", tmp_path / "git.tar")

    assert not collected.has_git
    assert names_in(tmp_path) == ["tree"]


@pytest.mark.parametrize(
    "caps",
    [Caps(entries=3), Caps(content_bytes=3), Caps(stream_bytes=4096)],
    ids=["entries", "bytes", "stream"],
)
def test_a_tree_past_the_caps_is_an_error_that_leaves_nothing(tmp_path: Path, caps: Caps) -> None:
    data = packed(*(file(f"work/{i}") for i in range(4)))

    with pytest.raises(CapsExceeded):
        collect(data, tmp_path / "tree", tmp_path / "git.tar", caps)

    assert names_in(tmp_path) == []


def test_a_file_that_claims_more_than_the_cap_is_not_begun(tmp_path: Path) -> None:
    info = tarfile.TarInfo("work/huge")
    info.size = 1 << 60
    endless = iter([packed()[:512], info.tobuf(), *[bytes(1 << 16)] * 4])

    with pytest.raises(CapsExceeded):
        extract(endless, tmp_path / "tree", git_archive=None)

    assert names_in(tmp_path) == []


WHOLE = packed(file("work/a", b"a" * 3000), file("work/b", b"b" * 3000))


def damaged(at: int, byte: int) -> bytes:
    return WHOLE[:at] + bytes([byte]) + WHOLE[at + 1 :]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 10240,
        b"this is no tar at all" * 100,
        WHOLE[:700],
        WHOLE[: 512 + 512 + 1000],
        WHOLE[: 512 + 512 + 3072],
        WHOLE[: 512 + 512 + 3072 + 200],
        damaged(512 + 512 + 3072 + 3, 1),
        packed(file("work"), root=False),
        packed(special("work", tarfile.SYMTYPE, "/etc"), root=False),
        packed(folder(".."), root=False),
    ],
    ids=[
        "nothing",
        "zeros",
        "text",
        "ends in a header",
        "ends in a file",
        "ends between members",
        "ends in the second header",
        "a broken second header",
        "a file for a root",
        "a link for a root",
        "a parent for a root",
    ],
)
def test_what_is_no_whole_tar_of_a_folder_is_an_error_that_leaves_nothing(
    tmp_path: Path, data: bytes
) -> None:
    with pytest.raises(ExtractionError):
        collect(data, tmp_path / "tree", tmp_path / "git.tar")

    assert names_in(tmp_path) == []


def test_a_header_that_claims_a_gigabyte_is_not_read(tmp_path: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    read = 0

    def stream() -> Iterator[bytes]:
        nonlocal read
        for chunk in [packed()[:512], info.tobuf(), *[b"x" * (1 << 20)] * 1024]:
            read += len(chunk)
            yield chunk

    with pytest.raises(ExtractionError):
        extract(stream(), tmp_path / "tree", git_archive=None)

    assert read < 8 << 20


def test_refusals_past_the_first_hundred_are_counted_only(tmp_path: Path) -> None:
    data = packed(*(special(f"work/{i}", tarfile.SYMTYPE, "x") for i in range(150)))

    collected = collect(data, tmp_path / "tree")

    assert len(collected.refused) == 101
    assert collected.refused[-1].reason == "50 more entries were refused"


def test_an_earlier_attempt_s_leftovers_are_replaced(tmp_path: Path) -> None:
    (tmp_path / ".tree.partial/stale").mkdir(parents=True)

    collect(packed(file("work/a")), tmp_path / "tree")

    assert list(files_of(tmp_path / "tree")) == ["a"]


NAMES = st.sampled_from(
    ["a", "A", "b", "..", ".", ".git", ".GIT", "node_modules", "é", "\udcff", ""]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
KINDS = st.sampled_from(
    [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, b"Z"]
)


@st.composite
def hostile_entries(draw: Callable[..., object]) -> Entry:
    prefix = draw(st.sampled_from(["work/", "work/", "work/", "/", "../", ""]))
    name, kind = f"{prefix}{draw(PATHS)}", draw(KINDS)
    assert isinstance(kind, bytes)
    if kind == tarfile.REGTYPE:
        content = draw(st.binary(max_size=600))
        assert isinstance(content, bytes)
        return file(name, content)
    return special(name, kind, str(draw(st.sampled_from(["..", "/etc/passwd", "a", "work/a"]))))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(entries=st.lists(hostile_entries(), max_size=12))
def test_no_stream_makes_anything_but_files_and_folders_below_its_own(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Entry]
) -> None:
    here = tmp_path_factory.mktemp("fuzz")

    collected = collect(packed(*entries), here / "tree", here / "git.tar")

    assert set(names_in(here)) <= {"tree", "git.tar"}
    found = list((here / "tree").rglob("*"))
    assert all(stat.S_ISDIR(p.lstat().st_mode) or stat.S_ISREG(p.lstat().st_mode) for p in found)
    assert all(part.casefold() != ".git" for p in found for part in p.relative_to(here).parts)
    assert sum(p.is_file() for p in found) == collected.files
    folded = [str(p).casefold() for p in found]
    assert len(folded) == len(set(folded))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    at=st.integers(0, len(WHOLE) - 1),
    byte=st.integers(0, 255),
    cut=st.integers(0, len(WHOLE)),
)
def test_a_damaged_stream_is_whole_or_an_error_and_never_half_a_tree(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int, cut: int
) -> None:
    here = tmp_path_factory.mktemp("fuzz")

    try:
        collected = collect(damaged(at, byte)[:cut], here / "tree")
    except ExtractionError:
        assert names_in(here) == []
    else:
        assert collected.files + len(collected.refused) == 2
