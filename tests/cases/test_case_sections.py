"""The body of a case file: sections, messages, turns, bullets."""

from __future__ import annotations

import pytest
from tests.cases.written import INPUT, case_of, found, only_error, reading_of, warnings, written

from iamhumans.cases import Turn


def message_of(body: str) -> str:
    case = case_of(written(message=f"\n## input\n\n{body}\n"))
    return case.conversation[-1].text


def rubric_of(body: str) -> tuple[str, ...]:
    return case_of(written(rubric=f"\n## rubric\n\n{body}\n")).rubric


def rubric_warnings(body: str) -> list[tuple[int, str]]:
    """Warnings, with lines counted from the one that the body begins at."""
    front = written(rubric="").index("\n## failure_modes")
    start = written()[:front].count("\n") + 4
    return [(line - start + 1, code) for line, code in warnings(written(rubric=f"\n## rubric\n\n{body}\n"))]


def conversation(body: str) -> str:
    return written(message=f"\n## conversation\n\n{body}\n")


def turns_of(body: str) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in case_of(conversation(body)).conversation]


# Sections


def test_sections_may_stand_in_any_order() -> None:
    case = case_of("---\nid: A\n---\n## rubric\n- r\n## failure_modes\n- f\n## notes\nn\n## input\nhi\n")
    assert (case.rubric, case.failure_modes, case.notes, case.conversation[-1].text) == (("r",), ("f",), "n", "hi")


def test_neither_input_nor_conversation_is_an_error() -> None:
    assert only_error(written(message="")) == (8, "missing-section")


def test_both_input_and_conversation_are_an_error_at_the_later_one() -> None:
    text = written(message=f"{INPUT}\n## conversation\n\n### user\n\nhi\n")
    assert only_error(text) == (12, "two-inputs")


@pytest.mark.parametrize("body", ["", "\n \n"])
def test_an_empty_input_is_an_error(body: str) -> None:
    assert only_error(written(message=f"\n## input\n{body}")) == (8, "empty-section")


def test_a_missing_rubric_is_a_warning_and_the_case_loads() -> None:
    assert case_of(written(rubric="")).rubric == ()
    assert warnings(written(rubric="")) == [(8, "missing-section")]


def test_empty_failure_modes_are_a_warning_and_the_case_loads() -> None:
    text = written(failures="\n## failure_modes\n")
    assert case_of(text).failure_modes == ()
    assert [code for _, code in warnings(text)] == ["empty-section"]


def test_a_section_that_stands_twice_is_an_error_that_names_the_first() -> None:
    text = written(rest="\n## rubric\n\n- again\n")
    assert only_error(text) == (20, "duplicate-section")
    assert "line 12" in reading_of(text).findings[-1].problem


def test_an_unknown_section_is_ignored_with_a_warning() -> None:
    text = written(rest="\n## sources\n\nx\n")
    assert case_of(text).notes == ""
    assert warnings(text) == [(20, "unknown-section")]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Rubrics", "rubric"),
        ("rubirc", "rubric"),
        ("Rubric 1", "rubric"),
        ("Failure mode", "failure_modes"),
        ("failures modes:", "failure_modes"),
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


def test_the_advice_for_a_misspelt_section_in_a_message_makes_it_text() -> None:
    assert "put a backslash before it" in str(reading_of(written(rubric="\n## Rubrics\n\n- x\n")).findings)
    assert case_of(written(rubric="\n\\## Rubrics\n\n- x\n")).conversation[-1].text.endswith("## Rubrics\n\n- x")


@pytest.mark.parametrize("heading", ["Notes for Tuesday", "Outputs", "Recipe", "Today", "Inbox", "Conversion rates"])
def test_a_heading_in_a_message_that_is_not_nearly_a_section_belongs_to_it(heading: str) -> None:
    text = written(message=f"{INPUT}## {heading}\n")
    assert case_of(text).conversation[-1].text.endswith(f"## {heading}")


@pytest.mark.parametrize("line", ["### rubric", "##rubric", "### Failure modes", "##failure_modes"])
def test_criteria_below_a_heading_of_another_level_do_not_reach_the_model(line: str) -> None:
    text = written(message=f"{INPUT}{line}\n\n- Stays with the Sundays\n", rubric="")
    assert only_error(text) == (11, "heading-level")
    assert (
        case_of(text.replace(line, f"\\{line}")).conversation[-1].text.endswith(f"{line}\n\n- Stays with the Sundays")
    )


def test_an_unknown_section_between_others_takes_nothing_from_them() -> None:
    case = case_of(written(rubric="\n## rubric\n\n- one\n\n## sources\n\n- none\n"))
    assert case.rubric == ("one",)


@pytest.mark.parametrize("heading", ["## Rubric", "## RUBRIC:", "## **rubric**", "##\trubric ##", " ## rubric"])
def test_other_spellings_of_a_section_are_read(heading: str) -> None:
    assert case_of(written(rubric=f"\n{heading}\n\n- one\n")).rubric == ("one",)


@pytest.mark.parametrize("heading", ["## Failure modes", "## failure-modes", "## Failure_Modes"])
def test_a_section_in_another_spelling_is_a_warning(heading: str) -> None:
    text = written(failures=f"\n{heading}\n\n- one\n")
    assert case_of(text).failure_modes == ("one",)
    assert [code for _, code in warnings(text)] == ["section-name"]


def test_text_before_the_first_section_is_ignored_with_a_warning() -> None:
    text = written(message="\n# The bakery\n" + INPUT)
    assert warnings(text) == [(8, "text-before-sections")]
    assert "The bakery" not in case_of(text).conversation[-1].text


def test_a_comment_before_the_first_section_is_no_finding() -> None:
    assert warnings(written(message="\n<!-- who wrote this\n## rubric\nand why -->\n" + INPUT)) == []


@pytest.mark.parametrize("line", ["### notes", "##input", "# failure modes", "#### rubric"])
def test_a_section_name_in_a_heading_of_another_level_is_content_with_a_warning(line: str) -> None:
    text = written(message=f"{INPUT}{line}\n")
    assert case_of(text).conversation[-1].text.endswith(line)
    assert warnings(text) == [(11, "heading-level")]


def test_a_hashtag_is_no_heading() -> None:
    assert warnings(written(message=f"{INPUT}#notes\n")) == []


# Messages


def test_a_message_is_kept_word_for_word() -> None:
    body = "  indented\n\n\nthree  blanks\ttab\n> quoted\n- item\n---\n**bold** <b>&amp;</b> <!-- x --> {{INPUT}}"
    assert message_of(body) == body


def test_blank_lines_around_a_message_are_dropped() -> None:
    assert message_of("\n \t\n  one\n\ntwo  \n\n") == "  one\n\ntwo"


def test_headings_of_other_levels_are_part_of_a_message() -> None:
    body = "# Plan\n\n### Today\n\nwork\n\n#### x"
    assert message_of(body) == body
    assert warnings(written(message=f"\n## input\n\n{body}\n")) == []


def test_an_unknown_section_heading_belongs_to_the_message_with_a_warning() -> None:
    text = written(message="\n## input\n\nmy plan:\n\n## Today\n\nwork\n")
    assert case_of(text).conversation[-1].text == "my plan:\n\n## Today\n\nwork"
    assert warnings(text) == [(12, "heading-in-message")]


@pytest.mark.parametrize("fence", ["```", "~~~", "````text"])
def test_a_section_heading_in_a_code_block_is_content(fence: str) -> None:
    close = fence.removesuffix("text")
    body = f"{fence}\n## rubric\n- not this\n## notes\n{close}\nbye"
    text = written(message=f"\n## input\n\n{body}\n")
    assert case_of(text).conversation[-1].text == body
    assert case_of(text).rubric == ("Stays with the Sundays",)
    assert warnings(text) == []


def test_a_shorter_fence_does_not_close_a_longer_one() -> None:
    body = "````\n```\n## rubric\n````"
    assert message_of(body) == body


def test_a_fence_with_words_behind_it_does_not_close_a_block() -> None:
    body = "```\n```text\n## rubric\n```"
    assert message_of(body) == body


def test_a_code_block_that_is_never_closed_is_text_with_a_warning() -> None:
    text = written(message="\n## input\n\nlook:\n```\ncode\n")
    assert case_of(text).conversation[-1].text == "look:\n```\ncode"
    assert case_of(text).rubric == ("Stays with the Sundays",)
    assert warnings(text) == [(11, "unclosed-fence")]


def test_inline_code_of_three_marks_opens_no_block() -> None:
    assert warnings(written(message="\n## input\n\n```x``` is odd\n")) == []


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
    assert message_of(f"a\n{line}\nb") == f"a\n{text}\nb"
    assert warnings(written(message=f"\n## input\n\na\n{line}\nb\n")) == []


def test_a_backslash_in_a_code_block_stays() -> None:
    body = "```\n\\## rubric\n```"
    assert message_of(body) == body


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
    text = written(message=f"\n## input\n\n{body}\n")
    assert case_of(text).conversation == (Turn("user", body),)
    assert warnings(text) == [(10, "prose-turns")]
    assert "## conversation" in reading_of(text).findings[0].fix


@pytest.mark.parametrize("body", ["user: not found, it says", "turn 1: rook, and i lost", "my user: my friend"])
def test_one_line_like_a_turn_is_no_finding(body: str) -> None:
    assert warnings(written(message=f"\n## input\n\n{body}\n")) == []


# Conversations


def test_turns_are_read_in_their_order() -> None:
    assert turns_of("### user\n\nhi\n\n### assistant\n\nhello\n\nthere\n\n### user\n\nbye") == [
        ("user", "hi"),
        ("assistant", "hello\n\nthere"),
        ("user", "bye"),
    ]


def test_an_empty_turn_of_the_assistant_is_live() -> None:
    assert turns_of("### user\nhi\n### assistant\n\n### user\nbye")[1] == ("assistant", "")


def test_an_assistant_may_begin() -> None:
    assert turns_of("### assistant\nmorning\n### user\nhi")[0] == ("assistant", "morning")


@pytest.mark.parametrize("heading", ["### User", "### USER:", "### **user**", " ### user"])
def test_other_spellings_of_a_speaker_are_read(heading: str) -> None:
    assert turns_of(f"{heading}\nhi") == [("user", "hi")]


def test_a_turn_heading_in_a_code_block_is_content() -> None:
    body = "```\n### assistant\n```"
    assert turns_of(f"### user\n{body}") == [("user", body)]


def test_an_escaped_turn_heading_is_content() -> None:
    assert turns_of("### user\n\\### assistant\nyes") == [("user", "### assistant\nyes")]


def test_another_heading_in_a_turn_is_content() -> None:
    text = conversation("### user\n\n### Monday\nwork")
    assert case_of(text).conversation[-1].text == "### Monday\nwork"
    assert warnings(text) == []


def test_text_before_the_first_turn_is_an_error() -> None:
    assert only_error(conversation("hello\n### user\nhi")) == (10, "text-outside-turn")


def test_a_comment_before_the_first_turn_is_no_finding() -> None:
    assert warnings(conversation("<!-- two\nlines -->\n### user\nhi")) == []


def test_a_conversation_without_turns_is_an_error() -> None:
    assert only_error(conversation("")) == (8, "empty-section")


def test_an_empty_turn_of_the_user_is_an_error() -> None:
    assert only_error(conversation("### user\n\n### assistant\nhi\n### user\nyes")) == (10, "empty-turn")


@pytest.mark.parametrize("last", ["hello", ""])
def test_a_conversation_that_ends_with_the_assistant_is_an_error(last: str) -> None:
    assert only_error(conversation(f"### user\nhi\n### assistant\n{last}")) == (12, "last-turn")


@pytest.mark.parametrize("before", ["", "### user\nhi\n### assistant\nhello\n"])
def test_a_live_turn_with_nothing_to_answer_is_an_error(before: str) -> None:
    assert only_error(conversation(f"{before}### assistant\n\n### user\nhi"))[1] == "live-turn"


def test_two_turns_of_one_speaker_are_a_warning() -> None:
    text = conversation("### user\nhi\n### user\nyou there?")
    assert len(case_of(text).conversation) == 2
    assert warnings(text) == [(12, "same-speaker")]


# Bullets


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "1.", "12)"])
def test_marks_of_bullets(mark: str) -> None:
    assert rubric_of(f"{mark} one\n{mark} two") == ("one", "two")
    assert rubric_warnings(f"{mark} one\n{mark} two") == []


def test_a_bullet_goes_on_over_indented_lines() -> None:
    assert rubric_of("- one\n  goes on\n\n  and on\n- two") == ("one goes on and on", "two")


def test_bullets_inside_a_bullet_stay_with_it_on_lines_of_their_own() -> None:
    assert rubric_of("- Names one of:\n  - the oven\n  - the Sundays\n- Short") == (
        "Names one of:\n  - the oven\n  - the Sundays",
        "Short",
    )


def test_a_bullet_indented_by_one_blank_is_a_bullet_of_its_own() -> None:
    assert rubric_of("- one\n - two") == ("one", "two")


def test_a_line_that_is_not_indented_goes_on_the_bullet_with_a_warning() -> None:
    assert rubric_of("- one\ngoes on\n- two") == ("one goes on", "two")
    assert rubric_warnings("- one\ngoes on\n- two") == [(2, "unindented-line")]


def test_text_that_is_no_bullet_is_one_criterion_with_a_warning() -> None:
    body = "Be brief\nand warm.\n\n- one\n\nNo lists."
    assert rubric_of(body) == ("Be brief and warm.", "one", "No lists.")
    assert rubric_warnings(body) == [(1, "no-bullet"), (6, "no-bullet")]


def test_emphasis_at_the_start_of_a_line_is_no_bullet() -> None:
    assert rubric_of("*Never* long") == ("*Never* long",)


def test_comments_in_bullets_are_left_out() -> None:
    assert rubric_of("<!-- why -->\n- one <!-- not\n- this --> more\n- two<!---->") == ("one more", "two")


def test_a_section_heading_in_a_comment_is_none() -> None:
    text = written(rubric="\n## rubric\n\n- one\n<!--\n## notes\n-->\n- two\n")
    assert case_of(text).rubric == ("one", "two")


def test_a_comment_that_is_never_closed_is_text_with_a_warning() -> None:
    text = written(rubric="\n## rubric\n\n- one <!-- two\n")
    assert case_of(text).rubric == ("one <!-- two",)
    assert case_of(text).failure_modes == ("Recommends another bakery",)
    assert [code for _, code in warnings(text)] == ["unclosed-comment"]


def test_an_empty_bullet_is_dropped_with_a_warning() -> None:
    assert rubric_of("- one\n-\n- <!-- later -->") == ("one",)
    assert rubric_warnings("- one\n-\n- <!-- later -->") == [(2, "empty-bullet"), (3, "empty-bullet")]


def test_a_heading_among_bullets_is_left_out_with_a_warning() -> None:
    assert rubric_of("### Must\n- one\n### Should\n- two") == ("one", "two")
    assert rubric_warnings("### Must\n- one") == [(1, "heading-in-list")]


@pytest.mark.parametrize("rule", ["---", "* * *", "___"])
def test_a_rule_between_bullets_is_left_out(rule: str) -> None:
    assert rubric_of(f"- one\n\n{rule}\n\n- two") == ("one", "two")
    assert rubric_warnings(f"- one\n\n{rule}\n\n- two") == []


def test_bullets_may_be_indented() -> None:
    assert rubric_of("  - one\n    goes on\n  - two") == ("one goes on", "two")


def test_a_heading_in_a_code_block_of_a_bullet_is_content() -> None:
    assert rubric_of("- one:\n\n  ```\n## notes\n  ```\n- two")[-1] == "two"


# Notes


def test_notes_are_one_text_without_comments() -> None:
    assert case_of(written(rest="\n## notes\n\none\n\n- two\n\n<!-- x -->\n")).notes == "one\n\n- two"
