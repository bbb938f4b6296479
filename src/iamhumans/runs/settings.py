"""How an engine works: limits, deadlines, retries."""

from __future__ import annotations

from dataclasses import dataclass, field

from iamhumans.runs.retry import RetryPolicy


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine works. All times are seconds.

    Attributes:
        max_connections: How many calls to one provider may be in flight at most. What may be sent in a minute, the
            models themselves say.
        retry: When failed calls are tried again.
        attempt_seconds: How long one call may take, where the model itself says nothing.
        job_seconds: How long one job may take from its first call on.
        outage_seconds: A provider that only fails for so long is asked nothing more.
        hanging_seconds: From when on a call in flight is named to the watchdog.
    """

    max_connections: int = 10
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    attempt_seconds: float = 120.0
    job_seconds: float = 900.0
    outage_seconds: float = 300.0
    hanging_seconds: float = 60.0
