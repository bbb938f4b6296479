"""Opening the file: settings of SQLite, and the checks before anything is believed."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from iamhumans.errors import Place
from iamhumans.runs.journal.errors import JournalRefusedError, explaining
from iamhumans.runs.journal.schema import APPLICATION_ID, VERSION, migrate, stranger_in, version_of

_LARGEST_LOG_BYTES = 16 * 1024 * 1024


def open_database(path: Path, *, patience: float) -> sqlite3.Connection:
    """A connection to a journal of the newest version. An empty file becomes one, an older one is brought up to date.

    Raises:
        JournalRefusedError: The file is no journal, is of a newer version, or holds what this program did not make.
        JournalError: It is damaged, locked for longer than ``patience`` seconds, or cannot be written.
    """
    connection = connect(path, patience=patience)
    try:
        with explaining(path):
            _check_kind(connection, path)
            _use_write_ahead_log(connection, patience)
            if version_of(connection) < VERSION:
                migrate(connection)
            stranger = stranger_in(connection)
    except BaseException:
        connection.close()
        raise
    if stranger is not None:
        connection.close()
        raise JournalRefusedError(
            f"`{stranger}` in this journal is not as this program makes it.",
            fix="Use another journal with --db. It may have views of your own, but no triggers and no changed tables.",
            place=Place(path),
        )
    return connection


def connect(path: Path, *, patience: float) -> sqlite3.Connection:
    """A bare connection with the settings that every one has.

    Raises:
        JournalError: It cannot be opened.
    """
    with explaining(path):
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        # Nothing that a file's schema says is run beyond plain SQL.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        # A commit is on the disk before it counts: what was paid for survives a power cut as well. Since commits are
        # shared and wait in their own thread, this costs no processor time.
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    # In this order: another process may make the journal between the two, and what it makes bears the mark.
    empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID and not (empty and application == 0):
        raise JournalRefusedError(
            "This is an SQLite database of another program.", fix="Check the path.", place=Place(path)
        )
    version = version_of(connection)
    if version > VERSION:
        raise JournalRefusedError(
            f"This journal is of version {version}; this program knows versions up to {VERSION}.",
            fix="Update iamhumans, or use another journal with --db. Nothing was changed.",
            place=Place(path),
        )


def _use_write_ahead_log(connection: sqlite3.Connection, patience: float) -> None:
    """Switch to WAL, in which readers and a writer do not wait for each other. The switch needs the file for itself."""
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
