"""The journal: every call that was paid for, and what came of it, in one SQLite file."""

from iamhumans.runs.journal.attempts import Attempt
from iamhumans.runs.journal.entries import Entry, Judged, JudgementEntry, Replied, ReplyEntry, Text
from iamhumans.runs.journal.errors import JournalError, JournalRefusedError
from iamhumans.runs.journal.figures import FigureRow, Said
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.location import find_journal
from iamhumans.runs.journal.records import GroupSummary, JudgementRecord, Paid, Run, RunStatus, RunSummary

__all__ = [
    "Attempt",
    "Entry",
    "FigureRow",
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
    "Said",
    "Text",
    "find_journal",
]
