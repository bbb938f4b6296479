"""How the engine works: limits, deadlines, retries, and what may be spent. All times are seconds."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from iamhumans.errors import CommandError
from iamhumans.models.chat import FailureKind, ModelFailure, ModelIdentity
from iamhumans.models.names import table_header
from iamhumans.verdicts import Reason, Unjudged

REFUSES_ALL = frozenset({FailureKind.AUTHENTICATION, FailureKind.UNKNOWN_MODEL})
"""Failures that every other call to the same model would end in as well."""
OVERLOAD = frozenset({FailureKind.RATE_LIMITED, FailureKind.OVERLOADED})  # failures that ask for fewer calls
_REASONS = {
    FailureKind.TIMEOUT: Reason.TIMEOUT,
    FailureKind.CONTEXT_LENGTH: Reason.CONTEXT_LENGTH,
    FailureKind.CONTENT_FILTER: Reason.CONTENT_FILTER,
    FailureKind.SECRET_ECHOED: Reason.SECRET_ECHOED,
}
"""Every other failure is an error of the provider."""


def unjudged_by(failure: ModelFailure, attempts: int = 1) -> Unjudged:
    """The end of a job whose last attempt failed so."""
    tries = f" ({attempts} attempts)" if attempts > 1 else ""
    return Unjudged(_REASONS.get(failure.kind, Reason.PROVIDER_ERROR), f"{failure.message}{tries}")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter, within bounds."""

    attempts: int = 6
    attempts_when_billed: int = 3  # where half an answer came that has to be paid for, each time
    attempts_before_contact: int = 3  # for a provider that never answered: a mistyped address should not take minutes
    first_pause: float = 1.0
    longest_pause: float = 60.0
    longest_retry_after: float = 120.0  # a server that asks for a longer pause is not waited for: the job ends

    def pause(self, failure: ModelFailure, attempt: int, *, in_contact: bool = True) -> float | None:
        """How long to wait after an attempt (the first is 1) that failed so; ``None`` if there should be no other."""
        most = self.attempts
        if failure.kind is FailureKind.CONNECTION and not in_contact:
            most = min(most, self.attempts_before_contact)
        if failure.usage is not None and failure.usage.completion:
            most = min(most, self.attempts_when_billed)
        if not failure.may_pass or attempt >= most or self.is_too_long(failure):
            return None
        # Full jitter above a floor: calls that failed together must not come back together.
        backoff = min(self.longest_pause, self.first_pause * 2.0 ** (attempt - 1))
        jittered = backoff * random.uniform(0.5, 1.0)  # noqa: S311 - no secret is made of it
        return max(jittered, failure.retry_after or 0.0)

    def is_too_long(self, failure: ModelFailure) -> bool:
        """Whether the server asks for a longer pause than the longest allowed."""
        return (failure.retry_after or 0.0) > self.longest_retry_after


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine works."""

    max_connections: int = 10  # how many calls to one provider may be in flight. The rates per minute are the models'
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    attempt_seconds: float = 120.0  # how long one call may take, where the model itself says nothing
    job_seconds: float = 900.0  # how long one job may take from its first call
    outage_seconds: float = 300.0  # a provider that only fails for this long is asked nothing more
    hanging_seconds: float = 60.0  # when a call in flight is reported as hanging


@dataclass(frozen=True, slots=True)
class Budget:
    """How much one invocation may spend; ``None`` is no limit."""

    max_cost: float | None = None
    max_tokens: int | None = None
    max_minutes: float | None = None

    def require_prices(self, models: Iterable[ModelIdentity]) -> None:
        """Check that the cost can be known before anything is paid. Raises CommandError."""
        for model in models if self.max_cost is not None else ():
            if model.prices.prompt is None or model.prices.completion is None:
                raise CommandError(
                    f"The prices of `{model.name}` are not known, so a maximum cost cannot be checked.",
                    fix=f"Write `prices = {{ prompt = ..., completion = ... }}` into {table_header(model.name)} of"
                    " iamhumans.toml (0 for a model of your own), or limit tokens instead.",
                )
