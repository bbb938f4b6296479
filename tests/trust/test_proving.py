"""Reading a proving set: what a line says, and what is refused, with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import SEED
from tests.trust.proving import SUITE, fault, line

from iamhumans.errors import InputError
from iamhumans.trust.proving import Band, Degree, Half, Kind, Mark, ProvingReply, read_halves, read_proving


def read(folder: Path, *lines: str) -> list[ProvingReply]:
    path = folder / "buses.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(read_proving([path], SUITE, SEED))


def test_a_line_gives_a_reply_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    (reply,) = read(tmp_path, fault(unsure=["lecturing", "naturalness"], bands={"empathy_fit": "low"}, hard=True))
    assert (reply.id, reply.kind, reply.hard) == ("BUS-001/fault", Kind.FAULT, True)
    (planted,) = reply.faults
    assert (planted.flag, planted.degree, planted.words) == ("pity", Degree.BLATANT, "Poor lamb.")
    assert reply.bands == {"empathy_fit": Band.LOW}
    assert reply.place.line == 1


def test_a_flag_is_yes_no_or_unsure(tmp_path: Path) -> None:
    (reply,) = read(tmp_path, fault(unsure=["lecturing"]))
    assert [reply.answer(flag) for flag in ("pity", "manipulation", "lecturing")] == [True, False, None]


def test_words_may_be_one_text_or_several(tmp_path: Path) -> None:
    one, several = read(
        tmp_path,
        line(id="BUS-001/one", marks=["memory_error"], words={"memory_error": "How far"}),
        line(id="BUS-001/two", marks=["memory_error"], words={"memory_error": ["How", "walk"]}),
    )
    assert one.words == {"memory_error": ("How far",)}
    assert several.words == {"memory_error": ("How", "walk")}
    assert one.marks == {Mark.MEMORY_ERROR}


def test_a_hard_negative_says_what_it_looks_like(tmp_path: Path) -> None:
    (reply,) = read(tmp_path, line(kind="hard_negative", words={"pity": "How far", "repairs_well": "walk"}))
    assert reply.resembles == {"pity"}


def test_empty_lines_and_line_separators_inside_a_reply_do_not_shift_the_lines(tmp_path: Path) -> None:
    first, second = read(tmp_path, line(reply="one\u2028two"), "", line(id="BUS-001/later"))
    assert (first.place.line, second.place.line) == (1, 3)
    assert first.text == "one\u2028two"


def test_files_are_read_only_as_far_as_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "buses.jsonl"
    path.write_text(f"{line()}\nno JSON at all\n", encoding="utf-8")
    assert next(read_proving([path], SUITE, SEED)).id == "BUS-001/right"


WRONG = {
    "no JSON": ("{", "not JSON"),
    "no object": ("[]", "no JSON object"),
    "a key that stands twice": ('{"id": "a", "id": "b"}', "`id` stands here twice"),
    "a missing key": (line(why=None), "`why` is missing"),
    "an unknown key": (line(because="x"), "`because` is not a key"),
    "an unknown kind": (line(kind="good"), "`kind`"),
    "a word for a truth value": (line(hard="yes"), "`hard`"),
    "an unknown case": (line(id="BUS-9/right", case_id="BUS-9"), "has no case `BUS-9`"),
    "a held-out case": (line(id="BUS-002/right", case_id="BUS-002"), "is held out"),
    "an id of another case": (line(id="CAR-001/right"), "is not the case's id"),
    "an id without a name": (line(id="BUS-001/"), "is not the case's id"),
    "an empty reply": (line(reply=" \n"), "The reply is empty"),
    "an unknown flag": (fault("rudeness"), "no hard fail `rudeness`"),
    "an unknown axis": (line(bands={"wit": "high"}), "no axis `wit`"),
    "an unknown band": (line(bands={"naturalness": "fair"}), "`bands.naturalness`"),
    "an unknown degree": (fault(degree="mild"), "`faults.0.degree`"),
    "an unknown mark": (line(marks=["long"]), "`marks.0`"),
    "unsure of nothing known": (line(unsure=["wit"]), "no hard fail or axis `wit`"),
    "words for nothing known": (line(words={"wit": "How"}), "no hard fail, axis or mark `wit`"),
    "fault words that are not in the reply": (fault(reply="How far?"), "do not stand in the reply"),
    "empty fault words": (fault(words=" "), "are empty"),
    "other words that are not in the reply": (
        line(kind="hard_negative", words={"pity": "poor you"}),
        "do not stand in the reply",
    ),
    "a right reply with a fault": (fault(kind="right"), "of kind `right` has 0 planted"),
    "a faulty reply without a fault": (line(kind="fault"), "of kind `fault` has 1 planted"),
    "a fault that is unsure": (fault(unsure=["pity"]), "planted and unsure at once"),
    "a band that is unsure": (line(unsure=["naturalness"]), "has a band and is unsure"),
    "unsure twice": (line(unsure=["pity", "pity"]), "`unsure` names something twice"),
    "a hard negative that looks like nothing": (line(kind="hard_negative"), "A hard negative says"),
    "a stale reply that is natural": (line(kind="stale"), "A stale reply is low in naturalness"),
}


@pytest.mark.parametrize(("text", "problem"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_used_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, line(id="BUS-001/first"), text)
    assert problem in raised.value.problem
    assert raised.value.place.path == tmp_path / "buses.jsonl"
    assert raised.value.place.line == 2


def test_an_id_that_stands_twice_is_refused_and_the_first_place_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"`BUS-001/right` is used before, in .*buses\.jsonl:1"):
        read(tmp_path, line(), line())


@pytest.mark.parametrize(
    ("band", "inside", "outside"),
    [(Band.LOW, (0, 3), (3.5, 4)), (Band.MIDDLE, (4, 7), (3, 8)), (Band.HIGH, (8, 10), (7, 7.5))],
)
def test_a_band_holds_its_scores(band: Band, inside: tuple[float, ...], outside: tuple[float, ...]) -> None:
    assert all(map(band.holds, inside))
    assert not any(map(band.holds, outside))


def test_halves_are_read_by_case(tmp_path: Path) -> None:
    path = tmp_path / "halves.yaml"
    path.write_text("open: [A-1, A-2]\nclosed: [A-3]\n")
    assert read_halves(path) == {"A-1": Half.OPEN, "A-2": Half.OPEN, "A-3": Half.CLOSED}


def test_a_case_in_both_halves_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "halves.yaml"
    path.write_text("open: [A-1]\nclosed:\n- A-2\n- A-1\n")
    with pytest.raises(InputError, match="`A-1` is named twice") as raised:
        read_halves(path)
    assert raised.value.place.line == 4
