"""Opening the database file: SQLite's settings, and the checks before its content is used."""

import contextlib
import os
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from iamhumans.errors import JournalError, JournalRefusedError, Place
from iamhumans.runs.journal import location, schema
from iamhumans.runs.journal.errors import explaining
from iamhumans.runs.journal.schema import APPLICATION_ID, VERSION, create, version_of

_LARGEST_LOG_BYTES = 16 * 1024 * 1024


def in_memory() -> sqlite3.Connection:
    """A new journal that lives in memory and is gone when it is closed."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    create(connection)
    return connection


def open_to_write(path: Path, *, patience: float, trusted: bool = False) -> sqlite3.Connection:
    """A connection to a journal, which is made if it is missing. Raises JournalRefusedError, JournalError.

    ``trusted`` converts an earlier version, and asks for no mark.
    """
    location.prepare(path)
    connection = connect(path, patience=patience)
    try:
        with explaining(path):
            version = _checked_version(connection, path)
            if schema.is_convertible(version):
                connection.close()
                if not trusted:
                    raise _of_earlier_version(path)  # noqa: TRY301 - the connection is closed either way
                schema.convert(path)
                connection = connect(path, patience=patience)
            _use_write_ahead_log(connection, patience)
            if version == 0:
                create(connection, lambda journal_id: location.mark_as_ours(path, journal_id))
            _check_content(connection, path, trusted=trusted)
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, *, patience: float) -> tuple[sqlite3.Connection, bool]:
    """A connection that only reads and creates nothing, and whether it is the only one that can be had."""
    where = Place(path)
    if not path.exists():
        raise JournalError(
            "There is no journal yet.", fix="`iamhumans run` or `iamhumans judge` creates one.", where=where
        )
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        location.check(path)
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size > 0:
            problem = "The latest changes of this journal are in its log, which cannot be read on a read-only disk."
            fix = f"Copy the journal and {log.name} to a writable folder, then run `iamhumans allow` on the copy."
            raise JournalError(problem, fix=fix, where=where)
        # SQLite needs to write beside a journal to read it, unless it knows that the file does not change.
        with explaining(path):
            uri = f"file:{quote(str(path))}?immutable=1"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            if schema.is_convertible(_checked_version(connection, path)):
                raise _of_earlier_version(path)
            _check_content(connection, path, trusted=False)
        return connection, True
    return open_to_write(path, patience=patience), False


def connect(path: Path, *, patience: float) -> sqlite3.Connection:
    """A bare connection with the settings that every connection has. Raises JournalError."""
    with explaining(path):
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        # Nothing in a file's schema may run code.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        # A commit survives a power cut. Commits are grouped and wait in their own thread, so this costs no CPU time.
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def id_of(connection: sqlite3.Connection) -> str:
    """The random id of a journal. A journal of an earlier version gets one when it is converted."""
    return str(connection.execute("SELECT value FROM meta WHERE name = 'id'").fetchone()[0])


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    # In this order: another process may create the journal between the two queries.
    empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    application, where = connection.execute("PRAGMA application_id").fetchone()[0], Place(path)
    if application != APPLICATION_ID and not (empty and application == 0):
        raise JournalRefusedError("This is an SQLite database of another program.", fix="Check the path.", where=where)
    version = version_of(connection)
    if version > VERSION:
        problem = f"This journal is of version {version}; this program reads versions up to {VERSION}."
        fix = "Update iamhumans, or use another journal (`--db`; `journal=` in Python). Nothing was changed."
        raise JournalRefusedError(problem, fix=fix, where=where)
    return version


def _of_earlier_version(path: Path) -> JournalRefusedError:
    fix = f"`iamhumans allow {path}` converts and adopts it. The old file is kept beside it."
    return JournalRefusedError("This journal was made by an earlier version of iamhumans.", fix=fix, where=Place(path))


def _check_content(connection: sqlite3.Connection, path: Path, *, trusted: bool) -> None:
    changed = schema.unexpected_object(connection)
    if changed is not None:
        fix = "Use another journal. Your own views are allowed; triggers and changed tables are not."
        problem = f"`{changed}` in this journal was not made by this program."
        raise JournalRefusedError(problem, fix=fix, where=Place(path))
    if not trusted:
        location.check_mark(path, id_of(connection))


def _use_write_ahead_log(connection: sqlite3.Connection, patience: float) -> None:
    """Switch to WAL, in which readers and a writer do not block each other. The switch needs the file alone."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            connection.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG_BYTES}")
            return


@dataclass(frozen=True, slots=True)
class Origin:
    """What a journal says about itself. None of it is proven."""

    is_earlier: bool  # whether an earlier version of the program made it; then it is converted when it is adopted
    created: str
    runs: int  # how many
    judgements: int
    newest: str | None  # when its newest run was begun; `None` without runs


def origin_of(path: Path) -> Origin:
    """What a journal says about itself. Raises JournalRefusedError, JournalError."""
    # Nothing is written, and no log beside the file is read: what is shown is what the file itself holds.
    address = f"file:{quote(str(path.absolute()))}?immutable=1"
    with explaining(path), contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise JournalRefusedError("This is not a journal of iamhumans.", fix="Check the path.", where=Place(path))
        created = connection.execute("SELECT value FROM meta WHERE name = 'created'").fetchone()
        runs, newest = connection.execute("SELECT count(*), max(created) FROM runs").fetchone()
        judgements = connection.execute("SELECT count(*) FROM judgements").fetchone()[0]
        return Origin(version_of(connection) < VERSION, created[0] if created else "unknown", runs, judgements, newest)
