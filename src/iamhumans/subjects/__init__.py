"""Whose replies are judged."""

from iamhumans.subjects.model import Answered, LlmSubject, SubjectOutcome, SubjectTask, skill_text
from iamhumans.subjects.recorded import ReplyRow, RowProblem, read_reply_rows
from iamhumans.subjects.sources import bundled_replies_path, open_replies

__all__ = [
    "Answered",
    "LlmSubject",
    "ReplyRow",
    "RowProblem",
    "SubjectOutcome",
    "SubjectTask",
    "bundled_replies_path",
    "open_replies",
    "read_reply_rows",
    "skill_text",
]
