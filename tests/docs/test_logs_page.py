"""The examples of shapes on the page about logs are what they say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from iamhumans.subjects import ReplyRow, Rows, open_replies
from iamhumans.subjects.shapes import SHAPES

PAGE = (Path(__file__).parents[2] / "docs" / "logs.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `([\w-]+)`(?:, `[\w-]+`)? \| `(\{.*\})` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_an_example_has_its_shape_and_says_hello(tmp_path: Path, name: str, text: str) -> None:
    value: Any = json.loads(text)
    (tmp_path / "log.json").write_text(json.dumps(value, indent=1))
    rows = open_replies(tmp_path / "log.json")
    assert isinstance(rows, Rows)
    first = next(iter(rows))
    assert isinstance(first, ReplyRow), first
    assert rows.shape is not None
    assert (rows.shape.name, first.reply.text) == (name, "Hello!")


def test_the_table_has_the_shapes_that_are_not_pairs_of_keys() -> None:
    shown = set(re.findall(r"`([\w-]+)`", PAGE))
    pairs = {shape.name for shape in SHAPES if " and " in shape.about and shape.name.count("-") >= 1}
    several = {shape.name for shape in SHAPES if shape.name.startswith("several-")}
    assert {shape.name for shape in SHAPES} - shown - pairs - several <= {
        "responses-items",
        "sharegpt-items",
        "spans",
        "oasst",
    }
