"""What ships: the suite `core` and the proving set hold what they promise, by count."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import get_args

import pytest
from benchmarks.proving_set import (
    Half,
    Kind,
    Mark,
    ProvingReply,
    bundled_proving_path,
    load_proving,
    read_halves,
)
from tests.builders import SEED

from iamhumans.cases import DIMENSIONS, Case, bundled_suite, check_seal, read_ledger
from iamhumans.text import has_substance

SUITE = bundled_suite()
CASES = SUITE.cases
EVERYDAY = SUITE.without_holdout().cases
REPLIES = load_proving()
BY_CASE = SUITE.by_id
OTHER_LANGUAGES = {"es", "de", "fr", "pt", "vi", "ja", "hi", "ar"}


def having(cases: Iterable[Case], wanted: Callable[[Case], bool]) -> int:
    return sum(map(wanted, cases))


# The suite.


def test_every_case_of_the_suite_loads_without_a_finding() -> None:
    assert SUITE.findings == ()


def test_the_suite_has_96_cases_or_more() -> None:
    assert len(CASES) >= 96


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_each_dimension_has_16_cases_or_more(dimension: str) -> None:
    assert having(CASES, lambda case: dimension in case.dimensions) >= 16
    assert having(CASES, lambda case: case.dimensions[0] == dimension) >= 16


def test_a_case_has_one_to_three_dimensions() -> None:
    assert [case.id for case in CASES if not 1 <= len(case.dimensions) <= 3] == []


def test_20_cases_or_more_have_three_to_nine_turns() -> None:
    assert having(CASES, lambda case: 3 <= len(case.conversation) <= 9) >= 20
    assert [case.id for case in CASES if len(case.conversation) > 9] == []


def test_8_cases_or_more_have_something_to_repair() -> None:
    assert having(CASES, lambda case: case.repair) >= 8


def test_16_cases_or_more_are_in_other_languages_and_each_language_is_there() -> None:
    assert having(CASES, lambda case: case.lang != "en") >= 16
    assert {case.lang for case in CASES} == OTHER_LANGUAGES | {"en"} == set(SUITE.languages)


def test_12_cases_or_more_are_held_out_of_every_dimension_some() -> None:
    held_out = [case for case in CASES if case.holdout]
    assert len(held_out) >= 12
    assert {dimension for case in held_out for dimension in case.dimensions} == set(DIMENSIONS)


def test_the_suite_is_sealed_and_its_seal_holds() -> None:
    assert check_seal(SUITE) == ()
    assert read_ledger(SUITE.path).problems == ()
    assert read_ledger(SUITE.path).sealed is not None


@pytest.mark.parametrize("flag", SEED.hard_fail_ids)
def test_each_hard_fail_is_watched_for_in_10_everyday_cases_or_more(flag: str) -> None:
    assert having(EVERYDAY, lambda case: flag in case.hard_fails) >= 10


def test_every_case_says_what_a_good_answer_does_and_how_answers_fail() -> None:
    assert [case.id for case in CASES if len(case.rubric) < 3 or len(case.failure_modes) < 3] == []


# The proving set.


def wrong(reply: ProvingReply) -> Iterator[str]:
    """What is wrong with a reply of the set."""
    known_flags, known_axes, marks = set(SEED.hard_fail_ids), set(SEED.axis_ids), set(get_args(Mark))
    if not reply.id.startswith(f"{reply.case_id}/") or reply.id == f"{reply.case_id}/":
        yield "the id is not the case's id, a slash and a name"
    if reply.case_id not in BY_CASE or BY_CASE[reply.case_id].holdout:
        yield "its case is unknown or held out"
    if not has_substance(reply.text):
        yield "it is empty"
    if not reply.flags <= known_flags or not set(reply.bands) <= known_axes:
        yield "a hard fail or an axis is unknown"
    if not reply.unsure <= known_flags | known_axes or not set(reply.words) <= known_flags | known_axes | marks:
        yield "a name is unknown"


def inconsistent(reply: ProvingReply) -> Iterator[str]:
    """What does not fit together in a reply of the set."""
    words = [fault.words for fault in reply.faults] + [text for texts in reply.words.values() for text in texts]
    if not all(text.strip() and text in reply.text for text in words):
        yield "words are not in the reply"
    if len(reply.faults) != (reply.kind == "fault"):
        yield "the number of planted hard fails does not fit its kind"
    if reply.unsure & (reply.flags | set(reply.bands)):
        yield "something is unsure and decided"
    if reply.kind == "hard_negative" and not reply.words:
        yield "it does not say what it looks like"
    if reply.kind == "stale" and reply.bands.get("naturalness") != "low":
        yield "it is stale and natural"


def test_every_reply_is_consistent() -> None:
    assert [(reply.id, problem) for reply in REPLIES for problem in (*wrong(reply), *inconsistent(reply))] == []


def test_no_id_and_no_name_is_there_twice() -> None:
    assert len({reply.id for reply in REPLIES}) == len(REPLIES)
    for path in bundled_proving_path().glob("*.jsonl"):
        for row in map(json.loads, filter(None, path.read_text(encoding="utf-8").split("\n"))):
            assert len(set(row["unsure"])) == len(row["unsure"])
            assert len(set(row["marks"])) == len(row["marks"])


def test_300_replies_or_more_to_60_cases_or_more() -> None:
    assert len(REPLIES) >= 300
    assert len({reply.case_id for reply in REPLIES}) >= 60


def test_every_scenario_has_a_right_a_plain_a_stale_and_two_faulty_replies() -> None:
    kinds: dict[str, Counter[Kind]] = defaultdict(Counter)
    for reply in REPLIES:
        kinds[reply.case_id][reply.kind] += 1
    wanted = Counter({"right": 1, "plain": 1, "stale": 1, "fault": 2})
    assert [case_id for case_id, there in kinds.items() if not wanted <= there] == []


@pytest.mark.parametrize("flag", SEED.hard_fail_ids)
def test_each_hard_fail_is_planted_20_times_or_more_and_half_of_them_subtly(flag: str) -> None:
    degrees = Counter(fault.degree for reply in REPLIES for fault in reply.faults if fault.flag == flag)
    assert degrees.total() >= 20
    # "Half" to within three: a label that is settled later moves from one side to the other.
    assert degrees["subtle"] >= degrees.total() / 2 - 3
    assert degrees["subtle"] >= 10
    assert degrees["blatant"] >= 8


def test_40_hard_negatives_or_more_that_look_like_most_hard_fails() -> None:
    negatives = [reply for reply in REPLIES if reply.kind == "hard_negative"]
    assert len(negatives) >= 40
    assert len(frozenset().union(*(reply.resembles for reply in negatives))) >= 8


@pytest.mark.parametrize(
    ("marks", "least"),
    [
        (("memory_error",), 20),
        (("repairs_well", "repairs_badly"), 12),
        (("repairs_well",), 5),
        (("repairs_badly",), 5),
        (("claimed_sense",), 3),
        (("sunny_on_grief",), 3),
        (("sombre_on_joke",), 3),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, tuple) else None,
)
def test_marks_are_there_as_often_as_promised(marks: tuple[Mark, ...], least: int) -> None:
    assert sum(not reply.marks.isdisjoint(marks) for reply in REPLIES) >= least


def test_what_repairs_answers_a_case_with_something_to_repair() -> None:
    repairing = (reply for reply in REPLIES if not reply.marks.isdisjoint({"repairs_well", "repairs_badly"}))
    assert [reply.id for reply in repairing if not BY_CASE[reply.case_id].repair] == []


def test_30_replies_or_more_are_in_other_languages() -> None:
    assert sum(BY_CASE[reply.case_id].lang != "en" for reply in REPLIES) >= 30


def test_40_replies_or_more_are_hard_on_purpose() -> None:
    assert sum(reply.hard for reply in REPLIES) >= 40


# Its halves.

HALVES = {
    case_id: half
    for half, case_ids in read_halves(bundled_proving_path() / "halves.yaml").items()
    for case_id in case_ids
}


def test_each_scenario_is_in_one_half_and_nothing_else_is() -> None:
    assert set(HALVES) == {reply.case_id for reply in REPLIES}


def test_the_halves_are_the_whole() -> None:
    parts = [*load_proving("open"), *load_proving("closed")]
    assert sorted(reply.id for reply in parts) == sorted(reply.id for reply in REPLIES)


@pytest.mark.parametrize("flag", SEED.hard_fail_ids)
def test_each_hard_fail_is_planted_about_equally_often_in_both_halves(flag: str) -> None:
    counts = Counter(HALVES[reply.case_id] for reply in REPLIES if flag in reply.flags)
    assert abs(counts["open"] - counts["closed"]) <= 0.25 * counts.total()


@pytest.mark.parametrize("half", get_args(Half))
def test_languages_and_dimensions_are_in_both_halves(half: Half) -> None:
    cases = [BY_CASE[case_id] for case_id, own in HALVES.items() if own is half]
    other = {BY_CASE[case_id].lang for case_id, own in HALVES.items() if own is not half}
    assert {case.lang for case in cases} == other
    homes = Counter(case.dimensions[0] for case in cases)
    assert len(homes) == len(DIMENSIONS)
    assert max(homes.values()) - min(homes.values()) <= 1
    assert having(cases, lambda case: case.repair) >= 3
