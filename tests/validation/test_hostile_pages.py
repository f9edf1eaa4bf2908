"""Pages that mean harm: each is decided, in its time, and touches nothing but itself."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.validation.driving import Drive
from tests.validation.small_sites import game, page, script

pytestmark = pytest.mark.engine

HONEST = script("await api.reset({score: 2}); const s = await api.snapshot();"
                "return {verdicts: {honest: s.score === 2}}")  # fmt: skip


def test_a_page_that_patches_every_global_changes_nothing(drive: Drive, tmp_path: Path) -> None:
    site = game(
        tmp_path / "site",
        """
        for (const type of [Array, Object, String, Promise, Function]) {
          for (const name of Object.getOwnPropertyNames(type.prototype)) {
            if (name === "constructor") continue;
            try { type.prototype[name] = () => { throw new Error("patched"); }; } catch {}
          }
        }
        JSON.stringify = JSON.parse = () => { throw new Error("patched"); };
        performance.now = Date.now = () => 0;
        window.requestAnimationFrame = () => 0;
        document.querySelectorAll = () => [];
        Promise.resolve = Promise.all = () => { throw new Error("patched"); };
        window.Promise = function () { throw new Error("patched"); };
        """,
    )
    body = """
      await api.reset({score: 2});
      const s = await api.snapshot();
      const p = await api.pixel(20 / 800, 0.5);
      await api.call("beep");
      const heard = await api.audio();
      return {verdicts: {patched: [
        {label: "state", pass: s.score === 2},
        {label: "pixel", pass: p.r === 255},
        {label: "sound", pass: heard.length === 1 && heard[0] > 0},
      ]}};
    """
    driven = drive({"patched": script(body)}, site=site)

    assert driven.verdict("patched") == ("pass", None)


def test_pages_that_hang_crash_storm_and_open_are_each_decided(
    drive: Drive, tmp_path: Path
) -> None:
    """After each of them, the next drive of the same browser works as if nothing had been."""
    site = game(
        tmp_path / "site",
        """
        Object.assign(window.__game, {
          hang() { for (;;); },
          alerts() { for (let i = 0; i < 20; i += 1) alert(i); return "done"; },
          always() { for (;;) alert(1); },
          popups() { for (let i = 0; i < 5; i += 1) open("/?" + i); return "done"; },
          leave() { location.href = "http://192.0.2.1/"; },
          close() { window.close(); return "closed"; },
          cycle() { const a = {}; a.a = a; return a; },
          numbers() { return { nan: NaN, inf: Infinity, big: 10n, none: undefined }; },
          huge() { return "x".repeat(100_000_000); },
          getter() { return { get value() { for (;;); } }; },
          never() { return new Promise(() => {}); },
          download() { const a = document.createElement("a"); a.href = "data:,x";
            a.download = "x"; a.click(); return "done"; },
        });
        """,
    )
    calls = {
        "hang": ("fail", "its time is over"),
        "alerts": ("pass", ""),
        "always": ("fail", "its time is over"),
        "popups": ("pass", ""),
        "leave": ("fail", ""),
        "close": ("pass", ""),
        "cycle": ("fail", "cycle"),
        "numbers": ("fail", "numbers"),
        "huge": ("fail", ""),
        "getter": ("fail", "its time is over"),
        "never": ("fail", "its time is over"),
        "download": ("pass", ""),
    }
    scripts = {}
    for name in calls:
        scripts[name] = script(
            f"await api.call('{name}'); await api.wait(200); await api.reset({{score: 1}});"
            f"return {{verdicts: {{{name}: (await api.snapshot()).score === 1}}}}"
        )
        scripts[f"after-{name}"] = script(
            "await api.reset({score: 2});"
            f"return {{verdicts: {{'after-{name}': (await api.snapshot()).score === 2}}}}"
        )
    began = time.monotonic()
    driven = drive(scripts, site=site, limits={"script": 5})

    for name, (verdict, reason) in calls.items():
        got, why = driven.verdict(name)
        assert got == verdict, (name, why)
        assert reason in (why or ""), (name, why)
        assert driven.verdict(f"after-{name}") == ("pass", None)
    assert time.monotonic() - began < 240


def test_a_page_reaches_its_own_origin_and_nothing_else(drive: Drive, tmp_path: Path) -> None:
    site = game(
        tmp_path / "site",
        """
        const tried = {};
        window.__game.tried = () => tried;
        const attempt = (name, doing) => doing().then(
          () => { tried[name] = "reached"; }, () => { tried[name] = "refused"; });
        attempt("own", () => fetch("/asset.txt").then((r) => { if (!r.ok) throw 1; }));
        attempt("elsewhere", () => fetch("http://192.0.2.1/", {mode: "no-cors"}));
        attempt("localhost", () => fetch("http://localhost:9/", {mode: "no-cors"}));
        attempt("outside", () => fetch("/../../request.json").then((r) => { if (!r.ok) throw 1; }));
        attempt("scripts", () => fetch("/case/validation/net.mjs").then(
          (r) => { if (!r.ok) throw 1; }));
        attempt("socket", () => new Promise((done, failed) => {
          const s = new WebSocket("ws://127.0.0.1:" + location.port + "/");
          s.onopen = done; s.onerror = failed; }));
        attempt("worker", async () => {
          await ServiceWorkerContainer.prototype.register.call(
            navigator.serviceWorker, "/worker.js");
          if (!await navigator.serviceWorker.getRegistration()) throw 1;
        });
        const ports = [9, 22, 80, 5000, 8000, 9222];
        attempt("ports", () => Promise.any(ports.map((p) =>
          fetch(`http://127.0.0.1:${p}/`, {mode: "no-cors"}))));
        """,
    )
    (site / "asset.txt").write_text("here")
    (site / "worker.js").write_text("self.addEventListener('fetch', () => {});")
    body = "await api.wait(1500); const t = await api.call('tried');"
    driven = drive(
        {"net": script(f"{body} return {{verdicts: {{net: true}}, notes: JSON.stringify(t)}}")},
        site=site,
    )

    assert driven.verdict("net") == ("pass", None)
    notes = driven.unit("net").notes
    for name in ("elsewhere", "localhost", "outside", "scripts", "socket", "worker", "ports"):
        assert f'"{name}":"refused"' in notes, notes
    assert '"own":"reached"' in notes


def test_what_one_drive_leaves_in_its_storage_no_other_finds(drive: Drive, tmp_path: Path) -> None:
    site = game(
        tmp_path / "site",
        """
        window.__game.mark = async () => {
          const before = [localStorage.mark, document.cookie, (await caches.keys()).length];
          localStorage.mark = "x"; document.cookie = "mark=x"; await caches.open("mark");
          return before.join("|");
        };
        """,
    )
    scripts = {
        name: script(
            "const b = await api.call('mark');"
            f"return {{verdicts: {{{name}: b === '||0'}}, notes: b}}"
        )
        for name in ("first", "second")
    }
    driven = drive(scripts, site=site)

    assert driven.verdict("first") == ("pass", None)
    assert driven.verdict("second") == ("pass", None)


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<body style='background:#222'>", "one flat colour"),
        ("<script>throw new Error('at once')</script><canvas>", "uncaught error before"),
        ("<script>for (;;);</script>", "the page"),
        ("<script>document.write('x'); setTimeout(() => { for (;;); }, 0)</script>", "the page"),
    ],
)
def test_a_page_that_shows_nothing_does_not_load(
    drive: Drive, tmp_path: Path, html: str, reason: str
) -> None:
    site = page(tmp_path / "site", html)
    driven = drive({"honest": HONEST}, site=site, limits={"flat": 2, "navigation": 3, "call": 3})

    loaded = driven.document.load
    assert loaded is not None
    assert loaded.status == "failed"
    assert loaded.reason is not None
    assert reason in loaded.reason
    assert driven.document.drives == ()


def test_errors_after_something_was_painted_are_recorded_and_stop_nothing(
    drive: Drive, tmp_path: Path
) -> None:
    late = """
      Promise.reject(new Error("nobody waits"));
      console.error("said", {}, "so");
      console.error("half \\ud800 a character \\u0007");
      window.__game.half = () => { throw new Error("half \\udfff too"); };
      window.__game.whole = () => "\\ud800";
      setTimeout(() => { throw new Error("late"); }, 400);
    """
    half = script(
        "const w = await api.call('whole');"
        "try { await api.call('half'); } catch (e) { return {verdicts: {half: ["
        "{label: e.message + w, pass: true, actual: w}]}, notes: w}; }"
    )
    driven = drive({"honest": HONEST, "half": half}, site=game(tmp_path / "site", late))

    loaded = driven.document.load
    assert loaded is not None
    assert loaded.status == "loaded"
    assert any("nobody waits" in line for line in loaded.console_errors)
    assert any(line.startswith("said") for line in loaded.console_errors)
    assert "half \ufffd a character \ufffd" in loaded.console_errors
    assert driven.verdict("half") == ("pass", None)
    assert driven.verdict("honest") == ("pass", None)
