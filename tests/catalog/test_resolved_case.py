"""The resolved shape: defaults filled in, variants effective, both grammars made one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from tcab_dagster.catalog.model import Instrumentation, Output, Reference, Spec
from tests.catalog.authoring import BASE, FAST, MANIFEST, author


def test_defaults_are_filled_in(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, "max_runtime_hours = 0.5\n", "")
    case.edit(MANIFEST, "experimental = false\n", "")
    resolved = case.resolved()
    assert resolved.max_runtime_hours == 1
    assert resolved.experimental is False
    assert resolved.type == "end-to-end"
    assert resolved.variant().name == "Base"
    assert resolved.variant().proofs[1].name == "Flight"
    assert resolved.variant().domains[0].name == "Steering"
    assert resolved.instrumentation == Instrumentation("__comet", 60)


def test_a_destination_defaults_to_the_source_without_its_hbs(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, 'dest = "specs/mode.md"\nkind = "spec"', 'kind = "script"')
    assert case.resolved().variant().specs == (
        Spec("specs/overview.md", "specs/overview.md"),
        Spec("specs/mode.md.hbs", "specs/mode.md", "script"),
    )


def test_a_variant_adds_to_what_is_common_and_replaces_the_workspace(tmp_path: Path) -> None:
    resolved = author(tmp_path).resolved()
    base, fast = resolved.variant("base"), resolved.variant("fast")
    assert base.workspace == "workspaces/base"
    assert fast.workspace == "workspaces/fast"
    assert [s.dest for s in fast.specs] == [*(s.dest for s in base.specs), "specs/fast.md"]
    assert [r.view for r in fast.references] == ["title", "flight", "speed"]
    assert [p.id for p in fast.proofs] == ["title", "flight", "speed"]
    assert [d.id for d in fast.domains] == ["steering", "speed"]
    assert [i.id for i in fast.items] == ["pull", "menu", "sound", "speed"]
    assert [c.view for c in fast.checks] == ["title"]
    assert fast.reference_implementation == "reference-impl/fast"
    assert base.reference_implementation is None


def test_the_first_variant_listed_is_the_default(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, f'["{BASE}", "{FAST}"]', f'["{FAST}", "{BASE}"]')
    assert case.resolved().variant().slug == "fast"


def test_references_know_their_kind_and_where_they_are_seeded(tmp_path: Path) -> None:
    title, flight = author(tmp_path).resolved().variant().references
    assert title == Reference("title", "reference/title.html", None, "image")
    assert title.dest == "reference/title.png"
    assert flight.kind == "video"
    assert flight.dest == "reference/flight.mp4"


def test_sub_items_share_their_items_weight_exactly(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(
        MANIFEST,
        '[[review_item.sub_item]]\nid = "crash"\ntitle = "Crash"\n',
        '[[review_item.sub_item]]\nid = "crash"\ntitle = "Crash"\n'
        '[[review_item.sub_item]]\nid = "end"\ntitle = "End"\n',
    )
    sound = case.resolved().variant().items[2]
    assert [(p.verdict_id, p.weight) for p in sound.points] == [
        ("sound.thrust", Fraction(1, 3)),
        ("sound.crash", Fraction(1, 3)),
        ("sound.end", Fraction(1, 3)),
    ]
    assert {p.text for p in sound.points} == {"There is sound."}


def test_a_decimal_weight_is_what_it_says(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit(MANIFEST, "weight = 0.5", "weight = 0.1")
    menu = case.resolved().variant().items[1]
    assert [(p.verdict_id, p.weight) for p in menu.points] == [("menu", Fraction(1, 10))]


def test_a_category_is_an_item_whose_points_have_their_own_weights(tmp_path: Path) -> None:
    gravity, menu = author(tmp_path, categories=True).resolved().variant().items
    assert (gravity.id, gravity.title, gravity.text) == ("gravity", "Gravity", None)
    near, far = gravity.points
    assert (near.verdict_id, near.weight, near.text) == (
        "gravity.near",
        Fraction(3),
        "A comet near a planet bends more.",
    )
    assert (near.reference, near.proof, near.domain) == ("flight", "flight", None)
    assert (far.verdict_id, far.weight, far.validation) == ("gravity.far", Fraction(1), None)
    assert menu.points[0].verdict_id == "menu.near"


def test_both_forms_of_sub_items_say_the_same(tmp_path: Path) -> None:
    inline = author(tmp_path / "a")
    repeated = author(tmp_path / "b")
    repeated.edit(
        MANIFEST,
        '[[review_item.sub_item]]\nid = "thrust"\ntitle = "Thrust"\n'
        '[[review_item.sub_item]]\nid = "crash"\ntitle = "Crash"\n',
        'sub_items = [{ id = "thrust", title = "Thrust" }, { id = "crash", title = "Crash" }]\n',
    )
    assert inline.resolved().variants == repeated.resolved().variants


def test_a_script_and_its_outputs_are_resolved(tmp_path: Path) -> None:
    point = author(tmp_path).resolved().variant().points[0]
    assert point.validation is not None
    assert point.validation.script == "validation/near.mjs"
    assert point.validation.outputs == (
        Output("curve", "Curve", "video"),
        Output("end", "The end", "image"),
    )


def test_errata_are_found_beside_the_manifest(tmp_path: Path) -> None:
    case = author(tmp_path)
    case.edit("errata.toml", 'variant = "base"', 'review = "pull.near"\nexclude_from_score = true')
    resolved = case.resolved()
    [erratum] = resolved.errata
    assert (erratum.severity, erratum.date, erratum.resolved_in) == (
        "major",
        "2026-07-17",
        "v1.1.0",
    )
    assert resolved.excluded_points("base") == {"pull.near"}


def test_a_version_without_errata_has_none(tmp_path: Path) -> None:
    case = author(tmp_path)
    (case.folder / "errata.toml").unlink()
    assert case.resolved().errata == ()
