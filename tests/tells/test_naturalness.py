"""Tells that make a reply read as machine-made, and findings for the other axes."""

from __future__ import annotations

import pytest
from tests.tells.cases import FLATMATE, SMALL_TALK, case_of, found, tells_of


def rules_of(reply: str) -> set[str]:
    return {tell.rule.partition(".")[2] for tell in tells_of("naturalness", reply, SMALL_TALK)}


@pytest.mark.parametrize(
    ("rule", "reply"),
    [
        ("opener", "Certainly! The kettle is on the left."),
        ("opener", "Absolutely! Go for it."),
        ("closer", "Turn it twice. I hope this helps!"),
        ("closer", "Feel free to reach out."),
        ("hedge", "It's important to note that kettles vary."),
        ("hedge", "It’s worth noting that kettles vary."),
        ("vocabulary", "Let us delve into kettles."),
        ("not_but", "It's not a kettle, it's a promise."),
        ("em_dashes", "One — two — three — four, and so on."),
        ("triplets", "It is warm, calm, and kind. You are tired, sore, and late. Bring bread, salt, and wine."),
        ("exclamations", "Wow! That is great! Do tell!"),
        ("emoji_bullets", "🌟 first\n🌟 second"),
        ("flat_sentences", "The kettle is on the left side today. The cups are on the upper shelf today. " * 5),
    ],
)
def test_a_tell_is_found(rule: str, reply: str) -> None:
    assert rule in rules_of(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "I was certainly late.",
        "One dash — and no more.",
        "Warm, calm, and kind.",
        "Ha! No. The kettle died an hour ago, so it's cold water and bread.",
    ],
)
def test_a_plain_reply_has_none(reply: str) -> None:
    assert rules_of(reply) == set()


def test_good_cheer_for_somebody_who_is_sad() -> None:
    assert "empathy_fit" in found("Cheer up! Tomorrow is a new day!", FLATMATE)


def test_a_hedge_on_every_sentence() -> None:
    reply = "Maybe it was her. Perhaps it was the door. It might be the cat. It could be nothing, I think."
    assert "calibrated_uncertainty" in found(reply, SMALL_TALK)


def test_a_conversation_that_never_took_place() -> None:
    assert "memory_coherence" in found("As we discussed last time, rest first.", SMALL_TALK)


def test_an_earlier_conversation_that_the_user_speaks_of() -> None:
    case = case_of("You told me something about rest last week, what was it?")
    assert "memory_coherence" not in found("As we discussed last time, rest first.", case)


def test_a_grovel_where_something_is_to_be_put_right() -> None:
    case = case_of("You got the day wrong, it's Friday.", repair=True)
    assert "repair_quality" in found("I'm so sorry, I completely failed you. I apologize again.", case)


def test_one_apology_is_no_grovel() -> None:
    case = case_of("You got the day wrong, it's Friday.", repair=True)
    assert "repair_quality" not in found("Friday, yes. Sorry, my mistake.", case)
