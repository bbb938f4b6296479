"""From what the user named as replies to rows."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files as package_files
from pathlib import Path

from iamhumans.cases import Case, Reply, Suite, Turn
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.subjects.folders import read_reply_folder
from iamhumans.subjects.recorded import ReplyRow, RowProblem, read_reply_rows
from iamhumans.text import read_text


def bundled_replies_path(suite_name: str) -> Path:
    """The sample replies that ship with a bundled suite."""
    return Path(str(package_files("iamhumans.cases").joinpath("data", f"{suite_name}-replies.jsonl")))


def open_replies(
    path: Path,
    suite: Suite | None,
    *,
    case_id: str | None = None,
    user_input: str | None = None,
    named: Path | None = None,
    held_out: bool = False,
) -> Iterator[ReplyRow | RowProblem]:
    """The rows of a replies file or folder, or the one reply of a text file.

    Args:
        path: A JSON Lines file, a folder, a text file; ``-`` is standard input.
        suite: The suite that the replies answer.
        case_id: With a text file: the case of the suite that it answers.
        user_input: With a text file: what the user said.
        named: What the user called it, where that is not the path.
        held_out: Read replies to held-out cases too.

    Raises:
        CommandError: The options do not fit together.
        InputError: The file cannot be read.
    """
    named = named or path
    if user_input is not None or case_id is not None:
        return iter([_single(path, suite, case_id, user_input, named)])
    if path.is_dir():
        return read_reply_folder(path, suite, held_out=held_out)
    if path.suffix in (".md", ".txt"):
        raise CommandError(
            f"`{path}` looks like one reply in a text file.",
            fix="Say what it answers: --input TEXT, or --suite SUITE --case ID.",
        )
    return read_reply_rows(path, suite, named=named, held_out=held_out)


def _single(path: Path, suite: Suite | None, case_id: str | None, user_input: str | None, named: Path) -> ReplyRow:
    if user_input is not None and case_id is not None:
        raise CommandError("--input and --case both say what the reply answers.", fix="Leave one of them out.")
    if named.suffix == ".jsonl":
        raise CommandError(
            f"--input and --case are for one reply in a text file, and `{named}` holds one a line.",
            fix="Leave them out: each line says what it answers.",
        )
    text = _one_reply(path, named)
    if user_input is not None:
        case = Case(id="row-1", conversation=(Turn("user", user_input),))
    else:
        case = _named_case(suite, case_id or "")
    return ReplyRow(1, case, Reply(case.id, text))


def _one_reply(path: Path, named: Path) -> str:
    try:
        return read_text(path).strip("\n")
    except InputError as error:
        raise InputError(error.problem, fix=error.fix, place=Place(named, error.place.line)) from None


def _named_case(suite: Suite | None, case_id: str) -> Case:
    if suite is None:
        raise CommandError("--case needs the suite that the case is in.", fix="Name it with --suite.")
    case = suite.by_id.get(case_id)
    if case is None:
        raise CommandError(f"The suite {suite.name} has no case {case_id}.", fix="`iamhumans cases list` shows them.")
    if any(turn.speaker == "assistant" and not turn.text for turn in case.conversation):
        raise CommandError(
            f"In case {case_id} the subject answers earlier turns live, and one reply does not say how.",
            fix="Judge what `iamhumans reply` wrote: it holds the whole conversation.",
        )
    if case.holdout:
        raise CommandError(f"The case {case_id} is held out.", fix="Leave it for the day on which it is to decide.")
    return case
