"""How steady a judge is, as reports show it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.reports.test_terminal_report import printed, report, row, unjudged

from iamhumans.reports.json import report_json
from iamhumans.stats.spread import Spread, SpreadFigures
from iamhumans.verdicts import Judgement

ZERO = {"pity": ["So sorry."]}


def drawn(*, cases: int, replies: int, repeats: int, flipping: int = 0) -> Iterator[Judgement]:
    """Replies whose first repeat has a hard fail in the first ``flipping`` of them."""
    number = 0
    for case in range(cases):
        for reply in range(1, replies + 1):
            number += 1
            for repeat in range(1, repeats + 1):
                yes = ZERO if number <= flipping and repeat == 1 else None
                axes: dict[str, float | str] = {"naturalness": 8 + (case + reply) % 3}
                made = row(number, case_id=f"C-{case}", yes=yes, axes=axes)
                yield replace(made, number=reply, repeat=repeat)


def figures(*judgements: Judgement) -> SpreadFigures:
    spread = Spread()
    assert list(spread.watch(judgements)) == list(judgements)
    [found] = spread.figures()
    return found


def test_flips_are_shares_of_the_replies_with_two_verdicts() -> None:
    found = figures(*drawn(cases=10, replies=1, repeats=2, flipping=3))
    assert (found.asked, found.judged) == (10, 10)
    assert found.zero_flips.value == pytest.approx(0.3)
    assert found.verdict_flips.value == pytest.approx(0.3)
    assert found.zero_flips.low is not None


def test_of_three_repeats_one_that_differs_is_two_pairs_of_three() -> None:
    found = figures(*drawn(cases=6, replies=1, repeats=3, flipping=6))
    assert found.zero_flips.value == 1.0
    assert found.verdict_flips.value == pytest.approx(2 / 3)


def test_a_reply_with_one_verdict_of_two_is_asked_and_not_judged() -> None:
    broken = [replace(unjudged(3), case_id="C-2", repeat=repeat) for repeat in (1, 2)]
    found = figures(*drawn(cases=2, replies=1, repeats=2), *broken)
    assert (found.asked, found.judged) == (3, 2)


def test_what_was_not_repeated_cannot_be_told() -> None:
    found = figures(*drawn(cases=6, replies=3, repeats=1))
    assert found.quality is not None
    assert (found.quality.repeat, found.asked) == (None, 0)
    assert found.quality.reply is not None
    assert found.quality.reply > 0
    buys = {one.what: one for one in found.buys}
    assert buys["repeat"].quality is None
    now, reply = buys["now"].quality, buys["reply"].quality
    assert now is not None
    assert reply is not None
    assert reply < now
    assert (buys["reply"].judgements, buys["case"].judgements, buys["cases_instead"].more) == (6, 3, 2)


def test_one_judgement_a_case_has_no_such_figures() -> None:
    assert report(*drawn(cases=5, replies=1, repeats=1)).spread == ()


def test_text_and_json_agree() -> None:
    shown = report(*drawn(cases=10, replies=2, repeats=2, flipping=4))
    text = " ".join(printed(shown).split())
    assert "over 20 of 20 replies with two verdicts or more" in text
    assert "the zero of a reply differs between repeats in 20 %" in text
    assert "One more reply to each case would make it" in text
    [found] = json.loads("".join(report_json(shown)))["spread"]
    assert found["zero_flips"]["value"] == pytest.approx(0.2)
    assert [one["what"] for one in found["buys"]] == ["now", "repeat", "reply", "case", "cases_instead"]


def test_a_judge_that_sees_little_has_no_variance() -> None:
    blind = [
        replace(one, total=None, applicable_total=None, verdict=None) for one in drawn(cases=4, replies=2, repeats=1)
    ]
    found = figures(*blind)
    assert (found.quality, found.zeroed, found.buys) == (None, None, ())
