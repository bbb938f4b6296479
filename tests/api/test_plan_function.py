"""Planning a comparison from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.api.test_run import a_suite, friend, named, stock

import iamhumans as ih


def test_a_plan_is_the_same_as_text_and_for_programs(tmp_path: Path) -> None:
    found = ih.plan(a_suite(tmp_path / "suite"), detect=30, replies=3)
    document = found.to_dict()
    assert document["design"]["cases"] == found.cases
    assert document["suite_cases"] == 4
    assert f"{found.cases} cases see a difference of 30 percentage points" in found.summary
    assert max(map(len, found.to_text().splitlines())) <= 80
    assert "| 3 | 1 |" in found.to_markdown()
    assert len(found.to_rows()) == len(document["designs"])


def test_the_curve_is_there_for_programs_and_as_bars(tmp_path: Path) -> None:
    found = ih.plan(a_suite(tmp_path / "suite"), detect=30)
    powers = [point["power"] for point in found.to_dict()["curve"]]
    bars = [line.count("█") for line in found.to_text().splitlines() if "█" in line]
    assert bars == [round(40 * power) for power in powers if round(40 * power)]


def test_the_calls_are_those_of_two_runs_of_so_many_cases(tmp_path: Path) -> None:
    suite = a_suite(tmp_path / "suite")
    found = ih.plan(suite, detect=30, replies=2, repeats=3, subject=friend, judge=lambda messages: "").to_dict()
    one = ih.estimate_run(suite, subject=friend, judge=lambda messages: "", replies=2, repeats=3)
    price, cases = found["design"]["price"], found["design"]["cases"]
    assert price["calls"] == 2 * cases * one.calls / 4
    assert price["prompt_tokens"] == pytest.approx(2 * cases * one.prompt_tokens / 4, rel=0.05)


def test_held_out_cases_do_not_count(tmp_path: Path) -> None:
    assert ih.plan(a_suite(tmp_path / "suite", held_out=True), detect=30).to_dict()["suite_cases"] == 3


def priced(tmp_path: Path, tables: str, **options: Any) -> dict[str, Any]:
    config = tmp_path / "own.toml"
    config.write_text(tables)
    found = ih.plan(a_suite(tmp_path / "suite"), detect=30, config=config, **options)
    return dict(found.to_dict()["design"]["price"])


def table(name: str, prices: str = "") -> str:
    return f'[models.{name}]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "{name}"\n{prices}\n'


PRICES = "prices = { prompt = 1.0, completion = 2.0 }"


def test_with_all_prices_the_cost_is_known(tmp_path: Path) -> None:
    price = priced(tmp_path, table("a", PRICES), subject="a", judge="a")
    expected = (price["prompt_tokens"] + 2 * price["completion_tokens"]) / 1e6
    assert price["cost"] == pytest.approx(expected, rel=1e-3)
    assert not price["at_least"]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_where_one_model_has_no_price_the_cost_is_at_least_that_of_the_other(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    price = priced(tmp_path, table("a", PRICES) + table("b"), subject=names[0], judge=names[1])
    assert price["cost"] > 0
    assert price["at_least"]


def test_without_a_judge_only_replies_are_priced(tmp_path: Path) -> None:
    found = ih.plan(a_suite(tmp_path / "suite"), detect=30, subject=friend)
    assert "judgements aside" in found.summary


def a_run(tmp_path: Path, **options: Any) -> ih.Run:
    suite = a_suite(tmp_path / "large")
    for number in range(5, 13):
        text = (suite / "cases" / "A-1.md").read_text().replace("A-1", f"A-{number}")
        (suite / "cases" / f"A-{number}.md").write_text(text)
    return ih.run(suite, subject=named(stock, "stock"), **options)


def test_a_run_says_how_its_replies_are_zeroed(tmp_path: Path) -> None:
    run = a_run(tmp_path, replies=2)
    found = ih.plan(a_suite(tmp_path / "suite"), detect=30, like=run).to_dict()["variation"]
    assert found["run"] == run.name
    assert found["zeroed"]["rate"] == pytest.approx(24.5 / 25)


def test_a_rate_cannot_change_by_more_than_it_is(tmp_path: Path) -> None:
    with pytest.raises(ih.CommandError, match="zero rate of 98 % cannot change by 99 points"):
        ih.plan(a_suite(tmp_path / "suite"), detect=99, like=a_run(tmp_path, replies=2))


def test_a_run_whose_judge_gives_no_total_has_no_quality(tmp_path: Path) -> None:
    with pytest.raises(ih.CommandError, match="has no quality"):
        ih.plan(a_suite(tmp_path / "suite"), detect=3, of="quality", like=a_run(tmp_path))


def test_a_small_run_does_not_show_how_replies_vary(tmp_path: Path) -> None:
    run = ih.run(a_suite(tmp_path / "suite"), subject=friend)
    with pytest.raises(ih.CannotRunError, match="fewer than 5 judged cases"):
        ih.plan(tmp_path / "suite", detect=3, like=run)


def test_a_run_of_several_subjects_is_planned_for_by_one_of_them(tmp_path: Path) -> None:
    suite = a_suite(tmp_path / "suite")
    run = ih.run(suite, subject=[named(friend, "friend"), named(stock, "stock")])
    with pytest.raises(ih.CommandError, match="several subjects") as refused:
        ih.plan(suite, detect=3, like=run)
    assert f"{run.name}:friend" in str(refused.value)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"detect": 0}, "difference of 0"),
        ({"detect": 101}, "`detect` is 101"),
        ({"detect": 5, "of": "pass-rate"}, "no figure `pass-rate`"),
        ({"detect": 5, "replies": 0}, "`replies` is 0"),
        ({"detect": 5, "skill": "skill.md"}, "needs a subject"),
        ({"detect": 96}, "cannot change by 96 points"),
    ],
)
def test_what_cannot_be_planned_is_refused(tmp_path: Path, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ih.CommandError, match=problem):
        ih.plan(a_suite(tmp_path / "suite"), **options)


def test_a_suite_without_cases_cannot_be_planned_for(tmp_path: Path) -> None:
    with pytest.raises(ih.IamhumansError):
        ih.plan(tmp_path, detect=5)
