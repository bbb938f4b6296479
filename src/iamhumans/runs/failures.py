"""How a failure of a model becomes the reason why something is unjudged. The only place that knows both lists."""

from __future__ import annotations

from iamhumans.models.model import FailureKind, ModelFailure
from iamhumans.verdicts import Reason, Unjudged

_REASONS = {
    FailureKind.TIMEOUT: Reason.TIMEOUT,
    FailureKind.CONTEXT_LENGTH: Reason.CONTEXT_LENGTH,
    FailureKind.CONTENT_FILTER: Reason.CONTENT_FILTER,
}
"""Whatever is not named here is an error of the provider."""

REFUSES_ALL = frozenset({FailureKind.AUTHENTICATION, FailureKind.UNKNOWN_MODEL})
"""Failures that every other call to the same model would end in as well."""

OVERLOAD = frozenset({FailureKind.RATE_LIMITED, FailureKind.OVERLOADED})
"""Failures that say: slower."""


def unjudged_by(failure: ModelFailure, attempts: int = 1) -> Unjudged:
    """The end of a job whose last attempt failed so."""
    reason = _REASONS.get(failure.kind, Reason.PROVIDER_ERROR)
    tries = f" ({attempts} attempts)" if attempts > 1 else ""
    return Unjudged(reason, f"{failure.message}{tries}")
