"""Which image a run executes in, and which rule said so.

Belongs here: names, overrides, registry and tag. Does not: building (building.py) or pulling.
Concept: spec 004, "Run images".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tcab_dagster.errors import UsageError

PREFIX = "test-cabinet-"
REGISTRY = "TCAB_CONTAINER_REGISTRY"
DEFAULT_REGISTRY = "testcabinet.azurecr.io"
DEFAULT_TAG = "latest"
VALIDATOR = "test-cabinet-validator"

PLAIN_TYPES = {
    "end-to-end": "base-wasm",
    "game-jam": "game-jam",
    "adversarial": "adversarial",
    "performance": "performance",
}
MODEL_KINDS = ("voxel", "mc", "sn", "dc")
BLENDER_PREFIX = "blender"
ASSET_KINDS = (
    "sprite",
    "sprite-sheet",
    "ui",
    "material",
    *MODEL_KINDS,
    *(f"{kind}-animation" for kind in MODEL_KINDS),
    "particle-2d",
    "particle-3d",
    "sfx-synth",
    "sfx-sample",
    "music",
)

REFERENCE = re.compile(
    r"(?:[\w.-]+(?::\d+)?/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
    r"(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?",
    re.ASCII,
)

Rule = Literal["override", "registry", "local"]


@dataclass(frozen=True, slots=True)
class ResolvedImage:
    """A reference, the rule that decided, and the variable it read (or `default`)."""

    reference: str
    rule: Rule
    source: str


def run_image_name(
    case_type: str,
    *,
    asset_kind: str | None = None,
    asset_dimension: str | None = None,
    gg: bool = False,
) -> str:
    """The run image of a case. Raises UsageError for a type, kind or dimension without one."""
    if case_type == "asset-generation":
        name = _asset_image(asset_kind)
    elif case_type == "full-stack":
        if asset_dimension not in {"2d", "3d"}:
            raise UsageError(f"a full-stack case is of dimension 2d or 3d, not `{asset_dimension}`")
        name = f"full-stack-{asset_dimension}"
    elif case_type in PLAIN_TYPES:
        name = PLAIN_TYPES[case_type]
    else:
        raise UsageError(f"no run image is known for cases of type `{case_type}`")
    return f"{PREFIX}{name}{'-gg' if gg else ''}"


def run_image_names() -> list[str]:
    """Every run image but the gg variants."""
    names = [*PLAIN_TYPES.values(), "full-stack-2d", "full-stack-3d", *ASSET_KINDS, BLENDER_PREFIX]
    return [f"{PREFIX}{name}" for name in names]


def resolve_image(name: str, environment: Mapping[str, str]) -> ResolvedImage:
    """Rule 1: the image's own override, verbatim. Rule 2: `{registry}/{name}:{tag}`.

    An explicitly empty registry names a local image. Raises UsageError for an override that no
    engine could read.
    """
    variable = override_variable(name)
    override = environment.get(variable, "").strip()
    if override:
        if not REFERENCE.fullmatch(override):
            raise UsageError(
                f"{variable} is `{override}`, which is no image reference",
                help="give it as registry/name:tag or name@sha256:digest",
            )
        return ResolvedImage(override, "override", variable)
    tag = environment.get("TCAB_CONTAINER_TAG", "").strip() or DEFAULT_TAG
    registry = environment.get(REGISTRY, DEFAULT_REGISTRY).strip().rstrip("/")
    if registry:
        source = REGISTRY if REGISTRY in environment else "default"
        return ResolvedImage(f"{registry}/{name}:{tag}", "registry", source)
    return ResolvedImage(f"{name}:{tag}", "local", REGISTRY)


def override_variable(name: str) -> str:
    """`test-cabinet-base-wasm-gg` is pinned by `TCAB_CONTAINER_IMAGE_BASE_WASM_GG`."""
    return "TCAB_CONTAINER_IMAGE_" + name.removeprefix(PREFIX).upper().replace("-", "_")


def _asset_image(kind: str | None) -> str:
    if kind is not None and kind.partition("-")[0] == BLENDER_PREFIX:
        return BLENDER_PREFIX
    if kind not in ASSET_KINDS:
        raise UsageError(
            f"no run image is known for assets of kind `{kind}`",
            help=f"the kinds are {', '.join(ASSET_KINDS)} and those of Blender",
        )
    return str(kind)
