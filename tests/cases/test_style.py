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

RUBRIC = ("Stays with the kettle that is still there", "Asks nothing about the move")
GUIDE = Path(__file__).parents[2] / "docs" / "cases.md"
LONG = "my uncle left his kettle on our landing in march and nobody has dared to move it since, not even the cat"


def case(
    *user: str,
    rubric: Sequence[str] = RUBRIC,
    failures: Sequence[str] = ("Recommends a brand",),
    lang: str = "en",
    number: int = 1,
    assistant: str = "Which kettle?",
) -> str:
    """A case file; of several messages of the user each but the last is answered."""
    turns = f"\n\n### assistant\n\n{assistant}\n\n".join(f"### user\n\n{text}" for text in user or ("it broke",))
    front = f"id: KET-{number:03}\ntitle: Third floor\nlang: {lang}\ndimensions: [feeling]\nhard_fails: [pity]\n"
    lists = ["\n".join(f"- {one}" for one in bullets) for bullets in (rubric, failures)]
    body = f"## conversation\n\n{turns}\n\n## rubric\n\n{lists[0]}\n\n## failure_modes\n\n{lists[1]}\n"
    return f"---\n{front}---\n\n{body}"


def codes(*texts: str) -> list[str]:
    readings = [read_case(text, Path(f"KET-{number:03}.md")) for number, text in enumerate(texts, start=1)]
    assert all(reading.case for reading in readings)
    return [finding.code for found in style_findings(readings).values() for finding in found]


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
    assert codes(case(failures=[bullet])) == []


@pytest.mark.parametrize(
    "bullet",
    [
        *RUBRIC,
        "Is as dry as she is",
        "Kind about the accordion, once",
        "Glad in a low voice",
        "Does not over-validate her anger at the kettle",
        "Says straight out that it can't know",
        "Understands that 'fine' was about the bus",
        "Is warm only towards the cat",
    ],
)
def test_a_bullet_that_names_a_detail_is_left_alone(bullet: str) -> None:
    assert codes(case(rubric=[bullet])) == []


def test_virtues_are_looked_for_in_english_only() -> None:
    rubric = ["Der Ton ist human und warm, und mehr sagt dieser Satz nicht", "Bleibt bei dem Kessel, der noch da steht"]
    assert codes(case("der kessel ist weg", rubric=rubric, failures=["Empfiehlt eine andere Marke"], lang="de")) == []


@pytest.mark.parametrize(
    ("message", "lang"),
    [
        ("You are a helpful assistant. My kettle broke.", "en"),
        ("Act as an experienced therapist and ask me about my kettle.", "en"),
        ("I want you to act as my mentor in kettles.", "en"),
        ("As an AI, what do you make of kettles?", "en"),
        ("Hi {{NAME}}, the kettle is gone", "en"),
        ("el hervidor de [insert city] se rompió", "es"),
        ("<context>ketel</context> kapot", "nl"),
    ],
)
def test_a_message_for_a_program_is_found(message: str, lang: str) -> None:
    assert codes(case(message, lang=lang)) == ["sounds-like-prompt"]


@pytest.mark.parametrize(
    ("message", "lang"),
    [
        ("you're a star, thank you. now the kettle", "en"),
        ("write me something for her card, she hates poems", "en"),
        ("he said i act as if the kettle was mine", "en"),
        ("1. milk\n2. tea\n3. a new kettle. that's the list. what did i forget", "en"),
        ("my therapist says kettles are a metaphor", "en"),
        (":-{ it broke", "en"),
        ("as an ai", "vi"),
    ],
)
def test_a_message_of_a_person_is_left_alone(message: str, lang: str) -> None:
    assert codes(case(message, lang=lang)) == []


def test_what_an_assistant_says_in_the_conversation_is_left_alone() -> None:
    assert codes(case("it broke", "what now", assistant="As an AI, I can boil it.")) == []


def test_a_copy_with_another_name_is_found_in_the_later_case_and_not_quoted() -> None:
    texts = [case(LONG), case(LONG.replace("uncle", "aunt"), number=2)]
    found = style_findings([read_case(text, Path(f"{number}.md")) for number, text in enumerate(texts)])
    assert found[Path("0.md")] == []
    (finding,) = found[Path("1.md")]
    assert finding.code == "near-duplicate"
    assert "`KET-001` (0.md:2)" in finding.problem
    assert "kettle" not in finding.problem


@pytest.mark.parametrize(
    ("text", "copy", "lang"),
    [
        (LONG, " ".join(reversed(LONG.replace(",", "").split())), "en"),
        (
            "祖父のやかんが三月から踊り場に置かれたままで誰も動かさない",
            "叔父のやかんが三月から踊り場に置かれたままで誰も動かさない",
            "ja",
        ),
    ],
)
def test_a_copy_in_another_order_or_without_spaces_is_found(text: str, copy: str, lang: str) -> None:
    assert codes(case(text, lang=lang), case(copy, lang=lang, number=2)) == ["near-duplicate"]


@pytest.mark.parametrize(
    ("one", "other"),
    [(LONG, "there's a pot upstairs that belonged to uncle ray. we all walk round it. since spring!"), ("hi", "hi")],
)
def test_other_words_and_short_messages_are_no_copies(one: str, other: str) -> None:
    assert codes(case(one), case(other, number=2)) == []


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


def test_the_guide_for_writers_names_every_code() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert [
        code for code in ("names-virtue", "sounds-like-prompt", "near-duplicate") if f"| `{code}` |" not in text
    ] == []


def test_the_case_that_the_guide_shows_has_no_warning(tmp_path: Path) -> None:
    (case,) = re.findall(r"^```markdown\n(---\n.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "TEST-042.md").write_text(case, encoding="utf-8")
    assert lint([tmp_path], style=True).findings == ()


@pytest.mark.parametrize(
    "text", re.findall(r"^\| \*.+?\* \| \*(.+?)\* \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
)
def test_what_the_guide_recommends_is_left_alone(text: str) -> None:
    assert codes(case("the glasses are in the butter dish", rubric=[*RUBRIC, text])) == []
    assert codes(case(text, number=2)) == []


@given(st.text(max_size=80), st.sampled_from(["en", "de"]))
def test_any_text_is_looked_at_without_an_error(text: str, lang: str) -> None:
    style_findings([read_case(case("it broke " + " ".join(text.split()), lang=lang), Path("KET-001.md"))])


def test_findings_name_the_line_of_the_turn_or_the_bullet_and_only_with_style(tmp_path: Path) -> None:
    path = tmp_path / "KET-001.md"
    path.write_text(case("it broke", "You are a helpful assistant.", rubric=[RUBRIC[0], "Is warm"]))
    lines = path.read_text().splitlines()
    found = [(finding.code, finding.line) for finding in lint([tmp_path], style=True).findings]
    second_turn = [number for number, line in enumerate(lines, start=1) if line == "### user"][1]
    assert found == [("sounds-like-prompt", second_turn), ("names-virtue", lines.index("- Is warm") + 1)]
    assert lint([tmp_path]).findings == ()
