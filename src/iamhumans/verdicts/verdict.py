"""What a judge says about one reply: a verdict, or unjudged with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

Number: TypeAlias = int | float
Outcome = Literal["PASS", "FAIL"]


class Reason(StrEnum):
    """Why a reply is unjudged. The list is closed."""

    EMPTY = "empty"
    REFUSED = "refused"
    NO_VERDICT = "no_verdict"
    CONFLICTING_VERDICTS = "conflicting_verdicts"
    WRONG_CASE = "wrong_case"
    WRONG_TOKEN = "wrong_token"  # noqa: S105 - the name of a reason
    MISSING_AXIS = "missing_axis"
    MISSING_FLAG = "missing_flag"
    BAD_FLAG = "bad_flag"
    MISSING_CHOICE = "missing_choice"
    BAD_CHOICE = "bad_choice"
    OUT_OF_RANGE = "out_of_range"
    NOT_A_NUMBER = "not_a_number"
    TRUNCATED = "truncated"
    CONTENT_FILTER = "content_filter"
    CONTEXT_LENGTH = "context_length"
    TIMEOUT = "timeout"
    PROVIDER_ERROR = "provider_error"
    NO_REPLY = "no_reply"
    NO_QUORUM = "no_quorum"
    BUDGET = "budget"
    CANCELLED = "cancelled"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    OUT_OF_SCOPE = "out_of_scope"
    UNKNOWN_ENDING = "unknown_ending"
    SECRET_ECHOED = "secret_echoed"  # noqa: S105 - the name of a reason


@dataclass(frozen=True, slots=True)
class Flag:
    """A judge's answer on one hard fail."""

    present: bool | None
    """YES or NO; ``None`` where this judge cannot see the hard fail."""
    quotes: tuple[str, ...] = ()
    """The words of the reply that the judge gave for a YES, or that it found where its YES does not count."""
    confirmed: bool | None = None
    """Whether one of the quotes is in the reply; ``None`` for a NO and where the reply is unknown."""
    votes: tuple[int, int] | None = None
    """Where several votes are combined: how many say YES, and how many were asked."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said, exactly. An axis of ``None`` is N/A; ``repairs`` are what was repaired in the form, sorted."""

    axes: Mapping[str, Number | None]
    flags: Mapping[str, Flag]
    case_id: str | None = None
    notes: str = ""
    stated_total: Number | None = None
    stated_verdict: Outcome | None = None
    repairs: tuple[str, ...] = ()
    unseen: frozenset[str] = frozenset()
    """Axes that this judge cannot score. They are neither N/A nor given a default."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """There is no verdict, for this reason."""

    reason: Reason
    detail: str = ""


MaybeVerdict: TypeAlias = Verdict | Unjudged


class Asked(NamedTuple):
    """What is known about the question; ``None`` means unknown. ``conversation`` has the texts of its turns."""

    case_id: str | None = None
    token: str | None = None
    reply: str | None = None
    conversation: tuple[str, ...] = ()
    single_turn: bool | None = None
    repair: bool | None = None
    finish_reason: str | None = None
