"""A run beside what is known of its judge from people: does a calibration fit, and what do the figures become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.errors import CommandError
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.rows import rubric_of
from iamhumans.text import one_line
from iamhumans.trust.kept import what_is_known
from iamhumans.trust.people import Judged
from iamhumans.trust.standing import JudgeIdentity, Standing, identity_of_plan

if TYPE_CHECKING:
    from iamhumans.trust.calibration import Calibration
    from iamhumans.trust.corrections import Corrections

MOST_SUBJECTS = 8


@dataclass(frozen=True)
class Calibrated:
    """A run with the calibration that fits its judge, if one does."""

    run: RunOutcomes | None
    """``None`` where no calibration fits, so that nobody needed to read it."""
    standing: Standing
    calibration: Calibration | None = None

    def corrections(
        self, *, level: float = 0.95, one_sided: bool = False, apply_map: bool = False
    ) -> Corrections | None:
        """The corrected figures of the whole run; ``None`` where no calibration fits."""
        if self.calibration is None or self.run is None:
            return None
        from iamhumans.trust.corrections import corrections

        return corrections(
            judged_values(self.run),
            self.calibration,
            self.run.rubric,
            level=level,
            one_sided=one_sided,
            apply_map=apply_map,
        )

    def by_subject(self, *, apply_map: bool = False) -> Mapping[str, Corrections]:
        """The corrected figures of each subject; a mean over several subjects is a figure of none of them."""
        if self.run is None:
            return {}
        names = self.run.subjects[:MOST_SUBJECTS] or ("",)
        several = len(names) > 1
        found = {}
        for name in names:
            own = replace(self, run=_of_subject(self.run, name)) if several else self
            corrected = own.corrections(apply_map=apply_map)
            if corrected is not None:
                found[name] = corrected
        return found


def _of_subject(run: RunOutcomes, subject: str) -> RunOutcomes:
    return replace(run, replies=tuple(reply for reply in run.replies if reply.subject == subject))


def calibrated(journal: Journal, run: RunOutcomes, judge: str | None = None) -> Calibrated:
    """What the journal knows of a run's judge.

    Args:
        journal: Where calibrations are kept.
        run: The run.
        judge: One of its judges; all of them as a panel, if not given.
    """
    known = what_is_known(journal, identity_of(run, judge))
    return Calibrated(run if judge is None else by_judge(run, judge), known.standing, known.calibration)


def calibrated_run(journal: Journal, run: RunRecord) -> Calibrated:
    """The same of a run that was not read yet, which is read only if a calibration fits."""
    known = what_is_known(journal, identity_of_plan(run.plan, rubric_of(journal, run)))
    return Calibrated(outcomes_of(journal, run) if known.calibration else None, known.standing, known.calibration)


def identity_of(run: RunOutcomes, judge: str | None = None) -> JudgeIdentity:
    """The judge of a run, as calibrations are bound to it.

    Raises:
        CommandError: The run has no such judge.
    """
    names = [str(seat["name"]) for seat in run.plan.get("judges", ())]
    if judge is not None and judge not in names:
        known = ", ".join(one_line(name, 40) for name in names)
        raise CommandError(f"Run {run.name} has no judge {one_line(judge, 60)}.", fix=f"It has {known}.")
    return identity_of_plan(run.plan, run.rubric, judge if len(names) > 1 else None)


def by_judge(run: RunOutcomes, judge: str) -> RunOutcomes:
    """The same run as one of its judges has it."""
    if len(run.plan.get("judges", ())) < 2:
        return run
    replies = tuple(
        PanelReply(one.case_id, one.subject, one.number, one.judges.get(judge, one.combined), key=one.key)
        for one in run.replies
    )
    return replace(run, replies=replies)


def judged_values(run: RunOutcomes) -> list[Judged]:
    """What the judge said of each judged reply; of a reply that a run has twice, once."""
    found: dict[str, Judged] = {}
    for reply, combined in run.judged:
        found.setdefault(reply.key or f"{reply.case_id}/{reply.subject}/{reply.number}", _judged(reply, combined, run))
    return list(found.values())


def _judged(reply: PanelReply, combined: Combined, run: RunOutcomes) -> Judged:
    vote = combined.vote
    flags: dict[str, bool | None] = dict.fromkeys(run.rubric.hard_fail_ids, False)
    flags.update(dict.fromkeys(vote.contested, None))
    flags.update(dict.fromkeys(vote.flags, True))
    return Judged(
        reply_key=reply.key,
        case_id=reply.case_id,
        flags=flags,
        axes={
            name: float(value) for name, value in zip(run.rubric.axis_ids, vote.axes, strict=True) if value is not None
        },
        total=combined.total or 0,
        defaulted=vote.defaulted,
        subject=reply.subject,
    )
