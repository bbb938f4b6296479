"""Whose replies are judged."""

from iamhumans.subjects.files import bundled_replies_path, is_one_reply, one_reply, open_replies
from iamhumans.subjects.rows import (
    Reading,
    Remark,
    ReplyRow,
    RowProblem,
    Rows,
    Turns,
    given_reply,
    read_rows,
    turns_of,
)
from iamhumans.subjects.subject import Answered, LlmSubject, RecordedSubject, Skill, Subject, SubjectTask, skill_text
