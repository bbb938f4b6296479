"""What can be wrong with a journal, in words for whoever has to mend it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from iamhumans.errors import CannotRunError, InputError, Place


class JournalError(CannotRunError):
    """The journal cannot be read or written here and now. What it holds is as it was."""


class JournalRefusedError(InputError):
    """The file is not one to use as a journal."""


_COPY = "Copy the file away before anything else; `sqlite3 journal.db .recover` saves what can be read."
_EXPLAINED = {
    sqlite3.SQLITE_FULL: ("The disk is full.", "Make room, then give the same command again; it goes on where it was."),
    sqlite3.SQLITE_IOERR: (
        "The disk did not take what was to be written, or did not give what was to be read.",
        "Look whether it is full or failing, then give the same command again; it goes on where it was.",
    ),
    sqlite3.SQLITE_BUSY: (
        "Another program has kept the journal locked for too long.",
        "Wait for it or end it, then give the same command again.",
    ),
    sqlite3.SQLITE_LOCKED: (
        "Another program has kept the journal locked for too long.",
        "Wait for it or end it, then give the same command again.",
    ),
    sqlite3.SQLITE_CORRUPT: ("The journal is damaged.", _COPY),
    sqlite3.SQLITE_NOTADB: ("This is not a journal, or its beginning is damaged.", _COPY),
    sqlite3.SQLITE_READONLY: (
        "The journal cannot be written.",
        "Make the file and its folder writable, or use another one with --db.",
    ),
    sqlite3.SQLITE_PERM: ("The journal may not be opened.", "Check who owns the file and its folder."),
    sqlite3.SQLITE_CANTOPEN: (
        "The journal cannot be opened.",
        "Check that its folder exists and is writable, or use another one with --db.",
    ),
}
"""By the primary result code, which is the low byte of SQLite's extended one."""


def explained(error: sqlite3.Error, path: Path) -> JournalError:
    """The error for people that an error of SQLite is."""
    code = getattr(error, "sqlite_errorcode", None)
    known = _EXPLAINED.get(code & 0xFF) if isinstance(code, int) else None
    problem, fix = known or (f"The journal failed: {error}.", "")
    return JournalError(problem, fix=fix, place=Place(path))


@contextlib.contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Errors of SQLite leave it as errors for people.

    Raises:
        JournalError: The disk, a lock, damage, or missing rights kept SQLite from its work.
    """
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
        if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
            raise  # these are mistakes of the program
        raise explained(error, path) from error
