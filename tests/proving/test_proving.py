"""Reading a proving set: what a line says, and what is refused, with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.proving_set import ProvingReply, read_halves, read_proving
from tests.proving.lines import fault, line

from iamhumans.errors import InputError


def read(folder: Path, *lines: str) -> list[ProvingReply]:
    path = folder / "buses.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_proving([path])


def test_a_line_gives_a_reply_with_all_that_is_known_about_it(tmp_path: Path) -> None:
    (reply,) = read(tmp_path, fault(unsure=["lecturing", "naturalness"], bands={"empathy_fit": "low"}, hard=True))
    assert (reply.id, reply.kind, reply.hard) == ("BUS-001/fault", "fault", True)
    (planted,) = reply.faults
    assert (planted.flag, planted.degree, planted.words) == ("pity", "blatant", "Poor lamb.")
    assert reply.bands == {"empathy_fit": "low"}


def test_a_flag_is_yes_no_or_unsure(tmp_path: Path) -> None:
    (reply,) = read(tmp_path, fault(unsure=["lecturing"]))
    assert [reply.answer(flag) for flag in ("pity", "manipulation", "lecturing")] == [True, False, None]


def test_words_may_be_one_text_or_several(tmp_path: Path) -> None:
    one, several = read(
        tmp_path,
        line(marks=["memory_error"], words={"memory_error": "How far"}),
        line(marks=["memory_error"], words={"memory_error": ["How", "walk"]}),
    )
    assert one.words == {"memory_error": ("How far",)}
    assert several.words == {"memory_error": ("How", "walk")}
    assert one.marks == {"memory_error"}


def test_a_hard_negative_says_what_it_looks_like(tmp_path: Path) -> None:
    (reply,) = read(tmp_path, line(kind="hard_negative", words={"pity": "How far", "repairs_well": "walk"}))
    assert reply.resembles == {"pity"}


def test_line_separators_inside_a_reply_do_not_end_its_line(tmp_path: Path) -> None:
    first, _ = read(tmp_path, line(reply="one\u2028two"), "", line())
    assert first.text == "one\u2028two"


WRONG = {
    "not JSON": ("{", "not a JSON object"),
    "not an object": ("[]", "not a JSON object"),
    "a repeated key": ('{"id": "a", "id": "b"}', "`id` twice"),
    "a missing key": (line(why=None), "`why` is missing"),
    "an unknown key": (line(because="x"), "`because` is not a known key"),
    "an unknown kind": (line(kind="good"), "`kind`"),
    "a word for a truth value": (line(hard="yes"), "`hard`"),
    "an unknown band": (line(bands={"naturalness": "fair"}), "`bands.naturalness`"),
    "an unknown degree": (fault(degree="mild"), "`faults.0.degree`"),
    "an unknown mark": (line(marks=["long"]), "`marks.0`"),
}


@pytest.mark.parametrize(("text", "problem"), WRONG.values(), ids=WRONG)
def test_a_wrong_line_is_refused_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, line(), text)
    assert problem in raised.value.what
    assert raised.value.where.path == tmp_path / "buses.jsonl"
    assert raised.value.where.line == 2


def test_halves_are_read_as_cases(tmp_path: Path) -> None:
    path = tmp_path / "halves.yaml"
    path.write_text("open: [A-1, A-2]\nclosed: [A-3]\n")
    assert read_halves(path) == {"open": {"A-1", "A-2"}, "closed": {"A-3"}}
