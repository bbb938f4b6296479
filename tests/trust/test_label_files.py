"""Label files: what is written is read back, and a bad row costs no other."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT, SEED
from tests.trust.labelled import ROWS, label, row

from iamhumans.errors import InputError, Place
from iamhumans.runs.keys import content_hash
from iamhumans.text import for_csv
from iamhumans.trust.label_files import LabelProblem, LabelRow, labels_as_csv, labels_as_json_lines, read_labels


def read(text: str, suffix: str = ".jsonl", rater: str | None = None) -> list[LabelRow | LabelProblem]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"labels{suffix}"
        path.write_text(text, encoding="utf-8", newline="")
        return read_labels(path, SEED, rater=rater)


def line(**changes: Any) -> str:
    return json.dumps({"case_id": "A-1", "rater": "ann", **changes}) + "\n"


def only(text: str, suffix: str = ".jsonl") -> LabelRow:
    (found,) = read(text, suffix)
    assert isinstance(found, LabelRow), found
    return found


def problems(text: str, suffix: str = ".jsonl") -> list[str]:
    return [one.problem for one in read(text, suffix) if isinstance(one, LabelProblem)]


@FEW
@given(st.lists(ROWS, max_size=2))
def test_json_lines_are_read_back_as_they_were_written(rows: list[LabelRow]) -> None:
    assert read("".join(labels_as_json_lines(rows))) == rows


@FEW
@given(st.lists(ROWS, max_size=2))
def test_csv_is_read_back_as_it_was_written(rows: list[LabelRow]) -> None:
    assert read("".join(labels_as_csv(rows)), ".csv") == rows


@FEW
@given(st.lists(ROWS, min_size=1, max_size=2))
def test_no_cell_can_be_taken_for_a_formula_or_steer_a_terminal(rows: list[LabelRow]) -> None:
    cells = [cell for cells in csv.reader(io.StringIO("".join(labels_as_csv(rows)))) for cell in cells]
    assert [cell for cell in cells if for_csv(cell) != cell] == []


@FEW
@given(HOSTILE_TEXT)
def test_no_foreign_text_is_more_than_a_problem_of_its_line(text: str) -> None:
    good = line(hard_fails={"pity": True})
    hostile = json.dumps({"case_id": text, "rater": text, "notes": text})
    found = read(f"{good}{hostile}\n{good}")
    assert [one.label.flags for one in (found[0], found[2]) if isinstance(one, LabelRow)] == [{"pity": True}] * 2


@FEW
@given(st.binary(max_size=60))
def test_any_bytes_give_rows_problems_or_one_error(data: bytes) -> None:
    for suffix in (".csv", ".jsonl"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"labels{suffix}"
            path.write_bytes(data)
            try:
                found: Sequence[object] = read_labels(path, SEED)
            except InputError:
                continue
            assert all(isinstance(one, LabelRow | LabelProblem) for one in found)


def test_a_heading_that_is_no_csv_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text('case_id,"rater')
    with pytest.raises(InputError, match="The heading is not CSV") as error:
        read_labels(path, SEED)
    assert error.value.where == Place(path, 1)


@pytest.mark.parametrize("said", [True, "YES", "yes", "true", "Y"])
def test_yes_is_read_however_it_is_written(said: object) -> None:
    assert only(line(hard_fails={"pity": said})).label.flags == {"pity": True}


@pytest.mark.parametrize("said", ["cannot_tell", "cannot tell", "Cannot-Tell"])
def test_cannot_tell_is_an_answer(said: str) -> None:
    found = only(line(hard_fails={"pity": said}, axes={"naturalness": said})).label
    assert (found.flags, found.axes) == ({"pity": None}, {"naturalness": None})


@pytest.mark.parametrize("said", [None, "", " "])
def test_nothing_is_not_an_answer(said: object) -> None:
    found = only(line(hard_fails={"pity": said}, axes={"naturalness": said})).label
    assert (found.flags, found.axes) == ({}, {})


def test_partial_labels_are_fine() -> None:
    found = only(line(axes={"naturalness": 7.5}))
    assert (found.label.flags, found.label.axes, found.numbered) == ({}, {"naturalness": 7.5}, False)


def test_reply_is_known_by_its_text() -> None:
    assert only(line(reply="Oh no.")).reply_hash == content_hash("Oh no.")


def test_words_may_be_one_text_or_several() -> None:
    found = only(line(words={"pity": "poor thing", "lecturing": ["one", "two"]})).label
    assert found.words == {"pity": ("poor thing",), "lecturing": ("one", "two")}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hard_fails": {"pity": "maybe"}}, "`hard_fails.pity`: `maybe` is not"),
        ({"hard_fails": {"pity": 1}}, "`hard_fails.pity`: `1` is not"),
        ({"axes": {"naturalness": 11}}, "`axes.naturalness`: `11` is not"),
        ({"axes": {"naturalness": -0.5}}, "`axes.naturalness`: `-0.5` is not"),
        ({"axes": {"naturalness": True}}, "`axes.naturalness`: `True` is not"),
        ({"axes": {"naturalness": float("nan")}}, "`axes.naturalness`: `nan` is not"),
        ({"axes": {"naturalnes": 3}}, "Did you mean `naturalness`?"),
        ({"hard_fails": {"pitty": True}}, "Did you mean `pity`?"),
        ({"hard_fails": ["pity"]}, "`hard_fails` is `['pity']`"),
        ({"axis": {"naturalness": 3}}, "Did you mean `axes`?"),
        ({"whatever": 3}, "`whatever` is not a key of a label file"),
        ({"case_id": None}, "The row names no case."),
        ({"rater": None}, "`--rater`"),
        ({"number": 0}, "`number` is `0`."),
        ({"number": 1.5}, "`number` is `1.5`."),
        ({"part": "chance"}, "`part` is `chance`."),
        ({"weight": 0.5}, "`weight` is `0.5`"),
        ({"weight": float("inf")}, "`weight` is `inf`"),
        ({"words": {"pity": [[1]]}}, "`words.pity.0` is"),
        ({"notes": "x" * 20_001}, "at most 20000 characters"),
        ({"reply": "one", "reply_hash": content_hash("other")}, "not the hash"),
    ],
)
def test_a_value_that_is_wrong_is_named_and_costs_no_other_row(changes: dict[str, Any], said: str) -> None:
    found = read(line() + line(**changes) + line())
    assert [isinstance(one, LabelRow) for one in found] == [True, False, True]
    assert isinstance(found[1], LabelProblem)
    assert said in found[1].problem
    assert found[1].place.line == 2


@pytest.mark.parametrize("text", ["{", "[1]", '"a"', '{"case_id": "A", "case_id": "B", "rater": "ann"}'])
def test_a_line_that_is_no_object_is_a_problem(text: str) -> None:
    assert len(problems(text + "\n")) == 1


def test_rater_of_the_command_stands_in() -> None:
    (found,) = read('{"case_id": "A-1"}\n', rater="bob")
    assert isinstance(found, LabelRow)
    assert found.label.rater == "bob"


def test_csv_takes_what_a_spreadsheet_writes() -> None:
    text = "case_id;rater;hard_fails.pity;axes.naturalness;words.pity;\r\nA-1;ann;TRUE;7,5;poor thing;\r\n;;;;;\r\n"
    found = only(text, ".csv").label
    assert (found.flags, found.axes, found.words) == ({"pity": True}, {"naturalness": 7.5}, {"pity": ("poor thing",)})


def test_csv_row_that_lacks_cells_has_nothing_in_them() -> None:
    assert only("case_id,rater,notes\nA-1,ann\n", ".csv").label.notes == ""


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("case_id,rater,rater", "two columns `rater`"),
        ("", "no heading"),
    ],
)
def test_csv_heading_that_is_wrong_is_an_error(tmp_path: Path, heading: str, said: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"{heading}\nA-1,ann,x\n")
    with pytest.raises(InputError, match=r"labels\.csv:1") as raised:
        read_labels(path, SEED)
    assert said in str(raised.value)


@pytest.mark.parametrize("bad", ['A-2,"ann"x', "A-2,ann,too,many"])
def test_csv_row_that_is_wrong_costs_no_other(bad: str) -> None:
    found = read(f"case_id,rater\nA-1,ann\n{bad}\nA-3,ann\n", ".csv")
    kept = [one.label.case_id for one in found if isinstance(one, LabelRow)]
    places = [one.place.line for one in found if isinstance(one, LabelProblem)]
    assert (kept, places) == (["A-1", "A-3"], [3])


def test_csv_problem_names_the_line_at_which_its_row_begins() -> None:
    found = read('case_id,rater,notes,axes.naturalness\nA-1,ann,"one\ntwo",8\nA-2,ann,,12\n', ".csv")
    assert [one.place.line for one in found if isinstance(one, LabelProblem)] == [4]


def written(rows: Sequence[LabelRow]) -> Iterator[str]:
    yield from labels_as_json_lines(rows)


def test_what_is_not_there_is_not_written() -> None:
    (text,) = written([row(reply_key=None, subject=None, flags={}, axes={"naturalness": 8.0}, numbered=False)])
    assert json.loads(text) == {"case_id": "BAK-001", "rater": "ann", "axes": {"naturalness": 8}}


def test_same_labels_give_the_same_bytes() -> None:
    rows = [LabelRow(label(weight=1 / 3 + 1))]
    assert list(labels_as_csv(rows)) == list(labels_as_csv(rows))
