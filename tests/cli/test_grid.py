"""Several subjects and skills are a grid: one table with a row for each, and what each cost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.judging_server import Bench, Roles
from tests.servers import ChatServer

PRICES = ("[models.{name}.prices]", "prompt = 1.0", "completion = 2.0")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    bench.suite(6)
    for skill in ("warm", "plain"):
        bench.write(f"{skill}.md", f"Be {skill}.")
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url, *(line.format(name="loop") for line in PRICES))
        bench.models(server.openai_url, "max_tokens = 50", name="other")
        yield bench


LINE = ("run", "suite", "--subject", "loop", "--subject", "other", "--skill", "warm.md", "--skill", "plain.md")


def test_a_grid_is_one_table_of_subjects_and_skills_in_the_columns_of_the_headline(bench: Bench) -> None:
    printed = bench.run(*LINE, "--judge", "loop")
    assert printed.code == 0, printed.err
    heads, *rows = re.search(r"With 95 % intervals, over cases\n(.*?)\n\n", printed.out, re.S)[1].splitlines()  # type: ignore[index]
    assert [row.split()[0] for row in rows if "+" in row] == ["loop+warm", "loop+plain", "other+warm", "other+plain"]
    names = " ".join((heads + " " + rows[0]).split())
    assert all(name in names for name in ("judged", "cases", "zero", "pass", "applicable", "total"))
    assert all("6/6" in row for row in rows if "+" in row)
    assert "Axis profile" in printed.out


def test_what_each_subject_and_judge_cost_is_there_and_at_least_where_a_price_is_unknown(bench: Bench) -> None:
    bench.run(*LINE, "--judge", "loop", "--judge", "other", "--quiet")
    spent = bench.run("runs", "show", "last", "--json").document["spent"]
    assert [(one["role"], one["name"]) for one in spent] == [
        *(("subject", f"{model}+{skill}") for model in ("loop", "other") for skill in ("warm", "plain")),
        *(("judge", model) for model in ("loop", "other")),
    ]
    assert all(one["prompt_tokens"] > 0 and one["calls"] >= 6 and one["seconds"] >= 0 for one in spent)
    assert [one["cost_at_least"] for one in spent] == [False, False, True, True, False, True]
    assert spent[0]["cost"] > 0
    text = bench.run("report", "last").out
    assert "Tokens, cost and time" in text
    assert re.search(r"judge other\n? .*unknown", text)


def test_no_line_is_wider_than_80_columns_in_a_pipe(bench: Bench) -> None:
    for command in (LINE, ("report", "last"), ("runs", "show", "last"), ("report", "last", "--case", "C-001")):
        done = bench.run(*command)
        assert done.code == 0
        assert [line for line in done.out.splitlines() if len(line) > 80] == []
