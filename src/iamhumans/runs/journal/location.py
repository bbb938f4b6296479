"""Where the journal is, and whether it may be used.

A journal that somebody else put there is refused: one that git tracks came with a repository, one of another user is
not ours. It could bring results that nobody measured and a secret that its author knows.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from iamhumans.errors import Place
from iamhumans.runs.journal.errors import JournalError, JournalRefusedError
from iamhumans.runs.journal.tracked import tracked_by_git

FOLDER = ".iamhumans"
FILE = "journal.db"
_BESIDE = ("-wal", "-shm", "-journal")
"""Files that SQLite reads together with the database, and believes."""
_MAGIC = b"SQLite format 3\0"


def find_journal(explicit: Path | None = None, start: Path | None = None) -> Path:
    """The journal's path, which need not exist yet.

    Args:
        explicit: What ``--db`` says.
        start: Where to look from; the working folder if not given. The nearest ``.iamhumans/journal.db`` in it or
            above it is taken; where there is none, it is to be made in ``start``.
    """
    if explicit is not None:
        return explicit.absolute()
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        if (folder / FOLDER / FILE).exists():
            return folder / FOLDER / FILE
    return here / FOLDER / FILE


def prepare(path: Path) -> None:
    """Make the journal's folder and an empty private file, unless they are there; then check that it may be used.

    Raises:
        JournalRefusedError: It is no journal, another user owns it, git tracks it, or a link leads to it.
        JournalError: It cannot be made.
    """
    try:
        if path.parent.name == FOLDER:
            _make_folder(path.parent)
        check(path)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise JournalError(
            f"The journal cannot be made: {error.strerror}.",
            fix="Check that the folder exists and is writable, or use another one with --db.",
            place=Place(path),
        ) from error


def check(path: Path) -> None:
    """Check that a journal, where there is one, may be used.

    Raises:
        JournalRefusedError: It is no journal, another user owns it, git tracks it, or a link leads to it.
        OSError: It cannot be looked at.
    """
    family = [path, *(path.with_name(path.name + end) for end in _BESIDE)]
    in_folder = [path.parent] if path.parent.name == FOLDER else []
    for member in (*in_folder, *family):
        with contextlib.suppress(FileNotFoundError):
            _check_owner(member, member.lstat())
    for member in family:
        if tracked_by_git(member):
            raise JournalRefusedError(
                "git tracks this journal, so what it holds may be somebody else's.",
                fix=f"`git rm --cached` it if it is yours, or use another one with --db; {FOLDER}/ should be ignored.",
                place=Place(member),
            )
    _check_magic(path)


def _make_folder(folder: Path) -> None:
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        # It ignores itself, so that nobody commits it by accident.
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _check_owner(path: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise JournalRefusedError(
            "This is a link; a journal must be where it seems to be.",
            fix="Name the file it leads to with --db.",
            place=Place(path),
        )
    if stat.S_ISDIR(found.st_mode) and path.name != FOLDER:
        raise JournalRefusedError("This is a folder; a journal is a file.", place=Place(path))
    # Windows has no user numbers.
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise JournalRefusedError(
            "Another user owns this journal, so what it holds may not be yours.",
            fix="Use one of your own with --db.",
            place=Place(path),
        )


def _check_magic(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        return
    if start and start != _MAGIC:
        raise JournalRefusedError(
            "This file is not a journal, or its beginning is damaged.",
            fix="Check the path. If it was a journal, copy it away; `sqlite3 journal.db .recover` may save it.",
            place=Place(path),
        )
