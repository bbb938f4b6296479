"""Suite, proving set, rubric, rules and docs are independent: none has six words in a row of another.

Where this fails, both places are named: write one of the two anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from benchmarks.proving_set import bundled_proving_path
from tests.builders import SEED
from tests.proving.lines import line
from tests.proving.overlap import Passage, find_overlaps
from tests.proving.written import (
    Written,
    kept_apart,
    passages_of_cases,
    passages_of_documents,
    passages_of_replies,
    passages_of_rubrics,
    passages_of_rules,
)

from iamhumans.cases import bundled_suite
from iamhumans.subjects import bundled_replies_path

ROOT = Path(__file__).parents[2]


def everything() -> Iterator[Passage]:
    suite = bundled_suite()
    yield from passages_of_cases(suite)
    yield from passages_of_replies(sorted(bundled_proving_path().glob("*.jsonl")), Written.PROVING)
    yield from passages_of_replies([bundled_replies_path(suite.name)], Written.SAMPLE)
    yield from passages_of_rubrics()
    yield from passages_of_documents(ROOT / "docs")
    yield from passages_of_rules()


EVERYTHING = tuple(everything())


@cache
def shared(*planted: Passage) -> list[str]:
    return [str(overlap) for overlap in find_overlaps([*EVERYTHING, *planted], compared=kept_apart)]


def test_nothing_shares_six_words_in_a_row() -> None:
    assert "\n".join(shared()) == ""


def test_every_kind_of_text_is_compared() -> None:
    kinds = {passage.kind for passage in EVERYTHING}
    assert kinds == {"case", "proving reply", "sample reply", "rubric", "rule", "document"}


# The check finds what it is for.


def planted_reply(folder: Path, text: str) -> list[Passage]:
    path = folder / "planted.jsonl"
    path.write_text(line(reply=f"Well. {text} Or not?"), encoding="utf-8")
    return list(passages_of_replies([path], Written.PROVING))


@pytest.mark.parametrize(
    "text",
    [
        bundled_suite().by_id["COM-001"].texts[-1],
        bundled_suite().by_id["COM-001"].rubric[0],
        SEED.hard_fails[0].meaning,
        "You can't pour from an empty cup.",
    ],
    ids=["a case's input", "a case's rubric", "the rubric", "a rule"],
)
def test_a_reply_that_copies_is_found(tmp_path: Path, text: str) -> None:
    before = set(shared())
    found = [one for one in shared(*planted_reply(tmp_path, text)) if one not in before]
    assert found
    assert all("planted.jsonl:1" in one for one in found)
