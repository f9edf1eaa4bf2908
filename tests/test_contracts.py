"""What holds for the code as a whole: the domain knows nothing of Dagster, and opens quickly."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOMAIN = ROOT / "tcab_dagster"
COMPOSITION = DOMAIN / "definitions.py"
DAGSTER_LAYER = frozenset({"dagster", "assets", "resources", "sensors"})
HEAVY = ("numpy", "scipy", "skimage", "dagster", "playwright")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Every absolute import of a file, wherever it stands, with its line."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module


def test_the_domain_imports_neither_dagster_nor_its_layer() -> None:
    files = sorted(DOMAIN.rglob("*.py"))
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in files
        if path != COMPOSITION
        for line, name in imported(path)
        if name.partition(".")[0] in DAGSTER_LAYER or name.partition(".")[0].startswith("dagster_")
    ]

    assert len(files) > 20
    assert found == []


def test_the_search_for_imports_finds_them_wherever_they_stand(tmp_path: Path) -> None:
    hiding = tmp_path / "hiding.py"
    hiding.write_text(
        "def f():\n    if True:\n        from dagster import asset\n    import assets.x\n"
    )

    assert sorted(imported(hiding)) == [(3, "dagster"), (4, "assets.x")]


def test_reading_the_warehouse_waits_for_no_heavy_import() -> None:
    shown = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys, tcab_dagster.warehouse;print([m for m in {HEAVY!r} if m in sys.modules])",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert shown.stdout.strip() == "[]"


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for folder in ("tcab_dagster", "assets", "resources", "sensors")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]

    assert silent == []
