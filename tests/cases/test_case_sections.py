"""The body of a case file: sections, messages, turns, bullets."""

from __future__ import annotations

import pytest
from tests.cases.written import INPUT, case_of, found, only_error, reading_of, warnings, written


def in_input(body: str) -> str:
    return written(message=f"\n## input\n\n{body}\n")


def in_conversation(body: str) -> str:
    return written(message=f"\n## conversation\n\n{body}\n")


def message_of(text: str) -> str:
    return case_of(text).conversation[-1].text


# Sections


def test_sections_may_be_in_any_order() -> None:
    case = case_of("---\nid: A\n---\n## rubric\n- r\n## failure_modes\n- f\n## notes\nn\n## input\nhi\n")
    assert (case.rubric, case.failure_modes, case.notes, case.conversation[0].text) == (("r",), ("f",), "n", "hi")


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        (written(message=""), 8, "missing-section"),
        (written(message=f"{INPUT}\n## conversation\n\n### user\n\nhi\n"), 12, "two-inputs"),
        (written(message="\n## input\n"), 8, "empty-section"),
        (written(message="\n## input\n\n \n"), 8, "empty-section"),
        (written(rest="\n## rubric\n\n- again\n"), 20, "duplicate-section"),
        (in_conversation(""), 8, "empty-section"),
        (in_conversation("hello\n### user\nhi"), 10, "text-outside-turn"),
        (in_conversation("### user\n\n### assistant\nhi\n### user\nyes"), 10, "empty-turn"),
        (in_conversation("### user\nhi\n### assistant\nhello"), 12, "last-turn"),
        (in_conversation("### user\nhi\n### assistant\n"), 12, "last-turn"),
        (in_conversation("### assistant\n\n### user\nhi"), 10, "live-turn"),
        (in_conversation("### user\nhi\n### assistant\nyes\n### assistant\n\n### user\nhi"), 14, "live-turn"),
    ],
)
def test_a_body_that_is_no_case_is_an_error_with_its_line(text: str, line: int, code: str) -> None:
    assert only_error(text) == (line, code)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (written(rubric=""), [(8, "missing-section")]),
        (written(failures="\n## failure_modes\n"), [(16, "empty-section")]),
        (written(rest="\n## sources\n\nx\n"), [(20, "unknown-section")]),
        (written(message="\n# The bakery\n" + INPUT), [(8, "text-before-sections")]),
        (written(message="\n<!-- who wrote this\n## rubric\nand why -->\n" + INPUT), []),
        (written(message=f"{INPUT}### notes\n"), [(11, "heading-level")]),
        (written(message=f"{INPUT}##input\n"), [(11, "heading-level")]),
        (written(message=f"{INPUT}#notes\n"), []),
        (in_input("my plan:\n\n## Today\n\nwork"), [(12, "heading-in-message")]),
        (in_input("look:\n```\ncode"), [(11, "unclosed-fence")]),
        (in_input("```x``` is odd"), []),
        (in_input("user: not found, it says"), []),
        (in_conversation("### user\nhi\n### user\nyou there?"), [(12, "same-speaker")]),
        (in_conversation("<!-- two\nlines -->\n### user\nhi"), []),
        (in_conversation("### user\n\n### Monday\nwork"), []),
    ],
)
def test_what_is_odd_about_a_body_is_a_warning_with_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert warnings(text) == expected


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Rubrics", "rubric"),
        ("rubirc", "rubric"),
        ("Failure mode", "failure_modes"),
        ("failures modes:", "failure_modes"),
        ("Rubric criteria", "rubric"),
        ("Failure modes of this case", "failure_modes"),
        ("note", "notes"),
        ("Conversations", "conversation"),
    ],
)
def test_a_misspelt_section_is_an_error_that_names_the_right_heading(heading: str, name: str) -> None:
    in_message = reading_of(written(rubric=f"\n## {heading}\n\n- Stays with the Sundays\n", failures=""))
    after_list = reading_of(written(rest=f"\n## {heading}\n\n- x\n"))
    for reading, line in ((in_message, 12), (after_list, 20)):
        assert reading.case is None
        assert found(reading, errors=True) == [(line, "misspelt-section")]
        assert f"Write `## {name}`." in str(reading.findings)


@pytest.mark.parametrize("line", ["## Rubrics", "### rubric", "##rubric", "### Failure modes"])
def test_criteria_below_a_wrong_heading_do_not_reach_the_model_unless_a_backslash_marks_them(line: str) -> None:
    text = written(message=f"{INPUT}{line}\n\n- Stays with the Sundays\n", rubric="")
    assert only_error(text)[0] == 11
    assert "put a backslash before it" in str(reading_of(text).findings)
    assert message_of(text.replace(line, f"\\{line}")).endswith(f"{line}\n\n- Stays with the Sundays")


@pytest.mark.parametrize("heading", ["Notes for Tuesday", "Outputs", "Recipe", "Today", "Inbox", "Conversion rates"])
def test_a_heading_in_a_message_that_is_not_nearly_a_section_belongs_to_it(heading: str) -> None:
    assert message_of(written(message=f"{INPUT}## {heading}\n")).endswith(f"## {heading}")


@pytest.mark.parametrize("heading", ["## Failure modes", "##\tFAILURE-MODES: ##", " ## **Failure_Modes**"])
def test_a_section_in_another_spelling_is_read_with_a_warning(heading: str) -> None:
    text = written(failures=f"\n{heading}\n\n- one\n")
    assert case_of(text).failure_modes == ("one",)
    assert [code for _, code in warnings(text)] == ["section-name"]


def test_an_unknown_section_between_others_takes_nothing_from_them() -> None:
    assert case_of(written(rubric="\n## rubric\n\n- one\n\n## sources\n\n- none\n")).rubric == ("one",)


# Messages


@pytest.mark.parametrize(
    "body",
    [
        "  indented\n\n\nthree  blanks\ttab\n> quoted\n- item\n---\n**bold** <b>&amp;</b> <!-- x --> {{INPUT}}",
        "# Plan\n\n### Today\n\nwork\n\n#### x",
        "```\n## rubric\n- not this\n## notes\n```\nbye",
        "~~~text\n## rubric\n~~~",
        "````\n```\n## rubric\n````",
        "```\n```text\n## rubric\n```",
        "```\n\\## rubric\n```",
    ],
)
def test_a_message_is_read_word_for_word(body: str) -> None:
    assert message_of(in_input(body)) == body
    assert case_of(in_input(body)).rubric == ("Stays with the Sundays",)


def test_blank_lines_around_a_message_are_dropped() -> None:
    assert message_of(in_input("\n \t\n  one\n\ntwo  \n\n")) == "  one\n\ntwo"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (r"\## rubric", "## rubric"),
        (r"\## Today", "## Today"),
        (r"\### user", "### user"),
        (r"\\## rubric", r"\## rubric"),
        (r"\# top", r"\# top"),
        (r"\##rubric", "##rubric"),
        (r"\##today", r"\##today"),
        (r"C:\## x", r"C:\## x"),
    ],
)
def test_a_backslash_before_a_heading_makes_it_text(line: str, text: str) -> None:
    assert message_of(in_input(f"a\n{line}\nb")) == f"a\n{text}\nb"
    assert warnings(in_input(f"a\n{line}\nb")) == []


@pytest.mark.parametrize(
    "body",
    [
        "**Turn 1:** i moved.\n\n**Turn 2:** i miss it.",
        "User: hi\nAssistant: hello\nUser: i miss it",
        "__human 1__: hi\n__ai 1__: yes",
        "Turn 1 (user): hi\nTurn 2 (assistant): yes",
        "### user\n\nhi",
    ],
)
def test_turns_written_as_prose_are_one_message_with_a_warning(body: str) -> None:
    assert message_of(in_input(body)) == body
    assert warnings(in_input(body)) == [(10, "prose-turns")]


# Conversations


@pytest.mark.parametrize(
    ("body", "turns"),
    [
        ("### user\n\nhi\n\n### assistant\n\nhello\n\nthere\n\n### user\n\nbye", ["hi", "hello\n\nthere", "bye"]),
        ("### user\nhi\n### assistant\n\n### user\nbye", ["hi", "", "bye"]),
        ("### assistant\nmorning\n### user\nhi", ["morning", "hi"]),
        ("### USER:\nhi\n ### **assistant**\nyes\n### User\nbye", ["hi", "yes", "bye"]),
        ("### user\n```\n### assistant\n```", ["```\n### assistant\n```"]),
        ("### user\n\\### assistant\nyes", ["### assistant\nyes"]),
        ("### user\n\n### Monday\nwork", ["### Monday\nwork"]),
    ],
)
def test_turns_are_read_in_their_order(body: str, turns: list[str]) -> None:
    assert [turn.text for turn in case_of(in_conversation(body)).conversation] == turns


# Bullets


@pytest.mark.parametrize(
    ("body", "bullets", "expected"),
    [
        *((f"{mark} one\n{mark} two", ("one", "two"), []) for mark in ("-", "*", "+", "•", "1.", "12)")),
        ("- one\n  goes on\n\n  and on\n- two", ("one goes on and on", "two"), []),
        ("  - one\n    goes on\n  - two", ("one goes on", "two"), []),
        ("- Names:\n  - the oven\n  - Sundays\n- Short", ("Names:\n  - the oven\n  - Sundays", "Short"), []),
        ("- one\n - two", ("one", "two"), []),
        ("- one\ngoes on\n- two", ("one goes on", "two"), [(2, "unindented-line")]),
        (
            "Be brief\nand warm.\n\n- one\n\nNo.",
            ("Be brief and warm.", "one", "No."),
            [(1, "no-bullet"), (6, "no-bullet")],
        ),
        ("*Never* long", ("*Never* long",), [(1, "no-bullet")]),
        ("<!-- why -->\n- one <!-- not\n- this --> more\n- two<!---->", ("one more", "two"), [(3, "unindented-line")]),
        ("- one\n<!--\n## notes\n-->\n- two", ("one", "two"), []),
        ("- one <!-- two", ("one <!-- two",), [(1, "unclosed-comment")]),
        ("- one\n-\n- <!-- later -->", ("one",), [(2, "empty-bullet"), (3, "empty-bullet")]),
        ("### Must\n- one\n### Should\n- two", ("one", "two"), [(1, "heading-in-list"), (3, "heading-in-list")]),
        *((f"- one\n\n{rule}\n\n- two", ("one", "two"), []) for rule in ("---", "* * *", "___")),
        ("- one:\n\n  ```\n  ## notes\n  ```\n- two", ("one: ``` ## notes ```", "two"), []),
    ],
)
def test_bullets(body: str, bullets: tuple[str, ...], expected: list[tuple[int, str]]) -> None:
    text = written(rubric=f"\n## rubric\n\n{body}\n")
    assert case_of(text).rubric == bullets
    assert [(line - 13, code) for line, code in warnings(text)] == expected
    assert case_of(text).failure_modes == ("Recommends another bakery",)


def test_notes_are_one_text_without_comments() -> None:
    assert case_of(written(rest="\n## notes\n\none\n\n- two\n\n<!-- x -->\n")).notes == "one\n\n- two"
