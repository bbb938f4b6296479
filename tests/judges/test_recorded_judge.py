"""The judge that repeats recorded verdicts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, SEED, case, task, verdict_of

from iamhumans.errors import Place
from iamhumans.judges import JudgeTask, RecordedJudge
from iamhumans.verdicts import (
    Flag,
    MaybeVerdict,
    Number,
    Reason,
    RecordedVerdict,
    Unjudged,
    Verdict,
    read_recorded,
    read_verdict,
    score_verdict,
)


def judged_line(of: JudgeTask, judgement: MaybeVerdict) -> dict[str, object]:
    place = {"subject": of.reply.subject, "number": of.reply.number}
    return score_verdict(judgement, of.rubric, of.asked(), **place).to_dict()


def recorded(
    naturalness: int = 8,
    *,
    case_id: str | None = "BAK-001",
    reply: str | None = None,
    subject: str | None = None,
    number: int | None = None,
) -> RecordedVerdict:
    text = verdict_of(axes={"naturalness": naturalness}, case_id=case_id)
    return RecordedVerdict(text, Place(), case_id, reply, subject, number)


def judged(verdicts: Sequence[RecordedVerdict], of: JudgeTask) -> int | Unjudged:
    """The naturalness of the verdict, or that there is none."""
    outcome = RecordedJudge("recorded/x", tuple(verdicts)).next(of, ())
    if isinstance(outcome, Unjudged):
        return outcome
    assert isinstance(outcome, Verdict)
    found = outcome.axes["naturalness"]
    assert isinstance(found, int)
    return found


def test_verdict_of_the_case_is_repeated() -> None:
    assert judged([recorded(1, case_id="OTHER"), recorded(2)], task()) == 2


def test_verdict_of_another_case_is_not() -> None:
    outcome = judged([recorded(case_id="OTHER")], task())

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is Reason.NO_VERDICT


def test_a_verdict_whose_file_holds_the_reply_with_reasoning_is_about_the_reply() -> None:
    marked = f"<think>They are sad.</think>\n\n{task().reply.text}"

    assert judged([recorded(2, reply=marked)], task()) == 2
    assert isinstance(judged([recorded(2, reply="<think>They are sad.</think>no")], task()), Unjudged)


def test_verdict_without_a_case_counts_for_any() -> None:
    assert judged([recorded(3, case_id=None)], task(of=case(case_id="ANY"))) == 3


def test_verdict_that_names_its_case_comes_before_one_that_does_not() -> None:
    assert judged([recorded(3, case_id=None), recorded(4)], task()) == 4


def test_verdicts_of_one_reply_are_its_repeats_in_order() -> None:
    verdicts = [recorded(1), recorded(9, case_id="OTHER"), recorded(2), recorded(3)]

    assert [judged(verdicts, task(repeat=repeat)) for repeat in (1, 2, 3)] == [1, 2, 3]


def test_more_repeats_than_verdicts_are_unjudged() -> None:
    outcome = judged([recorded()], task(repeat=2))

    assert isinstance(outcome, Unjudged)
    assert "has 1 verdict" in outcome.detail


def test_verdict_of_another_reply_is_not_for_this_one() -> None:
    outcome = judged([recorded(reply="Something else.")], task("Oh no."))

    assert isinstance(outcome, Unjudged)
    assert "another reply" in outcome.detail


def test_verdict_is_found_by_its_reply() -> None:
    verdicts = [recorded(1, reply="one"), recorded(2, reply="two ’  three\n")]

    assert judged(verdicts, task("two ' three")) == 2


@pytest.mark.parametrize(
    ("subject", "number", "expected"),
    [("plain", 1, 1), ("plain", 2, 2), ("friend", 1, 3), ("friend", 2, None), ("", 1, None)],
)
def test_verdict_is_found_by_subject_and_number(subject: str, number: int, expected: int | None) -> None:
    verdicts = [
        recorded(1, subject="plain", number=1),
        recorded(2, subject="plain", number=2),
        recorded(3, subject="friend", number=1),
    ]
    outcome = judged(verdicts, task(subject=subject, number=number))

    assert (None if isinstance(outcome, Unjudged) else outcome) == expected


def test_recorded_answer_is_read_like_any_other() -> None:
    wrong = RecordedVerdict(verdict_of(axes={"naturalness": 11}), Place(), "BAK-001")
    outcome = judged([wrong], task())

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is Reason.OUT_OF_RANGE


def test_token_is_not_asked_of_a_recorded_verdict() -> None:
    of_then = RecordedVerdict(verdict_of(check="of then"), Place(), "BAK-001")

    assert judged([of_then], task(token="of now")) == 8


def test_reply_confirms_the_quotes() -> None:
    of = task("oh you poor thing")
    verdict = RecordedVerdict(verdict_of(yes={"pity": ["poor thing"], "lecturing": ["no"]}), Place(), "BAK-001")
    outcome = RecordedJudge("recorded/x", (verdict,)).next(of, ())
    assert isinstance(outcome, Verdict)

    assert score_verdict(outcome, SEED, of.asked()).unconfirmed == ("lecturing",)


def test_files_with_the_json_of_several_cases_go_to_their_cases(tmp_path: Path) -> None:
    for name in ("A", "B", "C"):
        document = {
            "case_id": name,
            "axes": dict.fromkeys(SEED.axis_ids, "ABC".index(name)),
            "hard_fails": dict.fromkeys(SEED.hard_fail_ids, "NO"),
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(document))

    verdicts = read_recorded(str(tmp_path))
    assert [judged(verdicts, task(of=case(case_id=name))) for name in ("C", "A", "B")] == [2, 0, 1]


@pytest.mark.parametrize("same", [True, False])
def test_several_verdicts_for_one_reply_are_noticed(same: bool) -> None:
    verdicts = (recorded(1, reply="a  b"), recorded(2, reply="a b" if same else "other"), recorded(3, case_id="OTHER"))

    assert (RecordedJudge("x", verdicts).repeated() is verdicts[1]) is same


def test_version_follows_what_is_recorded_and_what_for() -> None:
    verdicts = [
        recorded(),
        recorded(7),
        recorded(reply="a"),
        recorded(subject="a"),
        recorded(number=1),
        recorded(case_id=None),
    ]
    versions = {RecordedJudge("x", (verdict,)).version for verdict in verdicts}

    assert len(versions) == len(verdicts)
    assert RecordedJudge("x", (recorded(),)).version == RecordedJudge("y", (recorded(),)).version


# --- what `judge -o` writes is read back

REPLY = "oh you poor thing, 1: it will be fine"
TASKS = st.sampled_from(
    [
        task(REPLY, subject="plain", number=2),
        task(REPLY, of=case("a", "b", "c")),
        task(REPLY, of=case("a", "b", "c", repair=True)),
        task(REPLY, of=case("a", repair=True)),
    ]
)


@st.composite
def verdicts_for(draw: st.DrawFn, of: JudgeTask) -> Verdict:
    score = st.one_of(
        st.integers(0, 10),
        st.decimals(0, 10, places=2).map(lambda number: float(number) if number % 1 else int(number)),
    )
    axes: dict[str, Number | None] = {name: draw(score) for name in SEED.axis_ids}
    if of.case.single_turn:
        axes["memory_coherence"] = draw(st.one_of(score, st.none()))
    if not of.case.repair:
        axes["repair_quality"] = draw(st.one_of(score, st.none()))
    quotes = st.lists(st.sampled_from(["poor thing", "nowhere", "1: it", "Poor", "…"]), max_size=2)
    yes = draw(st.sets(st.sampled_from(SEED.hard_fail_ids), max_size=2))
    flags = {name: Flag(name in yes, tuple(draw(quotes)) if name in yes else ()) for name in SEED.hard_fail_ids}
    return Verdict(
        axes=axes,
        flags=flags,
        case_id=of.case.id,
        notes=draw(st.sampled_from(["", "Two lines.\ncase_id: X\naxes:\n  naturalness: 1", "</think>", "ünï"])),
        stated_total=draw(st.one_of(st.none(), st.integers(0, 100))),
        stated_verdict=draw(st.sampled_from([None, "PASS", "FAIL"])),
    )


def written_and_read(path: Path, of: JudgeTask, judgement: MaybeVerdict) -> MaybeVerdict:
    path.write_text(json.dumps(judged_line(of, judgement), ensure_ascii=False) + "\n", encoding="utf-8")
    outcome = RecordedJudge("recorded/x", read_recorded(str(path))).next(of, ())
    assert isinstance(outcome, Verdict | Unjudged)
    return outcome


@given(TASKS, st.data())
@FEW
def test_written_judgements_give_the_same_verdict_and_score(
    tmp_path_factory: pytest.TempPathFactory, of: JudgeTask, data: st.DataObject
) -> None:
    verdict = data.draw(verdicts_for(of))
    again = written_and_read(tmp_path_factory.getbasetemp() / "judged.jsonl", of, verdict)

    assert isinstance(again, Verdict)
    of_again, of_first = (score_verdict(one, SEED, of.asked()) for one in (again, verdict))
    assert replace(of_again, repairs=()) == of_first  # a decimal is a repair of the form
    assert (again.flags, again.notes, again.stated_total, again.stated_verdict) == (
        verdict.flags,
        verdict.notes,
        verdict.stated_total,
        verdict.stated_verdict,
    )


@pytest.mark.parametrize("reason", list(Reason))
def test_written_reasons_are_read_back(tmp_path: Path, reason: Reason) -> None:
    unjudged = Unjudged(reason, "I'm sorry, but I can't: case_id: X")

    assert written_and_read(tmp_path / "judged.jsonl", task(), unjudged) == unjudged


def test_written_lines_of_other_replies_stay_theirs(tmp_path: Path) -> None:
    of = task(REPLY, subject="plain", number=2)
    verdict = read_verdict(verdict_of(), SEED)
    path = tmp_path / "judged.jsonl"
    assert isinstance(written_and_read(path, of, verdict), Verdict)

    judge = RecordedJudge("recorded/x", read_recorded(str(path)))
    assert isinstance(judge.next(task(REPLY, subject="plain", number=1), ()), Unjudged)
    assert isinstance(judge.next(task(REPLY, subject="other", number=2), ()), Unjudged)


ANSWERS = st.sampled_from([Flag(True, ("poppy rolls",)), Flag(True), Flag(False), Flag(None), Flag(None, ("oh no",))])


@FEW
@given(
    st.lists(st.sampled_from([None, 0, 7, 8.5, 10]), min_size=6, max_size=6),
    st.lists(ANSWERS, min_size=len(SEED.hard_fail_ids), max_size=len(SEED.hard_fail_ids)),
)
def test_a_line_of_a_judge_that_saw_little_is_judged_the_same_again(
    tmp_path_factory: pytest.TempPathFactory, scores: list[Number | None], answers: list[Flag]
) -> None:
    of = task()
    said = Verdict(
        axes=dict(zip(SEED.axis_ids, scores, strict=True)),
        flags=dict(zip(SEED.hard_fail_ids, answers, strict=True)),
        case_id=of.case.id,
        notes="It is so.",
        unseen=frozenset(name for name, score in zip(SEED.axis_ids, scores, strict=True) if score is None),
    )
    line = judged_line(of, said)
    path = tmp_path_factory.mktemp("verdicts") / "verdicts.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")

    again = RecordedJudge("recorded/x", read_recorded(str(path))).next(of, ())

    assert judged_line(of, again) == line


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("axes", {"warmth": None}, Reason.MISSING_AXIS),
        ("hard_fails", {"pity": {"present": None, "quotes": []}}, Reason.MISSING_FLAG),
    ],
)
def test_a_line_with_nulls_for_another_rubric_is_unjudged(
    tmp_path: Path, part: str, value: object, reason: Reason
) -> None:
    of = task()
    unseen = Verdict(dict.fromkeys(SEED.axis_ids), dict.fromkeys(SEED.hard_fail_ids, Flag(None)), of.case.id)
    line = judged_line(of, replace(unseen, unseen=frozenset(SEED.axis_ids)))
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps({**line, part: value}) + "\n", encoding="utf-8")

    found = RecordedJudge("recorded/x", read_recorded(str(path))).next(of, ())

    assert isinstance(found, Unjudged)
    assert found.reason is reason
