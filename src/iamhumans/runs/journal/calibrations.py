"""The table of calibrations: documents, and what each is bound to. They stay when the labelled run is deleted."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iamhumans.runs.journal.entries import now, storable
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.keys import canonical_json

_DELETE = "DELETE FROM calibrations WHERE key = ?"
_STORE = """
INSERT INTO calibrations (key, judge, settings, rubric_hash, prompt_hash, labels_hash, run_name, kept, document)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_OF_JUDGE = """
SELECT judge, settings, rubric_hash, prompt_hash, labels_hash, run_name, document FROM calibrations WHERE judge = ?
ORDER BY id DESC
"""


@dataclass(frozen=True, slots=True)
class StoredCalibration:
    """A calibration as a document, and the judge, settings, rubric, prompt and labels that it is bound to."""

    judge: str
    settings: Mapping[str, Any]
    rubric_hash: str
    prompt_hash: str | None
    labels_hash: str
    run_name: str
    document: str


def store_calibration(journal: Journal, one: StoredCalibration) -> None:
    """Store it as the newest. It replaces an earlier one of the same judge and the same labels."""
    settings, text = dict(one.settings), canonical_json(dict(one.settings))
    bound = [one.judge, settings, one.rubric_hash, one.prompt_hash, one.labels_hash]
    key = hashlib.sha256(canonical_json(bound).encode()).hexdigest()
    facts = (storable(one.judge), text, one.rubric_hash, one.prompt_hash, one.labels_hash, storable(one.run_name))
    with journal.transaction() as connection:
        connection.execute(_DELETE, (key,))
        connection.execute(_STORE, (key, *facts, now(), storable(one.document)))


def calibrations_of(journal: Journal, judge: str) -> list[StoredCalibration]:
    """The calibrations of a judge, the newest first."""
    with journal.reading() as connection:
        rows = connection.execute(_OF_JUDGE, (storable(judge),)).fetchall()
    return [StoredCalibration(name, json.loads(settings), *rest) for name, settings, *rest in rows]
