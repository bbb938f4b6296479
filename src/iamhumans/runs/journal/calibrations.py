"""What the journal keeps of calibrations: the whole document, and beside it what it is bound to.

They belong to a judge and to no run: deleting the run whose replies were labelled leaves what was learned.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from iamhumans.runs.journal.entries import now, storable
from iamhumans.runs.keys import canonical_json

CALIBRATIONS_TABLE = """
CREATE TABLE calibrations (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  judge TEXT NOT NULL,
  settings TEXT NOT NULL,
  rubric_hash TEXT NOT NULL,
  prompt_hash TEXT,
  labels_hash TEXT NOT NULL,
  run_name TEXT NOT NULL,
  kept TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX calibrations_by_judge ON calibrations (judge);
"""
"""The migration that adds the table. ``settings`` and ``document`` are JSON."""

_KEEP = """
INSERT INTO calibrations (key, judge, settings, rubric_hash, prompt_hash, labels_hash, run_name, kept, document)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REMOVE = "DELETE FROM calibrations WHERE key = ?"
_BOUND = """
SELECT id, judge, settings, rubric_hash, prompt_hash FROM calibrations WHERE judge = ? ORDER BY id DESC
"""
_DOCUMENT = "SELECT document FROM calibrations WHERE id = ?"


@dataclass(frozen=True, slots=True)
class CalibrationEntry:
    """A calibration on its way into the journal; the newest one of the same judge and the same labels stays."""

    judge: str
    settings: Mapping[str, Any]
    rubric_hash: str
    prompt_hash: str | None
    labels_hash: str
    run_name: str
    document: str

    @property
    def key(self) -> str:
        """SHA-256 of what it is bound to and of the labels that it was learned from."""
        bound = [self.judge, dict(self.settings), self.rubric_hash, self.prompt_hash, self.labels_hash]
        return hashlib.sha256(canonical_json(bound).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class KeptCalibration:
    """What a calibration in the journal is bound to. ``settings`` is canonical JSON."""

    id: int
    judge: str
    settings: str
    rubric_hash: str
    prompt_hash: str | None


def keep_calibration_entry(connection: sqlite3.Connection, entry: CalibrationEntry) -> None:
    """Keep it as the newest, in place of an earlier one of the same judge and labels."""
    connection.execute(_REMOVE, (entry.key,))
    facts = (storable(entry.judge), canonical_json(dict(entry.settings)), entry.rubric_hash, entry.prompt_hash)
    rest = (entry.labels_hash, storable(entry.run_name), now(), storable(entry.document))
    connection.execute(_KEEP, (entry.key, *facts, *rest))


def calibrations_of_judge(connection: sqlite3.Connection, judge: str) -> Iterator[KeptCalibration]:
    """All of a judge, the newest first."""
    rows = connection.execute(_BOUND, (storable(judge),)).fetchall()
    return (KeptCalibration(*row) for row in rows)


def calibration_document_of(connection: sqlite3.Connection, number: int) -> str:
    """The document of one."""
    return str(connection.execute(_DOCUMENT, (number,)).fetchone()[0])
