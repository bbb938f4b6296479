"""Which reply of a run a row of a label file is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trust.labelled import TEXT, reply, row

from iamhumans.errors import Place
from iamhumans.runs.journal.queries import JudgedReply
from iamhumans.runs.keys import content_hash
from iamhumans.runs.labels import Label
from iamhumans.trust.label_files import LabelProblem, LabelRow
from iamhumans.trust.labels import match_labels

FRIEND = reply("f")
PLAIN = reply("p", subject="plain", text="That is a pity.")
SECOND = reply("s", number=2, text="Where do you go now?")
TWIN = reply("t", case_id="BAK-002")
RUN = (FRIEND, PLAIN, SECOND, TWIN)


def one(labelled: LabelRow, replies: tuple[JudgedReply, ...] = RUN) -> Label | LabelProblem:
    (found,) = match_labels([labelled], replies)
    return found


def key_of(labelled: LabelRow, replies: tuple[JudgedReply, ...] = RUN) -> str | None:
    found = one(labelled, replies)
    assert isinstance(found, Label), found
    return found.reply_key


def test_key_of_the_reply_is_enough() -> None:
    assert key_of(row(reply_key="s", case_id="")) == "s"


def test_text_of_the_reply_is_enough() -> None:
    labelled = row(reply_key=None, case_id="theirs", subject=None, reply_hash=content_hash(PLAIN.text), numbered=False)
    assert key_of(labelled) == "p"


def test_among_like_texts_the_case_decides() -> None:
    assert key_of(row(reply_key=None, case_id="BAK-002", reply_hash=content_hash(TEXT))) == "t"


def test_case_subject_and_number_are_enough() -> None:
    assert key_of(row(reply_key=None, number=2)) == "s"


def test_number_may_be_left_out_where_there_is_one_reply() -> None:
    assert key_of(row(reply_key=None, subject="plain", numbered=False)) == "p"


def test_key_of_another_journal_is_passed_over() -> None:
    assert key_of(row(reply_key="elsewhere", reply_hash=content_hash(PLAIN.text))) == "p"


def test_case_that_the_file_names_is_kept_and_the_rest_is_the_runs() -> None:
    found = one(row(reply_key=None, case_id="theirs", subject="x", number=7, reply_hash=content_hash(SECOND.text)))
    assert isinstance(found, Label)
    assert (found.case_id, found.subject, found.number) == ("theirs", "friend", 2)


@pytest.mark.parametrize(
    ("labelled", "said"),
    [
        (row(reply_key=None, subject=None, numbered=False), "3 replies of the run to case BAK-001 match"),
        (row(reply_key=None, numbered=False), "2 replies of the run to case BAK-001 match"),
        (row(reply_key=None, case_id="BAK-009"), "no such reply to case BAK-009"),
        (row(reply_key=None, subject="nobody"), "no such reply to case BAK-001"),
        (row(reply_key=None, reply_hash=content_hash("other")), "its text is different"),
        (row(reply_key="elsewhere", case_id=""), "no such reply."),
    ],
)
def test_row_that_fits_none_or_several_is_a_problem(labelled: LabelRow, said: str) -> None:
    found = one(labelled)
    assert isinstance(found, LabelProblem)
    assert said in found.problem


def test_rater_who_labels_a_reply_twice_is_a_problem_of_the_second_row() -> None:
    place = Place(Path("labels.jsonl"), 2)
    first, second, other = match_labels(
        [row(reply_key="f"), row(reply_key="f", place=place), row(reply_key="f", rater="bob")], RUN
    )
    assert isinstance(second, LabelProblem)
    assert (second.place, "ann labels this reply twice" in second.problem) == (place, True)
    assert isinstance(first, Label)
    assert isinstance(other, Label)


def test_problem_of_the_file_stays_one() -> None:
    problem = LabelProblem("no JSON", Place(Path("labels.jsonl"), 1))
    assert match_labels([problem], RUN) == [problem]
