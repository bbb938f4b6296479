"""Whose replies are judged."""

from iamhumans.subjects.recorded import ReplyRow, RowProblem, read_reply_rows
from iamhumans.subjects.sources import bundled_replies_path, open_replies

__all__ = ["ReplyRow", "RowProblem", "bundled_replies_path", "open_replies", "read_reply_rows"]
