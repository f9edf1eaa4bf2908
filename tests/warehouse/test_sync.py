"""After any accident, one sync: the tables say what the store and the records say."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tcab_dagster.catalog import resolve_version
from tcab_dagster.catalog.model import CaseVersion
from tcab_dagster.catalog.store import Store
from tcab_dagster.home import Home
from tcab_dagster.records import State
from tcab_dagster.warehouse import query, sync, write_run
from tests.evaluation.authored import record

MANIFEST = """
slug = "pong"
name = "Pong"
difficulty = "easy"
tags = []
summary = "Hit the ball."
description = "description.md"
changelog = "changelog.md"
prompt = "prompt.hbs"
variants = ["variants/base.toml"]
max_runtime_hours = 1

[build]
install = "npm ci"
build = "npm run build"

[[domain]]
id = "play"
name = "Play"
description = "How it plays."

[[review_item]]
id = "ball"
title = "Ball"
text = "There is a ball."
weight = 1
domain = "play"

[[review_item]]
id = "look"
title = "Look"
text = "It looks good."
weight = {look}
domain = "play"
"""

ERRATUM = """
[[erratum]]
id = "look"
title = "Nobody can tell"
body = "The look was never specified."
review = "look"
exclude_from_score = true
"""


def authored(folder: Path, *, look: int = 3, errata: str | None = None) -> CaseVersion:
    version = folder / "v1.0.0"
    (version / "variants").mkdir(parents=True, exist_ok=True)
    (version / "test-case.toml").write_text(MANIFEST.format(look=look))
    (version / "variants/base.toml").write_text('slug = "base"\nname = "Base"\n')
    (version / "description.md").write_text("A game.\n")
    (version / "changelog.md").write_text("First.\n")
    (version / "prompt.hbs").write_text("Build it in {{workspace}}.\n")
    if errata is not None:
        (version / "errata.toml").write_text(errata)
    return resolve_version(version)


SCORES = "SELECT run_id, state, score_auto, definition_current FROM runs ORDER BY run_id"
HALF = {"ball": "pass", "look": "fail"}


def test_a_driver_that_died_before_it_wrote_the_rows_loses_nothing(
    home: Home, tmp_path: Path
) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    made = record(of, HALF)
    home.write_record(made)

    first = sync(home)

    assert first.runs_written == [made.run_id]
    assert first.cases_written == [of.key]
    assert first.problems == {}
    assert query(home, SCORES).rows == [(made.run_id, "completed", 0.25, True)]
    again = sync(home)
    assert (again.runs_written, again.cases_written, again.problems) == ([], [], {})


def test_rows_of_an_older_record_give_way(home: Home, tmp_path: Path) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    old = record(of, state=State.COLLECTED)
    home.write_record(old)
    write_run(home, old, of)
    home.write_record(record(of, HALF))

    assert sync(home).runs_written == [old.run_id]

    assert query(home, SCORES).rows == [(old.run_id, "completed", 0.25, True)]


def test_the_rows_that_the_driver_wrote_are_not_written_again(home: Home, tmp_path: Path) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    home.write_record(record(of, HALF))
    write_run(home, record(of, HALF), of)

    assert sync(home).runs_written == []


def test_a_record_that_an_older_release_wrote_is_written_once(home: Home, tmp_path: Path) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    made = record(of, HALF)
    home.write_record(made)
    document = json.loads(home.run(made.run_id).record.read_bytes())
    del document["tool_calls"]
    home.run(made.run_id).record.write_text(json.dumps(document))

    assert sync(home).runs_written == [made.run_id]
    assert sync(home).runs_written == []


def test_a_copied_home_is_written_once_and_then_left_alone(home: Home, tmp_path: Path) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    home.write_record(record(of, HALF))
    sync(home)

    copy = Home.open(shutil.copytree(home.path, tmp_path / "copy", copy_function=shutil.copyfile))

    assert sync(copy).runs_written == [record(of).run_id]
    assert query(copy, SCORES).rows == query(home, SCORES).rows
    again = sync(copy)
    assert (again.runs_written, again.cases_written) == ([], [])


def test_rows_written_from_a_record_that_was_replaced_meanwhile_are_written_again(
    home: Home, tmp_path: Path
) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    home.write_record(record(of, HALF))
    write_run(home, record(of, state=State.COLLECTED), of)

    assert sync(home).runs_written == [record(of).run_id]
    assert query(home, SCORES).rows[0][1:3] == ("completed", 0.25)


def test_an_edited_version_an_erratum_and_a_removal_reach_the_tables(
    home: Home, tmp_path: Path
) -> None:
    before = authored(tmp_path)
    store = Store(home)
    store.put(before)
    home.write_record(record(before, HALF))
    sync(home)

    after = authored(tmp_path, look=1, errata=ERRATUM)
    store.put(after)
    home.write_record(record(after, HALF, run=2))
    sync(home)

    first, second = (f"{before.key}~{run:026d}" for run in (1, 2))
    assert query(home, SCORES).rows == [
        (first, "completed", 1.0, False),
        (second, "completed", 1.0, True),
    ]
    look = "SELECT weight, excluded FROM verdicts WHERE verdict_id = 'look' ORDER BY run_id"
    assert query(home, look).rows == [(3.0, True), (1.0, True)]

    store.remove(after.key)
    assert sync(home).cases_removed == [after.key]
    assert query(home, "SELECT * FROM cases").rows == []
    assert len(query(home, SCORES).rows) == 2
    assert sync(home).cases_removed == []


def test_a_version_is_hidden_and_shown_as_the_store_says(home: Home, tmp_path: Path) -> None:
    of = authored(tmp_path, errata=ERRATUM)
    store = Store(home)
    store.put(of, hidden=True)
    home.write_record(record(of, HALF))

    sync(home)
    assert query(home, SCORES).rows == []

    store.put(of)
    assert sync(home).cases_written == [of.key]
    assert [row[2] for row in query(home, SCORES).rows] == [1.0]
    assert len(query(home, "SELECT * FROM errata").rows) == 1


def test_what_cannot_be_written_is_reported_and_stops_nothing(home: Home, tmp_path: Path) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    unknown = replace(of, digest="f" * 64)
    home.write_record(record(unknown, HALF, run=1))
    home.write_record(record(of, {"ball": "pass", "ghost": "pass"}, run=2))
    home.write_record(record(of, HALF, run=3))
    garbled = home.run(f"{of.key}~{4:026d}").record
    garbled.parent.mkdir()
    garbled.write_text("{")

    report = sync(home)

    assert report.runs_written == [f"{of.key}~{3:026d}"]
    problems = [report.problems[f"{of.key}~{run:026d}"] for run in (1, 2, 4)]
    assert "ffff" in problems[0]
    assert "`ghost`" in problems[1]
    assert "JSON" in problems[2]


@pytest.mark.parametrize("folder", ["warehouse", "warehouse/format-1/runs/live"])
def test_a_warehouse_removed_by_hand_is_made_anew(home: Home, tmp_path: Path, folder: str) -> None:
    of = authored(tmp_path)
    Store(home).put(of)
    home.write_record(record(of, HALF))
    sync(home)
    before = query(home, SCORES).rows

    shutil.rmtree(home.path / folder)
    sync(home)

    assert query(home, SCORES).rows == before != []
