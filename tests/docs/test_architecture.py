"""docs/architecture.md names files that exist, and the floors that import-linter checks."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "iamhumans"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PICTURE = (ROOT / "docs" / "pictures" / "house.svg").read_text(encoding="utf-8")
NEEDS_NO_FLOOR_IN_THE_PICTURE = {"trusted", "platforms"}


def floors() -> list[set[str]]:
    """The floors of import-linter, from the top."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = [one for one in config["tool"]["importlinter"]["contracts"] if one["type"] == "layers"]
    return [set(re.findall(r"iamhumans\.(\w+)", layer)) for layer in contract["layers"]]


def test_each_file_on_the_page_exists() -> None:
    files = re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", PAGE)
    assert [name for name in files if not (PACKAGE / name).is_file()] == []
    assert len(files) > 30


def test_the_floors_on_the_page_are_those_that_are_checked() -> None:
    rows = [re.findall(r"`(\w+)`", row) for row in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE, re.MULTILINE)]
    # A row may hold several floors, in their order.
    on_the_page = [name for row in rows for name in row]
    expected = [sorted(floor, key=on_the_page.index) for floor in floors()]
    assert [name for floor in expected for name in floor] == on_the_page


@pytest.mark.parametrize("floor", sorted(set().union(*floors()) - NEEDS_NO_FLOOR_IN_THE_PICTURE))
def test_the_picture_shows_each_floor(floor: str) -> None:
    assert re.search(rf'class="name"[^>]*>[^<]*\b{floor}\b', PICTURE)


def test_each_benchmark_in_the_docs_exists() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"benchmarks\.(\w+)", page.read_text(encoding="utf-8"))}
    there = {path.stem for path in (ROOT / "benchmarks").iterdir()}
    assert named <= there
