"""The front matter of a case file."""

from __future__ import annotations

import pytest
from tests.cases.written import FRONT, INPUT, case_of, only_error, reading_of, warnings, written


def with_title(line: str) -> str:
    return written(front=f"id: BAK-001\n{line}\n")


def fix_of(text: str) -> str:
    (finding,) = (finding for finding in reading_of(text).findings if finding.line <= 6)
    return finding.fix


def test_a_whole_case_is_read_without_findings() -> None:
    reading = reading_of(
        written(front=FRONT + "holdout: false\nrepair: true\nlang: en\n", rest="\n## notes\n\nNote.\n")
    )
    assert reading.findings == ()
    assert reading.case is not None
    assert reading.case.id == "BAK-001"
    assert reading.case.title == "The bakery closes"
    assert reading.case.dimensions == ("feeling", "emotion")
    assert reading.case.hard_fails == ("pity", "lecturing")
    assert reading.case.repair
    assert not reading.case.holdout
    assert reading.case.lang == "en"
    assert reading.case.notes == "Note."
    assert reading.case.path == reading.path


def test_values_are_strings_and_never_yaml_booleans_or_numbers() -> None:
    case = case_of(written(front="id: 007\ntitle: NO\nlang: no\ndimensions: [on, 1.0]\n"))
    assert (case.id, case.title, case.lang, case.dimensions) == ("007", "NO", "no", ("on", "1.0"))


def test_block_lists_are_lists() -> None:
    case = case_of(written(front="id: A\ndimensions:\n  - feeling\n  - memory\n"))
    assert case.dimensions == ("feeling", "memory")


@pytest.mark.parametrize("value", ["feeling, memory", "'[feeling, memory]'", "'feeling,memory'"])
def test_a_list_as_comma_separated_text_is_read_with_a_warning(value: str) -> None:
    text = written(front=f"id: A\ndimensions: {value}\n")
    assert case_of(text).dimensions == ("feeling", "memory")
    assert warnings(text) == [(3, "list-as-text")]
    assert fix_of(text) == "Write `dimensions: [feeling, memory]`."


def test_an_empty_list_key_is_an_empty_list() -> None:
    assert case_of(written(front="id: A\nhard_fails:\n")).hard_fails == ()


def test_an_item_that_is_there_twice_counts_once_and_an_empty_one_not_at_all() -> None:
    assert case_of(written(front="id: A\nhard_fails: [pity, '', lecturing, pity]\n")).hard_fails == (
        "pity",
        "lecturing",
    )


@pytest.mark.parametrize(
    ("word", "meaning"),
    [*((word, True) for word in ("true", "YES", "On")), *((word, False) for word in ("FALSE", "no", "off"))],
)
def test_words_for_true_and_false(word: str, meaning: bool) -> None:
    case = case_of(written(front=f"id: A\nholdout: {word}\nrepair: {word}\n"))
    assert (case.holdout, case.repair) == (meaning, meaning)


@pytest.mark.parametrize("word", ["maybe", "1", "y", "", "[true]", "{true: x}"])
def test_a_word_that_is_neither_true_nor_false_is_an_error(word: str) -> None:
    assert only_error(written(front=f"id: A\nholdout: {word}\n")) == (3, "bad-value")


def test_an_unknown_key_is_a_warning_with_the_nearest_known_one() -> None:
    text = written(front="id: A\nhard-fails: [pity]\n")
    assert warnings(text) == [(3, "unknown-key")]
    assert fix_of(text) == "Did you mean `hard_fails`?"
    assert "dimensions, hard_fails" in fix_of(written(front="id: A\nmode: B\n"))


@pytest.mark.parametrize(
    "title", ["NP-6: baby blues", "say: ", "@home", "*starred* words", "[draft] two lists", "'a' and b"]
)
def test_a_title_that_yaml_refuses_unquoted_is_read_as_it_stands_with_a_warning(title: str) -> None:
    text = with_title(f"title: {title}")
    assert case_of(text).title == title.strip()
    assert warnings(text) == [(3, "unquoted-title")]
    quoted = title.strip().replace("'", "''")
    assert fix_of(text) == f"Write `title: '{quoted}'`."


def test_the_advice_for_a_title_reads_back_as_that_title() -> None:
    text = with_title("title: NP-6: it's baby blues")
    line = fix_of(text).removeprefix("Write `").removesuffix("`.")
    assert case_of(with_title(line)).title == "NP-6: it's baby blues"
    assert warnings(with_title(line)) == []


@pytest.mark.parametrize("value", ["{a: b}", "{{TITLE}}", "[draft]", "\n  a: b", "'never closed", "|x"])
def test_a_title_that_could_mean_several_things_is_an_error(value: str) -> None:
    reading = reading_of(with_title(f"title: {value}"))
    assert reading.case is None


def test_invalid_yaml_beside_the_title_is_an_error_with_its_line() -> None:
    text = written(front="id: A\ntitle: fine\nlang: en: us\n")
    assert only_error(text) == (4, "invalid-yaml")
    assert "single quotes" in fix_of(text)


@pytest.mark.parametrize("title", ["cousin #2 calls", "#1 fan"])
def test_a_title_cut_by_a_yaml_comment_is_a_warning(title: str) -> None:
    text = with_title(f"title: {title}")
    assert warnings(text) == [(3, "title-comment")]
    assert f"`title: '{title}'`" in fix_of(text)


@pytest.mark.parametrize("title", ["'cousin #2 calls'", "C#", "|\n  cousin #2"])
def test_a_number_sign_that_is_part_of_the_title_is_no_finding(title: str) -> None:
    assert warnings(with_title(f"title: {title}")) == []


def test_a_title_over_several_lines_becomes_one() -> None:
    assert case_of(with_title("title: >\n  one\n\n  two")).title == "one two"


@pytest.mark.parametrize("value", ["!x y", "&x y"])
def test_yaml_markup_in_a_value_is_a_warning(value: str) -> None:
    assert [code for _, code in warnings(with_title(f"title: {value}"))] == ["yaml-markup"]


@pytest.mark.parametrize(
    "case_id",
    ["a b", "' a'", "a/b", "..", ".", "a\\b", "-a", "[a]", "{a: b}", '"a\\tb"', '"a\\0b"', '"a\\u200bb"', "x" * 101],
)
def test_a_bad_id_is_an_error(case_id: str) -> None:
    assert only_error(written(front=f"title: x\nid: {case_id}\n")) == (3, "bad-id")


@pytest.mark.parametrize("case_id", ["GRF-003", "x" * 100, "ca.se_1", "fälle-1", "病-1"])
def test_a_good_id_is_kept(case_id: str) -> None:
    assert case_of(written(front=f"id: {case_id}\n")).id == case_id


@pytest.mark.parametrize(("value", "kept"), [("English", "English"), ("pt_BR", "pt_BR"), ("''", "en")])
def test_a_language_that_is_no_tag_is_a_warning(value: str, kept: str) -> None:
    text = written(front=f"id: A\nlang: {value}\n")
    assert case_of(text).lang == kept
    assert warnings(text) == [(3, "bad-lang")]


@pytest.mark.parametrize("value", ["vi", "pt-BR", "zh-Hant-TW"])
def test_a_language_tag_is_kept(value: str) -> None:
    text = written(front=f"id: A\nlang: {value}\n")
    assert case_of(text).lang == value
    assert warnings(text) == []


@pytest.mark.parametrize(
    ("front", "line", "code"),
    [
        ("id: A\ntitle: x\ntitle: y\n", 4, "repeated-key"),
        ("id: A\nlang: [en, vi]\n", 3, "bad-value"),
        ("id: A\nhard_fails: {a: b}\n", 3, "bad-value"),
        ("id: A\nhard_fails: [[a], b]\n", 3, "bad-value"),
        ("id: A\nhard_fails: [{a: b}]\n", 3, "bad-value"),
        ("id: A\ndimensions: *all\n", 3, "invalid-yaml"),
        ("id: A\ntitle: NP-6: x\nlang: a: b\n", 3, "invalid-yaml"),
        ("- a\n- b\n", 2, "invalid-yaml"),
        ("just words\n", 2, "invalid-yaml"),
        *((front, 1 if "id" not in front else 2, "missing-id") for front in ("", "title: x\n", "ID: A\n")),
        *((front, 2, "missing-id") for front in ("id:\n", "id: ''\n")),
    ],
)
def test_front_matter_that_cannot_be_used_is_an_error_with_its_line(front: str, line: int, code: str) -> None:
    assert only_error(written(front=front)) == (line, code)


def test_a_file_without_front_matter_is_an_error() -> None:
    assert only_error(INPUT) == (2, "missing-front-matter")


def test_front_matter_that_is_never_closed_is_an_error_at_its_opening() -> None:
    assert only_error("---\nid: A\n") == (1, "unclosed-front-matter")


def test_front_matter_is_not_closed_by_a_rule_below_the_first_section() -> None:
    text = f"---\nid: A\n{INPUT}\n---\n"
    assert only_error(text) == (1, "unclosed-front-matter")
    assert "line 4, before `## input`" in reading_of(text).findings[0].fix


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "\ufeff"])
def test_an_empty_file_is_an_error(text: str) -> None:
    assert only_error(text) == (1, "empty-file")


def test_blank_lines_before_the_front_matter_are_let_pass() -> None:
    assert case_of("\n \n" + written()).id == "BAK-001"


def test_all_errors_of_a_file_are_told_in_the_order_of_their_lines() -> None:
    reading = reading_of(written(front="lang: [a]\nholdout: perhaps\nid: a b\n", message=""))
    codes = [finding.code for finding in reading.findings if finding.error]
    assert codes == ["bad-value", "bad-value", "bad-id", "missing-section"]


def test_a_line_that_only_looks_like_a_title_is_no_title() -> None:
    assert case_of(written(front="id: A\nnote: |\n\ntitle: a #b\n")).title == "a"
