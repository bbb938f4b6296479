"""What was spent, checked against a budget. An unknown price is never taken for zero."""

import asyncio
from typing import NamedTuple

from iamhumans.models.chat import NOTHING_COUNTED, ModelFailure, Prices, Reception, Usage
from iamhumans.prompts import Request
from iamhumans.runs.settings import Budget
from iamhumans.verdicts import Reason, Unjudged

_CHARACTERS_A_TOKEN = 4
_MILLION = 1_000_000
_ROUNDING = 1e-9  # sums of fractions are not exact
_FIRST_GUESS = 400  # tokens of an answer, before any came: a verdict has about that many


def prompt_tokens(request: Request) -> int:
    """About how many tokens a request has."""
    return _characters(request) // _CHARACTERS_A_TOKEN + 1


def _characters(request: Request) -> int:
    return sum(len(message.content) for message in request.messages)


def counted(reception: Reception, request: Request) -> Usage:
    """The usage of a call, estimated where the provider did not say."""
    usage = reception.usage
    if usage.prompt is not None and usage.completion is not None:
        return usage
    answer = len(reception.answer.text) // _CHARACTERS_A_TOKEN + 1
    prompt = prompt_tokens(request) if usage.prompt is None else usage.prompt
    return usage._replace(prompt=prompt, completion=answer if usage.completion is None else usage.completion)


class Cost(NamedTuple):
    """What calls cost, as far as it is known: ``None`` if nothing is, and ``at_least`` if there may be more."""

    known: float | None = None
    at_least: bool = False


NO_COST = Cost()


def cost_of(usage: Usage, prices: Prices) -> Cost:
    """What a call cost. An unknown price or count is never taken for zero: the rest is the least that it cost."""
    if prices.prompt is None or prices.completion is None or (usage.prompt, usage.completion) == (None, None):
        return Cost(None, at_least=True)
    prompt = usage.prompt or 0
    cached = min(usage.cached or 0, prompt)
    written = min(usage.written or 0, prompt - cached)
    cached_price = prices.prompt if prices.cached is None else prices.cached
    written_price = prices.prompt if prices.cache_write is None else prices.cache_write
    full = (prompt - cached - written) * prices.prompt + cached * cached_price + written * written_price
    whole = None not in (usage.prompt, usage.completion) and not (written and prices.cache_write is None)
    return Cost((full + (usage.completion or 0) * prices.completion) / _MILLION, at_least=not whole)


def cost_in_words(known: float | None, *, at_least: bool) -> str:
    """A cost for people."""
    return "unknown" if known is None else f"{'at least ' if at_least else ''}{known:.4g}"


def cost_of_call(result: Reception | ModelFailure, prices: Prices) -> Cost:
    """What an attempt cost, usable or not."""
    usage = result.usage
    if usage is not None and (isinstance(result, Reception) or usage != NOTHING_COUNTED):
        return cost_of(usage, prices)
    return Cost(None, at_least=True) if isinstance(result, ModelFailure) and result.may_be_billed else NO_COST


def total_tokens(usage: Usage) -> int:
    """Prompt and completion; cached tokens are among those of the prompt."""
    return (usage.prompt or 0) + (usage.completion or 0)


class Need(NamedTuple):
    """About what a call will use. The cost is 0 where a price is unknown; ``characters`` are those of the request."""

    tokens: int
    cost: float
    characters: int = 0


class Spending:
    """What was spent, with an estimate of the calls in flight, so that many at once cannot overshoot by much."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.tokens = 0
        self.at_least = False  # whether the cost may be higher, since a price or a count is unknown
        self._cost = 0.0
        self._is_known = False  # whether the cost of any call is known
        self._guessed = Need(0, 0.0)  # what calls without a count may have used. It counts for the budget alone
        self._reserved_tokens = 0
        self._reserved_cost = 0.0
        self._answers = 0
        self._answer_tokens = 0
        self._characters = 0  # of the requests whose tokens were counted
        self._prompt_tokens = 0  # that they had
        self._waiting: asyncio.Future[None] | None = None

    @property
    def cost(self) -> float | None:
        """What was spent, as far as it is known; ``None`` if nothing is."""
        return None if self.at_least and not self._is_known else self._cost

    def need(self, request: Request, prices: Prices) -> Need:
        """About what a request will need: tokens for its length, and an answer, like those before."""
        answer = self._answer_tokens // self._answers if self._answers else _FIRST_GUESS
        characters = _characters(request)
        prompt = prompt_tokens(request)
        if self._characters:
            prompt = round(characters * self._prompt_tokens / self._characters)
        usage = Usage(prompt=prompt, completion=answer)
        return Need(total_tokens(usage), cost_of(usage, prices).known or 0.0, characters)

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

    def settle(self, need: Need, prices: Prices, used: Usage | None, cost: Cost = NO_COST) -> None:
        """Replace what was set aside by what was used and what it cost; ``used`` is ``None`` if that is not known."""
        self._reserved_tokens -= need.tokens
        self._reserved_cost -= need.cost
        self.at_least = self.at_least or cost.at_least
        charged = cost.known
        if used is not None:
            self.tokens += total_tokens(used)
            self._answers += 1
            self._answer_tokens += used.completion or 0
            self._characters += need.characters if used.prompt is not None else 0
            self._prompt_tokens += used.prompt or 0
            charged = cost_of(used, prices).known if charged is None else charged
        elif cost.at_least:
            self._guessed = Need(self._guessed.tokens + need.tokens, self._guessed.cost + need.cost)
        if charged is not None:
            self._cost += charged
            self._is_known = True
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
        if limits.max_tokens is not None and self.tokens + self._guessed.tokens + tokens > limits.max_tokens:
            return Unjudged(Reason.BUDGET, f"the budget of {limits.max_tokens:,} tokens is spent")
        if limits.max_cost is not None and self._cost + self._guessed.cost + cost > limits.max_cost + _ROUNDING:
            return Unjudged(Reason.BUDGET, f"the budget of {limits.max_cost:g} is spent")
        return None
