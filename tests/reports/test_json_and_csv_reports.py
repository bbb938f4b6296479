"""The reports for programs: JSON that any terminal can show, CSV without formulas."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT, SEED
from tests.reports.test_terminal_report import everything, report, row, unjudged

from iamhumans.reports.csv import csv_report
from iamhumans.reports.figures import ending, short_names
from iamhumans.reports.json import json_text, report_json
from iamhumans.reports.report import Report
from iamhumans.text import for_terminal

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\n-1", "＝1")


def table(shown: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(csv_report(shown)), newline="")))


@settings(max_examples=50)
@given(st.recursive(st.one_of(st.text(st.characters()), st.integers(), st.none()), st.lists))
def test_json_means_the_same_and_steers_no_terminal(value: object) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert for_terminal(text) == text


@pytest.mark.parametrize("sign", ["\x7f", "\x9b", "\u202e", "\u2028", "\ufeff", "\ud800", "\U000e0041"])
def test_what_could_steer_is_escaped(sign: str) -> None:
    assert sign not in json_text([sign])


def test_what_could_not_is_left_as_it_is() -> None:
    assert json_text("é “角” 🙂") == '"é “角” 🙂"'


def test_a_report_is_one_document_with_a_line_for_each_judgement() -> None:
    text = "".join(report_json(everything()))
    document = json.loads(text)
    assert document["summary"]["asked"] == len(document["judgements"]) == 32
    assert sum(line.startswith('    {"row": ') for line in text.splitlines()) == 32 + 8
    assert [one["votes"] for one in document["replies"]][2:4] == [[4, 4], [0, 4]]


def test_each_line_is_the_json_of_its_judgement() -> None:
    shared = row(judge='a "b"\x7f')
    shown = report(shared, replace(shared, row=2, notes=None), unjudged(3, detail="é\n"), row(4, total=12))
    lines = [line.strip().removesuffix(",") for line in "".join(report_json(shown)).splitlines()]
    assert [line for line in lines if line.startswith('{"row"')] == [json_text(one.to_dict()) for one in shown.rows()]


def test_no_rows_are_a_document_too() -> None:
    assert json.loads("".join(report_json(report())))["judgements"] == []


@settings(max_examples=25)
@given(HOSTILE_TEXT)
def test_a_document_with_any_text_in_it_can_be_read(text: str) -> None:
    shown = report(row(subject=text, judge=text, notes=text, yes={"pity": [text]}), unjudged(2, detail=text))
    document = json.loads("".join(report_json(shown)))
    # JSON has no way to write two halves of a character side by side that is not the character.
    same = json.loads(json.dumps(text))
    assert document["judgements"][0]["notes"] == same
    assert document["judgements"][1]["detail"] == same


def test_csv_has_a_column_for_each_axis_and_empty_cells_where_there_is_no_verdict() -> None:
    first, second = table(report(row(yes={"pity": ["poor thing"]}), unjudged(2)))
    assert [first[name] for name in SEED.axis_ids] == ["8"] * 6
    assert (first["hard_fails"], first["unconfirmed"], first["total"]) == ("pity", "pity", "0")
    assert (second["status"], second["reason"], second["total"]) == ("unjudged", "truncated", "")
    assert {second[name] for name in SEED.axis_ids} == {""}


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("column", ["case_id", "subject", "judge", "notes"])
def test_no_cell_is_a_formula(text: str, column: str) -> None:
    made = {
        "case_id": row(case_id=text),
        "subject": row(subject=text),
        "judge": row(judge=text),
        "notes": row(notes=text),
    }
    (line,) = table(report(made[column]))
    assert line[column] == f"'{text}"


@settings(max_examples=25)
@given(HOSTILE_TEXT)
def test_any_text_stays_in_its_cell(text: str) -> None:
    lines = table(report(row(subject=text, judge=text, notes=text), unjudged(2, detail=text)))
    assert [line["row"] for line in lines] == ["1", "2"]
    assert all(None not in line for line in lines)
    shown = "".join(csv_report(report(row(notes=text))))
    assert for_terminal(shown) == shown


# Names in columns.


def test_a_short_name_stays() -> None:
    assert short_names(["friend", "plain"], 10) == {"friend": "friend", "plain": "plain"}


def test_a_long_name_is_known_by_its_end() -> None:
    assert ending("openrouter/meta-llama/llama-3.1-8b-instruct", 24) == "…/llama-3.1-8b-instruct"
    assert ending("a" * 30 + "-the-end", 12) == "…aaa-the-end"


@settings(max_examples=50)
@given(st.lists(st.one_of(HOSTILE_TEXT, st.text("ab/", min_size=10)), max_size=8), st.integers(10, 30))
def test_short_names_are_short_apart_and_harmless(names: list[str], limit: int) -> None:
    short = short_names(names, limit)
    assert set(short) == set(names)
    assert len(set(short.values())) == len(set(names))
    assert all(len(look) <= limit and for_terminal(look) == look and "\n" not in look for look in short.values())
