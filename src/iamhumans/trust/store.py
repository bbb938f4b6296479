"""What this package reads from the journal and writes to it: replies of a run, labels, calibrations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from iamhumans.cases import Turn
from iamhumans.runs.journal import calibrations, labels
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.keys import content_hash
from iamhumans.runs.labels import Label


@dataclass(frozen=True, slots=True)
class RunReply:
    """A reply of a run, without anything that a judge said about it.

    ``conversation`` holds the turns before it, and ``repair`` says whether something must be put right in the case.
    """

    key: str
    case_id: str
    subject: str | None
    number: int
    text: str
    conversation: tuple[Turn, ...] = ()
    repair: bool = False
    held_out: bool = False

    @property
    def single_turn(self) -> bool:
        """Whether there is no earlier turn that the reply could remember."""
        return len(self.conversation) == 1

    @property
    def hash(self) -> str:
        """SHA-256 of the text."""
        return content_hash(self.text)


def replies_of(journal: Journal, run: RunRecord) -> list[RunReply]:
    """All replies of a run in the order of the input, held-out ones included; failed replies are left out."""
    return [
        RunReply(
            key=reply.key,
            case_id=reply.case.id,
            subject=reply.subject or None,
            number=reply.number,
            text=reply.text,
            conversation=reply.conversation,
            repair=reply.case.repair,
            held_out=reply.case.holdout,
        )
        for reply in journal.replies(run)
    ]


def labels_of(journal: Journal, run: RunRecord) -> list[Label]:
    """All labels of the replies of a run, by all raters, in the order of the input."""
    with journal.reading() as connection:
        return list(labels.labels_of_run(connection, run.id))


def store_labels(journal: Journal, several: Iterable[Label]) -> None:
    """Store labels, all or none. Each replaces an earlier label of the same rater for the same reply.

    Raises:
        CannotRunError: A labelled reply is not in the journal.
    """
    with journal.transaction() as connection:
        for label in several:
            labels.store_label(connection, label)


def change_label(journal: Journal, reply_key: str, rater: str, change: Callable[[Label | None], Label | None]) -> None:
    """Replace a rater's label of a reply by what ``change`` makes of it; ``None`` is no label, before and after.

    Raises:
        CannotRunError: The reply is not in the journal.
    """
    with journal.transaction() as connection:
        label = change(labels.find_label(connection, reply_key, rater))
        if label is None:
            labels.delete_label(connection, reply_key, rater)
        else:
            labels.store_label(connection, label)


def import_labels(journal: Journal, run: RunRecord, several: Sequence[Label]) -> None:
    """Store labels, all or none, and add to what the same raters said about the same replies before."""
    before = {(label.reply_key, label.rater): label for label in labels_of(journal, run)}
    store_labels(journal, [merge_labels(before.get((label.reply_key, label.rater)), label) for label in several])


def merge_labels(before: Label | None, label: Label) -> Label:
    """A label together with the earlier answers of its rater that it does not change."""
    if before is None:
        return label
    flags = {**before.flags, **label.flags}
    words = {**before.words, **label.words}
    return replace(
        label,
        flags=flags,
        axes={**before.axes, **label.axes},
        words={name: quoted for name, quoted in words.items() if flags.get(name, True)},
        notes=label.notes or before.notes,
        part=label.part or before.part,
        weight=label.weight if label.part else before.weight,
    )


def store_calibration_document(journal: Journal, entry: calibrations.CalibrationEntry) -> None:
    """Store a calibration's document as the newest of its judge."""
    with journal.transaction() as connection:
        calibrations.store_calibration_entry(connection, entry)


def calibration_rows(journal: Journal, judge: str) -> list[calibrations.CalibrationRow]:
    """What each stored calibration of a judge is bound to, the newest first."""
    with journal.reading() as connection:
        return list(calibrations.calibrations_of_judge(connection, judge))


def calibration_text(journal: Journal, number: int) -> str:
    """The document of a stored calibration, by its id."""
    with journal.reading() as connection:
        return calibrations.calibration_document_of(connection, number)
