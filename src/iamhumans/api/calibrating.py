"""People's labels: drawing replies, importing labels, and comparing the judge with people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.api.checks import HOW_TO_GET_A_RUN, check_is
from iamhumans.api.results import Result
from iamhumans.api.run import Run
from iamhumans.decisions.outcomes import outcomes_of
from iamhumans.errors import CannotRunError
from iamhumans.reports.blocks import Blocks
from iamhumans.reports.calibration import calibrated_blocks, calibrated_document, calibration_blocks
from iamhumans.runs.journal.exchange import write_new
from iamhumans.runs.labels import Label
from iamhumans.trust import run_calibration
from iamhumans.trust.calibration_files import calibration_document, calibration_text, read_calibration
from iamhumans.trust.judge_identity import calibration_status
from iamhumans.trust.label_files import LabelProblem


@dataclass(frozen=True)
class Calibration(Result):
    """How far the judge of a run agrees with people, with the run's figures corrected by people's labels.

    Attributes:
        found: The figures.
        problems: Rows of a label file that could not be used.
        warnings: What the user should know about how it was made.
        apply_map: Whether axis means are also shown with the judge's scores mapped to people's.
    """

    found: run_calibration.RunCalibration
    problems: tuple[LabelProblem, ...] = ()
    warnings: tuple[str, ...] = ()
    apply_map: bool = False

    @property
    def summary(self) -> str:
        """Whether the judge is calibrated, and by how many labels."""
        return self.found.sentence

    def blocks(self) -> Blocks:
        """Headings, paragraphs and tables."""
        own = [] if self.found.calibration is None else calibration_blocks(self.found.calibration)
        return [*own, *calibrated_blocks(self.found, apply_map=self.apply_map)]

    def to_dict(self) -> dict[str, Any]:
        """The figures for programs."""
        own, run = self.found.calibration, self.found.run
        return {
            "run": None if run is None else run.name,
            "calibration": None if own is None else calibration_document(own),
            **calibrated_document(self.found, apply_map=self.apply_map),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each hard fail and axis, with its figures of agreement."""
        document = self.to_dict()["calibration"]
        return [] if document is None else list(document["criteria"])

    def save(self, path: str | Path) -> None:
        """Write the calibration to a new file, which ``calibrate(run, calibration=path)`` reads.

        Raises:
            CommandError: The file exists, or cannot be written.
        """
        if self.found.calibration is None:
            raise CannotRunError(self.summary)
        write_new(Path(path), [calibration_text(self.found.calibration)])

    def __repr__(self) -> str:
        return f"<Calibration: {self.summary}>"


def calibrate(
    run: Run,
    labels: Iterable[Label] | str | Path | None = None,
    *,
    judge: str | None = None,
    map: str | Path | None = None,  # noqa: A002 - the word that users know
    rater: str | None = None,
    calibration: str | Path | None = None,
    apply_map: bool = False,
    stored: bool = False,
) -> Calibration:
    """Compare the judge of a run with people's labels of the same replies, and store the result in the journal.

    Args:
        run: The run whose replies were labelled.
        labels: Labels, or a label file; those in the journal if not given.
        judge: One of several judges; all of them as a panel if not given.
        map: A map file that says how to read another format.
        rater: Who labelled, if the label file does not say.
        calibration: Instead of comparing, the file of a calibration that was made elsewhere.
        apply_map: Also show axis means with the judge's scores mapped to people's.
        stored: Instead of comparing, only read what is stored about this judge.

    Raises:
        CommandError: The run has no such judge.
        InputError: A file cannot be used.
        CannotRunError: No label matches a reply of the run.

    Example:
        >>> ih.calibrate(run, labels).summary
        'The judge is calibrated against people on empty_validation, by labels of 4 replies to 4 cases.'
    """
    check_is("run", run, Run, HOW_TO_GET_A_RUN)
    core = run.journal.core
    outcomes = outcomes_of(core, run.record, subject=run.subject)
    problems: tuple[LabelProblem, ...] = ()
    warnings: list[str] = []
    if calibration is not None:
        imported = read_calibration(Path(calibration))
        run_calibration.store_calibration(core, imported)
        status = calibration_status(imported.identity.compare(run_calibration.identity_of(outcomes, judge)))
        if not status.fits:
            warnings.append(f"The calibration is stored. {status.sentence}")
    elif not stored:
        found, problems = _labels(run, labels, map, rater)
        made = run_calibration.calibrate_run(outcomes, found, run.name, judge)
        earlier = run_calibration.store_calibration(core, made)
        if earlier is not None and earlier.labels.replies > made.labels.replies:
            warnings.append(
                f"This replaces a calibration by labels of {earlier.labels.replies} replies of run {earlier.run}."
                f" `iamhumans calibrate {earlier.run}` restores it."
            )
    return Calibration(run_calibration.calibration_of(core, outcomes, judge), problems, tuple(warnings), apply_map)


def _labels(
    run: Run, labels: Iterable[Label] | str | Path | None, map_file: str | Path | None, rater: str | None
) -> tuple[list[Label], tuple[LabelProblem, ...]]:
    if labels is None:
        return [row.label for row in run.labels().rows()], ()
    if isinstance(labels, str | Path):
        found, problems = run.labels().read(Path(labels), map_file=Path(map_file) if map_file else None, rater=rater)
        return found, tuple(problems)
    given = list(labels)
    for label in given:
        check_is("labels", label, Label, "Pass labels made with `iamhumans.Label`, or the path of a label file.")
    return given, ()
