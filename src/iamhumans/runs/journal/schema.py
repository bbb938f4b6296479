"""The tables of a journal, and how a journal of an earlier version becomes one of this version.

``docs/journal.md`` describes the tables for readers.
"""

import contextlib
import json
import secrets
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from iamhumans.runs.journal.entries import compact_json
from iamhumans.runs.journal.errors import UNREADABLE

APPLICATION_ID = 0x49414D48  # `IAMH`, in the header of every journal
VERSION = 5
_OLDEST = 1

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE texts (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL,
  UNIQUE (kind, hash)
) STRICT;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, plan_hash TEXT NOT NULL, plan TEXT NOT NULL,
  salt TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'incomplete', 'finished')),
  asked INTEGER, created TEXT NOT NULL, ended TEXT, folder TEXT, imported INTEGER NOT NULL DEFAULT 0,
  holder TEXT
) STRICT;
CREATE INDEX runs_by_plan ON runs (plan_hash);
CREATE TABLE replies (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, base TEXT NOT NULL, case_id TEXT NOT NULL,
  case_text INTEGER REFERENCES texts (id), subject TEXT NOT NULL, skill_text INTEGER REFERENCES texts (id),
  number INTEGER NOT NULL, status TEXT NOT NULL CHECK (status IN ('replied', 'failed')), reason TEXT, detail TEXT,
  final INTEGER NOT NULL, ended TEXT NOT NULL, conversation TEXT, text TEXT, imported INTEGER NOT NULL DEFAULT 0,
  reasoning TEXT, beside TEXT,
  CHECK ((status = 'replied') = (text IS NOT NULL)), CHECK ((status = 'failed') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX replies_by_base ON replies (base) WHERE base <> key;
CREATE TABLE judgements (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, base TEXT NOT NULL,
  reply INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  second_reply INTEGER REFERENCES replies (id) ON DELETE CASCADE, case_text INTEGER REFERENCES texts (id),
  judge TEXT NOT NULL, repeat INTEGER NOT NULL, rubric_text INTEGER REFERENCES texts (id),
  prompt_text INTEGER REFERENCES texts (id), persona_text INTEGER REFERENCES texts (id),
  status TEXT NOT NULL CHECK (status IN ('judged', 'unjudged')), reason TEXT, detail TEXT, total INTEGER,
  total_confirmed INTEGER, axis_total INTEGER, applicable_total INTEGER,
  outcome TEXT CHECK (outcome IN ('PASS', 'FAIL')), zeroed INTEGER, verdict TEXT, said TEXT, notes TEXT,
  final INTEGER NOT NULL, ended TEXT NOT NULL, imported INTEGER NOT NULL DEFAULT 0,
  CHECK ((status = 'judged') = (verdict IS NOT NULL)), CHECK ((status = 'unjudged') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX judgements_by_base ON judgements (base) WHERE base <> key;
CREATE INDEX judgements_by_reply ON judgements (reply);
CREATE INDEX judgements_by_second_reply ON judgements (second_reply) WHERE second_reply IS NOT NULL;
CREATE TABLE run_rows (
  run INTEGER NOT NULL REFERENCES runs (id), row INTEGER NOT NULL,
  judgement INTEGER NOT NULL REFERENCES judgements (id), subject TEXT NOT NULL, judge TEXT NOT NULL, cluster TEXT,
  row_id TEXT, lang TEXT,
  PRIMARY KEY (run, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_rows_by_judgement ON run_rows (judgement);
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY, job TEXT NOT NULL, run INTEGER, step INTEGER NOT NULL, number INTEGER NOT NULL,
  request TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, started TEXT NOT NULL,
  milliseconds INTEGER NOT NULL, prompt_tokens INTEGER, cached_tokens INTEGER, completion_tokens INTEGER,
  cost REAL, error TEXT, error_text TEXT, finish_reason TEXT, answer TEXT, reasoning_tokens INTEGER, reasoning TEXT,
  beside TEXT, note TEXT, asked_model TEXT, written_tokens INTEGER, at_least INTEGER NOT NULL DEFAULT 0,
  imported INTEGER NOT NULL DEFAULT 0,
  CHECK ((answer IS NULL) = (error IS NOT NULL))
) STRICT;
CREATE INDEX attempts_by_job ON attempts (job);
CREATE INDEX attempts_by_run ON attempts (
  run, error, provider, asked_model, model, prompt_tokens, cached_tokens, written_tokens, completion_tokens, cost,
  at_least
);
CREATE TABLE habits (server TEXT PRIMARY KEY, habits TEXT NOT NULL, learned TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE workers (
  id INTEGER PRIMARY KEY, host TEXT NOT NULL, process INTEGER NOT NULL, born TEXT NOT NULL, seen REAL NOT NULL
) STRICT;
CREATE TABLE claims (key TEXT PRIMARY KEY, worker INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE labels (
  id INTEGER PRIMARY KEY, reply INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE, rater TEXT NOT NULL,
  cluster TEXT, answers TEXT NOT NULL, notes TEXT NOT NULL, part TEXT CHECK (part IN ('random', 'targeted')),
  weight REAL CHECK (weight > 0), labelled TEXT NOT NULL,
  UNIQUE (reply, rater)
) STRICT;
CREATE TABLE calibrations (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, judge TEXT NOT NULL, settings TEXT NOT NULL,
  rubric_hash TEXT NOT NULL, prompt_hash TEXT, labels_hash TEXT NOT NULL, run_name TEXT NOT NULL,
  kept TEXT NOT NULL, document TEXT NOT NULL
) STRICT;
CREATE INDEX calibrations_by_judge ON calibrations (judge);
CREATE TABLE disclosures (
  id INTEGER PRIMARY KEY, run TEXT NOT NULL, output TEXT NOT NULL, reason TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE TABLE looks (
  id INTEGER PRIMARY KEY, matter TEXT NOT NULL, question TEXT NOT NULL, document TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('fixed', 'sequential')), declared INTEGER NOT NULL, run_name TEXT NOT NULL,
  suite_hash TEXT NOT NULL, data TEXT NOT NULL, cases INTEGER NOT NULL, seen TEXT NOT NULL, evidence TEXT NOT NULL,
  decision TEXT NOT NULL, at TEXT NOT NULL, imported INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX looks_by_question ON looks (question);
CREATE INDEX looks_by_matter ON looks (matter);
"""

# Texts of side-by-side answers and bindings of claims are not carried over: their keys have changed.
_CONVERSION = """
INSERT OR REPLACE INTO meta SELECT name, value FROM old.meta;
INSERT INTO texts SELECT id, kind, hash, text FROM old.texts;
INSERT INTO runs SELECT id, name, plan_hash, plan, salt, status, asked, created, ended, NULL, 0, NULL FROM old.runs;
INSERT INTO replies SELECT id, key, key, case_id, case_text, subject, skill_text, number, status, reason, detail, final,
  ended, conversation, text, 0, NULL, NULL FROM old.replies;
INSERT INTO judgements SELECT j.id, j.key, j.key, j.reply, NULL, r.case_text, j.judge, j.repeat, j.rubric_text,
  j.prompt_text, j.persona_text, j.status, j.reason, j.detail, j.total, j.total_confirmed, j.axis_total,
  j.applicable_total, j.outcome, j.zeroed, new_verdict(j.verdict), new_said(j.verdict),
  iif(json_valid(j.verdict), j.verdict ->> '$.notes', NULL), j.final, j.ended, 0
  FROM old.judgements j JOIN old.replies r ON r.id = j.reply;
INSERT INTO run_rows SELECT run, row, judgement, r.subject, j.judge, NULL, NULL, NULL
  FROM old.run_rows x JOIN old.judgements j ON j.id = x.judgement JOIN old.replies r ON r.id = j.reply;
INSERT INTO attempts SELECT id, job, run, step, number, request, provider, model, started, milliseconds, prompt_tokens,
  cached_tokens, completion_tokens, cost, error, error_text, finish_reason, answer, NULL, NULL, NULL, NULL, NULL, NULL,
  error IS NULL AND cost IS NULL, 0 FROM old.attempts;
"""
_LATER = {"labels": 3, "calibrations": 4}  # tables that are copied as they are, and the version that added them


def create(connection: sqlite3.Connection, before_commit: Callable[[str], None] | None = None) -> None:
    """Make the tables in an empty file, unless another process just did.

    ``before_commit`` gets the journal's new id.
    """
    connection.execute("BEGIN EXCLUSIVE")
    try:
        if version_of(connection) == 0:
            for statement in SCHEMA.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            created = datetime.now(UTC).isoformat(timespec="seconds")
            journal_id = secrets.token_hex(16)
            facts = [("secret", secrets.token_hex(32)), ("id", journal_id), ("created", created)]
            connection.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", facts)
            if before_commit is not None:
                before_commit(journal_id)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def convert(path: Path) -> Path:
    """Convert a journal of an earlier version. Returns the path of the old file, which is kept beside the new one.

    Raises OSError.
    """
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("PRAGMA locking_mode = EXCLUSIVE")
        version = version_of(old)
        # Everything goes into the one file, so that it can be renamed.
        old.execute("PRAGMA journal_mode = DELETE")
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as connection:
            new.chmod(0o600)
            create(connection)
            connection.create_function("new_verdict", 1, _new_verdict)
            connection.create_function("new_said", 1, _new_said)
            connection.execute("ATTACH ? AS old", (str(path),))
            connection.execute("BEGIN")
            later = [f"INSERT INTO {name} SELECT * FROM old.{name}" for name in _LATER if version >= _LATER[name]]  # noqa: S608
            for statement in (*_CONVERSION.split(";\n"), *later):
                connection.execute(statement)
            connection.execute("COMMIT")
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    backup = path.with_name(f"{path.name}.version-{version}")
    path.replace(backup)
    new.replace(path)
    return backup


def is_convertible(version: int) -> bool:
    """Whether :func:`convert` reads this version."""
    return _OLDEST <= version < VERSION


def _new_verdict(text: str | None) -> str | None:
    return _changed(
        text,
        lambda old: {
            "axes": {**old["axes"], **old.get("defaults", {})},
            "hard_fails": old["hard_fails"],
            **({"defaulted": list(old["defaults"])} if old.get("defaults") else {}),
        },
    )


def _new_said(text: str | None) -> str | None:
    names = ("case_id", "stated_total", "stated_verdict", "repairs", "differences")
    return _changed(text, lambda old: {name: old[name] for name in names if name in old})


def _changed(text: str | None, change: Callable[[Any], Any]) -> str | None:
    """A broken text stays as it is: reading its row says that it is damaged."""
    try:
        return None if text is None else compact_json(change(json.loads(text)))
    except UNREADABLE:
        return text


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a journal; 0 of an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def unexpected_object(connection: sqlite3.Connection) -> str | None:
    """The name of a trigger, or of a table or index that is not as this version makes it. Views are allowed."""
    found, expected = _objects(connection), _expected()
    triggers = (name for name, (kind, _) in found.items() if kind == "trigger")
    changed = (name for name, made in expected.items() if found.get(name) != made)
    return next(iter((*triggers, *changed)), None)


@cache
def _expected() -> dict[str, tuple[str, str]]:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create(connection)
        return _objects(connection)


def _objects(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    rows = connection.execute("SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    # Line breaks make no difference.
    return {name: (kind, " ".join((sql or "").split())) for name, kind, sql in rows}
