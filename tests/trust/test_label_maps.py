"""Tables that map label files of another form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.builders import SEED

from iamhumans.errors import InputError
from iamhumans.runs.keys import content_hash
from iamhumans.trust.label_files import LabelProblem, LabelRow, read_labels
from iamhumans.trust.label_maps import LabelMap, read_label_map

SCALE = """
case_id: scenario
subject: [model, persona]
reply: messages
raters: ratings
axes:
  naturalness:
    values: {-1: 0, -0.5: 3, 0.5: 7, 1: 10}
hard_fails:
  manipulation:
    yes_below: 0
"""
WIDE = """
case_id: item.scenario
reply: text
rater: annotator
notes: remark
number: attempt
cannot_tell: [unsure, 9]
axes:
  empathy_fit:
    from: warmth
    range: [1, 5]
hard_fails:
  sycophancy:
    from: flatters
    values: {true: YES, false: NO, "?": cannot_tell}
  pity:
    from: scores.pity
    yes_above: 2
"""
TURNS = [{"role": "user", "content": "my bakery closed"}, {"role": "assistant", "content": "Oh no."}]


def table(folder: Path, text: str) -> LabelMap:
    path = folder / "table.yaml"
    path.write_text(text, encoding="utf-8")
    return read_label_map(path, SEED)


def read(folder: Path, text: str, *rows: Any, suffix: str = ".jsonl") -> list[LabelRow | LabelProblem]:
    path = folder / f"theirs{suffix}"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_labels(path, SEED, label_map=table(folder, text))


def rated(**ratings: Any) -> dict[str, Any]:
    return {"scenario": "S-1", "model": "m", "persona": "good", "messages": TURNS, "ratings": ratings}


def wide(**changes: Any) -> dict[str, Any]:
    return {"item": {"scenario": "S-1"}, "text": "Oh no.", "annotator": "ann", **changes}


def test_ratings_of_several_raters_in_one_row_are_a_label_each(tmp_path: Path) -> None:
    found = read(tmp_path, SCALE, rated(ann=1.0, bob=-0.5))
    assert [
        (one.label.rater, one.label.axes["naturalness"], one.label.flags["manipulation"])
        for one in found
        if isinstance(one, LabelRow)
    ] == [("ann", 10.0, False), ("bob", 3.0, True)]


def test_scenario_is_the_case_and_the_last_message_the_reply(tmp_path: Path) -> None:
    (found,) = read(tmp_path, SCALE, rated(ann=0.5))
    assert isinstance(found, LabelRow)
    assert (found.label.case_id, found.label.subject) == ("S-1", "m/good")
    assert (found.reply_hash, found.numbered) == (content_hash("Oh no."), False)


def test_rating_that_the_table_has_not_is_a_problem_of_its_rater_alone(tmp_path: Path) -> None:
    found = read(tmp_path, SCALE, rated(ann=0.5), rated(ann=0.4, bob=1))
    assert [isinstance(one, LabelRow) for one in found] == [True, False, True]
    assert str(found[1]).startswith(f"{tmp_path}/theirs.jsonl:2: The value `0.4` for `naturalness` is not in the map.")


@pytest.mark.parametrize("rating", [None, ""])
def test_rating_that_is_missing_was_not_asked(tmp_path: Path, rating: object) -> None:
    (found,) = read(tmp_path, SCALE, rated(ann=rating))
    assert isinstance(found, LabelRow)
    assert (found.label.axes, found.label.flags) == ({}, {})


def test_answers_in_keys_of_their_own(tmp_path: Path) -> None:
    (found,) = read(tmp_path, WIDE, wide(warmth=2, flatters=True, scores={"pity": 3}, remark="a bit sweet", attempt=2))
    assert isinstance(found, LabelRow)
    assert (found.label.axes, found.label.flags) == ({"empathy_fit": 2.5}, {"sycophancy": True, "pity": True})
    assert (found.label.notes, found.label.number, found.numbered) == ("a bit sweet", 2, True)


@pytest.mark.parametrize("said", ["unsure", 9, "9", 9.0, "cannot tell"])
def test_cannot_tell_has_words_of_its_own(tmp_path: Path, said: object) -> None:
    (found,) = read(tmp_path, WIDE, wide(warmth=said))
    assert isinstance(found, LabelRow)
    assert found.label.axes == {"empathy_fit": None}


def test_table_reads_csv_too(tmp_path: Path) -> None:
    text = WIDE.replace("item.scenario", "scenario").replace("scores.pity", "pity")
    found = read(
        tmp_path, text, "scenario,text,annotator,warmth,flatters,pity", "S-1,Oh no.,ann,5,False,1", suffix=".csv"
    )
    assert isinstance(found[0], LabelRow)
    assert (found[0].label.axes, found[0].label.flags) == ({"empathy_fit": 10.0}, {"sycophancy": False, "pity": False})


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (wide(warmth=6), "not in the range 1 to 5"),
        (wide(warmth="high"), "not in the range"),
        (wide(flatters="sometimes"), "is not in the map"),
        (wide(scores={"pity": "much"}), "is not a number"),
        (wide(item={}), "The row has no `item.scenario`"),
        (wide(text=None), "`text` holds no reply"),
        (wide(text=[{"role": "user", "content": "hm"}]), "The last message is not the assistant's"),
        (wide(annotator=None), "does not say who labelled"),
        (wide(attempt="two"), "`number` is `two`"),
    ],
)
def test_row_that_does_not_fit_is_a_problem(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    (found,) = read(tmp_path, WIDE, row)
    assert isinstance(found, LabelProblem)
    assert said in found.problem


def test_ratings_that_are_no_object_are_a_problem(tmp_path: Path) -> None:
    (found,) = read(tmp_path, SCALE, {**rated(), "ratings": [1, 2]})
    assert isinstance(found, LabelProblem)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("case_id: scenario", "case: scenario", 1, "case_id"),
        ("1: 10}", "1: 11}", 7, "`11`"),
        ("0.5: 7", "0.5: 2", 7, "must rise with the values, or fall"),
        ("yes_below: 0", "yes_below: none", 11, "yes_below"),
        ("yes_below: 0", "yes_below: nan", 11, "yes_below"),
        ("yes_below: 0", "values: {1: MAYBE}", 10, "MAYBE"),
        ("yes_below: 0", "from: x", 10, "write one of"),
        ("naturalness:", "naturalnes:", 6, "Did you mean `naturalness`?"),
        ("manipulation:", "manipulations:", 10, "Did you mean `manipulation`?"),
        ("raters: ratings", "notes: x", 1, "`from`"),
        ("raters: ratings", "raters: ratings\nrater: x", 1, "either `rater` or `raters`"),
        ("values: {-1: 0, -0.5: 3, 0.5: 7, 1: 10}", "range: [1, 1]", 7, "the same"),
        ("values: {-1: 0, -0.5: 3, 0.5: 7, 1: 10}", "values: {}", 7, "either `values` or `range`"),
        ("raters: ratings", "raters: ratings\nraters: ratings", 6, "twice"),
        ("raters: ratings", "raters: [", 6, "not valid YAML"),
    ],
)
def test_table_that_is_wrong_is_an_error_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    with pytest.raises(InputError) as raised:
        table(tmp_path, SCALE.replace(old, new))
    assert said in str(raised.value)
    assert raised.value.where.line is not None


def test_falling_scale_is_as_good_as_a_rising_one(tmp_path: Path) -> None:
    falling = SCALE.replace("{-1: 0, -0.5: 3, 0.5: 7, 1: 10}", "{1: 0, 2: 0, 3: -0}").replace("{1: 0", "{1: 10")
    (found,) = read(tmp_path, falling, rated(ann=2))
    assert isinstance(found, LabelRow)
    assert found.label.axes == {"naturalness": 0.0}
