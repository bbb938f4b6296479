"""Runs for decisions, made up without a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.builders import SEED

from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Combined, PanelReply, Vote, combine, combine_judges
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.queries import CaseFacts, RunStatus
from iamhumans.verdicts import Reason, Unjudged

Reply = Vote | Combined | Unjudged
FLAG = "lecturing"
TIMEOUT = Unjudged(Reason.TIMEOUT, "no answer")


def vote(
    axes: float | Sequence[float | None] = 9,
    *flags: str,
    unconfirmed: Sequence[str] = (),
    unseen: Sequence[str] = (),
) -> Vote:
    """A vote by the built-in rubric; one number is the score of all axes."""
    values = [axes] * len(SEED.axis_ids) if isinstance(axes, int | float) else axes
    answers = (frozenset(names) for names in (flags, unconfirmed, unseen))
    return Vote(tuple(values), frozenset(), *answers)


def plan(**changes: Any) -> dict[str, Any]:
    """The plan of a run judged by one judge."""
    return {
        "command": "run",
        "suite": {"name": "made-up", "cases": "1"},
        "subject": {"name": "s", "settings": {}},
        "rubric": {"name": SEED.name, "hash": SEED.hash},
        "prompt": "p",
        "persona": None,
        "judges": [{"name": "j", "settings": {}}],
        "repeats": 1,
        **changes,
    }


@dataclass(frozen=True)
class Made:
    """What a case of a run is to be: its replies, each a vote, several combined, or the reason why there is none."""

    replies: Sequence[Reply]
    facts: CaseFacts | None = None


def run_of(
    name: str,
    cases: Mapping[str, Reply | Made],
    *,
    asked: int | None = None,
    dimensions: Sequence[str] = (),
    status: RunStatus = RunStatus.FINISHED,
    by: Rubric = SEED,
    **changes: Any,
) -> RunOutcomes:
    """A run with these cases."""
    made = {case_id: one if isinstance(one, Made) else Made([one]) for case_id, one in cases.items()}
    replies = tuple(
        PanelReply(
            case_id,
            "s",
            number,
            reply if isinstance(reply, Unjudged | Combined) else combine([reply], by, asked=1),
            key=f"{name}-{case_id}-{number}",
        )
        for case_id, one in made.items()
        for number, reply in enumerate(one.replies, start=1)
    )
    facts = {
        case_id: one.facts or CaseFacts(case_id, f"Title of {case_id}", tuple(dimensions))
        for case_id, one in made.items()
    }
    return RunOutcomes(name, plan(**changes), by, replies, len(replies) if asked is None else asked, facts, status)


def many(count: int, one: Reply | Made | None = None, **some: Reply | Made) -> dict[str, Any]:
    """So many cases that are alike, but for some."""
    found: dict[str, Any] = {f"C{number}": one or vote() for number in range(count)}
    return {**found, **some}


def of_panel(case_id: str, votes: Mapping[str, Sequence[Vote | Unjudged]], *, number: int = 1) -> PanelReply:
    """A reply that several judges judged."""
    combined, judges = combine_judges(votes, SEED)
    return PanelReply(case_id, "s", number, combined, judges)
