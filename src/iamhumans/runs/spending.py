"""What was spent, checked against a budget. An unknown price is never taken for zero."""

import asyncio
from typing import NamedTuple

from iamhumans.models.chat import Prices, Reception, Usage
from iamhumans.prompts import Request
from iamhumans.runs.settings import Budget
from iamhumans.verdicts import Reason, Unjudged

_CHARACTERS_A_TOKEN = 4
_MILLION = 1_000_000
_ROUNDING = 1e-9  # sums of fractions are not exact
_FIRST_GUESS = 400  # tokens of an answer, before any came: a verdict has about that many


def prompt_tokens(request: Request) -> int:
    """About how many tokens a request has."""
    return sum(len(message.content) for message in request.messages) // _CHARACTERS_A_TOKEN + 1


def counted(reception: Reception, request: Request) -> Usage:
    """The usage of a call, estimated where the provider did not say."""
    usage = reception.usage
    if usage.prompt is not None and usage.completion is not None:
        return usage
    answer = len(reception.answer.text) // _CHARACTERS_A_TOKEN + 1
    prompt = prompt_tokens(request) if usage.prompt is None else usage.prompt
    return Usage(prompt, usage.cached, answer if usage.completion is None else usage.completion)


def cost_of(usage: Usage, prices: Prices) -> float | None:
    """What a call cost; ``None`` where a price or a count is unknown."""
    if prices.prompt is None or prices.completion is None or usage.prompt is None or usage.completion is None:
        return None
    cached = min(usage.cached or 0, usage.prompt)
    cached_price = prices.prompt if prices.cached is None else prices.cached
    full = (usage.prompt - cached) * prices.prompt + cached * cached_price + usage.completion * prices.completion
    return full / _MILLION


def total_tokens(usage: Usage) -> int:
    """Prompt and completion; cached tokens are among those of the prompt."""
    return (usage.prompt or 0) + (usage.completion or 0)


class Need(NamedTuple):
    """About what a call will use. The cost is 0 where a price is unknown."""

    tokens: int
    cost: float


class Spending:
    """What was spent, with an estimate of the calls in flight, so that many at once cannot overshoot by much."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.tokens = 0
        self.cost: float | None = 0.0  # `None` once a call was made whose price is unknown
        self._reserved_tokens = 0
        self._reserved_cost = 0.0
        self._answers = 0
        self._answer_tokens = 0
        self._waiting: asyncio.Future[None] | None = None

    def need(self, request: Request, prices: Prices) -> Need:
        """About what a request will need: its own length, and an answer like those before."""
        answer = self._answer_tokens // self._answers if self._answers else _FIRST_GUESS
        usage = Usage(prompt=prompt_tokens(request), completion=answer)
        return Need(total_tokens(usage), cost_of(usage, prices) or 0.0)

    def spent(self, need: Need) -> Unjudged | None:
        """Why a call cannot be made any more, whatever comes of those in flight."""
        return self._over(need.tokens, need.cost)

    def reserve(self, need: Need) -> bool:
        """Set aside what a call will need. False if those in flight may need everything that is left."""
        if self._over(self._reserved_tokens + need.tokens, self._reserved_cost + need.cost) is not None:
            return False
        self._reserved_tokens += need.tokens
        self._reserved_cost += need.cost
        return True

    def settle(self, need: Need, prices: Prices, used: Usage | None) -> None:
        """Replace what was set aside by what was used; ``None`` if the call failed."""
        self._reserved_tokens -= need.tokens
        self._reserved_cost -= need.cost
        if used is not None:
            self.tokens += total_tokens(used)
            self._answers += 1
            self._answer_tokens += used.completion or 0
            cost = cost_of(used, prices)
            self.cost = None if cost is None or self.cost is None else self.cost + cost
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.set_result(None)

    async def settled(self) -> None:
        """Wait until a call in flight ends."""
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._waiting)

    def _over(self, tokens: int, cost: float) -> Unjudged | None:
        limits = self.budget
        if limits.max_tokens is not None and self.tokens + tokens > limits.max_tokens:
            return Unjudged(Reason.BUDGET, f"the budget of {limits.max_tokens:,} tokens is spent")
        if limits.max_cost is not None and (self.cost or 0.0) + cost > limits.max_cost + _ROUNDING:
            return Unjudged(Reason.BUDGET, f"the budget of {limits.max_cost:g} is spent")
        return None
