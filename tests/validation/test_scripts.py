"""What a script can do, and what every way to go wrong decides. One sandbox for many scripts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tcab_dagster.catalog.model import Output
from tests.validation.driving import Drive
from tests.validation.small_sites import script

pytestmark = pytest.mark.engine

STILL = Output("still", "Still", "image")
CLIP = Output("clip", "Clip", "video")


EVERYTHING = """export default async (api) => {
  const findings = [];
  const see = (label, pass) => findings.push({ label, pass });
  await api.reset({ score: 3 });
  await api.step(1.5);
  let seen = await api.snapshot();
  see("reset and step", seen.score === 3 && seen.time === 1.5);
  await api.reset(undefined);
  see("undefined is no argument", (await api.snapshot()).score === 0);
  const red = await api.pixel(20 / 800, 0.5), black = await api.pixel(0.5, 0.1);
  see("pixels", red.r === 255 && red.g === 0 && red.a === 255 && black.r === 0);
  await api.step(1);
  see("pixels follow", (await api.pixel(20 / 800, 0.5)).r === 0);
  await api.userKey("ArrowUp");
  await api.userClick(100, 200);
  seen = await api.snapshot();
  see("keys and clicks", seen.key === "ArrowUp" && seen.click.join() === "100,200");
  see("a promise settles", (await api.call("later", { a: [1, null] })).a.length === 2);
  await api.call("beep");
  const sounds = await api.audio();
  see("sounds", sounds.length === 1 && sounds[0] > 0);
  const { version, types } = await api.probe(["step", "nope"]);
  see("probe", version === "1" && types.step === "function" && types.nope === "undefined");
  const before = performance.now();
  await api.wait(120);
  see("wait", performance.now() - before > 110);
  see("no ticks", api.tickHz === null);
  const thrown = await api.call("boom").catch((error) => error.message);
  see("what throws can be caught", thrown.includes("no boom today"));
  return { verdicts: { all: findings }, notes: "fine" };
};
"""


def test_a_script_drives_the_handle_the_keys_the_pointer_and_the_clock(drive: Drive) -> None:
    unit = drive({"all": EVERYTHING}).unit("all")

    assert [f.label for f in unit.findings if not f.passed] == []
    assert len(unit.findings) == 11
    assert (unit.verdict, unit.notes) == ("pass", "fine")


def test_every_way_to_go_wrong_is_decided_with_its_reason(drive: Drive) -> None:
    wrong = {
        "false": ("return {verdicts: {'false': false}}", "fail", None),
        "findings": (
            "return {verdicts: {findings: [{label: 'a', pass: true}, "
            "{label: 'b', pass: 'fail', expected: 1, actual: {x: 2}}]}}",
            "fail",
            "b",
        ),
        "empty": ("return {verdicts: {empty: []}}", "fail", None),
        "throws": ("throw new Error('why not')", "fail", "why not"),
        "calls-nothing": ("await api.call('nope')", "fail", "not a function"),
        "page-throws": ("await api.call('boom')", "fail", "no boom today"),
        "unmet": (
            "throw Object.assign(new Error('no wall'), {ttcPreconditionUnmet: true})",
            "undecided",
            "no wall",
        ),
        "foreign": ("return {verdicts: {foreign: true, other: true}}", "fail", "does not back"),
        "nothing": ("", "fail", "no `verdicts`"),
        "maybe": ("return {verdicts: {maybe: 'maybe'}}", "fail", "malformed"),
        "silent": ("return {verdicts: {}}", "fail", "no verdict for `silent`"),
        "no-label": ("return {verdicts: {'no-label': [{pass: true}]}}", "fail", "label"),
        "cycle": ("const a = {}; a.a = a; return {verdicts: a}", "fail", "no JSON"),
        "no-picture": ("return {verdicts: {'no-picture': true}}", "fail", "`still`"),
        "undeclared": ("await api.screenshot('other')", "fail", "no declared image"),
        "exits": ("process.exit(0)", "fail", "ended without a return"),
        "endless": ("for (;;);", "fail", "its time is over: 3 s"),
        "key": ("await api.userKey('Nonsense')", "fail", "Nonsense"),
    }
    driven = drive(
        {name: script(body) for name, (body, _, _) in wrong.items()},
        outputs={"no-picture": (STILL,)},
        limits={"script": 3},
    )

    for name, (_, verdict, reason) in wrong.items():
        got, why = driven.verdict(name)
        assert got == verdict, (name, why)
        assert (reason or "") in (why or ""), (name, why)
    hidden = driven.unit("findings").findings[1]
    assert (hidden.expected, hidden.actual) == ("1", '{"x": 2}')


def test_a_script_imports_what_stands_beside_it(drive: Drive, tmp_path: Path) -> None:
    library = tmp_path / "case1" / "validation" / "lib"
    library.mkdir(parents=True)
    (library / "sum.mjs").write_text("export { two } from './two.mjs';\n")
    (library / "two.mjs").write_text("export const two = 2;\n")

    driven = drive(
        {"sub.one": "import { two } from '../lib/sum.mjs';\n"
         + script("return {verdicts: {'sub.one': two === 2}}")}
    )  # fmt: skip

    assert driven.verdict("sub.one") == ("pass", None)


def test_a_clip_is_as_long_as_the_drive_and_moves(drive: Drive) -> None:
    body = "await api.call('play'); await api.wait(3000); return {verdicts: {wait: true}}"
    driven = drive({"wait": script(body)}, outputs={"wait": (CLIP,)})

    assert driven.verdict("wait") == ("pass", None)
    clip = driven.media / "wait__clip.webm"
    assert 3.0 <= seconds_of(clip) <= 3.3
    assert frames_of(clip) >= 30
    assert (driven.media / "thumbs" / "wait__clip.webm.jpg").stat().st_size > 500


def test_the_same_build_gives_the_same_bytes(drive: Drive) -> None:
    body = "await api.reset(); await api.step(2); await api.screenshot('still');"
    source = script(f"{body} return {{verdicts: {{same: true}}}}")
    pictures = {
        (drive({"same": source}, outputs={"same": (STILL,)}).media / "same__still.png").read_bytes()
        for _ in range(2)
    }

    assert len(pictures) == 1


def seconds_of(clip: Path) -> float:
    return float(_probe(clip, "-show_entries", "format=duration"))


def frames_of(clip: Path) -> int:
    return int(_probe(clip, "-count_frames", "-show_entries", "stream=nb_read_frames"))


def _probe(clip: Path, *options: str) -> str:
    plain = ["-v", "error", "-of", "default=nokey=1:noprint_wrappers=1"]
    ended = subprocess.run(
        ["ffprobe", *plain, *options, str(clip)], capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()
