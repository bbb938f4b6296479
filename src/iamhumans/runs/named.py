"""Which run is meant by what the user typed."""

from __future__ import annotations

from iamhumans.errors import CommandError
from iamhumans.runs.journal import Journal, Run
from iamhumans.text import one_line


def find_run(journal: Journal, text: str) -> tuple[Run, str | None]:
    """The run that is meant, and the subject: ``RUN``, ``RUN:SUBJECT``, or ``last`` in the place of a run's name.

    Raises:
        CommandError: There is none, or several.
    """
    name, colon, subject = text.partition(":")
    if colon and not subject:
        raise CommandError(f"`{one_line(text, 80)}` names no subject.", fix="Write RUN, or RUN:SUBJECT.")
    return journal.run(name), subject or None
