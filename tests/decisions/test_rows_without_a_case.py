"""Logs: the figure is the share of replies, and its error comes from the spread between conversations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.builders import SEES_ALL
from tests.decisions.runs import outcomes

import iamhumans as ih
from iamhumans.decisions.gate import Thresholds, gate
from iamhumans.subjects import ReplyRow, read_rows

STOCK, FINE = "Your feelings are completely valid.", "Oh no. How long has it been like this?"


def row(said: str, reply: str = FINE, **more: Any) -> dict[str, Any]:
    return {"input": said, "reply": reply, **more}


def clusters(*rows: dict[str, Any]) -> list[str]:
    found = list(read_rows(rows))
    assert all(isinstance(one, ReplyRow) for one in found), found
    return [one.cluster for one in found if isinstance(one, ReplyRow)]


def chat(system: str, said: str) -> dict[str, Any]:
    turns = [("system", system), ("user", said), ("assistant", FINE)]
    return {"messages": [{"role": role, "content": text} for role, text in turns]}


def test_equal_conversations_are_one_cluster_whatever_the_reply() -> None:
    first, second, other = clusters(row("hi"), row("hi", STOCK, id="7"), row("hi there"))
    assert first == second != other


def test_the_system_message_is_part_of_the_conversation() -> None:
    first, second, other = clusters(chat("Be kind.", "hi"), chat("Be kind.", "hi"), chat("Be brief.", "hi"))
    assert first == second != other


def test_the_id_of_a_conversation_counts_before_its_texts() -> None:
    first, second, other = clusters(
        row("hi", conversation_id="a"), row("and then?", conversation_id="a"), row("hi", conversation_id="b")
    )
    assert first == second != other


def test_a_row_that_names_its_case_is_a_reply_to_that_case() -> None:
    assert clusters(row("hi", case_id="C-1")) == [""]


@pytest.fixture
def log(tmp_path: Path) -> ih.Run:
    """Sixty replies to one "hi", half of them stock, and sixty other conversations, all fine."""
    rows = [row("hi", STOCK if number % 2 else FINE) for number in range(60)]
    rows += [row(f"the bakery on corner {number} closed today") for number in range(60)]
    return ih.judge_all(rows, judge=SEES_ALL, journal=tmp_path / "runs.db")


def test_figures_are_shares_of_replies(log: ih.Run) -> None:
    summary = log.report().summary
    assert (summary.cases, summary.zero_rate, summary.pass_rate) == (120, 0.25, 0.75)
    (found,) = gate(outcomes(log), Thresholds(max_zero_rate=0.9)).criteria[1:]
    assert found.estimate is not None
    assert (found.estimate.value, found.estimate.n_cases) == (0.25, 61)


def test_one_conversation_with_many_replies_makes_the_interval_wide(log: ih.Run) -> None:
    rows = [row(f"the bakery on corner {number} closed today", FINE if number % 4 else STOCK) for number in range(120)]
    apart = ih.judge_all(rows, judge=SEES_ALL)
    ends = [gate(outcomes(one), Thresholds(max_flagged_rate=0.9)).criteria[1].estimate for one in (log, apart)]

    assert [one and one.value for one in ends] == [0.25, 0.25]
    highs = [one.high for one in ends if one is not None and one.high is not None]
    assert highs[0] > highs[1]


def test_clusters_survive_a_journal_and_an_export(log: ih.Run, tmp_path: Path) -> None:
    assert log.journal.path is not None
    again = ih.open_journal(log.journal.path).run(log.name)
    log.journal.export(log, tmp_path / "run.jsonl")
    there = ih.open_journal(tmp_path / "other.db").import_(tmp_path / "run.jsonl")
    here = [one.cluster for one in log]

    assert len(set(here)) == 61
    assert [one.cluster for one in again] == [one.cluster for one in there] == here


def test_repeats_of_a_reply_are_one_reply() -> None:
    found = ih.judge_all([row("hi", STOCK), row("hi")], judge=SEES_ALL, repeats=2).report().summary
    assert (found.cases, found.zero_rate) == (2, 0.5)
