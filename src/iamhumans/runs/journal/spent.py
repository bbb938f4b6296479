"""What the calls of a run came to, for each subject and each judge."""

import sqlite3
from dataclasses import dataclass
from typing import Any

from iamhumans.runs.journal.queries import RunRecord


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens, cost and time of the calls for one subject's replies, or for one judge's judgements.

    Where an answer came without a count or a price, the figures are a lower bound, as ``tokens_at_least`` and
    ``cost_at_least`` say. Calls that an earlier run made do not count.
    """

    role: str  # `subject` or `judge`
    name: str
    calls: int
    failed: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: float
    seconds: float  # of all calls together; many run at the same time
    tokens_at_least: bool = False
    cost_at_least: bool = False


_FACTS = ("role", "name", "calls", "failed", "prompt_tokens", "cached_tokens", "completion_tokens", "cost", "seconds")
_SPENT = """
SELECT role, name, count(*), count(error), coalesce(sum(prompt_tokens), 0), coalesce(sum(cached_tokens), 0),
       coalesce(sum(completion_tokens), 0), coalesce(sum(cost), 0.0), sum(milliseconds) / 1000.0,
       max(error IS NULL AND (prompt_tokens IS NULL OR completion_tokens IS NULL)),
       max(at_least OR (error IS NULL AND cost IS NULL))
FROM (SELECT CASE WHEN replies.id IS NULL THEN 'judge' ELSE 'subject' END AS role,
             coalesce(replies.subject, judgements.judge, model) AS name, error, prompt_tokens, cached_tokens,
             completion_tokens, cost, at_least, milliseconds
      FROM attempts LEFT JOIN judgements ON judgements.key = job
      LEFT JOIN replies ON judgements.id IS NULL AND replies.key = job
      WHERE attempts.run = ?)
GROUP BY role, name
"""


_CALLS = "(SELECT 'judge' AS role, ? AS name, * FROM attempts WHERE run = ?)"
_OF_ONE_JUDGE = f"{_SPENT.partition('FROM')[0]}FROM {_CALLS} GROUP BY role, name"


def spent_of(connection: sqlite3.Connection, run: RunRecord) -> tuple[Spent, ...]:
    """What each subject's replies and each judge's judgements cost, in the order of the plan, subjects first."""
    judges = run.plan.get("judges", ())
    if len(judges) == 1 and not run.plan.get("subjects"):
        # All calls are those of the judge, so none of them needs to be looked up: a third of the time.
        rows = connection.execute(_OF_ONE_JUDGE, (judges[0]["name"], run.id))
    else:
        rows = connection.execute(_SPENT, (run.id,))
    found = []
    for *facts, tokens_at_least, cost_at_least in rows:
        names: dict[str, Any] = dict(zip(_FACTS, facts, strict=True))
        found.append(Spent(**names, tokens_at_least=bool(tokens_at_least), cost_at_least=bool(cost_at_least)))
    order = [one["name"] for role in ("subjects", "judges") for one in run.plan.get(role, ())]
    places = {name: place for place, name in reversed(list(enumerate(order)))}
    return tuple(sorted(found, key=lambda one: (one.role != "subject", places.get(one.name, len(order)))))
