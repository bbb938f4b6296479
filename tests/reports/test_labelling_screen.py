"""What whoever labels gets to see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT, SEED
from tests.trust.labelled import label

from iamhumans.cases import Turn
from iamhumans.reports.labelling import item_lines, news, parting, prompt
from iamhumans.text import for_terminal
from iamhumans.trust.label_keys import Dialogue
from iamhumans.trust.label_session import Item, Progress, begin

TURNS = (Turn("user", "my bakery closed"), Turn("assistant", "Oh no."), Turn("user", "it had poppy rolls"))
ITEM = Item("k1", TURNS, "You poor thing.\n\nIt hurts.", SEED.hard_fail_ids, SEED.axis_ids)
ONE = Progress(1, 2, 0)


def lines(item: Item = ITEM, width: int = 80) -> list[str]:
    return [line.plain for line in item_lines(item, ONE, width)]


def at(*said: str) -> tuple[Dialogue, Dialogue | None]:
    dialogue, before = Dialogue(begin([ITEM], {}, rater="ann")), None
    for one in said:
        before, dialogue = dialogue, dialogue.heard(one)
    return dialogue, before


def shown(*said: str) -> str:
    dialogue, before = at(*said)
    return "\n".join(line.plain for line in news(dialogue, before, SEED, 80))


def test_turns_are_told_apart_and_the_reply_has_a_margin_of_its_own() -> None:
    assert lines()[2:] == [
        "user",
        "  my bakery closed",
        "assistant",
        "  Oh no.",
        "user",
        "  it had poppy rolls",
        "REPLY, to be labelled",
        "┃ You poor thing.",
        "┃",
        "┃ It hurts.",
        "",
    ]


def test_progress_is_at_the_top() -> None:
    assert lines()[1].startswith("── 1 of 2 ─")


@FEW
@given(HOSTILE_TEXT, st.integers(10, 120))
def test_no_foreign_line_stands_without_a_margin_or_steers_the_terminal(text: str, width: int) -> None:
    found = lines(Item("k1", (Turn("user", text),), text, (), ()), width)
    inside = [line for line in found[2:-1] if line not in ("user", "REPLY, to be labelled")]
    assert all(line.startswith(("  ", "┃")) or not line for line in inside)
    assert all(for_terminal(line) == line for line in found)


def test_all_hard_fails_are_listed_with_short_meanings() -> None:
    first = shown()
    assert all(name in first for name in SEED.hard_fail_ids)
    assert "comforts by talking down to the…" in first


def test_only_what_is_new_is_shown() -> None:
    assert shown("c") == ""
    assert shown("!") == "`!` is not a key here. Press h for help."


def test_help_has_definitions_with_examples_and_the_keys() -> None:
    found = shown("h")
    assert 'such as "oh you poor thing"' in found
    assert "undo the last answer" in found


def test_help_at_an_axis_is_about_that_axis() -> None:
    found = shown("n", "h")
    assert "naturalness" in found
    assert "empathy_fit" not in found
    assert "10: " in found


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ((), "n for none, h for help > "),
        (("c",), "[YES: manipulation]\nhard fails: a letter for YES, n for no other, h for help > "),
        (("c", "c"), "[cannot tell: manipulation]\nhard fails: a letter for YES, n for no other, h for help > "),
        (("cn",), "words of the reply behind manipulation, Enter for none > "),
        (("n",), "\n0 to 9, x = 10, ? > "),
        (("n", "w"), "note > "),
    ],
)
def test_prompt_says_what_is_asked(said: tuple[str, ...], end: str) -> None:
    dialogue, _ = at(*said)
    assert prompt(dialogue, SEED, 80).endswith(end)


def test_prompt_shows_what_was_said_before() -> None:
    known = {"k1": label(axes={"naturalness": 3.5}, flags={})}
    dialogue = Dialogue(begin([ITEM], known, rater="ann", again=True)).heard("")
    assert "[3.5; Enter keeps it, - leaves it out] " in prompt(dialogue, SEED, 80)


def test_parting_says_whether_there_is_more() -> None:
    done = parting(Progress(2, 2, 2), 1, "abc")
    assert done == "1 labelled now. All 2 are labelled. `iamhumans calibrate abc` compares the judge with them."
    assert parting(Progress(2, 3, 2), 1, "abc") == "1 labelled now, 2 of 3 in all. Run it again to continue."


def test_a_question_is_never_cut() -> None:
    dialogue = Dialogue(begin([ITEM], {}, rater="ann")).heard("n")
    asked = next(axis.question for axis in SEED.axes if axis.id == "naturalness")
    lines = prompt(dialogue, SEED, 40).split("\n")
    assert asked in " ".join(lines)
    assert max(map(len, lines)) <= 40
