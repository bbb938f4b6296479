"""Sequential gates on made-up runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from tests.decisions.made_up import FLAG, TIMEOUT, many, run_of, vote

from iamhumans.decisions.gate import Decision, GateResult, Thresholds
from iamhumans.decisions.looking import choose_design
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import PanelReply
from iamhumans.decisions.pooling import Pool, seeded_order
from iamhumans.decisions.sequential import gate_sequentially, look_of, refuse_unfit
from iamhumans.errors import CommandError
from iamhumans.reports.evidence import look_sentences
from iamhumans.reports.gate import gate_document, gate_reasons
from iamhumans.runs.journal.looks import Look, Question, SeenCase

AT_MOST = Thresholds(max_zero_rate=0.1)
ASKED = Question({}, {})
BAD = vote(9, FLAG)


def pool_of(run: RunOutcomes, entry: Sequence[PanelReply] | None = None, *, data: str = "d", lost: int = 0) -> Pool:
    ids = dict.fromkeys(reply.case_id for reply in run.replies)
    seen = tuple(SeenCase(name, 1, run.name) for name in ids)
    return Pool(run, run.replies if entry is None else tuple(entry), seen, "suite", data, (run.name,), 0, lost)


def gated(
    run: RunOutcomes, demanded: Thresholds = AT_MOST, looks: Sequence[Look] = (), *, miss: float = 0.05, data: str = "d"
) -> GateResult:
    return gate_sequentially(pool_of(run, data=data), demanded, looks, miss=miss)


def remembered(result: GateResult, *, data: str) -> Look:
    return look_of(result, pool_of(result.run, data=data), ASKED, run_name="r")


@pytest.mark.parametrize(
    ("good", "bad", "decision"),
    [(80, 0, Decision.PASS), (20, 20, Decision.FAIL), (15, 1, Decision.INCONCLUSIVE)],
)
def test_evidence_decides(good: int, bad: int, decision: Decision) -> None:
    cases = {**many(good), **{f"B{number}": BAD for number in range(bad)}}
    assert gated(run_of("r", cases)).decision is decision


def test_an_open_gate_says_how_much_evidence_there_is_and_what_to_do_next() -> None:
    result = gated(run_of("r", many(20)))
    assert "The evidence that it is met is 3.4 of the needed 20" in " ".join(gate_reasons(result))
    first, *_, last = look_sentences(result)
    assert first.startswith("Sequential gate, look 1, 20 cases.")
    assert last.startswith("Next:")
    assert gate_document(result)["looked"]["number"] == 1


def test_after_a_fixed_look_twice_the_evidence_is_needed() -> None:
    run = run_of("r", many(50))
    assert gated(run).decision is Decision.PASS
    assert gated(run, miss=0.025).decision is Decision.INCONCLUSIVE


def test_what_was_settled_stays_settled() -> None:
    first = gated(run_of("r", many(80)), data="1")
    later = run_of("r", {**many(80), **{f"B{number}": BAD for number in range(8)}})
    assert gated(later, data="2").decision is Decision.INCONCLUSIVE
    again = gated(later, looks=[remembered(first, data="1")], data="2")
    assert (again.decision, again.looked and again.looked.number) == (Decision.PASS, 2)
    assert "Later looks do not change that" in gate_reasons(again)[-1]


def test_imported_evidence_decides_nothing() -> None:
    look = replace(remembered(gated(run_of("r", many(80))), data="1"), imported=True)
    assert gated(run_of("r", many(10)), looks=[look], data="2").decision is Decision.INCONCLUSIVE


def test_a_miss_needs_more_evidence_where_there_are_more_criteria() -> None:
    result = gated(run_of("r", many(20)), Thresholds(max_zero_rate=0.1, min_pass_rate=0.8, min_mean=70))
    needed = [one.evidence.needed_to_miss for one in result.criteria if one.evidence]
    assert needed == pytest.approx([60, 60, 60])


def test_unjudged_replies_count_as_the_worst_for_a_pass_and_as_the_best_for_a_fail() -> None:
    demanded = Thresholds(max_zero_rate=0.1, min_judged=0.5)
    unjudged = {f"U{number}": TIMEOUT for number in range(20)}
    assert gated(run_of("r", {**many(80), **unjudged}), demanded).decision is Decision.INCONCLUSIVE
    bad = {f"B{number}": BAD for number in range(6)}
    assert gated(run_of("r", {**many(14), **bad, **unjudged}), demanded).decision is Decision.INCONCLUSIVE


def test_fresh_replies_cannot_turn_bad_luck_into_a_pass() -> None:
    # Each case that failed was asked again until its mean looked good.
    entry = run_of("r", {**many(60), **{f"B{number}": BAD for number in range(8)}})
    again = [
        replace_key(reply, f"{number}-{reply.key}")
        for number, reply in product(range(9), run_of("r", {f"B{number}": vote() for number in range(8)}).replies)
    ]
    pooled = replace(entry, replies=(*entry.replies, *again), asked=len(entry.replies) + len(again))
    result = gate_sequentially(pool_of(pooled, entry.replies), AT_MOST, (), miss=0.05)
    assert result.decision is Decision.INCONCLUSIVE
    (rate,) = [one for one in result.criteria if one.kind == "zero_rate"]
    assert rate.estimate is not None
    assert rate.estimate.value == pytest.approx(0.8 / 68)


def replace_key(reply: PanelReply, key: str) -> PanelReply:
    return reply._replace(key=key)


def test_the_mean_and_each_dimension_are_decided_too() -> None:
    run = run_of("r", many(60, vote(10)), dimensions=["feeling"])
    result = gated(run, Thresholds(min_mean=70, min_dimensions={"each": 70}))
    assert result.decision is Decision.PASS
    assert [one.name for one in result.criteria if one.evidence] == ["mean", "dimension feeling"]


@pytest.mark.parametrize(
    ("demanded", "decision"),
    [
        (Thresholds(max_zero_rate=0.0), Decision.INCONCLUSIVE),
        (Thresholds(min_pass_rate=1.0), Decision.INCONCLUSIVE),
        (Thresholds(max_zero_rate=1.0), Decision.PASS),
        (Thresholds(min_mean=0.0), Decision.PASS),
    ],
)
def test_no_number_of_cases_shows_that_a_fault_never_happens(demanded: Thresholds, decision: Decision) -> None:
    assert gated(run_of("r", many(200)), demanded).decision is decision


def test_one_fault_shows_that_it_happens() -> None:
    assert gated(run_of("r", many(20, B=BAD)), Thresholds(max_zero_rate=0.0)).decision is Decision.FAIL


def test_lost_results_keep_it_open() -> None:
    result = gate_sequentially(pool_of(run_of("r", many(80)), lost=3), AT_MOST, (), miss=0.05)
    assert result.decision is Decision.INCONCLUSIVE
    assert "3 cases have fewer replies than at an earlier look" in " ".join(gate_reasons(result))


@pytest.mark.parametrize(
    ("demanded", "more"),
    [
        (Thresholds(max_hard_fails=0), {}),
        (AT_MOST, {"baseline": True}),
        (AT_MOST, {"consecutive": 2}),
        (Thresholds(min_mean=80, corrected=True), {}),
    ],
)
def test_what_cases_cannot_show_is_refused(demanded: Thresholds, more: dict[str, object]) -> None:
    with pytest.raises(CommandError):
        refuse_unfit(demanded, **{"baseline": False, "consecutive": 1, **more})  # type: ignore[arg-type]


class TestTheDesignIsChosenOnce:
    def look(self, kind: str, *, declared: bool = False) -> Look:
        return Look(ASKED, kind, declared, "r", "s", "d", "pass")  # type: ignore[arg-type]

    def test_the_first_look_may_be_either(self) -> None:
        assert choose_design([], None) == ("fixed", 0.05)
        assert choose_design([], True) == ("sequential", 0.05)

    def test_an_undeclared_fixed_look_leaves_half_of_the_error(self) -> None:
        assert choose_design([self.look("fixed")], True) == ("sequential", 0.025)

    def test_an_announced_fixed_gate_stays_fixed(self) -> None:
        with pytest.raises(CommandError, match="announced"):
            choose_design([self.look("fixed", declared=True)], True)

    @pytest.mark.parametrize("said", [None, False])
    def test_a_sequential_gate_stays_sequential(self, said: bool | None) -> None:
        with pytest.raises(CommandError, match="1 look so far"):
            choose_design([self.look("sequential", declared=True)], said)


def test_the_order_of_entry_follows_from_the_suite_alone() -> None:
    ids = [f"C-{number}" for number in range(20)]
    assert seeded_order(ids, "s") == seeded_order(reversed(ids), "s")
    assert seeded_order(ids, "s") != seeded_order(ids, "t")
    assert seeded_order(ids, "s") != ids
