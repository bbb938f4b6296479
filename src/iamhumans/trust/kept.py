"""Calibrations in the journal: keeping one, and finding the one that says most about a run's judge."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from sqlite3 import Connection
from typing import TYPE_CHECKING

from iamhumans.errors import CannotRunError, InputError
from iamhumans.runs import Journal
from iamhumans.runs.journal.calibrations import (
    CalibrationEntry,
    calibration_document_of,
    calibrations_of_judge,
    keep_calibration_entry,
)
from iamhumans.runs.journal.database import connect
from iamhumans.runs.journal.errors import explaining
from iamhumans.trust.standing import JudgeIdentity, Standing, nearest, standing

if TYPE_CHECKING:
    from iamhumans.trust.calibration import Calibration

_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a run's judge. ``calibration`` is there only if it fits."""

    standing: Standing
    calibration: Calibration | None = None


def keep_calibration(journal: Journal, calibration: Calibration) -> None:
    """Keep a calibration as the newest of its judge."""
    from iamhumans.trust.calibration_files import calibration_text

    bound = calibration.identity
    entry = CalibrationEntry(
        judge=bound.judge,
        settings=bound.settings,
        rubric_hash=bound.rubric,
        prompt_hash=bound.prompt,
        labels_hash=calibration.labels.hash,
        run_name=calibration.run,
        document=calibration_text(calibration),
    )
    with journal.transaction() as connection:
        keep_calibration_entry(connection, entry)


def what_is_known(journal: Journal, identity: JudgeIdentity) -> Known:
    """The newest calibration that fits a judge, or why there is none that does.

    Nothing heavy is loaded where the journal holds none.

    Raises:
        CannotRunError: One that fits is kept, and cannot be read.
    """
    with _reading(journal) as connection:
        kept = list(calibrations_of_judge(connection, identity.judge))
        bound = [JudgeIdentity(one.judge, json.loads(one.settings), one.rubric_hash, one.prompt_hash) for one in kept]
        place = nearest(bound, identity)
        if place is None:
            return Known(standing(None, identity))
        found = standing(bound[place], identity)
        if not found.fits:
            return Known(found)
        document = calibration_document_of(connection, kept[place].id)
    from iamhumans.trust.calibration_files import parse_calibration

    try:
        calibration = parse_calibration(document)
    except InputError as error:
        raise CannotRunError(
            f"The calibration that the journal keeps of {identity.judge} cannot be read: {error.problem}",
            fix="Give `iamhumans calibrate` again.",
        ) from None
    labels = calibration.labels
    about = [one.name for one in calibration.criteria if one.kind in ("hard_fail", "axis") and one.compared]
    stands = standing(bound[place], identity, replies=labels.replies, cases=labels.cases, about=about)
    return Known(stands, calibration)


@contextlib.contextmanager
def _reading(journal: Journal) -> Iterator[Connection]:
    # A connection of its own, so that nobody waits who writes.
    with explaining(journal.path), contextlib.closing(connect(journal.path, patience=_PATIENCE)) as connection:
        yield connection
