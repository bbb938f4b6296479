"""``iamhumans plan`` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.decisions.choosing import WARM, judged
from tests.judging_server import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Eight cases."""
    bench = Bench(tmp_path)
    bench.suite(8)
    return bench


def test_a_plan_ends_with_0_and_creates_no_journal(bench: Bench) -> None:
    printed = bench.run("plan", "core", "--detect", "20", "--replies", "3", "--of", "quality")
    assert (printed.code, printed.err) == (0, "")
    assert "cases see a difference of 20 points of quality" in " ".join(printed.out.split())
    assert not (bench.folder / ".iamhumans").exists()


def test_the_same_plan_is_the_same_bytes(bench: Bench) -> None:
    for style in ((), ("--json",), ("--format", "md")):
        command = ("plan", "core", "--detect", "40", *style)
        assert bench.run(*command) == bench.run(*command)


def test_no_line_is_wider_than_80_columns(bench: Bench) -> None:
    out = bench.run("plan", "core", "--detect", "40", "--subject", "openai/gpt-5.1", "--judge", "openai/gpt-5.1").out
    assert max(map(len, out.splitlines())) <= 80


def test_a_run_is_named_like_everywhere(bench: Bench) -> None:
    name = judged(bench, WARM, cases=8)
    document = bench.run("plan", "core", "--detect", "40", "--like", "last", "--json").document
    assert document["variation"]["run"] == name


def test_a_run_that_does_not_exist_ends_with_2(bench: Bench) -> None:
    judged(bench, WARM, cases=8)
    assert bench.run("plan", "core", "--detect", "40", "--like", "nothing").code == 2


@pytest.mark.parametrize("detect", ["0", "101", "many"])
def test_a_difference_that_is_none_ends_with_2(bench: Bench, detect: str) -> None:
    assert bench.run("plan", "core", "--detect", detect).code == 2
