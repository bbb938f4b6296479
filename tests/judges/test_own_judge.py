"""A judge of the user's own, as the docs show it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.builders import task

from iamhumans.judges import Judge, open_judge
from iamhumans.verdicts import score_verdict


def documented() -> Judge:
    text = (Path(__file__).parents[2] / "docs/python.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(class ShortJudge.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(f"import iamhumans as ih\n{block}", names)
    judge: Judge = names["ShortJudge"]()
    return judge


def test_the_documented_judge_judges() -> None:
    judge = documented()
    totals = []
    for of in (task("oh no"), task("oh no " * 40)):
        verdict = judge.next(of, ())
        totals.append(score_verdict(verdict, of.rubric, of.asked()).total)  # type: ignore[arg-type]  # it never asks

    assert totals == [100, 50]
    assert (judge.name, judge.version) == ("short", "1")


def test_each_judge_says_whether_it_asks_a_model() -> None:
    judges = (documented(), open_judge("rules"), open_judge("some/model"))
    assert [judge.asks_model for judge in judges] == [False, False, True]
