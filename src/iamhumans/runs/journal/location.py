"""Where the journal is, and whether it may be used.

A journal decides what is not asked again, so one that somebody else made could bring results that nobody measured. A
journal is used only if it was made on this machine, by this user, at this path: a mark outside of the project says so.
``iamhumans allow JOURNAL`` adopts any other.
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import Literal

from iamhumans.errors import JournalError, JournalRefusedError, Place
from iamhumans.platforms import belongs_to_others, current_user, others_may_write
from iamhumans.runs.journal.tracked import tracked_by_git
from iamhumans.trusted import is_marked, mark

FOLDER = ".iamhumans"
FILE = "journal.db"
KIND: Literal["journal"] = "journal"
_BESIDE = ("-wal", "-shm", "-journal")  # files that SQLite reads together with the database
_MAGIC = b"SQLite format 3\0"
_OTHER = "Use another journal (`--db`; `journal=` in Python)."


def find_journal(explicit: Path | None = None, start: Path | None = None) -> Path:
    """The path that the user gave, or the nearest ``.iamhumans/journal.db`` upwards, or the one in ``start``."""
    if explicit is not None:
        return explicit.absolute()
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        if (folder / FOLDER / FILE).exists():
            return folder / FOLDER / FILE
    return here / FOLDER / FILE


def prepare(path: Path) -> None:
    """Make and check the journal's folder and an empty private file. Raises JournalRefusedError, JournalError."""
    try:
        if path.parent.name == FOLDER:
            with contextlib.suppress(FileExistsError):
                path.parent.mkdir(mode=0o700)
                # The folder ignores itself, so that it is not committed by accident.
                (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")
        check(path)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        fix = "Check that the folder exists and is writable, or use another journal (`--db`; `journal=` in Python)."
        raise JournalError(f"The journal cannot be made: {error.strerror}.", fix=fix, where=Place(path)) from error


def check(path: Path) -> None:
    """Check what lies at a journal's path: a plain file of this user, that others cannot write and git does not track.

    Raises JournalRefusedError, OSError.
    """
    family = [path, *(path.with_name(path.name + end) for end in _BESIDE)]
    in_folder = [path.parent] if path.parent.name == FOLDER else []
    for member in (*in_folder, *family):
        with contextlib.suppress(FileNotFoundError):
            _check_file(member, member.lstat(), is_folder=member in in_folder)
    _check_parent(path)
    for member in family:
        # The path as it was given and the path behind linked folders: either may be a repository's.
        if tracked_by_git(member) or tracked_by_git(member.resolve()):
            problem = "git tracks this journal, so its results cannot be trusted yet."
            fix = f"If it is yours, run `git rm --cached` on it and ignore {FOLDER}/ in git. Or use another journal."
            raise JournalRefusedError(problem, fix=fix, where=Place(member))
    _check_magic(path)


def check_mark(path: Path, journal_id: str) -> None:
    """Check that a journal was made or adopted here, by this user. Raises JournalRefusedError."""
    if not is_marked(KIND, path, journal_id):
        problem = "This journal was not made at this path by you on this machine"
        fix = f"`iamhumans allow {path}` shows where it came from and adopts it. Or use another journal (`--db`)."
        raise JournalRefusedError(f"{problem}, so its results cannot be trusted yet.", fix=fix, where=Place(path))


def mark_as_ours(path: Path, journal_id: str) -> None:
    """Remember that a journal is this user's."""
    mark(KIND, path, journal_id)


def _check_file(path: Path, found: os.stat_result, *, is_folder: bool) -> None:
    place = Place(path)
    if stat.S_ISLNK(found.st_mode):
        raise JournalRefusedError(
            "This is a link.", fix="Name the file that the link points to (`--db`; `journal=` in Python).", where=place
        )
    if is_folder != stat.S_ISDIR(found.st_mode) or not (is_folder or stat.S_ISREG(found.st_mode)):
        raise JournalRefusedError("This is not a regular file.", fix=_OTHER, where=place)
    if belongs_to_others(found):
        raise JournalRefusedError("Another user owns this journal.", fix=_OTHER, where=place)
    if others_may_write(found):
        fix = f"Run `chmod go-w {path}`, or use another journal."
        raise JournalRefusedError("Other users may write to this journal.", fix=fix, where=place)


def _check_parent(path: Path) -> None:
    """Refuse a folder in which any other user could replace the journal."""
    with contextlib.suppress(FileNotFoundError):
        mode = path.parent.stat().st_mode
        if current_user() is not None and mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            problem = "Every user may write to the folder of this journal."
            fix = f"Run `chmod o-w {path.parent}`, or use another journal."
            raise JournalRefusedError(problem, fix=fix, where=Place(path.parent))


def _check_magic(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        return
    if start and start != _MAGIC:
        problem = "This file is not a journal, or its first bytes are damaged."
        fix = "Check the path. If it was a journal, copy it; `sqlite3 journal.db .recover` may save it."
        raise JournalRefusedError(problem, fix=fix, where=Place(path))
