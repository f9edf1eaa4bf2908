"""Readers and writers at once, and writers that die."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from tcab_dagster.home import Home
from tcab_dagster.warehouse import connect, query, remove_case, write_case, write_run
from tcab_dagster.warehouse.files import LEFTOVER_SECONDS, WarehouseFolder
from tests.warehouse.restless import POINTS, PONG, marked

HALF_RUNS = f"""
    SELECT run_id FROM verdicts GROUP BY run_id
    HAVING count(*) != {POINTS} OR count(DISTINCT verdict) != 1
"""


@contextmanager
def restless(*arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.warehouse.restless", *map(str, arguments)],
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def finished_well(process: subprocess.Popen[bytes]) -> None:
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint.decode()


def test_a_reader_reads_whole_runs_while_four_writers_write(home: Home) -> None:
    count = 5
    seen = [0]
    with connect(home) as notebook:
        with (
            restless("write", home.path, 1, count) as first,
            restless("write", home.path, 2, count) as second,
            restless("write", home.path, 3, count) as third,
            restless("write", home.path, 4, count) as fourth,
        ):
            writers = (first, second, third, fourth)
            while any(writer.poll() is None for writer in writers):
                assert notebook.execute(HALF_RUNS).fetchall() == []
                [(runs, distinct)] = notebook.execute(
                    "SELECT count(*), count(DISTINCT run_id) FROM runs"
                ).fetchall()
                assert runs == distinct >= seen[-1]
                seen.append(runs)
            for writer in writers:
                finished_well(writer)
        assert notebook.execute(
            "SELECT count(*), min(score_auto), count(DISTINCT detail) FROM runs"
        ).fetchall() == [(4 * count, 1.0, 1)]
    assert len(set(seen)) > 2, "the reader read only before or after the writers wrote"


def test_a_killed_writer_leaves_the_old_run_or_the_new_one(home: Home) -> None:
    with restless("kill", home.path, 20) as killer:
        while killer.poll() is None:
            assert query(home, HALF_RUNS).rows == []
        finished_well(killer)

    folder = WarehouseFolder.of(home)
    leftovers = list(folder.path.glob("**/.*.part"))
    assert leftovers, "no writer was killed in the midst of writing"
    assert query(home, HALF_RUNS).rows == []
    for run in range(3):
        write_run(home, marked(run, 1), PONG)
    assert query(home, "SELECT score_auto, detail FROM runs").rows == [(1.0, "1")] * 3

    folder.sweep()
    assert all(leftover.exists() for leftover in leftovers), "a living writer's file was taken"
    folder.sweep(time.time() + LEFTOVER_SECONDS + 60)
    assert not any(leftover.exists() for leftover in leftovers)
    assert len(query(home, "SELECT * FROM runs").rows) == 3


def test_readers_in_processes_of_their_own_do_not_lock_each_other_out(home: Home) -> None:
    write_case(home, PONG)
    write_run(home, marked(1, 1), PONG)
    with connect(home):
        for _ in range(2):
            subprocess.run(
                [sys.executable, "-c", READER, str(WarehouseFolder.of(home).database)],
                check=True, timeout=60, cwd="/",
            )  # fmt: skip


READER = """
import sys, duckdb
found = duckdb.connect(sys.argv[1], read_only=True).execute("SELECT score_auto FROM runs")
assert found.fetchall() == [(1.0,)]
"""


def test_the_views_follow_a_home_that_was_moved(home: Home, tmp_path: Path) -> None:
    write_run(home, marked(1, 1), PONG)
    assert len(query(home, "SELECT * FROM runs").rows) == 1

    moved = Home.open(home.path.rename(tmp_path / "a 'new' [home]*"))

    assert len(query(moved, "SELECT * FROM runs").rows) == 1
    with duckdb.connect(str(moved.warehouse / "tcab.duckdb"), read_only=True) as notebook:
        assert notebook.execute("SELECT detail FROM runs").fetchall() == [("1",)]


def test_a_reader_keeps_reading_while_the_views_are_made_anew(home: Home) -> None:
    write_run(home, marked(1, 1), PONG)
    database = WarehouseFolder.of(home).database
    with connect(home) as before:
        database.unlink()
        database.write_bytes(b"not a database")
        assert len(query(home, "SELECT * FROM runs").rows) == 1
        assert len(before.execute("SELECT * FROM runs").fetchall()) == 1


def test_a_file_a_reader_has_listed_outlives_the_removal_of_its_rows(home: Home) -> None:
    write_case(home, PONG)
    folder = WarehouseFolder.of(home)
    remove_case(home, PONG.key)
    file = folder.live("cases", PONG.key)

    folder.sweep()
    assert file.exists()
    os.utime(file, (0, 0))
    folder.sweep()
    assert not file.exists()
    assert query(home, "SELECT * FROM cases").rows == []
