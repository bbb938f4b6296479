"""Several subjects on the same cases, each against the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iamhumans.decisions.asked import by_case
from iamhumans.decisions.asked import quality as total_at_stake
from iamhumans.decisions.compare import Change, family
from iamhumans.decisions.outcomes import RunOutcomes

if TYPE_CHECKING:
    from iamhumans.stats import Difference


@dataclass(frozen=True, slots=True)
class SubjectChanges:
    """Every other subject minus the ``first``, by name, over the cases that both answered.

    The zero rate and quality are a family each: their p-values are corrected for the number of subjects. A figure is
    empty where the judge does not see what it needs.
    """

    first: str
    zero_rate: Mapping[str, Change]
    quality: Mapping[str, Change]


def subject_changes(run: RunOutcomes) -> SubjectChanges | None:
    """The differences between the subjects of a run; ``None`` where it has one subject."""
    from iamhumans.stats import mean_difference, pair, rate_difference

    names = run.subjects
    if len(names) < 2:
        return None
    by_subject = {
        name: replace(run, replies=tuple([one for one in run.replies if one.subject == name])) for name in names
    }
    first = by_subject[names[0]]
    zero_rate: dict[str, Difference] = {}
    quality: dict[str, Difference] = {}
    for name in names[1:]:
        other = by_subject[name]
        if not set(run.unseen).intersection(run.rubric.hard_fail_ids):
            zero_rate[name] = rate_difference(pair(*(one.share(lambda reply: reply.zeroed) for one in (first, other))))
        if not run.unseen:
            quality[name] = mean_difference(pair(*(by_case(one, total_at_stake) for one in (first, other))))
    return SubjectChanges(names[0], family(zero_rate), family(quality))
