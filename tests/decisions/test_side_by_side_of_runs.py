"""Pairs of replies from two runs, and what a judge's choices come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.decisions.choosing import STIFF, WARM, answer, shown
from tests.decisions.runs import Bench, outcomes
from tests.judging_server import Question, question_in

import iamhumans as ih
from iamhumans.decisions.side_by_side import ReplyPair, SideBySide, pairs_of, persona_of, questions
from iamhumans.errors import CommandError
from iamhumans.judges import LlmPreference
from iamhumans.reports.side_by_side import side_by_side_sentences

Choose = Callable[[Question], str]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, 4)


def pairs(a: ih.Run, b: ih.Run, **options: Any) -> tuple[list[ReplyPair], Mapping[str, int]]:
    found, left_out = pairs_of(a.journal.core, outcomes(a), outcomes(b), **options)
    return found, {why: count for why, count in left_out.items() if count}


def both(bench: Bench, **options: Any) -> tuple[ih.Run, ih.Run]:
    return bench.judged(WARM, **options), bench.judged(STIFF, **options)


def test_replies_to_one_case_are_paired_by_number(bench: Bench) -> None:
    found, left_out = pairs(bench.judged(WARM, numbers=(1, 2)), bench.judged(STIFF, numbers=(2, 3)))
    assert [(pair.a.text, pair.b.text) for pair in found] == [(f"{WARM} {n}.2", f"{STIFF} {n}.2") for n in range(1, 5)]
    assert left_out == {"unmatched": 8}


def test_a_reply_that_was_judged_several_times_is_paired_once_and_names_no_subject(bench: Bench) -> None:
    found, _ = pairs(*both(bench, repeats=3))
    assert [(pair.a.subject, pair.b.subject) for pair in found] == [("", "")] * 4


def test_a_case_is_shown_as_it_was_judged_unless_its_text_changed_between_the_runs(bench: Bench) -> None:
    a = bench.judged(WARM)
    bench.case("C-002", "the bakery burned down")
    b = bench.judged(STIFF)
    bench.case("C-001", "something else by now")
    found, left_out = pairs(a, b)
    assert ([pair.case.id for pair in found], left_out) == (["C-001", "C-003", "C-004"], {"changed": 1})
    assert found[0].case.texts[-1] == "the bakery on corner 1 closed today"


def test_the_persona_of_both_runs_is_the_judges(bench: Bench) -> None:
    a, b = both(bench, persona="I have a brother.")
    other, _ = both(bench)
    core = bench.journal.core
    assert persona_of(core, outcomes(a), outcomes(b)) == "I have a brother."
    assert persona_of(core, outcomes(other), outcomes(other)) is None
    with pytest.raises(CommandError, match="different personas"):
        persona_of(core, outcomes(a), outcomes(other))


def test_two_orders_are_two_questions_whichever_run_comes_first(bench: Bench) -> None:
    a, b = both(bench)
    (ours, *_), (theirs, *_) = (questions(pairs(*runs)[0], LlmPreference("m"), None, b"s") for runs in ((a, b), (b, a)))
    first, second = (job.entry.key for job in ours.jobs)
    assert first != second
    assert [job.entry.key for job in theirs.jobs] == [second, first]


def test_a_persona_makes_another_question(bench: Bench) -> None:
    found, _ = pairs(*both(bench))
    asked = [questions(found, LlmPreference("m"), None, b"s", persona)[0] for persona in (None, "A.", "B.")]
    assert len({one.jobs[0].entry.key for one in asked}) == 3


def test_held_out_pairs_are_made_only_with_a_reason(bench: Bench) -> None:
    for number in range(1, 5):
        bench.case(f"C-00{number}", f"corner {number}", holdout="true")
    ih.load_suite(bench.folder / "suite").seal()
    suite, reason = bench.folder / "suite", "release two"
    warm = ih.CallableModel(lambda messages: WARM, name="warm", version="1")
    stiff = ih.CallableModel(lambda messages: STIFF, name="stiff", version="1")
    a, b = (
        ih.run(suite, subject=one, judge="rules", journal=bench.journal, holdout_reason=reason) for one in (warm, stiff)
    )
    assert pairs(a, b) == ([], {"held_out": 4})
    assert len(pairs(a, b, holdout_reason="release two")[0]) == 4


# --- choices ----------------------------------------------------------------------------------------------------------


def warm(question: Question) -> str:
    return "first" if "poppy" in shown(question)[0] else "second"


def stiff(question: Question) -> str:
    return "second" if warm(question) == "first" else "first"


def first(_: Question) -> str:
    return "first"


def neither(_: Question) -> str:
    return "neither"


def broken(_: Question) -> str:
    return ""


@pytest.fixture
def chosen(bench: Bench) -> Callable[..., SideBySide]:
    def compared(*by_case: Choose, **options: Any) -> SideBySide:
        def judge(messages: list[dict[str, str]]) -> str:
            question = question_in(SimpleNamespace(messages=messages, body={}))  # type: ignore[arg-type]
            assert question is not None
            choice = by_case[int(question.case_id[-1]) - 1](question)
            return str(answer(question, choice).text) if choice else "Hm, hard to say."

        runs = both(bench, cases=len(by_case), **options)
        return ih.compare_replies(*runs, judge=ih.CallableModel(judge, name="j", version="1")).found

    return compared


def test_choices_are_counted_and_a_tie_counts_for_neither(chosen: Callable[..., SideBySide]) -> None:
    found = chosen(warm, stiff, stiff, neither)
    assert (found.a, found.b, found.ties, found.unjudged) == (1, 2, 1, 0)
    assert found.net_preference.estimate.value == pytest.approx(1 / 4)
    assert "Neither is shown to be preferred." in list(side_by_side_sentences(found))


def test_a_choice_that_flips_with_the_order_is_a_tie_and_a_position_bias(chosen: Callable[..., SideBySide]) -> None:
    found = chosen(first, lambda _: "second", warm, neither)
    assert (found.ties, found.flipped, found.flipped_to_first, found.position_bias) == (3, 2, 1, 0.5)


def test_the_case_is_the_unit_of_the_net_preference(chosen: Callable[..., SideBySide]) -> None:
    found = chosen(warm, stiff, numbers=(1, 2))
    net = found.net_preference.estimate
    assert (len(found.chosen), net.value, net.n_cases) == (4, 0.0, 2)


def test_a_pair_without_a_choice_is_unjudged_with_its_reason_and_counts_for_none(
    chosen: Callable[..., SideBySide],
) -> None:
    found = chosen(broken, warm)
    assert (found.unjudged, dict(found.reasons)) == (1, {"no_verdict": 1})
    assert found.net_preference.estimate.value == -1.0


def test_quotes_go_with_the_reply_and_not_with_the_place(chosen: Callable[..., SideBySide]) -> None:
    one = chosen(warm).chosen[0]
    assert (one.quotes_a, one.quotes_b) == ((f"{WARM} 1.1",), (f"{STIFF} 1.1",))
    assert one.reasons == ("It asks.", "It asks.")


def test_reports_agree(chosen: Callable[..., SideBySide]) -> None:
    result = ih.SideBySide(chosen(warm, first, broken))
    assert [one["outcome"] for one in result.to_dict()["choices"]] == ["a", "tie", "unjudged"]
    for shown_as in (result.to_text(width=120), result.to_markdown().replace("\\", "")):
        assert "A preferred once, B preferred 0 times, 1 tie, 1 unjudged" in shown_as
        assert "1 unjudged: no_verdict" in shown_as
        assert "the first reply in both orders" in shown_as
