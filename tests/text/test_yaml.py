"""The strict reader of the harmless part of YAML."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT

from iamhumans.text import YamlProblem, YamlReading, YamlValue, read_yaml

_WORDS = "NO no yes on true null ~ 007 1e3 0x1f 1_000 1:30 2026-01-01 .nan -0 = <<"


@pytest.mark.parametrize("word", _WORDS.split())
def test_every_scalar_is_the_string_that_stands_there(word: str) -> None:
    assert read_yaml(f"a: {word}").value == {"a": word}


def test_an_empty_value_is_the_empty_string() -> None:
    assert read_yaml("a:\nb: ''\nc: []").value == {"a": "", "b": "", "c": []}


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "---\n...\n"])
def test_empty_text_is_the_empty_string(text: str) -> None:
    assert read_yaml(text).value == ""


def test_lines_of_all_parts_are_known() -> None:
    reading = read_yaml("# x\na: 1\n\nb:\n  - c\n  - d: |\n      e\n    f: g\n")
    paths = [("a",), ("b",), ("b", 0), ("b", 1), ("b", 1, "d"), ("b", 1, "f")]
    assert [reading.line_of(path) for path in paths] == [2, 4, 5, 6, 6, 8]


def test_line_of_an_unknown_part_is_that_of_what_is_around_it() -> None:
    reading = read_yaml("\n\na:\n  b: 1")
    assert reading.line_of(("a", "zzz", 3)) == 3
    assert YamlReading().line_of(("a",)) == 1


def test_repeated_key_keeps_the_first_and_reports_the_later() -> None:
    reading = read_yaml("a:\n  b: 1\n  b: [2]\n")
    (again,) = reading.repeated
    assert reading.value == {"a": {"b": "1"}}
    assert (again.path, again.line, again.first, again.later) == (("a", "b"), 3, "1", ["2"])


@pytest.mark.parametrize("text", ["&x a: 1", "a: &x 1", "a: &x [1]", "a: &x {b: 1}"])
def test_anchors_mean_nothing(text: str) -> None:
    assert read_yaml(text).value == read_yaml(text.replace("&x ", "")).value


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!int", "!!binary", "!mine", "!!set"])
def test_tags_mean_nothing_and_are_noted(tag: str) -> None:
    reading = read_yaml(f"a: {tag} '1'")
    assert reading.value == {"a": "1"}
    assert reading.oddities == {"tag"}


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x", "a: *x", "*x : 1", "a: &x [*x]", "[*x]"])
def test_aliases_are_refused(text: str) -> None:
    with pytest.raises(YamlProblem):
        read_yaml(text)


def test_a_bomb_is_hostile() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    with pytest.raises(YamlProblem) as caught:
        read_yaml(bomb)
    assert caught.value.hostile
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "deep", ["[" * 21 + "]" * 21, "{a: " * 21 + "}" * 21, "- " * 21 + "a", "[" * 100_000, "{" * 100_000, "- " * 50_000]
)
def test_depth_is_bounded(deep: str) -> None:
    with pytest.raises(YamlProblem) as caught:
        read_yaml(deep)
    assert caught.value.hostile


def test_twenty_levels_are_read() -> None:
    assert read_yaml("[" * 20 + "]" * 20).value is not None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: b: c", 1),
        ("a: 1\n b: 2", 2),
        ("a:\n\t- b", 2),
        ("a: 'b\n\n", 3),
        ("a: [1\nb: 2", 2),
        ("a: 1\n---\nb: 2", 2),
        ("a: 1\n? [x]\n: 2", 2),
        ("a: @b", 1),
        ("a: `b`", 1),
        ("%YAML 9.9\n---\na", 1),
        ('a: "\\q"', 1),
    ],
)
def test_problem_names_its_line(text: str, line: int) -> None:
    with pytest.raises(YamlProblem) as caught:
        read_yaml(text)
    assert caught.value.line == line
    assert caught.value.problem


@pytest.mark.parametrize("text", ["a: \x00", "a: \x07b", "\ud800", "a: \udc00x", 'a: "\\ud800"', "\uffff"])
def test_characters_that_yaml_forbids_are_a_problem(text: str) -> None:
    with pytest.raises(YamlProblem):
        read_yaml(text)


_PIECES = (
    "a¦b: ¦: ¦:¦- ¦? ¦[¦]¦{¦}¦,¦&x ¦*x ¦!t ¦!!int ¦|¦>¦|-\n¦\n¦  ¦# c¦'¦\"¦\\¦\\u0041¦\\ud800¦%¦@¦`¦---\n¦...\n¦"
    "%TAG ! x\n¦<<: ¦\t¦\r¦\x85¦\u2028¦\ufeff¦\x00¦\x1b¦\ud800¦~¦\n  ¦\n    "
)
YAML_PIECES = st.sampled_from([*_PIECES.split("¦"), "x" * 1100 + ": "])


@given(st.one_of(HOSTILE_TEXT, st.lists(YAML_PIECES, max_size=30).map("".join)))
def test_any_text_gives_a_value_or_a_yaml_problem(text: str) -> None:
    found = reading_or_problem(text)
    if isinstance(found, YamlProblem):
        assert found.line >= 1
    else:
        assert is_plain(found.value)
        assert all(line >= 1 for line in found.lines.values())


def reading_or_problem(text: str) -> YamlReading | YamlProblem:
    try:
        return read_yaml(text)
    except YamlProblem as problem:
        return problem


def is_plain(value: YamlValue) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(part) for key, part in value.items())
    return all(map(is_plain, value)) if isinstance(value, list) else isinstance(value, str)


WORDS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=12)
VALUES = st.recursive(
    WORDS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)), max_leaves=8
)


@given(VALUES)
def test_what_was_written_is_read(value: YamlValue) -> None:
    assert read_yaml(yaml.safe_dump(value, allow_unicode=True, default_style='"')).value == value
