"""When a failed call is tried again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from iamhumans.models.model import FailureKind, ModelFailure


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Jittered exponential backoff, within bounds. All times are seconds."""

    attempts: int = 6
    attempts_before_contact: int = 3
    """How often a provider that never answered anything is tried: a mistyped address should not take minutes."""
    first_pause: float = 1.0
    longest_pause: float = 60.0
    longest_retry_after: float = 120.0
    """A server that asks for more than this is tried again after this."""

    def pause(self, failure: ModelFailure, attempt: int, *, in_contact: bool = True) -> float | None:
        """How long to wait before the next attempt; ``None`` where there should be none.

        Args:
            failure: How the last attempt failed.
            attempt: Its number, from 1.
            in_contact: Whether the provider ever answered.
        """
        if not failure.may_pass or attempt >= self._most(failure, in_contact=in_contact):
            return None
        # Full jitter above a floor: calls that failed together must not come back together.
        backoff = min(self.longest_pause, self.first_pause * 2.0 ** (attempt - 1))
        jittered = backoff * random.uniform(0.5, 1.0)  # noqa: S311 - no secret is made of it
        return max(jittered, self.bounded(failure.retry_after))

    def bounded(self, retry_after: float | None) -> float:
        """What a server asked to wait, within reason; 0 where it asked for nothing."""
        return min(max(retry_after or 0.0, 0.0), self.longest_retry_after)

    def _most(self, failure: ModelFailure, *, in_contact: bool) -> int:
        if failure.kind is FailureKind.CONNECTION and not in_contact:
            return min(self.attempts, self.attempts_before_contact)
        return self.attempts
