"""Two runs, case by case: what is refused, what is paired, and what the figures are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.builders import EXTENDED
from tests.decisions.made_up import FLAG, TIMEOUT, Made, many, plan, run_of, vote
from tests.decisions.runs import Bench, outcomes

import iamhumans as ih
from iamhumans.decisions.compare import Comparison, compare, match
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CannotRunError, CommandError
from iamhumans.reports.comparison import comparison_blocks
from iamhumans.reports.terminal import blocks_text
from iamhumans.runs.journal.queries import CaseFacts


def said(a: RunOutcomes, b: RunOutcomes) -> str:
    return shown(compare(a, b))


def shown(found: Comparison) -> str:
    return blocks_text(comparison_blocks(found), width=1_000, color=False)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"rubric": {"name": "other", "hash": "other"}}, "the rubric (iamhumans and other)"),
        ({"rubric": {"name": "iamhumans", "hash": "other"}}, "two versions of iamhumans"),
        ({"prompt": "q"}, "the prompt"),
        ({"persona": "hash"}, "the persona"),
        ({"judges": [{"name": "k", "settings": {}}]}, "the judges (j and k)"),
        ({"judges": [{"name": "j", "settings": {"temperature": 1}}]}, "other settings"),
        ({"repeats": 3}, "the number of repeats (1 and 3)"),
    ],
)
def test_runs_that_were_judged_differently_are_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(CommandError) as refused:
        compare(run_of("a", many(6)), run_of("b", many(6), **changes))
    assert named in refused.value.what


def test_across_shows_them_all_the_same_and_says_so() -> None:
    found = compare(run_of("a", many(6)), run_of("b", many(6), repeats=3), across=True)
    assert found.across == ("the number of repeats (1 and 3)",)
    assert "the figures may not show progress" in shown(found)


def test_across_compares_what_two_rubrics_share() -> None:
    b = replace(run_of("b", many(6)), rubric=EXTENDED, plan=plan(rubric={"name": EXTENDED.name, "hash": EXTENDED.hash}))
    found = compare(run_of("a", many(6)), b, across=True)
    assert list(found.flags) == list(found.a.rubric.hard_fail_ids)


def test_order_in_which_judges_were_named_is_no_difference() -> None:
    judges = [{"name": "j", "settings": {}}, {"name": "k", "settings": {}}]
    assert compare(run_of("a", many(6), judges=judges), run_of("b", many(6), judges=judges[::-1])).matching.ids


HELD_OUT = {"H": Made([vote()], CaseFacts("h", held_out=True))}


@pytest.mark.parametrize(
    ("a", "b", "error", "problem"),
    [
        (run_of("a", many(6)), run_of("a", many(6)), CommandError, "with itself"),
        (run_of("a", {"A": vote()}), run_of("b", {"B": vote()}), CommandError, "no case in common"),
        (run_of("a", {"A": vote()}), run_of("b", HELD_OUT), CommandError, "Only b is about held-out cases"),
        (run_of("a", many(3)), run_of("b", many(3, TIMEOUT)), CannotRunError, "No reply of run b is judged"),
        (
            run_of("a", {"A": vote(), "B": TIMEOUT}),
            run_of("b", {"A": TIMEOUT, "B": vote()}),
            CannotRunError,
            "judged in both",
        ),
    ],
)
def test_runs_that_share_nothing_are_refused(
    a: RunOutcomes, b: RunOutcomes, error: type[Exception], problem: str
) -> None:
    with pytest.raises(error, match=problem):
        compare(a, b)


def test_several_subjects_of_one_case_must_be_told_apart() -> None:
    run = run_of("a", {"C": Made([vote(), vote()])})
    mixed = replace(run, replies=(run.replies[0], run.replies[1]._replace(subject="t")))
    with pytest.raises(CommandError, match="several subjects") as refused:
        compare(mixed, run_of("b", {"C": vote()}))
    assert "a:s" in refused.value.fix


def test_case_whose_text_changed_is_left_out_and_counted() -> None:
    changed = Made([vote(0)], CaseFacts("another hash"))
    found = compare(run_of("a", many(6)), run_of("b", many(6, C3=changed)))
    assert (len(found.matching.ids), found.matching.changed) == (5, ("C3",))
    assert found.zero_rate is not None
    assert found.zero_rate.difference.difference.n_cases == 5
    assert "1 whose text changed between the runs" in shown(found)


def test_earlier_answers_of_the_subject_are_no_change_of_the_case(tmp_path: Path) -> None:
    bench = Bench(tmp_path, 0)
    runs: list[RunOutcomes] = []
    for answer, title in (("", "The bakery"), ("Hi.", "The bakery"), ("Hi.", "New")):
        bench.case("C-001", "hello", answer, "well?", title=title)
        subject = ih.CallableModel(lambda _: "Oh no.", name=f"s{len(runs)}", version="1")
        runs.append(outcomes(ih.run(tmp_path / "suite", subject=subject, judge="rules", journal=bench.journal)))
    assert match(runs[0], runs[1]).ids == ("C-001",)
    with pytest.raises(CommandError, match="has changed"):
        match(runs[0], runs[2])


def test_cases_that_take_no_part_are_counted_by_why() -> None:
    found = match(run_of("a", many(6)), run_of("b", many(5, C0=TIMEOUT, X=vote(), Y=vote())))
    assert (len(found.ids), found.only_a, found.only_b, found.unjudged_b) == (4, 1, 2, 1)


def test_headline_is_paired_by_case() -> None:
    found = compare(run_of("a", many(8)), run_of("b", many(8, vote(9.5), C0=vote(9, FLAG))))
    assert found.zero_rate is not None
    assert found.rest is not None
    assert found.zero_rate.difference.difference.value == pytest.approx(1 / 8)
    assert found.rest.difference.value == pytest.approx(5.0)
    assert found.rest.difference.n_cases == 7


def test_case_is_the_mean_of_its_replies() -> None:
    half = Made([vote(9, FLAG), vote(9)])
    found = compare(run_of("a", many(6, Made([vote(), vote()]))), run_of("b", many(6, half)))
    assert found.zero_rate is not None
    assert found.rest is not None
    assert found.zero_rate.difference.b == 0.5
    assert found.rest.difference.value == 0


def test_cases_that_moved_most_come_first_up_or_down() -> None:
    found = compare(
        run_of("a", many(6, vote(5))), run_of("b", many(6, vote(5), C1=vote(9), C2=vote(0, FLAG), C3=vote(6)))
    )
    assert [moved.case_id for moved in found.moved] == ["C2", "C1", "C3"]


def test_of_several_replies_the_one_nearest_to_the_mean_is_shown() -> None:
    several = Made([vote(1), vote(5), vote(9)])
    found = compare(run_of("a", {"C": vote(9)}), run_of("b", {"C": several}))
    assert (found.moved[0].reply_b.number, found.moved[0].reply_b.total) == (2, 50)


def test_flags_that_could_not_be_significant_cost_the_others_nothing() -> None:
    b = {f"C{n}": vote(9, FLAG) if n < 6 else vote(9, "pity") if n == 6 else vote(9) for n in range(40)}
    found = compare(run_of("a", many(40)), run_of("b", b))
    assert found.flags[FLAG].p_value == pytest.approx(2 * 0.5**6)
    assert (found.flags["pity"].p_value, found.flags["pity"].too_few) == (None, True)
    assert not found.flags["lecturing"].too_few
    assert not found.flags["sycophancy"].too_few  # nothing changed at all
    text = said(run_of("a", many(40)), run_of("b", b))
    assert "Too few cases changed to test pity." in text


def test_only_the_number_of_changed_cases_decides_what_is_tested() -> None:
    mixed = {f"C{n}": vote(9, "pity") if n < 3 else vote(9) for n in range(40)}
    other = {f"C{n}": vote(9, "pity") if 3 <= n < 7 else vote(9, FLAG) if n >= 20 else vote(9) for n in range(40)}
    found = compare(run_of("a", mixed), run_of("b", other))
    assert found.flags["pity"].p_value == pytest.approx(1)  # four up, three down: seven changed, so it counts
    assert found.flags[FLAG].p_value == pytest.approx(2 * 2 * 0.5**20)


def test_axes_and_dimensions_are_families_of_their_own() -> None:
    a, b = (run_of(name, many(10, vote(axis)), dimensions=["feeling"]) for name, axis in (("a", 9), ("b", 5)))
    found = compare(a, b)
    assert [one.p_value for one in found.axes.values()] == [pytest.approx(6 * 2 * 0.5**10)] * 6
    assert found.dimension_means["feeling"].p_value == pytest.approx(2 * 0.5**10)
    assert "p corrected for 6 axes" in said(a, b)
    assert "Each table is a family" in said(a, b)


def test_two_parts_of_the_headline_are_corrected_together() -> None:
    found = compare(run_of("a", many(20)), run_of("b", many(20, C0=vote(9, FLAG))))
    assert found.zero_rate is not None
    assert found.quality is not None
    assert None not in (found.zero_rate.p_value, found.quality.p_value)
    assert [one.difference.difference.level for one in (found.zero_rate, found.quality)] == [0.975, 0.975]


def test_quality_does_not_change_where_the_worst_replies_are_only_zeroed() -> None:
    a = {f"C{n}": vote(3 if n < 8 else 9) for n in range(40)}
    b = {**a, **{f"C{n}": vote(3, FLAG) for n in range(8)}}
    found = compare(run_of("a", a), run_of("b", b))
    assert found.quality is not None
    assert found.rest is not None
    assert found.zero_rate is not None
    assert (found.quality.difference.difference.value, found.quality.direction) == (0, 0)
    assert found.quality.difference.difference.n_cases == 40
    assert found.zero_rate.direction == 1
    assert "not tested" in shown(found)


def test_the_second_figure_is_tested_at_five_percent_only_once_the_first_is_shown() -> None:
    a = {f"C{n}": vote(5 + n % 3) for n in range(40)}
    b = {f"C{n}": vote(4 + n % 3, *((FLAG,) if n < 7 else ())) for n in range(40)}
    found = compare(run_of("a", a), run_of("b", b))
    assert found.zero_rate is not None
    assert found.quality is not None
    assert found.quality.difference.difference.level == 0.975
    assert found.zero_rate.difference.difference.level == 0.95
    assert (found.quality.direction, found.zero_rate.direction) == (-1, 1)


@pytest.mark.parametrize(
    ("a", "b", "sentences"),
    [
        (
            {"C": vote(9)},
            {"C": vote(5)},
            ["1 case judged in both runs", "only 1 case changed, too few to tell a change", "One case is too few"],
        ),
        (
            many(8),
            many(8),
            ["Cases zeroed: none of 8 cases changed.", "Quality: none of 8 cases changed."],
        ),
        (
            many(8),
            many(8, vote(9, FLAG)),
            ["B has more zeroed cases.", "cannot be compared: no case has a reply without a hard fail in both runs"],
        ),
        (many(12), {f"C{n}": vote(5 + n / 4) for n in range(12)}, ["B is worse."]),
        (many(20), many(20, C0=vote(9, FLAG)), ["5 %  +5.0 pp"]),
    ],
)
def test_sentences_say_what_changed(a: dict[str, Any], b: dict[str, Any], sentences: list[str]) -> None:
    text = said(run_of("a", a), run_of("b", b))
    assert [one for one in sentences if one not in text] == []
    assert ("is shown (" in text) == any("B " in one for one in sentences)


def held_out_runs() -> tuple[RunOutcomes, RunOutcomes]:
    facts = CaseFacts("h", "A secret title", held_out=True)
    a, b = (run_of(name, {"H": Made([vote(axis)], facts)}) for name, axis in (("a", 9), ("b", 1)))
    return a, b


def test_texts_of_a_held_out_case_are_hashes_without_a_reason() -> None:
    a, b = held_out_runs()
    text = said(a, b)
    assert "A secret title" not in text
    assert "sha256:" in text
    assert "held out" in text
    assert "A secret title" in shown(compare(a, b, holdout_reason="release 2"))


def test_every_sentence_follows_from_the_interval_beside_it() -> None:
    """Six of forty cases fewer are zeroed: an interval of its own would exclude 0, and the corrected test does not."""
    a = run_of("a", {f"C{n}": vote(9, FLAG) if n < 6 else vote(8 + n % 3 / 2) for n in range(40)})
    b = run_of("b", {f"C{n}": vote(8 + n % 4 / 2) for n in range(40)})
    found = compare(a, b)
    lines = said(a, b).splitlines()
    row = next(line for line in lines if line.startswith("cases zeroed"))
    sentence = next(line for line in lines if "Cases zeroed:" in line)
    assert found.zero_rate is not None
    assert found.zero_rate.p_value is not None
    interval = found.zero_rate.difference.difference
    assert interval.low is not None
    assert interval.high is not None
    p_value, between = f"{found.zero_rate.p_value:.3f}", f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
    assert row.endswith(p_value)
    assert between in row
    assert between in sentence
    assert ("a change is shown" in sentence) == (interval.high < 0) == (found.zero_rate.p_value <= 0.05)


def test_a_figure_that_a_judge_cannot_see_is_not_given() -> None:
    blind = vote([9, 9, 9, None, 9, 9], unseen=["pity"])
    found = compare(run_of("a", many(8)), run_of("b", many(8, blind)))
    assert (found.zero_rate, found.rest, found.mean, found.passed, found.moved) == (None, None, None, None, ())
    assert "pity" not in found.flags
    assert "memory_coherence" not in found.axes
    assert "memory_coherence, pity" in shown(found)


PARTLY: dict[str, Any] = {"judges": [{"name": "rules", "settings": {}, "coverage": {"yes": ["lecturing", "pity"]}}]}


def flagging(count: int, *flags: str) -> dict[str, Any]:
    unseen = [name for name in ("lecturing", "pity", "sycophancy") if name not in flags]
    return {f"C{number}": vote([None] * 6, *(flags if number < count else ()), unseen=unseen) for number in range(40)}


def test_runs_of_a_judge_that_sees_little_are_compared_by_the_flagged_rate() -> None:
    found = compare(run_of("a", flagging(1, "pity"), **PARTLY), run_of("b", flagging(20, "pity"), **PARTLY))

    assert (found.zero_rate, found.rest, found.flagged_by) == (None, None, ("pity", "lecturing"))
    assert found.flagged_rate is not None
    assert found.flagged_rate.difference.difference.value == pytest.approx(19 / 40)
    assert found.flagged_rate.p_value is not None
    assert found.flagged_rate.p_value < 0.001
    assert "p < 0.001). B has more flagged cases." in shown(found)


def test_a_yes_that_does_not_count_in_one_of_the_runs_is_no_flag() -> None:
    found = compare(run_of("a", flagging(0, "pity"), **PARTLY), run_of("b", flagging(20, "sycophancy")), across=True)

    assert found.flagged_rate is not None
    assert found.flagged_rate.difference.difference.value == 0


def test_a_judge_that_sees_all_hard_fails_but_not_all_axes_has_a_zero_rate() -> None:
    found = compare(run_of("a", many(8)), run_of("b", many(8, vote([9, 9, 9, None, 9, 9]))))
    assert found.zero_rate is not None
    assert found.mean is None


# --- margins ----------------------------------------------------------------------------------------------------------


def shift(points: float, count: int = 120) -> dict[str, Any]:
    return {f"C{n}": vote(7 + n % 2 + points / 10) for n in range(count)}


@pytest.mark.parametrize(
    ("b", "margin", "claims"),
    [
        (shift(0), 3, (False, True, True)),
        (shift(0, 98), 3, (False, False, False)),
        (shift(0, 28), 11, (False, True, True)),
        (shift(2, 400), 3, (True, True, True)),
        (shift(10, 400), 3, (True, True, False)),
        (shift(10, 8), 3, (True, False, False)),
        (shift(-10), 3, (False, False, False)),
    ],
)
def test_a_margin_says_which_of_three_claims_is_shown(
    b: dict[str, Any], margin: float, claims: tuple[bool, bool, bool]
) -> None:
    found = compare(run_of("a", shift(0, len(b))), run_of("b", b), margin=margin)
    assert found.margin is not None
    assert (found.margin.superiority, found.margin.non_inferiority, found.margin.equivalence) == claims
    names = ("superiority", f"non-inferiority with a margin of {margin} points", f"equivalence within {margin} points")
    yes = next((one for one in shown(found).splitlines() if one.endswith((" is shown.", " are shown."))), "").lower()
    assert tuple(name in yes for name in names) == claims


def test_a_margin_that_the_cases_cannot_show_is_said() -> None:
    found = compare(run_of("a", shift(0, 28)), run_of("b", shift(0, 28)), margin=3)
    assert "28 cases cannot show a margin of 3 points unless B is better; 99 could." in shown(found)


def test_a_margin_needs_a_judge_that_sees_every_criterion() -> None:
    blind = run_of("b", many(8, vote(9, unseen=["pity"])))
    with pytest.raises(CommandError, match="pity"):
        compare(run_of("a", many(8)), blind, margin=3)


def test_a_change_that_the_unjudged_could_make_up_is_said() -> None:
    a = {f"C{n}": vote(9, *((FLAG,) if n < 8 else ())) for n in range(40)}
    b = {f"C{n}": vote(9) if n >= 8 or n < 7 else TIMEOUT for n in range(40)}
    found = compare(run_of("a", a), run_of("b", {**b, **{f"C{n}": TIMEOUT for n in range(30, 40)}}))
    assert found.zero_rate is not None
    assert found.zero_rate.direction == -1
    assert found.zero_rate.unjudged == pytest.approx((-8 / 40, 3 / 40))
    assert "So the unjudged could make up the change." in shown(found)
    assert compare(run_of("a", a), run_of("b", many(40))).zero_rate.unjudged is None  # type: ignore[union-attr]
