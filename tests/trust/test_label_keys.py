"""What keys and lines mean to whoever labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.rubrics import load_rubric
from iamhumans.runs.labels import Label
from iamhumans.trust.label_keys import NOTE, Command, Dialogue, Question
from iamhumans.trust.label_session import Item, Session, begin

REPLY = "You poor thing, I know. It hurts."
MANY = ("manipulation", "pity", "lecturing")


def dialogue(flags: tuple[str, ...] = MANY, axes: tuple[str, ...] = ("naturalness",), replies: int = 2) -> Dialogue:
    items = [Item(f"k{number}", (), REPLY, flags, axes) for number in range(replies)]
    return Dialogue(begin(items, {}, rater="ann"))


def after(*said: str, **asked: tuple[str, ...]) -> Dialogue:
    found = dialogue(**asked)  # type: ignore[arg-type]  # flags and axes
    for one in said:
        found = found.heard(one)
    return found


def kept(found: Dialogue) -> list[Label]:
    return list(found.session.labels.values())


def test_none_of_many_is_one_key() -> None:
    found = after("n", "8")
    assert [(one.flags, one.axes) for one in kept(found)] == [(dict.fromkeys(MANY, False), {"naturalness": 8.0})]
    assert found.session.place == 1


def test_yes_is_picked_by_a_letter_and_the_rest_is_none() -> None:
    found = after("c", "n")
    assert found.session.draft.flags == {"manipulation": False, "pity": True, "lecturing": False}
    assert found.question == Question("words", "pity")


def test_line_may_bring_several_letters() -> None:
    assert after("cn").session.draft.flags == after("c", "n").session.draft.flags


def test_letter_goes_from_yes_to_cannot_tell_to_nothing() -> None:
    said = [after(*"c" * presses).session.draft.flags.get("pity", "nothing") for presses in range(1, 5)]
    assert said == [True, None, "nothing", True]


def test_enter_leaves_out_what_is_not_marked() -> None:
    found = after("a", "", "")
    assert found.session.draft.flags == {"manipulation": True}
    assert found.question == Question("axis", "naturalness")


@pytest.mark.parametrize(("key", "said"), [("y", {"pity": True}), ("n", {"pity": False}), ("?", {"pity": None})])
def test_one_hard_fail_takes_one_key(key: str, said: dict[str, bool | None]) -> None:
    assert after(key, flags=("pity",)).session.draft.flags == said


def test_words_must_stand_in_the_reply() -> None:
    found = after("c", "n", "poor old thing")
    assert found.question == Question("words", "pity")
    assert "not in the reply" in found.remark
    assert found.session.draft.words == {}
    found = found.heard("  poor   thing, ").heard("It hurts").heard("")
    assert found.session.draft.words == {"pity": ("poor   thing,", "It hurts")}
    assert found.question == Question("axis", "naturalness")


@pytest.mark.parametrize(("key", "score"), [("0", 0.0), ("9", 9.0), ("x", 10.0), ("10", 10.0), ("?", None)])
def test_axis_takes_a_key(key: str, score: float | None) -> None:
    assert kept(after("n", key))[0].axes == {"naturalness": score}


def test_axis_that_is_left_out_is_absent() -> None:
    assert kept(after("n", ""))[0].axes == {}


@pytest.mark.parametrize("key", ["11", "-1", "7.5", "z", "²", "٣", "88888888888888888888888"])
def test_key_that_means_nothing_changes_nothing_and_says_so(key: str) -> None:
    found = after("n", key)
    assert found.session == after("n").session
    assert found.remark


def test_undo_takes_back_one_key() -> None:
    assert after("c", "u").session == dialogue().session
    assert after("n", "u").session == dialogue().session
    assert after("n", "8", "u").session == after("n").session


def test_undo_after_a_reply_takes_it_out_of_what_is_kept() -> None:
    found = after("n", "8", "u")
    assert (kept(found), found.question) == ([], Question("axis", "naturalness"))


def test_undo_of_nothing_says_so() -> None:
    assert after("u").remark == "There is nothing to undo."


def test_skip_keeps_nothing() -> None:
    found = after("c", "s")
    assert (found.session.place, kept(found)) == (1, [])


def test_back_keeps_answers_by_enter_and_drops_one_by_a_dash() -> None:
    found = after("n", "8", "b")
    assert found.session.place == 0
    assert kept(found.heard("").heard("")) == kept(after("n", "8"))
    assert kept(found.heard("").heard("-"))[0].axes == {}


def test_back_at_the_first_says_so() -> None:
    assert after("b").remark == "This is the first reply."


def test_quit_keeps_the_replies_that_were_answered() -> None:
    found = after("n", "8", "c", "q")
    assert (found.question, len(kept(found))) == (None, 1)


def test_note_is_a_line_and_leaves_the_question_where_it_was() -> None:
    found = after("n", "w")
    assert found.question == NOTE
    found = found.heard("a bit stiff")
    assert found.question == Question("axis", "naturalness")
    assert kept(found.heard("8"))[0].notes == "a bit stiff"


def test_letters_of_a_note_are_no_commands() -> None:
    assert after("w", "q").session.draft.notes == "q"


def test_help_stays_at_the_question() -> None:
    found = after("h")
    assert (found.helping, found.question, found.heard("n").helping) == (True, Question("flags"), False)


def test_no_letter_is_a_command() -> None:
    found = dialogue(flags=load_rubric("iamhumans-extended").hard_fail_ids)
    assert len(found.letters) == len(load_rubric("iamhumans-extended").hard_fail_ids)
    assert not set(found.letters) & {*(command.value for command in Command), "n", "x", "y"}


def test_after_the_last_reply_nothing_is_asked() -> None:
    found = after("n", "8", "n", "7")
    assert (found.question, len(kept(found))) == (None, 2)
    assert found.heard("n") is found


KEYS = st.lists(st.sampled_from(["", "n", "a", "c", "y", "?", "8", "x", "-", *"usbhw", "poor thing", "ü", "\x1b"]))


@given(KEYS, st.sampled_from([MANY, ("pity",), ()]))
def test_any_keys_lead_to_a_question_or_to_the_end(keys: list[str], flags: tuple[str, ...]) -> None:
    found = dialogue(flags=flags)
    for key in keys:
        found = found.heard(key)
        assert isinstance(found.session, Session)
        assert (found.question is None) == (found.session.current is None)
        for one in kept(found):
            assert set(one.words) <= {name for name, said in one.flags.items() if said}
