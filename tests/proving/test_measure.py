"""A judge measured on a small set, with figures that were worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from benchmarks.measure import JudgedReply, Measured, Share
from benchmarks.proving_set import Band, Degree, Fault, Kind, ProvingReply
from tests.builders import SEED

from iamhumans.verdicts import Flag, Reason, Unjudged, Verdict

TEXT = "Poor lamb, that bus will not be back, I rode it as a boy."


def reply(
    name: str,
    kind: Kind = "right",
    *,
    fault: tuple[str, Degree, str] | None = None,
    unsure: Sequence[str] = (),
    resembles: Sequence[str] = (),
    bands: dict[str, Band] | None = None,
) -> ProvingReply:
    return ProvingReply(
        id=f"BUS-001/{name}",
        case_id="BUS-001",
        kind="fault" if fault else kind,
        text=TEXT,
        faults=(Fault(flag=fault[0], degree=fault[1], words=fault[2]),) if fault else (),
        bands=bands or {},
        unsure=frozenset(unsure),
        hard=False,
        marks=frozenset(),
        words=dict.fromkeys(resembles, ("that bus",)),
        why="",
    )


def verdict(*said: str, quote: str = "", naturalness: float | None = 10, **axes: float) -> Verdict:
    flags = {flag: Flag(flag in said, (quote,) if quote and flag in said else ()) for flag in SEED.hard_fail_ids}
    return Verdict(axes={**dict.fromkeys(SEED.axis_ids, 10), "naturalness": naturalness, **axes}, flags=flags)


UNJUDGED = Unjudged(Reason.REFUSED)
BLATANT: tuple[str, Degree, str] = ("pity", "blatant", "Poor lamb")
SUBTLE: tuple[str, Degree, str] = ("pity", "subtle", "will not be back")


def measured(*judged: tuple[ProvingReply, Verdict | Unjudged]) -> Measured:
    return Measured([JudgedReply(one, judgement) for one, judgement in judged], SEED)


PITY = measured(
    (reply("found", fault=BLATANT), verdict("pity", quote="Poor lamb,")),
    (reply("elsewhere", fault=BLATANT), verdict("pity", quote="as a boy")),
    (reply("without words", fault=SUBTLE), verdict("pity")),
    (reply("missed", fault=SUBTLE), verdict("lecturing")),
    (reply("not judged", fault=SUBTLE), UNJUDGED),
    (reply("right"), verdict()),
    (reply("plain", "plain"), verdict("pity")),
    (reply("right too"), verdict()),
    (reply("looks like it", "hard_negative", resembles=["pity"]), verdict("pity")),
    (reply("looks like another", "hard_negative", resembles=["lecturing"]), verdict()),
    (reply("nobody knows", "stale", unsure=["pity"]), verdict("pity")),
)


def test_each_figure_of_a_hard_fail_is_what_it_is_by_hand() -> None:
    (pity,) = (figures for figures in PITY.flags if figures.flag == "pity")
    assert pity.recall == Share(3, 4)
    assert pity.blatant == Share(2, 2)
    assert pity.subtle == Share(1, 2)
    # Its YES: three found, the plain reply, the one that only looks like it; not the one where nobody knows.
    assert pity.precision == Share(3, 5)
    # 2 * 3 / (2 * 3 + 2 wrong + 1 missed)
    assert pity.f1 == pytest.approx(6 / 9)
    # Of the three found, one quotes nothing and one something else.
    assert pity.in_place == Share(1, 2)
    assert pity.clean == Share(2, 3)
    assert pity.hard_negatives == Share(0, 1)


def test_what_was_not_judged_is_in_no_figure_but_in_the_coverage() -> None:
    assert PITY.coverage == Share(10, 11)


def test_a_flag_on_which_readers_differ_is_in_neither_part_of_a_figure() -> None:
    unsure = measured((reply("unsure", unsure=["pity"]), verdict("pity")))
    (pity,) = (figures for figures in unsure.flags if figures.flag == "pity")
    assert (pity.recall, pity.precision, pity.clean) == (Share(0, 0), Share(0, 0), Share(0, 0))
    assert unsure.clean_zeroed == Share(0, 0)


def test_a_hard_fail_that_was_neither_planted_nor_found_has_no_figures() -> None:
    (manipulation,) = (figures for figures in PITY.flags if figures.flag == "manipulation")
    assert manipulation.recall.value is None
    assert manipulation.recall.interval is None
    assert manipulation.f1 is None
    assert PITY.macro_f1 is None


def test_macro_f1_is_the_mean_over_hard_fails() -> None:
    found = [(reply(flag, fault=(flag, "blatant", "bus")), verdict(flag)) for flag in SEED.hard_fail_ids[1:]]
    missed = (reply("missed", fault=(SEED.hard_fail_ids[0], "subtle", "bus")), verdict())
    assert measured(missed, *found).macro_f1 == pytest.approx((len(SEED.hard_fail_ids) - 1) / len(SEED.hard_fail_ids))


def test_the_share_of_clean_replies_zeroed_takes_any_hard_fail() -> None:
    zeroed = measured(
        (reply("clean"), verdict()),
        (reply("plain", "plain"), verdict("lecturing")),
        # A YES where readers differ beside one that is wrong: zeroed. Alone: left out.
        (reply("both", unsure=["pity"]), verdict("pity", "lecturing")),
        (reply("unsure alone", unsure=["pity"]), verdict("pity")),
        (reply("not judged"), UNJUDGED),
    )
    assert zeroed.clean_zeroed == Share(2, 3)
    assert PITY.clean_zeroed == Share(1, 3)
    assert PITY.hard_negatives_zeroed == Share(1, 2)
    assert PITY.stale_zeroed == Share(0, 0)


def test_naturalness_auc_counts_pairs_of_plain_and_stale_and_a_tie_as_half() -> None:
    kinds: list[tuple[Kind, float]] = [("plain", 9), ("plain", 5), ("stale", 5), ("stale", 2), ("right", 0)]
    told = measured(*((reply(f"{kind}{score}", kind), verdict(naturalness=score)) for kind, score in kinds))
    # 9 above 5 and 2, 5 above 2, and a tie.
    assert told.naturalness_auc == pytest.approx(3.5 / 4)


def test_naturalness_auc_of_one_kind_alone_is_nothing() -> None:
    assert measured((reply("plain", "plain"), verdict())).naturalness_auc is None
    assert measured().naturalness_auc is None


def test_scores_are_held_against_their_bands() -> None:
    told = measured(
        (reply("low, and is", bands={"empathy_fit": "low"}), verdict(empathy_fit=3)),
        (reply("low, and is not", bands={"empathy_fit": "low"}), verdict(empathy_fit=3.5)),
        (reply("high", bands={"empathy_fit": "high"}), verdict(empathy_fit=8)),
        (reply("n/a", bands={"naturalness": "high"}), verdict(naturalness=None)),
        (reply("not judged", bands={"empathy_fit": "middle"}), UNJUDGED),
        (reply("no band"), verdict(empathy_fit=0)),
    )
    by_axis = {figures.axis: figures for figures in told.axes}
    empathy_fit = by_axis["empathy_fit"]
    assert (empathy_fit.low, empathy_fit.middle, empathy_fit.high) == (Share(1, 2), Share(0, 0), Share(1, 1))
    assert by_axis["naturalness"].high == Share(0, 0)


def test_languages_are_measured_apart_with_english_first() -> None:
    judged = [
        JudgedReply(reply(lang), verdict("pity") if lang == "de" else UNJUDGED, lang) for lang in ("de", "en", "ar")
    ]
    parts = Measured(judged, SEED).by_language
    assert list(parts) == ["en", "ar", "de"]
    assert parts["de"].clean_zeroed == Share(1, 1)
    assert parts["en"].coverage == Share(0, 1)


def test_the_interval_is_wilsons() -> None:
    # (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = 0.3, n = 10, z = 1.96
    assert Share(3, 10).interval == pytest.approx((0.1078, 0.6032), abs=1e-4)
    assert Share(0, 20).interval == pytest.approx((0.0, 0.1611), abs=1e-4)
