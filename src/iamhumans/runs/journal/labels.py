"""The table of labels. A label belongs to a reply, so all runs with the reply share it.

A rater has one label for each reply: storing another one replaces it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from iamhumans.errors import CannotRunError
from iamhumans.runs.journal.entries import now, storable
from iamhumans.runs.journal.errors import UNREADABLE, DamagedRowError
from iamhumans.runs.labels import Label

_STORE = """
INSERT INTO labels (reply, rater, cluster, answers, notes, part, weight, labelled)
SELECT id, ?, nullif(?, case_id), ?, ?, ?, ?, ? FROM replies WHERE key = ?
ON CONFLICT (reply, rater) DO UPDATE SET cluster = excluded.cluster, answers = excluded.answers,
  notes = excluded.notes, part = excluded.part, weight = excluded.weight, labelled = excluded.labelled
"""
_REMOVE = "DELETE FROM labels WHERE rater = ? AND reply = (SELECT id FROM replies WHERE key = ?)"
_COLUMNS = """
replies.key, coalesce(labels.cluster, replies.case_id), replies.subject, replies.number, labels.rater, labels.answers,
labels.notes, labels.part, labels.weight
"""
_OF_RUN = f"""
SELECT {_COLUMNS}
FROM (SELECT reply, min(row) AS place FROM run_rows JOIN judgements ON judgements.id = judgement
      WHERE run = ? GROUP BY reply) AS shown
JOIN replies ON replies.id = shown.reply JOIN labels ON labels.reply = replies.id
ORDER BY place, rater
"""  # noqa: S608 - constants
_ONE = f"""
SELECT {_COLUMNS} FROM labels JOIN replies ON replies.id = labels.reply WHERE replies.key = ? AND rater = ?
"""  # noqa: S608 - constants


def store_label(connection: sqlite3.Connection, label: Label) -> None:
    """Store a label. It replaces an earlier one of the same rater. Raises CannotRunError."""
    answers = {
        "hard_fails": dict(label.flags),
        "axes": dict(label.axes),
        "words": {name: list(words) for name, words in label.words.items() if words},
    }
    said = json.dumps(answers, ensure_ascii=True, separators=(",", ":"))
    facts = (storable(label.rater), storable(label.case_id), said, storable(label.notes), label.part, label.weight)
    if connection.execute(_STORE, (*facts, now(), label.reply_key)).rowcount != 1:
        raise CannotRunError(
            "The labelled reply is not in the journal.", fix="If its run was deleted, judge the replies again."
        )


def delete_label(connection: sqlite3.Connection, reply_key: str, rater: str) -> None:
    """Delete a rater's label of a reply, if there is one."""
    connection.execute(_REMOVE, (storable(rater), reply_key))


def find_label(connection: sqlite3.Connection, reply_key: str, rater: str) -> Label | None:
    """A rater's label of a reply."""
    row = connection.execute(_ONE, (reply_key, storable(rater))).fetchone()
    return None if row is None else _label(row)


def labels_of_run(connection: sqlite3.Connection, run: int) -> Iterator[Label]:
    """All labels of the replies of the run with this id, in the order of the input, then by rater."""
    return map(_label, connection.execute(_OF_RUN, (run,)))


def _label(row: Sequence[Any]) -> Label:
    key, case_id, subject, number, rater, answers, notes, part, weight = row
    try:
        said = json.loads(answers)
        words = {name: tuple(words) for name, words in said["words"].items()}
        flags, axes = said["hard_fails"], said["axes"]
    except UNREADABLE:
        raise DamagedRowError("labels", f"of {rater} about {key} in") from None
    return Label(
        reply_key=key,
        case_id=case_id,
        subject=subject or None,
        number=number,
        rater=rater,
        flags=flags,
        axes=axes,
        words=words,
        notes=notes,
        part=part,
        weight=weight,
    )
