"""Replies in folders: beside their verdicts, or one folder a case with a ``reply.md``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iamhumans.cases import Case, Reply, Suite
from iamhumans.errors import CommandError, IamhumansError, Place
from iamhumans.subjects.recorded import ReplyRow, RowProblem
from iamhumans.text import read_text
from iamhumans.verdicts import read_recorded

_REPLY_FILE = "reply.md"


def read_reply_folder(folder: Path, suite: Suite | None) -> Iterator[ReplyRow | RowProblem]:
    """The replies of a folder, in the order of their paths.

    The subject is named after the folder. Without a suite, or where it lacks the case, the case is no more than its id:
    a recorded verdict on it can still be read, and what the case would add is its kind and its criteria.

    Raises:
        CommandError: There is no reply in it.
    """
    found = sorted(folder.glob(f"*/{_REPLY_FILE}"))
    replies = _from_files(found, folder) if found else _beside_verdicts(folder)
    row = 0
    for row, (reply, place) in enumerate(replies, start=1):
        if isinstance(reply, RowProblem):
            yield reply
            continue
        case = suite.by_id.get(reply.case_id) if suite else None
        if case is not None and case.holdout:
            yield RowProblem(row, f"The case {case.id} is held out, so it is left out here.", place)
            continue
        yield ReplyRow(row, case or Case(id=reply.case_id, conversation=()), reply)
    if row == 0:
        raise CommandError(
            f"There is no reply in the folder `{folder}`.",
            fix="Give a .jsonl file, a folder of verdict files with the reply inside, or a reply.md a case.",
        )


def _from_files(paths: list[Path], folder: Path) -> Iterator[tuple[Reply | RowProblem, Place]]:
    for row, path in enumerate(paths, start=1):
        try:
            yield Reply(path.parent.name, read_text(path).strip("\n"), folder.name), Place(path)
        except IamhumansError as error:
            yield RowProblem(row, error.problem, Place(path)), Place(path)


def _beside_verdicts(folder: Path) -> Iterator[tuple[Reply, Place]]:
    for verdict in read_recorded(str(folder)):
        if verdict.reply is not None and verdict.case_id is not None:
            reply = Reply(
                verdict.case_id, verdict.reply.strip("\n"), verdict.subject or folder.name, verdict.number or 1
            )
            yield reply, verdict.place
