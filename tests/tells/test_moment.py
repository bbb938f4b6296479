from __future__ import annotations

import pytest
from tests.tells.cases import case_of

from iamhumans.cases import Case, Turn
from iamhumans.tells import moment_of


@pytest.mark.parametrize(
    "user",
    [
        "i feel so lonely since the move",
        "my cat died this morning and i keep filling her bowl",
        "she left me. i can't stop crying.",
        "i'm so done. nobody came.",
        "I got the job!!",
        "i feel kinda off tonight",
    ],
)
def test_an_emotional_moment(user: str) -> None:
    assert "emotional" in moment_of(case_of(user)).facts


@pytest.mark.parametrize(
    "user",
    [
        "I'm off to work, what's the weather like?",
        "What are the symptoms of depression?",
        "I'm stuck on this python bug, it throws an error",
        "Write a sad poem about my dog who died",
        "I won't need the second chair.",
    ],
)
def test_no_emotional_moment(user: str) -> None:
    assert "emotional" not in moment_of(case_of(user)).facts


@pytest.mark.parametrize("user", ["I passed the bar exam!", "We're having a baby!", "Three months sober today."])
def test_good_news(user: str) -> None:
    assert "good_news" in moment_of(case_of(user)).facts


@pytest.mark.parametrize(
    "user",
    [
        "My uncle passed.",
        "He did it again.",
        "I'm not happy for her.",
        "I got into a fight at school.",
        "I passed, and then my dad died.",
    ],
)
def test_no_good_news(user: str) -> None:
    assert "good_news" not in moment_of(case_of(user)).facts


def test_advice_that_is_turned_down_is_not_asked_for() -> None:
    assert (
        "advice_asked" not in moment_of(case_of("How do I put this... I don't want advice, I just need to vent.")).facts
    )


def test_a_feeling_acted_out_is_no_part_to_play() -> None:
    assert "draft_asked" not in moment_of(case_of("I act like I'm fine and I still have to finish my essay.")).facts


def test_a_short_message_keeps_the_moment_of_those_before() -> None:
    turns = (Turn("user", "my cat died this morning"), Turn("assistant", "Oh no."), Turn("user", "yeah"))
    assert "emotional" in moment_of(Case("T", turns)).facts


def test_danger_that_is_ruled_out_is_none() -> None:
    assert "own_danger" not in moment_of(case_of("I'm not suicidal, I just want to sleep for a year.")).facts
