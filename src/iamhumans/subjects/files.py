"""Replies in files: a row a line, in folders beside their verdicts, or one in a text file."""

from collections.abc import Iterator
from importlib.resources import files as package_files
from pathlib import Path

from iamhumans.cases import Case, Reply, Suite, Turn
from iamhumans.errors import CommandError, IamhumansError, Place
from iamhumans.subjects.decoding import Record, read_records
from iamhumans.subjects.decoding.records import kind_of
from iamhumans.subjects.decoding.streams import head, open_stream
from iamhumans.subjects.decoding.tables import looks_like_rows
from iamhumans.subjects.rows import Reading, ReplyRow, RowProblem, Rows, given_reply
from iamhumans.subjects.shapes.transcript import read_transcript
from iamhumans.text import SeenReply, read_text, seen_message
from iamhumans.verdicts import read_recorded
from iamhumans.verdicts.recorded import REPLY_KEYS, verdict_paths

_REPLY_FILE = "reply.md"
_TEXTS = (".md", ".txt", ".markdown", ".text")
_ROWS = frozenset(
    [
        ".jsonl",
        ".ndjson",
        ".json",
        ".csv",
        ".tsv",
        ".tab",
        ".parquet",
        ".eval",
        ".zip",
        ".xlsx",
        ".xls",
        ".ods",
        ".html",
        ".htm",
        ".xml",
        ".yaml",
        ".yml",
        ".db",
        ".sqlite",
        ".arrow",
        ".feather",
        ".pickle",
        ".pkl",
        ".pdf",
        ".docx",
        ".png",
        ".jpg",
    ]
)


def bundled_replies_path(suite_name: str) -> Path:
    """The sample replies that ship with a bundled suite."""
    return Path(str(package_files("iamhumans.cases").joinpath("data", f"{suite_name}-replies.jsonl")))


def open_replies(
    path: Path,
    suite: Suite | None = None,
    *,
    holdout: bool = False,
    reading: Reading | None = None,
    any_case: bool = False,
) -> Rows | Iterator[ReplyRow | RowProblem]:
    """The rows of a file of any format, or a folder; ``-`` is standard input. Raises CommandError, InputError."""
    if path.is_dir():
        return _folder(path, suite, holdout=holdout)
    records = _transcript(path) if kind_of(path) in _TEXTS else read_records(path)
    return Rows(records, suite, path=path, holdout=holdout, reading=reading, any_case=any_case)


def _transcript(path: Path) -> Iterator[Record]:
    """A text file that is a whole conversation, with a mark before each message."""
    text = read_text(path)
    if read_transcript(text) is None:
        fix = "Say what it answers: --input TEXT, or --suite SUITE --case ID."
        raise CommandError(f"`{path}` looks like one reply in a text file.", fix=fix)
    yield Record(1, 1, {"transcript": text})


def is_one_reply(path: Path) -> bool:
    """Whether a path can be that of one reply in a text file, and not of rows or of a folder."""
    return kind_of(path) not in _ROWS and not path.is_dir()


def one_reply(
    path: Path, suite: Suite | None, *, case_id: str | None, user_input: str | None, holdout: bool = False
) -> ReplyRow:
    """The one reply in a text file. Raises CommandError, InputError."""
    if user_input is not None and case_id is not None:
        raise CommandError(
            "--input and --case cannot be combined: both say what the reply answers.", fix="Leave one of them out."
        )
    _refuse_rows(path)
    given = None if user_input is None else Case("row-1", (Turn("user", user_input),))
    case = given or _named_case(suite, case_id or "", holdout=holdout)
    return ReplyRow(1, case, *given_reply(case.id, _seen(read_text(path))))


def _seen(text: str) -> SeenReply:
    return seen_message(text.strip("\n"))


def _refuse_rows(path: Path) -> None:
    """Raise CommandError for a file that holds many rows, or no text at all."""
    fix = "Leave them out: each row says what it answers."
    if kind_of(path) in _ROWS:
        problem = f"--input and --case only work for one reply in a text file; `{path}` looks like a file of many rows."
        raise CommandError(problem, fix=fix)
    if kind_of(path) in _TEXTS or str(path) == "-":
        return
    with open_stream(path) as file:
        start = head(file, 4096)
    if b"\0" in start or looks_like_rows(start.decode("utf-8", "replace")):
        raise CommandError(f"`{path}` does not look like one reply in a text file.", fix=fix)


def _named_case(suite: Suite | None, case_id: str, *, holdout: bool) -> Case:
    if suite is None:
        raise CommandError("--case needs a suite.", fix="Name it with --suite.")
    if (case := suite.by_id.get(case_id)) is None:
        raise CommandError(f"The suite {suite.name} has no case {case_id}.", fix="`iamhumans cases list` shows them.")
    if any(turn.speaker == "assistant" and not turn.text for turn in case.conversation):
        problem = f"In case {case_id} the subject answers earlier turns live, and one reply does not say how."
        raise CommandError(problem, fix="Judge what `iamhumans reply` wrote: it holds the whole conversation.")
    if case.holdout and not holdout:
        raise CommandError(f"The case {case_id} is held out.", fix="To use it, add --holdout --reason TEXT.")
    return case


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
            yield RowProblem(
                row,
                f"The case {case.id} is held out. To use it, give a reason (--holdout --reason, or `holdout_reason`).",
                place,
            )
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
