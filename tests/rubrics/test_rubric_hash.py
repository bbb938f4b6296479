"""The hash of a rubric: any content changes it, its name does not."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from tests.builders import EXTENDED, SEED, own_rubric

from iamhumans.rubrics import Rubric

Path = tuple[str | int, ...]
CONTENT: dict[str, Any] = SEED.model_dump(mode="json", by_alias=True)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from leaves(part, (*path, index))
    else:
        yield path, value


def changed(path: Path, value: Any) -> Rubric:
    content = copy.deepcopy(CONTENT)
    *parents, last = path
    inner: Any = content
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return Rubric.model_validate(content)


def another(path: Path, value: Any) -> Any:
    if path[-1] == "when":
        return "always"
    return value + "x" if isinstance(value, str) else value - 1


LEAVES = [
    (path, value) for path, value in leaves(CONTENT) if path[0] not in ("name", "description") and value is not None
]


def test_hash_is_stable() -> None:
    assert changed(("name",), "iamhumans").hash == SEED.hash
    assert len(SEED.hash) == 64


@pytest.mark.parametrize(("key", "value"), [("name", "other"), ("description", "Something else.")])
def test_name_and_description_are_no_content(key: str, value: str) -> None:
    assert changed((key,), value).hash == SEED.hash


def test_every_other_value_is_content() -> None:
    hashes = {changed(path, another(path, value)).hash for path, value in LEAVES}

    assert len(LEAVES) > 80
    assert len(hashes) == len(LEAVES)
    assert SEED.hash not in hashes


@pytest.mark.parametrize("section", ["axes", "hard_fails"])
def test_order_is_content(section: str) -> None:
    assert changed((section,), CONTENT[section][::-1]).hash != SEED.hash


def test_a_part_more_or_less_is_content() -> None:
    assert len({SEED.hash, EXTENDED.hash, changed(("hard_fails",), []).hash, own_rubric().hash}) == 4


def test_a_default_more_or_less_is_content() -> None:
    assert changed(("axes", 3, "default"), None).hash != SEED.hash
