"""What can be wrong with a journal, as errors for people."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from iamhumans.errors import JournalError, Place

_RESUME = "then run the same command again to resume."
_SALVAGE = "Copy the file first; `sqlite3 journal.db .recover` saves what can be read."
_DB = "or use another journal (`--db`; `journal=` in Python)."
_LOCKED = ("Another program has locked the journal for too long.", f"Wait for it or end it, {_RESUME}")
_EXPLAINED = {
    sqlite3.SQLITE_FULL: ("The disk is full.", f"Free some space, {_RESUME}"),
    sqlite3.SQLITE_IOERR: ("The disk reported an error.", f"Check that the disk is not full or failing, {_RESUME}"),
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_CORRUPT: ("The journal is damaged.", _SALVAGE),
    sqlite3.SQLITE_NOTADB: ("This is not a journal, or its first bytes are damaged.", _SALVAGE),
    sqlite3.SQLITE_READONLY: ("The journal is read-only.", f"Make the file and its folder writable, {_DB}"),
    sqlite3.SQLITE_PERM: ("You may not open this journal.", "Check who owns the file and its folder."),
    sqlite3.SQLITE_CANTOPEN: ("The journal cannot be opened.", f"Check that its folder exists and is writable, {_DB}"),
}
"""By SQLite's primary result code, the low byte of the extended one."""


UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""What reading a row raises that this program cannot have written."""


class DamagedRowError(Exception):
    """A row holds something that this program does not write; :func:`explaining` says so to the user."""

    def __init__(self, table: str, row: object) -> None:
        super().__init__(f"row {row} of the table `{table}`".replace(" in of the", " in the"))


@contextlib.contextmanager
def explaining(path: Path | None) -> Iterator[None]:
    """Turn errors of SQLite into errors for people. Raises JournalError."""
    try:
        yield
    except DamagedRowError as error:
        fix = f"{_SALVAGE} `iamhumans runs delete RUN` removes a run that has such rows."
        raise JournalError(f"The journal is damaged: {error} cannot be read.", fix=fix, where=Place(path)) from None
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
            raise  # a mistake of this program
        code = getattr(error, "sqlite_errorcode", None)
        known = _EXPLAINED.get(code & 0xFF) if isinstance(code, int) else None
        if "malformed JSON" in str(error):
            known = ("The journal is damaged: a text of the table `texts` is not JSON.", _SALVAGE)
        problem, fix = known or (f"The journal failed: {error}.", "")
        raise JournalError(problem, fix=fix, where=Place(path)) from error
