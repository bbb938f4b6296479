"""Runs: jobs, the engine that works them off, and the journal that loses nothing.

Modules are loaded when something of theirs is first asked for: who reads a journal does not wait for the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iamhumans.loading import loaded_later

if TYPE_CHECKING:
    from iamhumans.runs.budget import Budget
    from iamhumans.runs.calls import HangingCall
    from iamhumans.runs.engine import Engine, Progress
    from iamhumans.runs.jobs import PASSING_REASONS, Ended, Job
    from iamhumans.runs.journal import (
        Attempt,
        GroupSummary,
        Journal,
        JournalError,
        JournalRefusedError,
        Judged,
        JudgementEntry,
        JudgementRecord,
        Paid,
        Replied,
        ReplyEntry,
        Run,
        RunStatus,
        RunSummary,
        Text,
        find_journal,
    )
    from iamhumans.runs.judging import judgement_job
    from iamhumans.runs.keys import check_token, content_hash, given_reply_key, judgement_key, model_settings, reply_key
    from iamhumans.runs.outlook import Outlook, look_ahead
    from iamhumans.runs.retry import RetryPolicy
    from iamhumans.runs.settings import Settings
    from iamhumans.runs.stopping import Stopping, stopped_by_signals

__all__ = [
    "PASSING_REASONS",
    "Attempt",
    "Budget",
    "Ended",
    "Engine",
    "GroupSummary",
    "HangingCall",
    "Job",
    "Journal",
    "JournalError",
    "JournalRefusedError",
    "Judged",
    "JudgementEntry",
    "JudgementRecord",
    "Outlook",
    "Paid",
    "Progress",
    "Replied",
    "ReplyEntry",
    "RetryPolicy",
    "Run",
    "RunStatus",
    "RunSummary",
    "Settings",
    "Stopping",
    "Text",
    "check_token",
    "content_hash",
    "find_journal",
    "given_reply_key",
    "judgement_job",
    "judgement_key",
    "look_ahead",
    "model_settings",
    "reply_key",
    "stopped_by_signals",
]

_LATER = {
    "budget": ("Budget",),
    "calls": ("HangingCall",),
    "engine": (
        "Engine",
        "Progress",
    ),
    "jobs": (
        "PASSING_REASONS",
        "Ended",
        "Job",
    ),
    "journal": (
        "Attempt",
        "GroupSummary",
        "Journal",
        "JournalError",
        "JournalRefusedError",
        "Judged",
        "JudgementEntry",
        "JudgementRecord",
        "Paid",
        "Replied",
        "ReplyEntry",
        "Run",
        "RunStatus",
        "RunSummary",
        "Text",
        "find_journal",
    ),
    "judging": ("judgement_job",),
    "keys": (
        "check_token",
        "content_hash",
        "given_reply_key",
        "judgement_key",
        "model_settings",
        "reply_key",
    ),
    "outlook": (
        "Outlook",
        "look_ahead",
    ),
    "retry": ("RetryPolicy",),
    "settings": ("Settings",),
    "stopping": (
        "Stopping",
        "stopped_by_signals",
    ),
}

__getattr__ = loaded_later(__name__, _LATER)
