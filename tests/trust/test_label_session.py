"""A session of labelling: the queue, answers, undo, skip, resume. And it is blind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import SEED, axis, conversation, own_rubric
from tests.trust.labelled import label, reply

from iamhumans.rubrics import Rubric
from iamhumans.runs.labels import Label
from iamhumans.trust.drawing import Drawn
from iamhumans.trust.label_session import (
    LEAVE_OUT,
    NO_LABEL,
    Item,
    LabelSession,
    Progress,
    Session,
    axes_at_stake,
    begin,
    changes,
    items_of,
)

ITEMS = [Item(f"k{number}", (), f"Reply {number}.", ("pity",), ("naturalness",)) for number in range(8)]


def answers(
    flags: Mapping[str, bool | None],
    axes: Mapping[str, float | None],
    words: Mapping[str, tuple[str, ...]] | None = None,
) -> Label:
    return replace(NO_LABEL, flags=flags, axes=axes, words=words or {})


SAID = answers({"pity": True}, {"naturalness": 3.0})


def start(**known: Label) -> Session:
    return begin(ITEMS, known, rater="ann")


def key_of(session: Session) -> str:
    assert session.current is not None
    return session.current.key


def answered(session: Session, score: float = 7.0) -> Session:
    return session.answered("pity", said=False).answered("naturalness", score).done()


def test_each_rater_has_an_order_of_their_own_that_stays() -> None:
    anns, bobs = (begin(ITEMS, {}, rater=rater).items for rater in ("ann", "bob"))
    assert anns != bobs
    assert set(anns) == set(bobs)
    assert begin(ITEMS[::-1], {}, rater="ann").items == anns


def test_answers_are_kept_and_the_next_reply_is_shown() -> None:
    first = start()
    second = answered(first)
    assert second.labels == {key_of(first): answers({"pity": False}, {"naturalness": 7.0})}
    assert key_of(second) != key_of(first)
    assert second.progress == Progress(place=2, total=8, labelled=1)


def test_reply_of_which_nothing_was_said_is_not_kept() -> None:
    assert start().done().labels == {}


def test_what_the_rater_labelled_before_is_not_asked_again() -> None:
    session = start(k3=SAID, k5=SAID)
    assert session.progress == Progress(place=3, total=8, labelled=2)
    assert key_of(session) not in ("k3", "k5")


def test_reply_of_which_other_things_were_said_is_asked_and_keeps_them() -> None:
    known = answers({"lecturing": True}, {}, {"lecturing": ("one",)})
    session = begin(ITEMS[:1], {"k0": known}, rater="ann")
    done = answered(session)
    assert done.labels["k0"] == answers(
        {"pity": False, "lecturing": True}, {"naturalness": 7.0}, {"lecturing": ("one",)}
    )


def test_skipped_reply_is_not_kept_and_comes_again_next_time() -> None:
    session = start()
    skipped = session.answered("pity", said=True).skipped()
    assert skipped.labels == {}
    assert key_of(start()) == key_of(session)


def test_back_shows_what_was_said_and_changes_it() -> None:
    session = answered(start())
    again = session.back()
    assert again.draft == answers({"pity": False}, {"naturalness": 7.0})
    changed = again.answered("naturalness", 2.0).done()
    assert changed.labels[key_of(again)].axes == {"naturalness": 2.0}


def test_back_leads_to_what_was_labelled_in_an_earlier_session() -> None:
    session = start(k3=SAID)
    assert (key_of(session.back()), session.back().draft) == ("k3", SAID)


def test_all_can_be_gone_through_again() -> None:
    session = begin(ITEMS, {"k3": SAID, "k5": SAID}, rater="ann", again=True)
    assert key_of(session) in ("k3", "k5")
    assert (session.draft, session.progress) == (SAID, Progress(place=1, total=8, labelled=2))


def test_back_at_the_first_reply_changes_nothing() -> None:
    session = start()
    assert session.back() is session


def test_words_go_when_the_yes_does() -> None:
    session = start().answered("pity", said=True).with_words("pity", "poor thing")
    assert session.draft.words == {"pity": ("poor thing",)}
    assert session.answered("pity", said=False).draft.words == {}
    assert session.answered("pity", LEAVE_OUT).draft.words == {}


MOVES = st.lists(
    st.sampled_from(
        [
            lambda session: session.answered("pity", said=True),
            lambda session: session.answered("naturalness", 4.0),
            lambda session: session.answered("naturalness", LEAVE_OUT),
            lambda session: session.with_notes("hm"),
            lambda session: session.done(),
            lambda session: session.skipped(),
            lambda session: session.back(),
        ]
    ),
    max_size=20,
)


@given(MOVES)
def test_everything_can_be_taken_back_step_by_step(moves: list) -> None:  # type: ignore[type-arg]  # of lambdas
    states = [start(k3=SAID)]
    for move in moves:
        if states[-1].current is not None or move(states[0]) is states[0]:
            states.append(move(states[-1]))
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        assert after is before or after.undone() == before
    assert states[0].undone() is states[0]


@given(MOVES)
def test_changes_are_all_that_must_be_kept(moves: list) -> None:  # type: ignore[type-arg]  # of lambdas
    session = start(k3=SAID)
    stored = dict(session.labels)
    for move in moves:
        if session.current is None:
            break
        after = move(session)
        for key, said in changes(session, after).items():
            stored.pop(key) if said.empty else stored.update({key: said})
        session = after
    assert stored == session.labels


def test_undone_answers_are_forgotten() -> None:
    first = start()
    done = first.answered("pity", said=True).done()
    assert changes(done, done.undone()) == {key_of(first): NO_LABEL}


def test_nothing_can_be_answered_when_all_is_done() -> None:
    session = begin(ITEMS[:1], {}, rater="ann").skipped()
    assert session.current is None
    assert session.progress == Progress(place=1, total=1, labelled=0)
    with pytest.raises(ValueError, match="no reply left"):
        session.answered("pity", said=True)


def test_it_is_blind() -> None:
    assert {field.name for field in fields(Item)} == {"key", "conversation", "reply", "flags", "axes"}
    shown = items_of([reply(subject="the newest skill", holdout=True)], SEED)
    assert "skill" not in repr(shown)


@pytest.mark.parametrize(
    ("turns", "repair", "left_out"),
    [
        (("a",), False, {"memory_coherence", "repair_quality"}),
        (("a", "b", "c"), False, {"repair_quality"}),
        (("a", "b", "c"), True, set()),
    ],
)
def test_axis_with_nothing_to_judge_is_not_asked(turns: tuple[str, ...], repair: bool, left_out: set[str]) -> None:
    asked = axes_at_stake(reply(conversation=conversation(*turns), repair=repair), SEED)
    assert set(SEED.axis_ids) - set(asked) == left_out


def test_all_is_asked_unless_some_is_named() -> None:
    (whole,) = items_of([reply()], SEED)
    assert whole.flags == SEED.hard_fail_ids
    (flags_only,) = items_of([reply()], SEED, flags=["pity"])
    assert (flags_only.flags, flags_only.axes) == (("pity",), ())
    (axes_only,) = items_of([reply()], SEED, axes=["memory_coherence"])
    assert (axes_only.flags, axes_only.axes) == ((), ("memory_coherence",))


def test_reply_about_which_nothing_is_asked_is_left_out() -> None:
    nothing = Rubric(name="own", axes=(own_rubric().axes[1],))
    assert items_of([reply()], nothing) == []
    assert len(items_of([reply()], Rubric(name="own", axes=(axis("warmth"),)))) == 1


def session_of(state: Session, drawn: Drawn | None = None) -> LabelSession:
    items = {"k1": reply("k1")}
    return LabelSession(None, items, "ann", {"k1": drawn} if drawn else {}, state)  # type: ignore[arg-type]  # unused


def test_label_says_how_its_reply_was_drawn() -> None:
    drawn = Drawn("k1", "BAK-001", "friend", 1, "targeted", 2.5)
    made = session_of(start(), drawn).label_of("k1", SAID)
    assert (made.part, made.weight, made.case_id, made.subject) == ("targeted", 2.5, "BAK-001", "friend")
    assert (made.flags, made.axes, made.rater) == (SAID.flags, SAID.axes, "ann")


def test_label_that_is_changed_stays_drawn_as_it_was() -> None:
    made = session_of(start()).label_of("k1", label(part="random", weight=4.0, case_id="theirs"))
    assert (made.part, made.weight, made.case_id) == ("random", 4.0, "theirs")
