"""What calls cost: all that was billed counts, usable or not, and what is unknown is said to be so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.runs.working import judging, judging_jobs, local_model, settings, verdict_for, work
from tests.servers import Behaviour, ChatServer, Received, hang, raw, refuse, say

from iamhumans.models.chat import Prices, Usage
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.settings import Budget
from iamhumans.runs.spending import Cost, cost_of

PRICES = "prices = { prompt = 10000, completion = 0 }"  # 100 tokens of a prompt cost 1


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


def paid(journal: Journal, tmp_path: Path, script: Any, *lines: str, rows: int = 4, **options: Any) -> Any:
    """What a run paid, as the journal says."""
    run = journal.begin_run({"rows": rows})
    with ChatServer(script) as server:
        model = local_model(tmp_path, server.openai_url, *lines)
        work(journal, judging_jobs(journal, run, model, range(1, rows + 1)), model=model, run=run.id, **options)
    return journal.summary(run).paid


@pytest.mark.parametrize(
    ("usage", "prices", "cost"),
    [
        (Usage(100, None, 10), Prices(1.0, None, 2.0), Cost(120e-6)),
        (Usage(100, 40, 10), Prices(1.0, 0.5, 2.0), Cost(100e-6)),
        (Usage(100, 40, 10, written=50), Prices(1.0, 0.5, 2.0, cache_write=4.0), Cost(250e-6)),
        (Usage(100, None, 10, written=50), Prices(1.0, None, 2.0), Cost(120e-6, at_least=True)),
        (Usage(100, None, None), Prices(1.0, None, 2.0), Cost(100e-6, at_least=True)),
        (Usage(), Prices(1.0, None, 2.0), Cost(None, at_least=True)),
        (Usage(100, None, 10), Prices(1.0), Cost(None, at_least=True)),
    ],
)
def test_the_cost_of_a_call(usage: Usage, prices: Prices, cost: Cost) -> None:
    found = cost_of(usage, prices)
    assert found.known == pytest.approx(cost.known)
    assert found.at_least is cost.at_least


def unusable_first(received: Received, seen: set[str] = set()) -> Behaviour:  # noqa: B006 - it remembers
    name = verdict_for(received)
    if name in seen:
        return judging(received)
    seen.add(name)
    return raw('{"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 0}}')


def test_answers_that_cannot_be_used_are_paid_for(journal: Journal, tmp_path: Path) -> None:
    found = paid(journal, tmp_path, unusable_first, PRICES)
    assert (found.calls, found.failed, found.cost, found.at_least) == (8, 4, 8.0, False)


def test_answers_that_cannot_be_used_count_for_the_budget(journal: Journal, tmp_path: Path) -> None:
    script = [raw('{"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 0}}')]
    budget = Budget(max_cost=40.0)
    found = paid(journal, tmp_path, script, PRICES, rows=30, budget=budget, settings=settings(max_connections=1))
    assert 0 < found.cost <= 40.0


def test_refusals_cost_nothing(journal: Journal, tmp_path: Path) -> None:
    first = iter([refuse(429), refuse(500)])
    found = paid(journal, tmp_path, lambda received: next(first, judging(received)), PRICES)
    assert (found.failed, found.cost, found.at_least) == (2, 4.0, False)


def test_a_call_that_timed_out_may_have_been_billed(journal: Journal, tmp_path: Path) -> None:
    first = iter([hang()])
    found = paid(journal, tmp_path, lambda received: next(first, judging(received)), PRICES, "timeout = 0.2")
    assert (found.cost, found.at_least) == (4.0, True)


def test_what_a_provider_does_not_count_makes_the_cost_unknown(journal: Journal, tmp_path: Path) -> None:
    found = paid(journal, tmp_path, lambda received: say(verdict_for(received), usage=None), PRICES)
    assert (found.cost, found.at_least) == (None, True)


def test_one_uncounted_call_makes_it_at_least(journal: Journal, tmp_path: Path) -> None:
    first = iter([None])

    def script(received: Received) -> Behaviour:
        is_first = next(first, "none left") is None
        return say(verdict_for(received), usage=None) if is_first else judging(received)

    found = paid(journal, tmp_path, script, PRICES)
    assert (found.cost, found.at_least) == (3.0, True)
