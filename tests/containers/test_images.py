"""Which image a run gets, and which rule decided."""

from __future__ import annotations

import pytest

from tcab_dagster.containers.images import resolve_image, run_image_name, run_image_names
from tcab_dagster.containers.pulling import registry_digest
from tcab_dagster.errors import UsageError


@pytest.mark.parametrize(
    ("case_type", "options", "name"),
    [
        ("end-to-end", {}, "test-cabinet-base-wasm"),
        ("end-to-end", {"gg": True}, "test-cabinet-base-wasm-gg"),
        ("game-jam", {}, "test-cabinet-game-jam"),
        ("adversarial", {}, "test-cabinet-adversarial"),
        ("performance", {}, "test-cabinet-performance"),
        ("full-stack", {"asset_dimension": "2d"}, "test-cabinet-full-stack-2d"),
        ("full-stack", {"asset_dimension": "3d", "gg": True}, "test-cabinet-full-stack-3d-gg"),
        ("asset-generation", {"asset_kind": "sprite-sheet"}, "test-cabinet-sprite-sheet"),
        ("asset-generation", {"asset_kind": "mc-animation"}, "test-cabinet-mc-animation"),
        ("asset-generation", {"asset_kind": "sfx-synth"}, "test-cabinet-sfx-synth"),
        ("asset-generation", {"asset_kind": "blender-model"}, "test-cabinet-blender"),
    ],
)
def test_each_type_kind_and_dimension_has_its_image(
    case_type: str, options: dict[str, object], name: str
) -> None:
    assert run_image_name(case_type, **options) == name  # type: ignore[arg-type]
    assert name.removesuffix("-gg") in run_image_names()


@pytest.mark.parametrize(
    ("case_type", "options"),
    [("platformer", {}), ("full-stack", {}), ("asset-generation", {"asset_kind": "smell"})],
)
def test_what_has_no_image_is_refused(case_type: str, options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        run_image_name(case_type, **options)  # type: ignore[arg-type]


WASM, GG = "TCAB_CONTAINER_IMAGE_BASE_WASM", "TCAB_CONTAINER_IMAGE_BASE_WASM_GG"


@pytest.mark.parametrize(
    ("environment", "reference", "rule"),
    [
        ({}, "testcabinet.azurecr.io/test-cabinet-base-wasm:latest", "registry"),
        (
            {"TCAB_CONTAINER_TAG": "v7"},
            "testcabinet.azurecr.io/test-cabinet-base-wasm:v7",
            "registry",
        ),
        (
            {"TCAB_CONTAINER_REGISTRY": "localhost:5000/x/"},
            "localhost:5000/x/test-cabinet-base-wasm:latest",
            "registry",
        ),
        ({"TCAB_CONTAINER_REGISTRY": ""}, "test-cabinet-base-wasm:latest", "local"),
        (
            {
                WASM: "me/mine@sha256:" + "ab" * 32,
                "TCAB_CONTAINER_REGISTRY": "",
                "TCAB_CONTAINER_TAG": "v7",
            },
            "me/mine@sha256:" + "ab" * 32,
            "override",
        ),
        (
            {GG: "me/mine:gg", "TCAB_CONTAINER_REGISTRY": ""},
            "test-cabinet-base-wasm:latest",
            "local",
        ),
        ({WASM: "", "TCAB_CONTAINER_REGISTRY": ""}, "test-cabinet-base-wasm:latest", "local"),
    ],
)
def test_an_override_wins_over_registry_and_tag(
    environment: dict[str, str], reference: str, rule: str
) -> None:
    resolved = resolve_image("test-cabinet-base-wasm", environment)

    assert (resolved.reference, resolved.rule) == (reference, rule)


def test_the_variant_s_image_is_pinned_on_its_own() -> None:
    resolved = resolve_image("test-cabinet-base-wasm-gg", {WASM: "me/mine:1", GG: "me/mine:gg"})

    assert (resolved.reference, resolved.source) == ("me/mine:gg", GG)


@pytest.mark.parametrize(
    ("reference", "digests", "expected"),
    [
        ("r.io/a/b:1", ["r.io/a/b@sha256:1"], "sha256:1"),
        ("r.io:5000/b", ["other/b@sha256:0", "r.io:5000/b@sha256:1"], "sha256:1"),
        ("docker.io/me/b:1", ["me/b@sha256:1"], "sha256:1"),
        ("r.io/b@sha256:1", ["r.io/b@sha256:1"], "sha256:1"),
        ("r.io/b:1", ["mirror.io/b@sha256:1"], None),
        ("b:1", ["localhost/b@sha256:1"], None),
        ("r.io/b:1", None, None),
    ],
)
def test_only_the_reference_s_own_repository_pins_it(
    reference: str, digests: list[str] | None, expected: str | None
) -> None:
    assert registry_digest(reference, {"RepoDigests": digests}) == expected
