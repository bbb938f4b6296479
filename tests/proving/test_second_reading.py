"""The second reading of the proving set: read strictly, and counted as it is counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.proving_set import load_proving
from benchmarks.second_reading import (
    axis_agreement,
    flag_agreement,
    read_second_reading,
)

from iamhumans.errors import InputError


def written(name: str, author: str = "", reader: str = "", bands: tuple[str, str] | None = None) -> str:
    """A line on which each says ``pity``, ``?`` for in doubt, or nothing."""

    def opinion(said: str, band: str | None) -> dict[str, object]:
        return {
            "yes": ["pity"] if said == "pity" else [],
            "unsure": ["pity"] if said == "?" else [],
            "bands": {"naturalness": band} if band else {},
        }

    first, second = bands or (None, None)
    return json.dumps({"id": name, **opinion(reader, second), "first": opinion(author, first)})


def file_of(folder: Path, *lines: str) -> Path:
    path = folder / "reading.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_answers_are_counted_by_what_both_say(tmp_path: Path) -> None:
    lines = [
        written("1", "pity", "pity"),
        written("2", "pity", "pity"),
        written("3", "pity", ""),
        written("4", "", "pity"),
        written("5", "?", "pity"),
        written("6", "", "?"),
        written("7"),
        written("8"),
    ]
    pity = flag_agreement(read_second_reading(file_of(tmp_path, *lines)), "pity")

    assert (pity.both, pity.author_alone, pity.reader_alone, pity.in_doubt, pity.neither) == (2, 1, 1, 2, 2)
    # Of six both decide four alike; by chance they would three.
    assert pity.kappa.value == pytest.approx((4 / 6 - 1 / 2) / (1 - 1 / 2))


def test_bands_are_compared_where_both_gave_one(tmp_path: Path) -> None:
    lines = [
        written("1", bands=("low", "low")),
        written("2", bands=("low", "high")),
        written("3", bands=("middle", "high")),
        written("4"),
    ]
    found = axis_agreement(read_second_reading(file_of(tmp_path, *lines)), "naturalness")

    assert (found.axis, found.replies, found.same, found.opposite) == ("naturalness", 3, 1, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nothing", "not a JSON object"),
        ('{"id": "a"}', "is missing"),
        (written("1"), "is used twice"),
        (written("2", bands=("low", "odd")), "odd"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        read_second_reading(file_of(tmp_path, written("1"), line))
    assert raised.value.where is not None
    assert raised.value.where.line == 2


def test_every_reply_of_the_proving_set_was_read_twice() -> None:
    assert {one.id for one in read_second_reading()} == {reply.id for reply in load_proving()}


def test_no_fault_that_the_second_reader_denied_is_left_as_one() -> None:
    reader = {one.id: one for one in read_second_reading()}
    for reply in load_proving():
        for flag in reply.flags:
            assert reader[reply.id].answer(flag) is not False


def test_what_either_reader_doubted_is_unsure_or_settled() -> None:
    authors = {one.id: one.first for one in read_second_reading()}
    replies = {reply.id: reply for reply in load_proving()}
    for one in read_second_reading():
        for flag in one.unsure - frozenset(authors[one.id].yes):
            assert replies[one.id].answer(flag) is None
