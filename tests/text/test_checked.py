"""From YAML to a typed model, with errors for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from iamhumans.errors import InputError
from iamhumans.text import read_yaml
from iamhumans.text.checked import checked


class Bread(BaseModel):
    model_config = ConfigDict(extra="forbid")
    flour: str
    grams: Annotated[int, Field(ge=0, le=5000)] = 500


class Bakery(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    breads: tuple[Bread, ...] = ()
    owner: str = ""

    @field_validator("owner")
    @classmethod
    def _somebody(cls, owner: str) -> str:
        if owner == "nobody":
            raise ValueError("somebody must own it.")
        return owner


FILE = Path("bakery.yaml")


def error_of(text: str, *, first_line: int = 1) -> InputError:
    with pytest.raises(InputError) as caught:
        checked(Bakery, read_yaml(text), FILE, first_line=first_line)
    return caught.value


def test_strings_become_what_the_model_says() -> None:
    bakery = checked(Bakery, read_yaml("name: '7'\nbreads: [{flour: rye, grams: 750}]"))
    assert bakery == Bakery(name="7", breads=(Bread(flour="rye", grams=750),))


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("owner: x\n", 1, "`name` is missing."),
        ("", 1, "`name` is missing."),
        ("name: x\nbreads:\n  - flour: rye\n  - grams: 5\n", 4, "`breads.1.flour` is missing."),
        ("name: x\nbreads:\n  - flour: rye\n    grams: much\n", 4, "not `much`"),
        ("name: x\nbreads:\n  - flour: rye\n    grams: 5001\n", 4, "not `5001`"),
        ("name: x\n\nowner: nobody\n", 3, "`owner`: somebody must own it."),
        ("name: x\nbreads: rye\n", 2, "`breads` should be a list."),
        ("name: x\nbreads:\n  - rye\n", 3, "`breads.0` should be a mapping of keys to values."),
        ("- name\n", 1, "The text should be a mapping of keys to values."),
        ("name\n", 1, "The text should be a mapping of keys to values."),
        ("name: x\nowner: y\nname: z\n", 3, "`name` is given twice."),
        ("name: x\nbreads:\n  - flour: a\n    flour: a\n", 4, "`breads.0.flour` is given twice."),
    ],
)
def test_error_says_what_and_where(text: str, line: int, problem: str) -> None:
    error = error_of(text)
    assert str(error.where) == f"bakery.yaml:{line}"
    assert problem in error.what


def test_unknown_key_with_a_likely_meaning() -> None:
    error = error_of("name: x\nbread: []\n")
    assert error.message == "bakery.yaml:2: `bread` is not a known key. Did you mean `breads`?"


def test_unknown_key_without_one_lists_what_is_known() -> None:
    assert error_of("name: x\nzzz: 1\n").fix == "Known keys: name, breads, owner."


def test_number_of_further_errors_is_told() -> None:
    assert "2 more" in error_of("zzz: 1\nyyy: 2\n").what


def test_lines_count_from_where_the_yaml_begins() -> None:
    assert error_of("name: x\nzzz: 1\n", first_line=10).where.line == 11


def test_long_values_are_not_repeated_whole() -> None:
    assert len(error_of(f"name: x\nbreads: [{{flour: a, grams: {'x' * 5000}}}]").what) < 300
