"""A run beside what is known about its judge: whether a calibration fits, and the figures that people would give."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iamhumans.decisions.gate import CorrectedFigures
from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of
from iamhumans.decisions.panel import PanelReply
from iamhumans.errors import CannotRunError, CommandError, InputError
from iamhumans.runs.journal import calibrations
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.labels import Label
from iamhumans.text import one_line
from iamhumans.trust.judge_identity import NEAREST_FIRST, CalibrationStatus, JudgeIdentity, State, calibration_status
from iamhumans.trust.people import Judged, people_of

if TYPE_CHECKING:
    from iamhumans.trust.calibration import Calibration
    from iamhumans.trust.corrections import Corrections

MOST_SUBJECTS = 8


@dataclass(frozen=True)
class RunCalibration:
    """A run with the calibration that fits its judge. Without one, ``run`` may be ``None``: it was not read."""

    run: RunOutcomes | None
    status: CalibrationStatus
    calibration: Calibration | None = None

    @property
    def sentence(self) -> str:
        """Whether the judge is calibrated."""
        return self.status.sentence

    def figures(self, *, level: float, one_sided: bool) -> CorrectedFigures | None:
        """The figures for a gate, with intervals at this level; ``None`` where no calibration fits."""
        found = self.corrections(level=level, one_sided=one_sided)
        if found is None:
            return None
        return CorrectedFigures(found.mean_total.powered, found.zero_rate.best, found.own_labels)

    def corrections(
        self, *, level: float = 0.95, one_sided: bool = False, apply_map: bool = False
    ) -> Corrections | None:
        """The corrected figures of the whole run; ``None`` where no calibration fits."""
        if self.calibration is None or self.run is None:
            return None
        from iamhumans.trust.corrections import corrections

        elsewhere = self.calibration.run != self.run.name.partition(":")[0]
        return corrections(
            judged_values(self.run),
            self.calibration,
            self.run.rubric,
            level=level,
            one_sided=one_sided,
            apply_map=apply_map,
            drawn_elsewhere=elsewhere,
        )

    def by_subject(self, *, apply_map: bool = False) -> Mapping[str, Corrections]:
        """The corrected figures of each subject, of the first eight subjects."""
        if self.run is None:
            return {}
        found = {}
        for name in self.run.subjects[:MOST_SUBJECTS] or ("",):
            own = self
            if len(self.run.subjects) > 1:
                replies = tuple(reply for reply in self.run.replies if reply.subject == name)
                own = replace(self, run=replace(self.run, replies=replies))
            if (corrected := own.corrections(apply_map=apply_map)) is not None:
                found[name] = corrected
        return found


def calibration_of(journal: Journal, run: RunOutcomes, judge: str | None = None) -> RunCalibration:
    """A run beside the calibration of its judge: of one of several, or of all as a panel."""
    status, calibration = find_calibration(journal, identity_of(run, judge))
    return RunCalibration(by_judge(run, judge), status, calibration)


def calibration_of_run(journal: Journal, run: RunRecord) -> RunCalibration:
    """The same of a run in the journal, which is read only where a calibration fits."""
    status, calibration = find_calibration(journal, JudgeIdentity.of_plan(run.plan, journal.rubric(run)))
    return RunCalibration(outcomes_of(journal, run) if calibration else None, status, calibration)


def find_calibration(journal: Journal, identity: JudgeIdentity) -> tuple[CalibrationStatus, Calibration | None]:
    """The newest stored calibration that fits a judge, or why there is none. numpy is loaded only if there is one."""
    rows = calibrations.calibrations_of(journal, identity.judge)
    bound = [JudgeIdentity(one.judge, one.settings, one.rubric_hash, one.prompt_hash) for one in rows]
    states = [one.compare(identity) for one in bound]
    state: State = next((one for one in NEAREST_FIRST if one in states), "not_calibrated")
    if state != "calibrated":
        return calibration_status(state), None
    from iamhumans.trust.calibration_files import parse_calibration

    try:
        calibration = parse_calibration(rows[states.index(state)].document)
    except InputError as error:
        problem = f"The stored calibration of {identity.judge} cannot be read: {error.what}"
        raise CannotRunError(problem, fix="Run `iamhumans calibrate` again.") from None
    labels = calibration.labels
    return calibration_status(state, replies=labels.replies, cases=labels.cases, about=calibration.about), calibration


def store_calibration(journal: Journal, calibration: Calibration) -> Calibration | None:
    """Store a calibration as the newest of its judge, and return the one that it replaces, if there is one."""
    from iamhumans.trust.calibration_files import calibration_text

    bound, replaced = calibration.identity, None
    # A stored calibration that cannot be read must not prevent its replacement.
    with contextlib.suppress(CannotRunError):
        _, replaced = find_calibration(journal, bound)
    labels, document = calibration.labels.hash, calibration_text(calibration)
    about = bound.judge, bound.settings, bound.rubric, bound.prompt
    stored = calibrations.StoredCalibration(*about, labels, calibration.run, document)
    calibrations.store_calibration(journal, stored)
    return replaced


def calibrate_run(run: RunOutcomes, labels: Iterable[Label], name: str, judge: str | None = None) -> Calibration:
    """Compare the judge of a run, or one of several, with people's labels that have the keys of their replies."""
    from iamhumans.trust.calibration import calibrate

    return calibrate(people_of(labels), judged_values(by_judge(run, judge)), run.rubric, identity_of(run, judge), name)


def identity_of(run: RunOutcomes, judge: str | None = None) -> JudgeIdentity:
    """The judge of a run: one of several by name, or all as a panel. Raises CommandError for an unknown name."""
    names = [str(seat["name"]) for seat in run.plan.get("judges", ())]
    if judge is not None and judge not in names:
        known = ", ".join(one_line(name, 40) for name in names)
        raise CommandError(f"Run {run.name} has no judge {one_line(judge, 60)}.", fix=f"It has {known}.")
    return JudgeIdentity.of_plan(run.plan, run.rubric, judge if len(names) > 1 else None)


def by_judge(run: RunOutcomes, judge: str | None) -> RunOutcomes:
    """The run with the outcomes of one of its judges; unchanged without a name."""
    if judge is None or len(run.plan.get("judges", ())) < 2:
        return run
    replies = tuple(
        PanelReply(one.case_id, one.subject, one.number, one.judges.get(judge, one.combined), key=one.key)
        for one in run.replies
    )
    return replace(run, replies=replies)


def judged_values(run: RunOutcomes) -> list[Judged]:
    """What the judge said about each judged reply; once for a reply that the run has twice."""
    found: dict[str, Judged] = {}
    for reply, combined in run.judged:
        # Where some replies have no total, the others are those that are zeroed.
        total = None if run.unseen else combined.total
        vote, scores = combined.vote, zip(run.rubric.axis_ids, combined.vote.axes, strict=True)
        flags = dict.fromkeys(run.rubric.hard_fail_ids, False) | dict.fromkeys(vote.flags, True)
        axes = {name: float(score) for name, score in scores if score is not None}
        said = flags, combined.zeroed, axes, total, vote.defaulted
        judged = Judged(reply.key, reply.case_id, *said, reply.subject, vote.unseen)
        found.setdefault(reply.key or f"{reply.case_id}/{reply.subject}/{reply.number}", judged)
    return list(found.values())
