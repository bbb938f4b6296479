"""A calibration in sentences."""

from __future__ import annotations

from tests.trust.compared import a_calibration, a_run, judged, learned, said

from iamhumans.reports.calibration import in_short, yes_of_people
from iamhumans.trust.calibration import Calibration


def text(calibration: Calibration) -> str:
    return "\n".join(in_short(calibration))


def test_what_the_judge_finds_is_said_with_its_interval() -> None:
    assert "the judge finds (least first): pity " in text(a_calibration())
    assert "It is unknown what the judge misses of lecturing" in text(a_calibration())


def test_where_nothing_has_enough_yes_that_is_said_and_no_share() -> None:
    few = learned([said(f"r{n}") for n in range(8)], [judged(f"r{n}") for n in range(8)])
    assert "It is unknown what the judge misses of every hard fail" in text(few)
    assert "People zero none of 8 replies" in text(few)


def test_an_offset_is_named_by_its_direction() -> None:
    labels, judgements = a_run()
    assert "more points than people on naturalness +1.0" in text(learned(labels, judgements))
    harsh = [judged(f"r{n}", axes={"naturalness": 1.0 + n % 3}) for n in range(60)]
    assert "fewer points than people on naturalness" in text(learned(labels, harsh))


def test_yes_is_counted_over_what_both_answered_and_pooled_over_hard_fails() -> None:
    labels = [said(f"r{n}", pity=n < 3, lecturing=n < 2) for n in range(8)]
    found = learned(labels, [judged(f"r{n}") for n in range(1, 8)])
    counts = {one.name: yes_of_people(found, one) for one in found.criteria if one.kind != "axis"}
    assert (counts["pity"], counts["lecturing"], counts["all hard fails"]) == (2, 1, 3)
