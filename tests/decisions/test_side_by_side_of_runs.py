"""Pairs of replies from two runs, and what a judge's choices come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.decisions.choosing import STIFF, WARM, hold_out, judged
from tests.judging_server import Bench

from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of
from iamhumans.decisions.side_by_side import (
    LeftOut,
    Question,
    ReplyPair,
    SideBySide,
    current_questions,
    pairs_of,
    persona_of,
    questions,
    side_by_side,
)
from iamhumans.errors import CommandError
from iamhumans.judges import LlmPreference
from iamhumans.reports.markdown import blocks_markdown
from iamhumans.reports.side_by_side import side_by_side_blocks, side_by_side_document, side_by_side_sentences
from iamhumans.reports.terminal import blocks_text
from iamhumans.runs import Journal
from iamhumans.runs.journal.preferences import PreferenceEntry
from iamhumans.runs.named import find_run
from iamhumans.verdicts import Choice, Preference, PreferenceOutcome, Reason, Unjudged

FIRST, SECOND, NEITHER = (Preference(choice, ("first words",), ("second words",), "Why.") for choice in Choice)
NOTHING = Unjudged(Reason.TIMEOUT, "no answer")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Four cases."""
    bench = Bench(tmp_path)
    bench.suite(4)
    return bench


def pairs(bench: Bench, a: str, b: str) -> tuple[list[ReplyPair], LeftOut]:
    with Journal.open(bench.db) as journal:
        return pairs_of(journal, read(journal, a), read(journal, b))


def read(journal: Journal, name: str) -> RunOutcomes:
    run, subject = find_run(journal, name)
    return outcomes_of(journal, run, subject=subject)


def test_replies_to_one_case_are_paired_by_number(bench: Bench) -> None:
    a, b = judged(bench, WARM, numbers=(1, 2)), judged(bench, STIFF, numbers=(2, 3))
    found, left_out = pairs(bench, a, b)
    assert [(pair.a.text, pair.b.text) for pair in found] == [(f"{WARM} {n}.2", f"{STIFF} {n}.2") for n in range(1, 5)]
    assert left_out == LeftOut(unmatched=8)


def test_reply_that_several_judges_judged_is_paired_once(bench: Bench) -> None:
    a, b = (judged(bench, text, "--repeats", "3") for text in (WARM, STIFF))
    assert len(pairs(bench, a, b)[0]) == 4


def test_replies_carry_no_name_of_what_wrote_them(bench: Bench) -> None:
    found, _ = pairs(bench, judged(bench, WARM), judged(bench, STIFF))
    assert {reply.subject for pair in found for reply in (pair.a, pair.b)} == {""}


def test_case_whose_text_changed_is_not_shown(bench: Bench) -> None:
    a = judged(bench, WARM)
    bench.case("C-002", "the bakery burned down")
    found, left_out = pairs(bench, a, judged(bench, STIFF))
    assert ([pair.case.id for pair in found], left_out.changed) == (["C-001", "C-003", "C-004"], 1)


def test_case_is_shown_as_it_was_judged(bench: Bench) -> None:
    a, b = judged(bench, WARM), judged(bench, STIFF)
    bench.case("C-001", "something else by now")
    assert pairs(bench, a, b)[0][0].case.last_user_text == "the bakery on corner 1 closed today"


def test_persona_of_both_runs_is_the_judges(bench: Bench) -> None:
    bench.write("persona.md", "I have a brother.")
    a, b = (judged(bench, text, "--persona", "persona.md") for text in (WARM, STIFF))
    with Journal.open(bench.db) as journal:
        assert persona_of(journal, read(journal, a), read(journal, b)) == "I have a brother."


def test_no_persona_is_none(bench: Bench) -> None:
    a, b = judged(bench, WARM), judged(bench, STIFF)
    with Journal.open(bench.db) as journal:
        assert persona_of(journal, read(journal, a), read(journal, b)) is None


def test_two_personas_are_refused(bench: Bench) -> None:
    bench.write("persona.md", "I have a brother.")
    a, b = judged(bench, WARM, "--persona", "persona.md"), judged(bench, STIFF)
    with Journal.open(bench.db) as journal, pytest.raises(CommandError, match="different personas"):
        persona_of(journal, read(journal, a), read(journal, b))


def chosen(
    bench: Bench, *outcomes: tuple[PreferenceOutcome, PreferenceOutcome], numbers: Sequence[int] = (1,)
) -> SideBySide:
    """What these outcomes come to, of A first and of B first for one pair after the other."""
    a, b = judged(bench, WARM, numbers=numbers), judged(bench, STIFF, numbers=numbers)
    with Journal.open(bench.db) as journal:
        found, left_out = pairs_of(journal, read(journal, a), read(journal, b))
        asked = list(questions(found[: len(outcomes)], LlmPreference("some/model"), None, b"secret"))
        entries: list[tuple[PreferenceEntry, PreferenceOutcome]] = [
            (entry, outcome)
            for question, both in zip(asked, outcomes, strict=True)
            for entry, outcome in zip(question.entries, both, strict=True)
        ]
        journal.keep([one for one in entries if not isinstance(one[1], Unjudged)])
        failures = {entry.key: outcome for entry, outcome in entries if isinstance(outcome, Unjudged)}
        return side_by_side(journal, asked, "some/model", failures, left_out)


A_WINS, B_WINS, FLIPS, TIE = (FIRST, SECOND), (SECOND, FIRST), (FIRST, FIRST), (NEITHER, NEITHER)


def test_choices_are_counted_and_ties_count_half(bench: Bench) -> None:
    found = chosen(bench, A_WINS, B_WINS, B_WINS, TIE)
    assert (found.a, found.b, found.ties, found.unjudged) == (1, 2, 1, 0)
    assert found.win_rate.value == pytest.approx(2.5 / 4)


def test_choice_that_flips_with_the_order_is_a_tie_and_a_bias_of_position(bench: Bench) -> None:
    found = chosen(bench, FLIPS, (SECOND, SECOND), A_WINS, TIE)
    assert (found.ties, found.flipped, found.flipped_to_first, found.position_bias) == (3, 2, 1, 0.5)


def test_case_is_the_unit_of_the_win_rate(bench: Bench) -> None:
    found = chosen(bench, A_WINS, A_WINS, B_WINS, B_WINS, numbers=(1, 2))
    assert (found.win_rate.value, found.win_rate.n_cases) == (0.5, 2)


def test_pair_without_a_choice_is_unjudged_with_its_reason_and_counts_for_nobody(bench: Bench) -> None:
    found = chosen(bench, (NOTHING, SECOND), A_WINS)
    assert (found.unjudged, dict(found.reasons), found.win_rate.value) == (1, {Reason.TIMEOUT: 1}, 0.0)


def test_quotes_go_with_the_reply_and_not_with_the_place(bench: Bench) -> None:
    b_first = Preference(Choice.SECOND, ("of b",), ("of a", "first words"), "Why not.")
    one = chosen(bench, (FIRST, b_first)).chosen[0]
    assert (one.quotes_a, one.quotes_b) == (("first words", "of a"), ("second words", "of b"))
    assert one.reasons == ("Why.", "Why not.")


def test_choice_without_words_is_counted(bench: Bench) -> None:
    unconfirmed = Preference(Choice.FIRST, confirmed=False)
    assert chosen(bench, (unconfirmed, SECOND)).unconfirmed == 1


def test_sentences_say_who_is_shown_to_be_preferred(bench: Bench) -> None:
    bench.suite(4)
    assert "Neither is shown to be preferred." in list(side_by_side_sentences(chosen(bench, A_WINS, B_WINS)))[1]


def test_reports_agree(bench: Bench) -> None:
    found = chosen(bench, A_WINS, FLIPS, (NOTHING, NOTHING))
    document = side_by_side_document(found)
    assert [one["outcome"] for one in document["choices"]] == ["a", "tie", "unjudged"]
    blocks = side_by_side_blocks(found)
    text, markdown = blocks_text(blocks, width=120, color=False), blocks_markdown(blocks)
    for said in ("A preferred once, B preferred 0 times, 1 tie, 1 unjudged", "1 unjudged: timeout"):
        assert said in text
        assert said in markdown.replace("\\", "")
    assert "the first reply in both orders" in text


@pytest.mark.parametrize("order", [0, 1])
def test_two_orders_are_two_questions(bench: Bench, order: int) -> None:
    a, b = judged(bench, WARM), judged(bench, STIFF)
    with Journal.open(bench.db) as journal:
        both = read(journal, a), read(journal, b)
        (ours, *_), (theirs, *_) = (
            list(questions(pairs_of(journal, *several)[0], LlmPreference("m"), None, b"s"))
            for several in (both, both[::-1])
        )
    assert ours.entries[0].key != ours.entries[1].key
    # Comparing the other way round asks the same two questions.
    assert ours.entries[order].key == theirs.entries[1 - order].key


def test_persona_makes_another_question(bench: Bench) -> None:
    a, b = judged(bench, WARM), judged(bench, STIFF)
    with Journal.open(bench.db) as journal:
        found, _ = pairs_of(journal, read(journal, a), read(journal, b))
    keys = {
        next(iter(questions(found, LlmPreference("m"), None, b"s", persona))).entries[0].key
        for persona in (None, "I have a brother.", "I have a sister.")
    }
    assert len(keys) == 3


# --- asked anew -------------------------------------------------------------------------------------------------------

MALFORMED = Unjudged(Reason.NO_VERDICT, "nothing in it")


def test_a_malformed_answer_can_be_asked_again(bench: Bench) -> None:
    a, b = judged(bench, WARM), judged(bench, STIFF)
    with Journal.open(bench.db) as journal:
        found, left_out = pairs_of(journal, read(journal, a), read(journal, b))

        def ask(salt: str) -> list[Question]:
            return list(questions(found[:1], LlmPreference("m"), None, b"s", salt=salt))

        def keep(asked: Sequence[Question], *outcomes: PreferenceOutcome) -> None:
            journal.keep(list(zip(asked[0].entries, outcomes, strict=False)))

        first = current_questions(journal, ask)
        keep(first, MALFORMED, SECOND)
        assert current_questions(journal, ask)[0].entries == first[0].entries
        fresh = current_questions(journal, ask, fresh=True)
        assert fresh[0].entries[0].key != first[0].entries[0].key
        # An interrupted fresh set is resumed by the same command, and takes no part until it is complete.
        keep(fresh, FIRST)
        assert current_questions(journal, ask, fresh=True)[0].entries == fresh[0].entries
        assert current_questions(journal, ask)[0].entries == first[0].entries
        keep(fresh, FIRST, SECOND)
        newest = current_questions(journal, ask)
        assert newest[0].entries == fresh[0].entries
        assert side_by_side(journal, newest, "m", {}, left_out).a == 1
        assert current_questions(journal, ask, fresh=True)[0].entries != fresh[0].entries


def test_held_out_pairs_are_only_made_with_a_reason(bench: Bench) -> None:
    a, b = judged(bench, WARM), judged(bench, STIFF)
    hold_out(bench)
    with Journal.open(bench.db) as journal:
        both = read(journal, a), read(journal, b)
        assert pairs_of(journal, *both) == ([], LeftOut(held_out=4))
        assert len(pairs_of(journal, *both, holdout_reason="release 2")[0]) == 4
