"""Choosing between two replies, as state machines: every way through them, and what both orders come to."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT, SEED, case, own_rubric

from iamhumans.cases import Case, Reply
from iamhumans.errors import CommandError
from iamhumans.judges import (
    LlmPreference,
    Order,
    PreferenceTask,
    RulesPreference,
    Settled,
    Settlement,
    open_preference_judge,
    settled,
)
from iamhumans.prompts import Answer, Request, side_by_side_messages
from iamhumans.verdicts import (
    Choice,
    Preference,
    PreferenceOutcome,
    Reason,
    Unjudged,
    confirming_quotes,
    preference_schema,
)

TOKEN = "tok3n"
WARM = Reply("BAK-001", "Oh no. The one with the poppy rolls?", subject="skill-one")
STIFF = Reply("BAK-001", "I want to acknowledge how hard this must be for you.", subject="skill-two")
TASK = PreferenceTask(case(), WARM, STIFF, token=TOKEN)
JUDGE = LlmPreference("some/model")


def says(
    choice: str = "first", *, first: str = "poppy rolls", second: str = "how hard this must be", check: str = TOKEN
) -> str:
    head = f"case_id: BAK-001\ncheck: {check}\n"
    return f'{head}first_quote: "{first}"\nsecond_quote: "{second}"\nchoice: {choice}\nreason: It asks.\n'


CLEAN = says()
MALFORMED = says("MAYBE")
UNCONFIRMED = says(first="the poppy buns")
MIXED_UP = says(first="how hard this must be", second="poppy rolls")


def step(*answers: str | Answer, of: PreferenceTask = TASK) -> Request | PreferenceOutcome:
    return JUDGE.next(of, [Answer(answer) if isinstance(answer, str) else answer for answer in answers])


def preference(*answers: str | Answer, of: PreferenceTask = TASK) -> Preference:
    outcome = step(*answers, of=of)
    assert isinstance(outcome, Preference)
    return outcome


def unjudged(*answers: str | Answer, of: PreferenceTask = TASK) -> Reason:
    outcome = step(*answers, of=of)
    assert isinstance(outcome, Unjudged)
    return outcome.reason


def request(*answers: str | Answer, of: PreferenceTask = TASK) -> Request:
    outcome = step(*answers, of=of)
    assert isinstance(outcome, Request)
    return outcome


# --- the question


def test_question_is_the_prompt_with_the_token_and_the_schema() -> None:
    asked = request()

    assert asked.messages == side_by_side_messages(TASK.case, WARM.text, STIFF.text, token=TOKEN)
    assert asked.schema is preference_schema()


def test_order_decides_which_is_shown_first() -> None:
    asked = request(of=replace(TASK, order=Order.B_FIRST))

    assert asked.messages == side_by_side_messages(TASK.case, STIFF.text, WARM.text, token=TOKEN)


def test_swapping_replies_and_order_asks_the_same_question() -> None:
    assert request() == request(of=replace(TASK, a=STIFF, b=WARM, order=Order.B_FIRST))


def test_question_names_no_subject() -> None:
    for answers in ((), (MALFORMED,), (UNCONFIRMED,)):
        assert not any("skill" in message.content for message in request(*answers).messages)


def test_persona_is_shown() -> None:
    assert "> A baker." in request(of=replace(TASK, persona="A baker.")).messages[-1].content


def test_repeat_asks_the_same_question() -> None:
    assert request(of=replace(TASK, repeat=2)) == request()


# --- one answer


@pytest.mark.parametrize("choice", list(Choice))
def test_clean_answer_is_the_choice(choice: Choice) -> None:
    said = preference(says(choice))

    assert said.choice is choice
    assert said.confirmed is (None if choice is Choice.NEITHER else True)


def test_quotes_are_looked_for_in_the_reply_as_it_was_shown() -> None:
    swapped = replace(TASK, order=Order.B_FIRST)

    assert preference(says("second", first="how hard this must be", second="poppy rolls"), of=swapped).confirmed
    assert isinstance(step(CLEAN, of=swapped), Request)


def test_choice_of_neither_needs_no_quote() -> None:
    assert preference(says("neither", first="x", second="y")).choice is Choice.NEITHER


def test_filtered_answer_is_not_asked_again() -> None:
    assert unjudged(Answer(CLEAN, "content_filter")) is Reason.CONTENT_FILTER


def test_refusal_is_not_asked_again() -> None:
    assert unjudged("I'm sorry, but I can't compare these.") is Reason.REFUSED


# --- the re-ask


@pytest.mark.parametrize("bad", [MALFORMED, UNCONFIRMED, MIXED_UP, says(check="wrong"), "", "The first one."])
def test_re_ask_goes_on_from_the_question_and_the_answer(bad: str) -> None:
    again = request(bad)

    assert again.messages[:2] == request().messages
    assert [message.role for message in again.messages[2:]] == ["assistant", "user"]
    assert again.messages[2].content == (bad or "(no text)")
    assert again.schema is preference_schema()


def test_re_ask_says_what_was_wrong() -> None:
    assert "> choice is `MAYBE`" in request(MALFORMED).messages[-1].content
    assert "`first_quote` has no valid quote from the first reply" in request(UNCONFIRMED).messages[-1].content
    assert "> the poppy buns" in request(UNCONFIRMED).messages[-1].content
    assert "`first_quote` has no quote" in request(says(first="")).messages[-1].content
    assert "that are only in the second reply" in request(MIXED_UP).messages[-1].content


@given(HOSTILE_TEXT)
def test_complaint_keeps_the_judges_words_in_their_fence(quote: str) -> None:
    words = quote.replace('"', "").replace("\\", "")
    outcome = step(says(first=words))

    if isinstance(outcome, Request):
        outcome.messages[-1].content.encode()
        assert not any(line.startswith("case_id: X") for line in outcome.messages[-1].content.splitlines())


def test_echo_of_a_long_answer_is_bounded() -> None:
    assert len(request("x" * 100_000).messages[2].content) <= 8_000


def test_malformed_then_clean_is_the_clean_one() -> None:
    assert preference(MALFORMED, CLEAN).choice is Choice.FIRST


def test_malformed_twice_is_unjudged_with_the_second_reason() -> None:
    assert unjudged(says(check="wrong"), MALFORMED) is Reason.BAD_CHOICE


def test_mixed_up_twice_is_unjudged() -> None:
    assert unjudged(MIXED_UP, MIXED_UP) is Reason.BAD_CHOICE


def test_unconfirmed_then_confirmed_is_confirmed() -> None:
    assert preference(UNCONFIRMED, CLEAN).confirmed is True


def test_unconfirmed_then_another_choice_is_the_other_choice() -> None:
    assert preference(UNCONFIRMED, says("second")).choice is Choice.SECOND


def test_unconfirmed_twice_is_kept_as_unconfirmed() -> None:
    said = preference(UNCONFIRMED, UNCONFIRMED)

    assert (said.choice, said.confirmed) == (Choice.FIRST, False)


@pytest.mark.parametrize("second", [MALFORMED, "", "I can't help with that.", MIXED_UP])
def test_first_choice_stands_where_the_second_answer_cannot_be_read(second: str) -> None:
    assert preference(UNCONFIRMED, second).confirmed is False


def test_malformed_then_unconfirmed_is_not_asked_a_third_time() -> None:
    assert preference(MALFORMED, UNCONFIRMED).confirmed is False


@FEW
@given(
    st.lists(
        st.one_of(st.sampled_from([CLEAN, MALFORMED, UNCONFIRMED, MIXED_UP]), HOSTILE_TEXT), min_size=2, max_size=2
    )
)
def test_two_answers_always_end_it(answers: list[str]) -> None:
    assert not isinstance(step(*answers), Request)


# --- nothing to ask


@pytest.mark.parametrize("empty", ["", " \n", "…", "\u200b"])
@pytest.mark.parametrize("side", ["a", "b"])
def test_reply_without_words_is_not_sent(empty: str, side: str) -> None:
    of = replace(TASK, **{side: replace(WARM, text=empty)})  # type: ignore[arg-type]  # a and b are replies

    assert unjudged(of=of) is Reason.NO_REPLY
    assert isinstance(RulesPreference(SEED).next(of), Unjudged)


def test_two_replies_that_are_the_same_are_a_tie_unasked() -> None:
    same = replace(TASK, b=replace(STIFF, text=WARM.text))
    said = preference(of=same)

    assert said.choice is Choice.NEITHER
    assert "same" in said.reason
    assert RulesPreference(SEED).next(same) == said


# --- both orders

OUTCOMES: tuple[PreferenceOutcome, ...] = (
    *(Preference(choice, confirmed=confirmed) for choice in Choice for confirmed in (True, False, None)),
    Unjudged(Reason.TIMEOUT, "late"),
    Unjudged(Reason.BAD_CHOICE, "MAYBE"),
    Unjudged(Reason.BAD_CHOICE, "both"),
)
SWAPPED = {Settlement.A: Settlement.B, Settlement.B: Settlement.A}
FIRST, SECOND, NEITHER = (Preference(choice, confirmed=True) for choice in Choice)


@pytest.mark.parametrize(("a_first", "b_first"), list(product(OUTCOMES, OUTCOMES)))
def test_settled_is_symmetric(a_first: PreferenceOutcome, b_first: PreferenceOutcome) -> None:
    one, other = settled(a_first, b_first), settled(b_first, a_first)

    assert other == replace(one, outcome=SWAPPED.get(one.outcome, one.outcome))


@pytest.mark.parametrize(
    ("a_first", "b_first", "expected"),
    [
        (FIRST, SECOND, Settled(Settlement.A)),
        (SECOND, FIRST, Settled(Settlement.B)),
        (NEITHER, NEITHER, Settled(Settlement.TIE)),
        (FIRST, FIRST, Settled(Settlement.TIE, flipped=True, favoured=Choice.FIRST)),
        (SECOND, SECOND, Settled(Settlement.TIE, flipped=True, favoured=Choice.SECOND)),
        (FIRST, NEITHER, Settled(Settlement.TIE, wavered=True)),
        (NEITHER, SECOND, Settled(Settlement.TIE, wavered=True)),
        (FIRST, replace(SECOND, confirmed=False), Settled(Settlement.A, unconfirmed=True)),
        (FIRST, replace(SECOND, confirmed=None), Settled(Settlement.A)),
        (replace(FIRST, confirmed=False), FIRST, Settled(Settlement.TIE, flipped=True, favoured=Choice.FIRST)),
    ],
)
def test_settled(a_first: Preference, b_first: Preference, expected: Settled) -> None:
    assert settled(a_first, b_first) == expected


def test_one_unjudged_order_leaves_the_pair_unjudged_with_its_reason() -> None:
    outcome = settled(FIRST, Unjudged(Reason.BAD_CHOICE, "choice is `MAYBE`"))

    assert outcome.outcome is Settlement.UNJUDGED
    assert outcome.unjudged == Unjudged(Reason.BAD_CHOICE, "in one of the two orders: choice is `MAYBE`")


def test_both_unjudged_orders_are_told() -> None:
    outcome = settled(Unjudged(Reason.TIMEOUT, "late"), Unjudged(Reason.BAD_CHOICE, "x"))

    assert outcome.unjudged == Unjudged(Reason.BAD_CHOICE, "in both orders: x")


def both_orders(of: PreferenceTask, *answers: str) -> Settled:
    """What a judge that gives these answers, one in each order, comes to."""
    outcomes = []
    for order, answer in zip(Order, answers, strict=True):
        outcome = JUDGE.next(replace(of, order=order), [Answer(answer)])
        assert not isinstance(outcome, Request)
        outcomes.append(outcome)
    return settled(*outcomes)


def test_judge_that_always_says_first_gives_only_ties_and_a_position_bias_of_one() -> None:
    pairs = []
    for number in range(20):
        of = replace(TASK, a=replace(WARM, text=f"roll {number}"), b=replace(STIFF, text=f"bun {number}"))
        quotes = [says(first=reply.text, second="x") for reply in (of.a, of.b)]
        pairs.append(both_orders(of, *quotes))

    assert {pair.outcome for pair in pairs} == {Settlement.TIE}
    assert sum(pair.flipped for pair in pairs) / len(pairs) == 1
    assert {pair.favoured for pair in pairs} == {Choice.FIRST}


def test_judge_that_means_one_reply_lets_it_win_in_both_orders() -> None:
    other = says("second", first="how hard this must be", second="poppy rolls")

    assert both_orders(TASK, CLEAN, other) == Settled(Settlement.A)


# --- the stand-in without a model

RULES = RulesPreference(SEED)
MARKED = replace(STIFF, text="Great question! I hope this helps! Certainly, the rolls were good.")


def by_rules(a: str, b: str, *, of: Case | None = None, judge: RulesPreference = RULES) -> Preference:
    outcome = judge.next(PreferenceTask(of or case(), replace(WARM, text=a), replace(STIFF, text=b)))
    assert isinstance(outcome, Preference)
    return outcome


def test_rules_prefer_the_reply_that_they_do_not_zero() -> None:
    said = by_rules(WARM.text, STIFF.text)

    assert said.choice is Choice.FIRST
    assert said.confirmed is None
    assert by_rules(STIFF.text, WARM.text).choice is Choice.SECOND


def test_rules_see_no_order() -> None:
    for a, b in ((WARM, STIFF), (STIFF, WARM), (WARM, MARKED), (MARKED, STIFF)):
        one, other = (RULES.next(PreferenceTask(case(), a, b, order)) for order in Order)
        assert not settled(one, other).flipped


def test_rules_tie_where_they_find_no_fault() -> None:
    said = by_rules("The one with the poppy rolls?", "Which rolls did you like there?")

    assert said.choice is Choice.NEITHER
    assert "So neither is preferred." in said.reason


def test_two_replies_with_hard_fails_are_equal_to_the_rules() -> None:
    said = by_rules(STIFF.text, "Oh, you poor thing.")

    assert said.choice is Choice.NEITHER
    assert "find performed_empathy in the first reply and pity in the second" in said.reason


def test_reason_of_the_rules_says_what_it_rests_on() -> None:
    reason = by_rules(WARM.text, STIFF.text).reason

    assert "find no fault in the first reply and performed_empathy in the second" in reason
    assert "is not one that a person would have said" in reason


def test_quotes_of_the_rules_are_verbatim_and_of_tells_alone() -> None:
    said = by_rules(WARM.text, STIFF.text)

    assert said.first_quotes == ()
    assert said.second_quotes
    assert confirming_quotes(said.second_quotes, STIFF.text) == said.second_quotes


def test_what_the_rules_cannot_judge_is_unjudged() -> None:
    german = replace(
        STIFF, text="Das ist schade, und ich glaube nicht, dass du dafür etwas kannst. Willst du davon erzählen?"
    )
    outcome = RULES.next(replace(TASK, b=german))

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is Reason.UNSUPPORTED_LANGUAGE
    assert outcome.detail.startswith("of the second reply: ")
    assert isinstance(RulesPreference(own_rubric()).next(TASK), Unjudged)


def test_version_of_the_rules_follows_the_rubric() -> None:
    assert RULES.version == RulesPreference(SEED).version != RulesPreference(own_rubric()).version
    assert len(RULES.version) == len(hashlib.sha256().hexdigest())


# --- opening


def test_judges_are_opened_by_name() -> None:
    assert open_preference_judge("rules", SEED) == RULES
    assert open_preference_judge("some/model", SEED) == JUDGE
    assert (RULES.asks_model, JUDGE.asks_model) == (False, True)
    assert (RULES.name, JUDGE.name, JUDGE.version) == ("rules", "some/model", "")


def test_recorded_verdicts_cannot_choose() -> None:
    with pytest.raises(CommandError, match="cannot choose between two"):
        open_preference_judge("recorded/x.yaml", SEED)
