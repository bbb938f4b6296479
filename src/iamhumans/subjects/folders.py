"""Replies in folders: beside their verdicts, or one folder a case with a ``reply.md``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iamhumans.cases import Case, Reply, Suite
from iamhumans.errors import CommandError, IamhumansError, Place
from iamhumans.subjects.recorded import ReplyRow, RowProblem
from iamhumans.text import read_text
from iamhumans.verdicts import read_recorded
from iamhumans.verdicts.recorded import REPLY_KEYS, verdict_paths

_REPLY_FILE = "reply.md"


def read_reply_folder(
    folder: Path, suite: Suite | None, *, held_out: bool = False
) -> Iterator[ReplyRow | RowProblem]:
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
        if case is not None and case.holdout and not held_out:
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


def _beside_verdicts(folder: Path) -> Iterator[tuple[Reply | RowProblem, Place]]:
    """The replies inside of verdict files, each once, though several judges may have judged it."""
    seen: set[Reply] = set()
    row = 0
    for path in verdict_paths(str(folder)):
        for found in _inside(path, folder):
            if isinstance(found, Reply) and found in seen:
                continue
            row += 1
            place = Place(path)
            if isinstance(found, Reply):
                seen.add(found)
                yield found, place
            else:
                yield RowProblem(row, found, place), place


def _inside(path: Path, folder: Path) -> Iterator[Reply | str]:
    """The replies in a verdict file, or what is wrong with it. A file that is no verdict on a case is passed over."""
    try:
        verdicts = read_recorded(str(path))
    except IamhumansError as error:
        yield error.problem
        return
    for verdict in verdicts:
        if verdict.case_id is None:
            continue
        if verdict.reply is None:
            yield f"There is no reply beside the verdict; it may stand under {' or '.join(REPLY_KEYS)}."
            continue
        text = verdict.reply.strip("\n")
        yield Reply(verdict.case_id, text, verdict.subject or folder.name, verdict.number or 1)
