"""Verdicts that stand in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from tests.builders import HOSTILE_TEXT, SEED, verdict_of

from iamhumans.errors import CommandError, InputError
from iamhumans.verdicts import Reason, RecordedVerdict, Unjudged, Verdict, read_recorded, read_verdict
from iamhumans.verdicts.recorded import reply_inside


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def only(path: Path, text: str) -> RecordedVerdict:
    (found,) = read_recorded(str(write(path, text)))
    return found


def as_json(**more: object) -> dict[str, object]:
    return {
        "case_id": "BAK-001",
        "axes": dict.fromkeys(SEED.axis_ids, 8),
        "hard_fails": dict.fromkeys(SEED.hard_fail_ids, "NO"),
        **more,
    }


# --- where they stand


def test_a_file_is_one_verdict(tmp_path: Path) -> None:
    found = only(tmp_path / "a.yaml", verdict_of())

    assert (found.text, found.case_id, found.reply, found.place.path) == (
        verdict_of(),
        "BAK-001",
        None,
        tmp_path / "a.yaml",
    )


def test_a_folder_is_read_with_all_below_it_in_order(tmp_path: Path) -> None:
    for name in ("b/2.yml", "a.yaml", "b/1.json", "c.txt", "readme.md", "b/x.py"):
        write(tmp_path / name, verdict_of(case_id=name))

    assert [found.case_id for found in read_recorded(str(tmp_path))] == ["a.yaml", "b/1.json", "b/2.yml", "c.txt"]


def test_a_pattern_names_files(tmp_path: Path) -> None:
    for name in ("one/first.yaml", "two/first.yaml", "two/second.yaml"):
        write(tmp_path / name, verdict_of(case_id=name))

    assert [found.case_id for found in read_recorded(f"{tmp_path}/*/first.yaml")] == [
        "one/first.yaml",
        "two/first.yaml",
    ]


def test_a_path_that_looks_like_a_pattern_is_a_path(tmp_path: Path) -> None:
    assert only(tmp_path / "[a]*.yaml", verdict_of()).case_id == "BAK-001"


@pytest.mark.parametrize("source", ["nowhere.yaml", "nowhere/*.yaml", "empty"])
def test_nothing_there_is_an_error(tmp_path: Path, source: str) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(CommandError):
        read_recorded(str(tmp_path / source))


def test_empty_jsonl_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no recorded verdict"):
        read_recorded(str(write(tmp_path / "a.jsonl", "\n \n")))


# --- whose they are


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("case_id: BAK-001\naxes:", id="yaml"),
        pytest.param("check: x\ncase_id: 'BAK-001'\naxes:", id="quoted"),
        pytest.param('"case_id" : "BAK-001"', id="quoted key"),
        pytest.param("**case_id**: BAK-001", id="bold"),
        pytest.param("`case_id`: `BAK-001`", id="code"),
        pytest.param("case_id：BAK-001", id="full-width colon"),
        pytest.param('{"case_id": "BAK-001", "axes": {}}', id="json on one line"),
        pytest.param('{"check": "x", "case_id":"BAK-001"}', id="json on one line, later"),
        pytest.param('{\n  "case_id": "BAK-001",\n  "axes": {}\n}', id="json on several lines"),
        pytest.param("Here it is:\n\n```yaml\n  case_id: BAK-001\n```", id="indented"),
        pytest.param("skill_response: |\n  case_id: OTHER\n  x\ncase_id: BAK-001", id="behind one in the reply"),
        pytest.param("notes: 'case_id: OTHER'\ncase_id: BAK-001", id="behind one in the notes"),
    ],
)
def test_case_id_is_found(tmp_path: Path, text: str) -> None:
    assert only(tmp_path / "a.txt", text).case_id == "BAK-001"


@pytest.mark.parametrize("text", ["axes: {}", "case_id:\naxes:", "the case_id is BAK-001", ""])
def test_no_case_id_is_none(tmp_path: Path, text: str) -> None:
    assert only(tmp_path / "a.txt", text).case_id is None


@pytest.mark.parametrize("key", ["reply", "skill_response", "baseline_response", "response"])
def test_reply_stands_beside_the_verdict(tmp_path: Path, key: str) -> None:
    text = f"{verdict_of()}{key}: |\n  Oh no.\n\n  The one with the rolls?\n"
    found = only(tmp_path / "a.yaml", text)

    assert found.reply == "Oh no.\n\nThe one with the rolls?\n"
    assert isinstance(read_verdict(found.text, SEED), Verdict)


def test_first_of_several_replies_counts() -> None:
    assert reply_inside("response: b\nskill_response: a\n") == "a"


def test_reply_stands_beside_a_verdict_in_json(tmp_path: Path) -> None:
    assert only(tmp_path / "a.json", json.dumps(as_json(skill_response="Oh: no.\n{"))).reply == "Oh: no.\n{"


@pytest.mark.parametrize(
    "text", ["reply: [a]\n", "reply: {a: b}\n", "- reply: x\n", "reply: a: b\n", "notes: the reply: x\n", "reply"]
)
def test_what_is_no_reply_is_none(text: str) -> None:
    assert reply_inside(text) is None


@given(HOSTILE_TEXT)
def test_no_text_raises(text: str) -> None:
    reply_inside(text)
    reply_inside(f"reply: {text}")


# --- JSON Lines


def test_every_line_is_a_verdict_with_its_place(tmp_path: Path) -> None:
    rows = [as_json(case_id="A", reply="hi", subject="s", number=2), as_json(case_id="B")]
    path = write(tmp_path / "a.jsonl", "\n\n".join(map(json.dumps, rows)))
    first, second = read_recorded(str(path))

    assert (first.case_id, first.reply, first.subject, first.number) == ("A", "hi", "s", 2)
    assert (second.case_id, second.reply, second.subject, second.number) == ("B", None, None, None)
    assert (str(first.place), str(second.place)) == (f"{path}:1", f"{path}:3")
    assert isinstance(read_verdict(second.text, SEED), Verdict)


def test_an_answer_in_a_line_is_what_is_read(tmp_path: Path) -> None:
    row = {"case_id": "BAK-001", "answer": verdict_of(axes={"naturalness": 3})}
    verdict = read_verdict(only(tmp_path / "a.jsonl", json.dumps(row)).text, SEED)

    assert isinstance(verdict, Verdict)
    assert verdict.axes["naturalness"] == 3


@pytest.mark.parametrize(
    "line", ["x", "[1]", "[" * 100_000, "3"], ids=["no JSON", "a list", "nested lists", "a number"]
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "a.jsonl", f"{json.dumps(as_json())}\n{line}\n")

    with pytest.raises(InputError, match="not a JSON object") as caught:
        read_recorded(str(path))

    assert str(caught.value.where) == f"{path}:2"


@pytest.mark.parametrize(
    "row",
    [
        {"case_id": 7, "number": "2", "subject": None, "reply": 3},
        {"axes": {}, "hard_fails": {}, "stated": {}, "defaulted": []},
        {"axes": {}, "hard_fails": {"pity": {"present": "YES"}}, "stated": {}, "defaulted": [["x"]]},
        {"axes": {"a": 1}, "hard_fails": {}, "stated": {"total": [1]}, "defaulted": [["x"], 3, None]},
        {"status": "unjudged", "reason": "because"},
        {"status": "unjudged", "reason": ["empty"]},
        {"status": ["unjudged"], "reason": "empty"},
    ],
)
def test_odd_lines_are_read_without_being_believed(tmp_path: Path, row: dict[str, object]) -> None:
    found = only(tmp_path / "a.jsonl", json.dumps(row))

    assert found.unjudged is None
    assert isinstance(read_verdict(found.text, SEED), Unjudged)


def test_a_line_that_was_unjudged_keeps_its_reason(tmp_path: Path) -> None:
    row = {"case_id": "A", "status": "unjudged", "reason": "timeout", "detail": "120 s", "axes": None}

    assert only(tmp_path / "a.jsonl", json.dumps(row)).unjudged == Unjudged(Reason.TIMEOUT, "120 s")
