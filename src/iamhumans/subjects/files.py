"""Replies in files: a row a line, in folders beside their verdicts, or one in a text file."""

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import nullcontext
from importlib.resources import files as package_files
from pathlib import Path
from typing import BinaryIO

from iamhumans.cases import Case, Reply, Suite, Turn
from iamhumans.errors import CommandError, IamhumansError, InputError, Place
from iamhumans.subjects.rows import ReplyRow, RowProblem, given_reply, read_rows
from iamhumans.text import MAX_FILE_BYTES, SeenReply, decode_text, open_regular, read_text, seen_message
from iamhumans.verdicts import read_recorded
from iamhumans.verdicts.recorded import REPLY_KEYS, verdict_paths

_REPLY_FILE = "reply.md"


def bundled_replies_path(suite_name: str) -> Path:
    """The sample replies that ship with a bundled suite."""
    return Path(str(package_files("iamhumans.cases").joinpath("data", f"{suite_name}-replies.jsonl")))


def open_replies(path: Path, suite: Suite | None = None, *, holdout: bool = False) -> Iterator[ReplyRow | RowProblem]:
    """The rows of a JSON Lines file or a folder; ``-`` is standard input. Raises CommandError, InputError."""
    if path.is_dir():
        return _folder(path, suite, holdout=holdout)
    if path.suffix in (".md", ".txt"):
        fix = "Say what it answers: --input TEXT, or --suite SUITE --case ID."
        raise CommandError(f"`{path}` looks like one reply in a text file.", fix=fix)
    return read_rows(_objects(path), suite, path=path, holdout=holdout)


_OF_ROWS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".gz")


def is_one_reply(path: Path) -> bool:
    """Whether a path can be that of one reply in a text file, and not of rows or of a folder."""
    return path.suffix not in _OF_ROWS and not path.is_dir()


def one_reply(
    path: Path, suite: Suite | None, *, case_id: str | None, user_input: str | None, holdout: bool = False
) -> ReplyRow:
    """The one reply in a text file. Raises CommandError, InputError."""
    if user_input is not None and case_id is not None:
        raise CommandError("--input and --case both say what the reply answers.", fix="Leave one of them out.")
    if path.suffix in _OF_ROWS:
        problem = f"--input and --case are for one reply in a text file; `{path}` looks like a file of many rows."
        raise CommandError(problem, fix="Leave them out: each row says what it answers.")
    given = None if user_input is None else Case("row-1", (Turn("user", user_input),))
    case = given or _named_case(suite, case_id or "", holdout=holdout)
    return ReplyRow(1, case, *given_reply(case.id, _seen(read_text(path))))


def _seen(text: str) -> SeenReply:
    return seen_message(text.strip("\n"))


def _named_case(suite: Suite | None, case_id: str, *, holdout: bool) -> Case:
    if suite is None:
        raise CommandError("--case needs the suite that the case is in.", fix="Name it with --suite.")
    if (case := suite.by_id.get(case_id)) is None:
        raise CommandError(f"The suite {suite.name} has no case {case_id}.", fix="`iamhumans cases list` shows them.")
    if any(turn.speaker == "assistant" and not turn.text for turn in case.conversation):
        problem = f"In case {case_id} the subject answers earlier turns live, and one reply does not say how."
        raise CommandError(problem, fix="Judge what `iamhumans reply` wrote: it holds the whole conversation.")
    if case.holdout and not holdout:
        raise CommandError(f"The case {case_id} is held out.", fix="Add --holdout and --reason.")
    return case


def _objects(path: Path) -> Iterator[object]:
    with nullcontext(sys.stdin.buffer) if str(path) == "-" else open_regular(path) as file:
        if file is sys.stdin.buffer and file.seekable():
            file.seek(0)
        yield from map(_object, _bounded_lines(file))


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(MAX_FILE_BYTES + 2):
        piece = line
        while piece and not piece.endswith(b"\n"):
            piece = file.readline(MAX_FILE_BYTES)
        yield line


def _object(data: bytes) -> object:
    if not data.removeprefix(BOM_UTF8).strip():
        return None
    if len(data.rstrip(b"\r\n")) > MAX_FILE_BYTES:
        return InputError(f"The line is longer than {MAX_FILE_BYTES:,} bytes.")
    try:
        value = json.loads(decode_text(data))
    except InputError:
        return InputError("The line is not UTF-8.", fix="Save the file as UTF-8.")
    except (ValueError, RecursionError):
        return InputError("The line is not JSON.", fix="Write one JSON object a line.")
    return InputError("The line is null.") if value is None else value


def _folder(folder: Path, suite: Suite | None, *, holdout: bool) -> Iterator[ReplyRow | RowProblem]:
    found = sorted(folder.glob(f"*/{_REPLY_FILE}"))
    replies = _from_files(found, folder) if found else _beside_verdicts(folder)
    row = 0
    for row, (reply, place) in enumerate(replies, start=1):
        if isinstance(reply, str):
            yield RowProblem(row, reply, place)
            continue
        case = suite.by_id.get(reply.case_id) if suite else None
        if case is not None and case.holdout and not holdout:
            yield RowProblem(row, f"The case {case.id} is held out. --holdout with --reason uses it.", place)
            continue
        seen = given_reply(reply.case_id, _seen(reply.text), reply.subject, reply.number)
        yield ReplyRow(row, case or Case(id=reply.case_id, conversation=()), *seen)
    if row == 0:
        fix = f"Give a .jsonl file, a folder of verdict files with the reply inside, or a {_REPLY_FILE} for each case."
        raise CommandError(f"There is no reply in the folder `{folder}`.", fix=fix)


def _from_files(paths: list[Path], folder: Path) -> Iterator[tuple[Reply | str, Place]]:
    for path in paths:
        try:
            yield Reply(path.parent.name, read_text(path).strip("\n"), folder.name), Place(path)
        except IamhumansError as error:
            yield error.what, Place(path)


def _beside_verdicts(folder: Path) -> Iterator[tuple[Reply | str, Place]]:
    seen: set[Reply] = set()
    for path in verdict_paths(str(folder)):
        for found in _inside(path, folder):
            if isinstance(found, str) or found not in seen:
                yield found, Place(path)
            if isinstance(found, Reply):
                seen.add(found)


def _inside(path: Path, folder: Path) -> Iterator[Reply | str]:
    """The replies in a verdict file, or what is wrong with it. A file that is no verdict on a case is skipped."""
    try:
        verdicts = read_recorded(str(path))
    except IamhumansError as error:
        yield error.what
        return
    for verdict in verdicts:
        if verdict.case_id is None:
            continue
        if verdict.reply is None:
            yield f"There is no reply beside the verdict; it may be under {' or '.join(REPLY_KEYS)}."
            continue
        yield Reply(verdict.case_id, verdict.reply.strip("\n"), verdict.subject or folder.name, verdict.number or 1)
