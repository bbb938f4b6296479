"""Where a journal came from, read without trusting it or changing it."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from iamhumans.errors import JournalRefusedError, Place
from iamhumans.runs.journal.errors import explaining
from iamhumans.runs.journal.schema import APPLICATION_ID, VERSION, version_of


@dataclass(frozen=True, slots=True)
class Origin:
    """What a journal says about itself. None of it is proven.

    Attributes:
        version: The version of its tables; an earlier one is converted when the journal is adopted.
        created: When it was created, in UTC.
        runs: How many runs it holds.
        judgements: How many judgements.
        newest: When its newest run was begun; ``None`` without runs.
    """

    version: int
    created: str
    runs: int
    judgements: int
    newest: str | None

    @property
    def is_earlier(self) -> bool:
        """Whether it was made by an earlier version of the program."""
        return self.version < VERSION


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
        return Origin(version_of(connection), created[0] if created else "unknown", runs, judgements, newest)
