"""The tables of a journal, and how an older one becomes a newer one. Described for readers in ``docs/journal.md``."""

from __future__ import annotations

import secrets
import sqlite3
from datetime import UTC, datetime
from functools import cache

from iamhumans.runs.journal.calibrations import CALIBRATIONS_TABLE
from iamhumans.runs.journal.labels import LABELS_TABLE
from iamhumans.runs.journal.preferences import PREFERENCES_TABLE

APPLICATION_ID = 0x49414D48
"""``IAMH``, in the header of every journal."""

_VERSION_1 = """
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (kind, hash)
) STRICT;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  plan_hash TEXT NOT NULL,
  plan TEXT NOT NULL,
  salt TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'incomplete', 'finished')),
  asked INTEGER,
  created TEXT NOT NULL,
  ended TEXT
) STRICT;
CREATE INDEX runs_by_plan ON runs (plan_hash);

CREATE TABLE replies (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  case_id TEXT NOT NULL,
  case_text INTEGER REFERENCES texts (id),
  subject TEXT NOT NULL,
  skill_text INTEGER REFERENCES texts (id),
  number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('replied', 'failed')),
  reason TEXT,
  detail TEXT,
  final INTEGER NOT NULL,
  ended TEXT NOT NULL,
  conversation TEXT,
  text TEXT,
  CHECK ((status = 'replied') = (text IS NOT NULL)),
  CHECK ((status = 'failed') = (reason IS NOT NULL))
) STRICT;

CREATE TABLE judgements (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  reply INTEGER NOT NULL REFERENCES replies (id),
  judge TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  rubric_text INTEGER REFERENCES texts (id),
  prompt_text INTEGER REFERENCES texts (id),
  persona_text INTEGER REFERENCES texts (id),
  status TEXT NOT NULL CHECK (status IN ('judged', 'unjudged')),
  reason TEXT,
  detail TEXT,
  total INTEGER,
  total_confirmed INTEGER,
  axis_total INTEGER,
  applicable_total INTEGER,
  outcome TEXT CHECK (outcome IN ('PASS', 'FAIL')),
  zeroed INTEGER,
  final INTEGER NOT NULL,
  ended TEXT NOT NULL,
  verdict TEXT,
  CHECK ((status = 'judged') = (verdict IS NOT NULL)),
  CHECK ((status = 'judged') = (total IS NOT NULL)),
  CHECK ((status = 'unjudged') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX judgements_by_reply ON judgements (reply);

CREATE TABLE run_rows (
  run INTEGER NOT NULL REFERENCES runs (id),
  row INTEGER NOT NULL,
  judgement INTEGER NOT NULL REFERENCES judgements (id),
  PRIMARY KEY (run, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_rows_by_judgement ON run_rows (judgement);

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL,
  run INTEGER,
  step INTEGER NOT NULL,
  number INTEGER NOT NULL,
  request TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  started TEXT NOT NULL,
  milliseconds INTEGER NOT NULL,
  prompt_tokens INTEGER,
  cached_tokens INTEGER,
  completion_tokens INTEGER,
  cost REAL,
  error TEXT,
  error_text TEXT,
  finish_reason TEXT,
  answer TEXT,
  CHECK ((answer IS NULL) = (error IS NOT NULL))
) STRICT;
CREATE INDEX attempts_by_job ON attempts (job);
CREATE INDEX attempts_by_run ON attempts (run, error, prompt_tokens, cached_tokens, completion_tokens, cost);

CREATE TABLE workers (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  process INTEGER NOT NULL,
  born TEXT NOT NULL,
  seen REAL NOT NULL
) STRICT;

CREATE TABLE claims (
  key TEXT PRIMARY KEY,
  worker INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

MIGRATIONS: tuple[str, ...] = (_VERSION_1, PREFERENCES_TABLE, LABELS_TABLE, CALIBRATIONS_TABLE)
"""What makes version N + 1 of version N. Only ever added to: a journal in the field has run all of them once."""

VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring a journal, or an empty file, to the newest version, in one transaction."""
    connection.execute("BEGIN EXCLUSIVE")
    try:
        # Read again under the lock: another process may have done it meanwhile.
        version = version_of(connection)
        for script in migrations[version:]:
            for statement in script.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
        if version == 0:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            created = datetime.now(UTC).isoformat(timespec="seconds")
            rows = [("secret", secrets.token_hex(32)), ("created", created)]
            connection.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", rows)
        if version < len(migrations):
            connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a journal; 0 of an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def stranger_in(connection: sqlite3.Connection) -> str | None:
    """The name of something in the newest schema that is not as this program makes it; views are the user's affair."""
    found = _objects(connection)
    expected = _expected()
    wrong = [name for name, made in expected.items() if found.get(name) != made]
    triggers = [name for name, made in found.items() if made[0] == "trigger"]
    return next(iter((*triggers, *wrong)), None)


@cache
def _expected() -> dict[str, tuple[str, str | None]]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection)
        return _objects(connection)
    finally:
        connection.close()


def _objects(connection: sqlite3.Connection) -> dict[str, tuple[str, str | None]]:
    rows = connection.execute("SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    return {name: (kind, sql) for name, kind, sql in rows}
