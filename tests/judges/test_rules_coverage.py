"""The table of what the rules see is what the benchmark measures, and it decides what the rules answer."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks import rules_coverage as measuring

from iamhumans.cases import Case, Reply, Turn
from iamhumans.judges import JudgeTask, RulesJudge
from iamhumans.judges.rules import VERSION
from iamhumans.judges.rules_coverage import rules_coverage, rules_table
from iamhumans.rubrics import load_rubric
from iamhumans.verdicts import EVERYTHING, Coverage, Seen, Verdict

RUBRIC = load_rubric("iamhumans")


def test_the_shipped_table_is_what_the_benchmark_writes() -> None:
    assert measuring.path().read_text(encoding="utf-8") == measuring.text_of(measuring.table())


def test_the_table_is_about_the_rules_and_the_rubric_that_ship() -> None:
    assert (rules_table()["rules"], rules_table()["rubric"]) == (VERSION, RUBRIC.hash)


@pytest.mark.parametrize("lang", ["en", "de", "ja"])
def test_what_counts_follows_from_the_counts_beside_it(lang: str) -> None:
    def within(wrong: list[int], limit: float) -> bool:
        return wrong[1] >= 50 and wrong[0] <= limit * wrong[1]

    measured: Any = rules_table()["languages"][lang]
    for one in measured["hard_fails"].values():
        yes = within(one["clean_flagged"], 0.01) and within(one["look_alikes_flagged"], 0.1)
        found, planted = one["planted_found"]
        assert one["yes_counts"] is yes
        assert one["no_counts"] is (yes and planted >= 10 and 2 * found >= planted)


def test_rules_see_no_axis_and_nothing_in_other_languages() -> None:
    english = rules_coverage().in_language("en-GB")

    assert english.yes == frozenset(RUBRIC.hard_fail_ids)
    assert english.no == frozenset({"structured_output_in_emotional_moment"})
    assert english.axes == frozenset()
    assert not rules_coverage().in_language("de")


def test_other_coverage_is_another_version() -> None:
    half = Coverage({"en": Seen(yes=frozenset({"pity"}))})

    assert len({RulesJudge().version, RulesJudge(EVERYTHING).version, RulesJudge(half).version}) == 3
    assert RulesJudge(half).version == RulesJudge(Coverage({"en": Seen(yes=frozenset({"pity"}))})).version


def test_a_judge_with_other_coverage_answers_otherwise() -> None:
    case = Case("T", (Turn("user", "my cat died"),))
    task = JudgeTask(RUBRIC, case, Reply("T", "Oh, you poor thing. I hear you."))
    found = RulesJudge(Coverage({"en": Seen(frozenset({"pity"}), frozenset(), frozenset({"naturalness"}))})).next(task)

    assert isinstance(found, Verdict)
    assert [name for name, flag in found.flags.items() if flag.present] == ["pity"]
    assert found.flags["performed_empathy"].present is None
    assert found.flags["performed_empathy"].quotes == ("I hear you.",)
    assert "naturalness" not in found.unseen
