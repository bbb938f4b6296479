"""The table of calibrations: each as a document, beside the judge, settings, rubric and prompt that it is bound to.

A calibration belongs to a judge. It stays when the run whose replies were labelled is deleted.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from iamhumans.runs.journal.entries import now, storable
from iamhumans.runs.keys import canonical_json

_STORE = """
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
    """A calibration to store. It replaces an earlier one of the same judge and the same labels."""

    judge: str
    settings: Mapping[str, Any]
    rubric_hash: str
    prompt_hash: str | None
    labels_hash: str
    run_name: str
    document: str

    @property
    def key(self) -> str:
        """SHA-256 of what it is bound to, labels included."""
        bound = [self.judge, dict(self.settings), self.rubric_hash, self.prompt_hash, self.labels_hash]
        return hashlib.sha256(canonical_json(bound).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """What a stored calibration is bound to. ``settings`` is canonical JSON."""

    id: int
    judge: str
    settings: str
    rubric_hash: str
    prompt_hash: str | None


def store_calibration_entry(connection: sqlite3.Connection, entry: CalibrationEntry) -> None:
    """Store it as the newest."""
    connection.execute(_REMOVE, (entry.key,))
    facts = (storable(entry.judge), canonical_json(dict(entry.settings)), entry.rubric_hash, entry.prompt_hash)
    rest = (entry.labels_hash, storable(entry.run_name), now(), storable(entry.document))
    connection.execute(_STORE, (entry.key, *facts, *rest))


def calibrations_of_judge(connection: sqlite3.Connection, judge: str) -> Iterator[CalibrationRow]:
    """The calibrations of a judge, the newest first."""
    rows = connection.execute(_BOUND, (storable(judge),)).fetchall()
    return (CalibrationRow(*row) for row in rows)


def calibration_document_of(connection: sqlite3.Connection, number: int) -> str:
    """The document of a calibration, by its id."""
    return str(connection.execute(_DOCUMENT, (number,)).fetchone()[0])
