"""The table of labels. A label belongs to a reply, so all runs with the reply share it."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from iamhumans.errors import CannotRunError
from iamhumans.runs.journal.entries import now, storable
from iamhumans.runs.journal.errors import UNREADABLE, DamagedRowError
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.labels import Label

_STORE = """
INSERT INTO labels (reply, rater, cluster, answers, notes, part, weight, labelled)
SELECT id, ?, nullif(?, case_id), ?, ?, ?, ?, ? FROM replies WHERE key = ?
ON CONFLICT (reply, rater) DO UPDATE SET cluster = excluded.cluster, answers = excluded.answers,
  notes = excluded.notes, part = excluded.part, weight = excluded.weight, labelled = excluded.labelled
"""
_DELETE = "DELETE FROM labels WHERE rater = ? AND reply = (SELECT id FROM replies WHERE key = ?)"
_OF_RUN = """
SELECT replies.key, coalesce(labels.cluster, replies.case_id), replies.subject, replies.number, labels.rater,
       labels.answers, labels.notes, labels.part, labels.weight
FROM (SELECT reply, min(row) AS place FROM run_rows JOIN judgements ON judgements.id = judgement
      WHERE run = ? GROUP BY reply) AS shown
JOIN replies ON replies.id = shown.reply JOIN labels ON labels.reply = replies.id
ORDER BY place, rater
"""


def labels_of(journal: Journal, run: RunRecord) -> list[Label]:
    """All labels of the replies of a run, by all raters, in the order of the input, then by rater."""
    with journal.reading() as connection:
        return [_label(row) for row in connection.execute(_OF_RUN, (run.id,))]


def store_labels(journal: Journal, labels: Iterable[Label]) -> None:
    """Store labels, all or none. Each replaces the earlier one of its rater and reply; an empty one only deletes it.

    Raises CannotRunError where a labelled reply is not in the journal.
    """
    with journal.transaction() as connection:
        for label in labels:
            rater = storable(label.rater)
            if label.empty:
                connection.execute(_DELETE, (rater, label.reply_key))
                continue
            words = {name: list(map(storable, words)) for name, words in label.words.items() if words}
            answers = {"hard_fails": dict(label.flags), "axes": dict(label.axes), "words": words}
            text = json.dumps(answers, ensure_ascii=True, separators=(",", ":"))
            facts = (rater, storable(label.case_id), text, storable(label.notes), label.part, label.weight)
            if connection.execute(_STORE, (*facts, now(), label.reply_key)).rowcount != 1:
                fix = "If its run was deleted, judge the replies again."
                raise CannotRunError("The labelled reply is not in the journal.", fix=fix)


def _label(row: Sequence[Any]) -> Label:
    key, case_id, subject, number, rater, answers, notes, part, weight = row
    try:
        said = json.loads(answers)
        words = {name: tuple(words) for name, words in said["words"].items()}
        flags, axes = said["hard_fails"], said["axes"]
    except UNREADABLE:
        raise DamagedRowError("labels", f"of {rater} about {key} in") from None
    return Label(key, case_id, subject or None, number, rater, flags, axes, words, notes, part, weight)
