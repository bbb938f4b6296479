"""People's labels of the replies of a run, in the journal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from iamhumans.runs import Journal, Run
from iamhumans.runs.journal.database import connect
from iamhumans.runs.journal.errors import explaining
from iamhumans.runs.journal.labels import find_label, keep_label, labels_of_run, remove_label
from iamhumans.runs.labels import Label, Part

__all__ = [
    "Label",
    "Part",
    "change_label",
    "contradict",
    "forget_label",
    "keep_labels",
    "labels_of",
    "merged",
    "take_in_labels",
]

_PATIENCE = 30.0


def labels_of(journal: Journal, run: Run) -> Iterator[Label]:
    """All labels of the replies of a run, of all raters, in the order of the input."""
    # A connection of its own, so that nobody waits who writes.
    with explaining(journal.path), contextlib.closing(connect(journal.path, patience=_PATIENCE)) as connection:
        yield from labels_of_run(connection, run.id)


def keep_labels(journal: Journal, labels: Iterable[Label]) -> None:
    """Keep labels, all or none; each in place of an earlier one of the same rater for the same reply.

    Raises:
        CannotRunError: The journal does not hold the reply of one of them.
    """
    with journal.transaction() as connection:
        for label in labels:
            keep_label(connection, label)


def forget_label(journal: Journal, reply_key: str, rater: str) -> None:
    """Take a rater's label of a reply back, if there is one."""
    with journal.transaction() as connection:
        remove_label(connection, reply_key, rater)


def change_label(journal: Journal, reply_key: str, rater: str, change: Callable[[Label | None], Label | None]) -> None:
    """Change a rater's label of a reply as it stands now, whoever kept it.

    Args:
        journal: Where it is.
        reply_key: The reply.
        rater: Whose label.
        change: From the label that is there to the one that is to be, where ``None`` is none.

    Raises:
        CannotRunError: The journal does not hold the reply.
    """
    with journal.transaction() as connection:
        label = change(find_label(connection, reply_key, rater))
        if label is None:
            remove_label(connection, reply_key, rater)
        else:
            keep_label(connection, label)


def take_in_labels(journal: Journal, run: Run, labels: Iterable[Label]) -> int:
    """Keep labels that came from elsewhere beside what the same raters said before, all or none.

    Args:
        journal: Where to.
        run: The run that has their replies.
        labels: Labels with the keys of their replies.

    Returns:
        How many there were.
    """
    before = {(label.reply_key, label.rater): label for label in labels_of(journal, run)}
    taken = [merged(before.get((label.reply_key, label.rater)), label) for label in labels]
    keep_labels(journal, taken)
    return len(taken)


def contradict(label: Label, before: Label) -> bool:
    """Whether two labels give different answers to one question."""
    return any(before.flags[name] != said for name, said in label.flags.items() if name in before.flags) or any(
        before.axes[name] != said for name, said in label.axes.items() if name in before.axes
    )


def merged(before: Label | None, label: Label) -> Label:
    """A label with what its rater said of the same reply before and does not take back."""
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


def bundled_labels_path() -> Path:
    """Labels of the bundled sample replies by two made-up people, for trying out: constructed, so no evidence."""
    return Path(__file__).with_name("data") / "demo-labels.jsonl"
