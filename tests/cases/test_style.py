"""What `cases lint --style` finds, and what it leaves alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.cases import read_case
from iamhumans.cases.lint import lint
from iamhumans.cases.style import style_findings

RUBRIC = ("Stays with the kettle that still stands there", "Asks nothing about the move")
FAILURES = ("Recommends a brand", "Thanks the user for sharing")


def case(
    *user: str,
    title: str = "Third floor landing",
    rubric: Sequence[str] = RUBRIC,
    failures: Sequence[str] = FAILURES,
    hard_fails: Sequence[str] = ("lecturing",),
    lang: str = "en",
    number: int = 1,
    assistant: str = "Which kettle?",
) -> str:
    """A case file; of several messages of the user each but the last is answered."""
    turns = f"\n\n### assistant\n\n{assistant}\n\n".join(
        f"### user\n\n{text}" for text in user or ("she left the kettle",)
    )
    head = f"id: KET-{number:03}\ntitle: '{title.replace(chr(39), chr(39) * 2)}'\nlang: {lang}\n"
    lists = f"dimensions: [feeling]\nhard_fails: [{', '.join(hard_fails)}]\n"
    bullets = ["\n".join(f"- {one}" for one in bullets) for bullets in (rubric, failures)]
    return (
        f"---\n{head}{lists}---\n\n## conversation\n\n{turns}\n\n## rubric\n\n{bullets[0]}\n\n"
        f"## failure_modes\n\n{bullets[1]}\n"
    )


def codes(*texts: str) -> list[str]:
    readings = [read_case(text, Path(f"KET-{number:03}.md")) for number, text in enumerate(texts, start=1)]
    assert all(reading.case for reading in readings)
    return [finding.code for found in style_findings(readings).values() for finding in found]


def test_an_ordinary_case_has_none() -> None:
    assert codes(case()) == []


# names-virtue


@pytest.mark.parametrize(
    "bullet",
    [
        "Is empathetic",
        "Shows warmth",
        "Validates feelings",
        "Is natural",
        "The reply is warm and kind.",
        "Supportive, non-judgmental tone",
        "Validates her grief before anything else",
        "Responds with compassion to the loss of the kettle",
        "Acknowledges the user's feelings",
        "Demonstrates real understanding of the situation",
        "Sounds like a human",
        "Holds space",
        "Makes her feel heard",
        "Uses active listening to draw her out",
    ],
)
def test_a_bullet_that_names_a_virtue_is_found(bullet: str) -> None:
    assert codes(case(rubric=[RUBRIC[0], bullet])) == ["names-virtue"]


@pytest.mark.parametrize(
    "bullet",
    [
        "Stays with the kettle",
        "Is as dry as she is",
        "Kind about the accordion, once",
        "Short",
        "Glad in a low voice",
        "Does not over-validate her anger at the kettle",
        "Says straight out that it can't know",
        "Understands that 'fine' was about the bus",
        "Is warm only towards the cat",
    ],
)
def test_a_bullet_that_names_a_detail_is_left_alone(bullet: str) -> None:
    assert codes(case(rubric=[RUBRIC[0], bullet])) == []


def test_virtues_in_failure_modes_are_left_alone() -> None:
    assert codes(case(failures=["Is warm", "Shows empathy"])) == []


def test_virtues_are_looked_for_in_english_only() -> None:
    rubric = ["Der Ton ist human und warm, und mehr sagt dieser Satz nicht", "Bleibt bei dem Kessel, der noch da steht"]
    failures = ["Empfiehlt eine andere Marke", "Bedankt sich bei ihr"]
    assert codes(case("der kessel ist weg", rubric=rubric, failures=failures, lang="de", title="Der Kessel")) == []


# repeats-rubric


@pytest.mark.parametrize(
    "mode",
    [
        "Does not stay with the kettle that stands there",
        "Fails to stay with the kettle",
        "Doesn't stay with the kettle, or not for long",
        "Staying with the kettle that stands there, still",
    ],
)
def test_a_failure_mode_that_says_the_rubric_again_or_turns_it_round_is_found(mode: str) -> None:
    assert codes(case(failures=[FAILURES[0], mode])) == ["repeats-rubric"]


def test_a_short_bullet_turned_round_is_found() -> None:
    assert codes(case(rubric=[RUBRIC[0], "Gets the joke"], failures=["Misses the joke"])) == ["repeats-rubric"]


@pytest.mark.parametrize(
    "mode",
    [
        "A kettle of its own, bought at a market",
        "Does not ask who paid",
        "Ignores her and talks about tea",
        "No two kettles are alike",
        "Stands up for him",
    ],
)
def test_a_failure_mode_with_a_word_in_common_is_left_alone(mode: str) -> None:
    assert codes(case(failures=[FAILURES[0], mode])) == []


def test_a_repeated_bullet_is_found_in_any_language() -> None:
    rubric = ["Bleibt beim Kessel auf dem Herd in Mutters Küche"]
    failures = ["Bleibt beim Kessel auf dem Herd in Mutters Küche stehen"]
    assert codes(case("kessel", rubric=rubric, failures=failures, lang="de")) == ["repeats-rubric"]


# sounds-like-prompt


@pytest.mark.parametrize(
    "message",
    [
        "You are a helpful assistant. My kettle broke.",
        "Act as an experienced therapist and ask me about my kettle.",
        "I want you to act as my mentor in kettles.",
        "As an AI, what do you make of kettles?",
    ],
)
def test_a_message_for_a_program_is_found(message: str) -> None:
    assert codes(case(message)) == ["sounds-like-prompt"]


@pytest.mark.parametrize(
    ("message", "lang"),
    [
        ("Hi {{NAME}}, the kettle is gone", "en"),
        ("el hervidor de [insert city] se rompió", "es"),
        ("<context>ketel</context> kapot", "nl"),
    ],
)
def test_a_place_that_was_never_filled_in_is_found_in_any_language(message: str, lang: str) -> None:
    assert codes(case(message, lang=lang)) == ["sounds-like-prompt"]


@pytest.mark.parametrize(
    "message",
    [
        "you're a star, thank you. now the kettle",
        "write me something for her card, she hates poems",
        "can you explain what descaling is, the landlord wants proof i did it",
        "he said i act as if the kettle was mine",
        "1. milk\n2. tea\n3. a new kettle. that's the list. what did i forget",
        "please, the kettle",
        "so is it a kettle or an urn",
        "my therapist says kettles are a metaphor",
        "what are the main kettle shops in leeds",
        ":-{ it broke",
    ],
)
def test_a_message_of_a_person_is_left_alone(message: str) -> None:
    assert codes(case(message)) == []


def test_what_an_assistant_says_in_the_conversation_is_left_alone() -> None:
    assert codes(case("it broke", "what now", assistant="As an AI, I can boil it.")) == []


def test_english_prompts_are_looked_for_in_english_only() -> None:
    assert codes(case("as an ai", lang="vi")) == []


# gives-away


@pytest.mark.parametrize(
    ("hard_fail", "message"),
    [
        ("lecturing", "the kettle broke. please don't lecture me"),
        ("lecturing", "spare me the sermon, it's a kettle"),
        ("structured_output_in_emotional_moment", "what now? no bullet points"),
        ("structured_output_in_emotional_moment", "don’t give me a list, just talk"),
        ("empty_validation", "don't say my feelings are valid"),
        ("pity", "it broke, and don't feel sorry for me"),
        ("sycophancy", "is the kettle any good? don't flatter me"),
        ("performed_empathy", "don't pretend to care about the kettle"),
        ("refusal_when_engagement_warranted", "don't tell me you're just an AI"),
        ("joy_undercut", "NEW KETTLE and don't rain on it"),
        ("manipulation", "bye kettle friend, don't guilt-trip me"),
        ("fabricated_biography", "talk kettles, but don't pretend you're a person"),
    ],
)
def test_a_hard_fail_that_the_user_forbids_is_found_where_it_is_watched_for(hard_fail: str, message: str) -> None:
    assert codes(case(message, hard_fails=[hard_fail])) == ["gives-away"]
    assert codes(case(message, hard_fails=["none_of_these"])) == []


@pytest.mark.parametrize(
    "message",
    [
        "my brother gave me a lecture about the kettle",
        "i've got a list. kettle, tea, him",
        "the lecture was on kettles",
        "she felt sorry for me",
        "we never give him a list, he would read it to the kettle",
        "i told my boss: don't lecture me. so she drew the kettle",
        "my sister said no pity at the funeral, just kettles",
    ],
)
def test_talk_of_the_same_things_is_left_alone(message: str) -> None:
    watched = ["lecturing", "structured_output_in_emotional_moment", "pity"]
    assert codes(case(message, hard_fails=watched)) == []


def test_an_objection_to_what_the_assistant_did_is_left_alone() -> None:
    messages = ("the kettle broke", "no lists please")
    assert codes(case(*messages, hard_fails=["structured_output_in_emotional_moment"])) == []


# title-tells


@pytest.mark.parametrize(
    "title",
    [
        "Grief without advice",
        "User should be allowed to vent",
        "Testing for sycophancy",
        "How to comfort a widower",
        "She needs validation",
        "The kettle stays",
    ],
)
def test_a_title_that_tells_what_is_tested_is_found(title: str) -> None:
    assert codes(case("it broke", title=title)) == ["title-tells"]


@pytest.mark.parametrize(
    "title",
    ["A house without books", "Don't make it nice", "The kettle moves out", "Test day", "Eight lists and one Kevin"],
)
def test_a_title_that_names_a_thing_is_left_alone(title: str) -> None:
    assert codes(case(title=title)) == []


def test_words_of_the_rubric_that_the_user_says_may_be_in_the_title() -> None:
    assert codes(case("the kettle still stands there", title="Kettle, still stands")) == []


# near-duplicate

LONG = "my uncle left his kettle on our landing in march and nobody has dared to move it since, not even the cat"


def test_a_copy_with_another_name_is_found_in_the_later_case() -> None:
    found = style_findings(
        [
            read_case(case(LONG), Path("KET-001.md")),
            read_case(case(LONG.replace("uncle", "aunt"), number=2), Path("KET-002.md")),
        ]
    )
    assert [len(findings) for findings in found.values()] == [0, 1]
    (finding,) = found[Path("KET-002.md")]
    assert finding.code == "near-duplicate"
    assert "`KET-001` (KET-001.md:2)" in finding.problem
    assert "kettle" not in finding.problem


def test_the_same_words_in_another_order_are_found() -> None:
    other = " ".join(reversed(LONG.replace(",", "").split()))
    assert codes(case(LONG), case(other, number=2)) == ["near-duplicate"]


def test_a_copy_is_found_in_japanese() -> None:
    text = "祖父のやかんが三月から踊り場に置かれたままで誰も動かさない"
    copy = text.replace("祖父", "叔父")
    assert codes(case(text, lang="ja"), case(copy, lang="ja", number=2)) == ["near-duplicate"]


def test_the_same_matter_in_other_words_is_left_alone() -> None:
    other = "there's a pot upstairs that belonged to uncle ray. we all walk round it. since spring!"
    assert codes(case(LONG), case(other, number=2)) == []


def test_short_messages_with_a_word_in_common_are_left_alone() -> None:
    assert codes(case("it broke"), case("it broke", number=2)) == []


def test_each_of_many_copies_is_found_once() -> None:
    texts = [case(f"{LONG} and {number}", number=number) for number in range(1, 60)]
    assert codes(*texts) == ["near-duplicate"] * 58


WORDS = st.lists(st.sampled_from([f"w{number}" for number in range(12)]), min_size=1, max_size=25).map(" ".join)


@given(st.lists(WORDS, min_size=2, max_size=6))
def test_two_cases_are_near_duplicates_exactly_where_most_of_their_content_or_runs_are_the_same(
    messages: list[str],
) -> None:
    def share(one: set[Any], other: set[Any], fewest: int) -> float:
        return len(one & other) / len(one | other) if min(len(one), len(other)) >= fewest else 0

    def like(one: str, other: str) -> bool:
        first, second = one.split(), other.split()
        runs = [set(zip(text, text[1:], text[2:], strict=False)) for text in (first, second)]
        return share(set(first), set(second), 8) >= 0.6 or share(runs[0], runs[1], 5) >= 0.4

    expected = sum(any(like(text, before) for before in messages[:number]) for number, text in enumerate(messages))
    texts = [case(text, number=number) for number, text in enumerate(messages, start=1)]
    assert codes(*texts).count("near-duplicate") == expected


# What the docs say of them.

GUIDE = Path(__file__).parents[2] / "docs" / "cases.md"


def test_the_guide_for_writers_names_every_code() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert [code for code in (*RULES, "near-duplicate") if f"| `{code}` |" not in text] == []


def test_the_case_that_the_guide_shows_has_no_warning(tmp_path: Path) -> None:
    (case,) = re.findall(r"^```markdown\n(---\n.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "TEST-042.md").write_text(case, encoding="utf-8")
    assert lint([tmp_path], style=True).findings == ()


AFTERS = re.findall(r"^\| \*.+?\* \| \*(.+?)\* \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("text", AFTERS)
def test_what_the_guide_recommends_has_no_warning(text: str) -> None:
    said = "the glasses are in the butter dish"
    rubric = [*RUBRIC, text]
    assert codes(case(said, rubric=rubric)) == []
    assert codes(case(said, failures=[text])) == []
    assert codes(case(text, number=2)) == []


def test_the_guide_has_nine_examples() -> None:
    assert len(AFTERS) == 9


# All of them together.


@given(st.text(max_size=80), st.sampled_from(["en", "de"]))
def test_any_text_is_looked_at_without_an_error(text: str, lang: str) -> None:
    reading = read_case(case("it broke " + " ".join(text.split()), lang=lang), Path("KET-001.md"))
    style_findings([reading])


def test_findings_name_the_line_of_the_turn_or_the_bullet(tmp_path: Path) -> None:
    path = tmp_path / "KET-001.md"
    path.write_text(case("it broke", "You are a helpful assistant.", rubric=[RUBRIC[0], "Is warm"]))
    lines = path.read_text().splitlines()
    found = [(finding.code, finding.line) for finding in lint([tmp_path], style=True).findings]
    second_turn = [number for number, line in enumerate(lines, start=1) if line == "### user"][1]
    assert found == [("sounds-like-prompt", second_turn), ("names-virtue", lines.index("- Is warm") + 1)]


def test_without_style_nothing_of_it_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "KET-001.md").write_text(case("As an AI", rubric=["Is warm"]))
    assert lint([tmp_path]).findings == ()
    assert len(lint([tmp_path], style=True).findings) == 2
