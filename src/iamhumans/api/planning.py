"""Planning a comparison before anything is paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from iamhumans.api.checks import HOW_TO_GET_A_RUN, check_is, check_number
from iamhumans.api.options import Judges
from iamhumans.api.results import Result
from iamhumans.api.run import Run
from iamhumans.api.running import SkillLike, estimate_run
from iamhumans.cases import Reply, Suite, load_suite
from iamhumans.decisions.planning import (
    ASSUMED,
    Figure,
    JudgedVote,
    Planned,
    Price,
    UnitPrice,
    Variation,
    plan_designs,
    variation_of,
)
from iamhumans.errors import CannotRunError, CommandError
from iamhumans.prompts import Answer
from iamhumans.reports.blocks import Blocks
from iamhumans.reports.planning import plan_blocks, plan_document, plan_sentences
from iamhumans.runs.opening import SubjectLike
from iamhumans.runs.plan import TYPICAL_REPLY, Estimate
from iamhumans.subjects import Answered, SubjectTask
from iamhumans.text import one_line

_LEAST_CASES = 5
"""With fewer a run does not show how its replies vary."""


@dataclass(frozen=True)
class Plan(Result):
    """How many cases, replies and repeats see a difference, and what they cost. ``found`` holds the figures."""

    found: Planned

    @property
    def cases(self) -> int | None:
        """The fewest cases with 80 % power, with the replies and repeats that were asked for; ``None`` if too many."""
        return self.found.asked.cases

    @property
    def summary(self) -> str:
        """What the figures say, in a few sentences."""
        return " ".join(plan_sentences(self.found))

    def blocks(self) -> Blocks:
        """Headings, paragraphs and tables, with the power by the number of cases as a chart."""
        return plan_blocks(self.found)

    def to_dict(self) -> dict[str, Any]:
        """The figures for programs."""
        return plan_document(self.found)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each design that was weighed."""
        return list(self.to_dict()["designs"])

    def __repr__(self) -> str:
        return f"<Plan for {self.found.suite}: {self.summary}>"


def plan(
    suite: Suite | str | Path,
    *,
    detect: float,
    of: Figure = "zero-rate",
    replies: int = 1,
    repeats: int = 1,
    like: Run | None = None,
    subject: SubjectLike | None = None,
    skill: SkillLike = None,
    judge: Judges | None = None,
    **options: Any,
) -> Plan:
    """Plan a comparison of two runs: what sees a difference with 80 % power, and what it costs.

    Nothing is sent, and no key is needed.

    Args:
        suite: A suite, its folder, or a bundled suite's name. Held-out cases do not count.
        detect: The difference that must be seen, in points: of the zero rate in percentage points, or of quality.
        of: ``zero-rate``, or ``quality`` (the mean ``applicable_total``).
        replies: Replies to each case.
        repeats: Judgements of each reply.
        like: A run that shows how replies vary between cases, replies and repeats; a bundled table if not given.
        subject: Whose replies are priced, as for :func:`run`; without it they have no price.
        skill: Its skill.
        judge: Whose judgements are priced, as for :func:`run`; without it they have no price.
        **options: ``config``, ``env_file``, ``rubric``, ``persona`` and ``template``, as for :func:`run`.

    Raises:
        CommandError: The difference is no such number, the suite has no case, or the run lacks the figure.
        CannotRunError: The run has too few judged cases.
        InputError: A file cannot be used.

    Example:
        >>> ih.plan("core", detect=30, replies=3).cases
        25
    """
    check_number("detect", detect, 0, 100)
    check_number("replies", replies, 1, whole=True)
    check_number("repeats", repeats, 1, whole=True)
    if of not in get_args(Figure):
        raise CommandError(
            f"There is no figure `{one_line(str(of), 60)}` to plan for.", fix="Use zero-rate or quality."
        )
    if detect <= 0:
        raise CommandError("No design sees a difference of 0.", fix="Name the smallest difference that matters to you.")
    if skill is not None and subject is None:
        raise CommandError("A skill needs a subject.", fix="Name the subject, or leave the skill out.")
    variation = ASSUMED if like is None else _variation(like)
    if of == "quality" and variation.quality is None:
        raise CommandError(
            f"Run {variation.run} has no quality: its judge does not see every axis.",
            fix="Name a run by a judge that does, such as a model, or plan for the zero rate.",
        )
    rate = variation.zeroed.rate
    most = 100 * max(rate, 1 - rate)
    if of == "zero-rate" and detect >= most:
        raise CommandError(
            f"A zero rate of {100 * rate:.3g} % cannot change by {detect:g} points.",
            fix=f"Name a difference below {most:.3g}.",
        )
    whole = load_suite(suite) if isinstance(suite, str | Path) else suite
    usual = whole.without_holdout()
    if not usual.cases:
        raise CommandError(
            f"There is no case to plan for in {whole.name}.", fix=f"Add one: `iamhumans cases new ID {whole.path}`."
        )
    cases = len(usual.cases)
    unit = UnitPrice(
        cases,
        _price_of_replies(whole, cases, subject, skill, options),
        _price_of_judgements(whole, cases, judge, options),
    )
    priced = subject is not None, judge is not None
    return Plan(plan_designs(whole.name, cases, of, detect, replies, repeats, variation, unit, priced))


def _variation(like: Run) -> Variation:
    check_is("like", like, Run, HOW_TO_GET_A_RUN)
    judged = [
        one for one in like.journal.core.judgements(like.record) if one.judged and like.subject in (None, one.subject)
    ]
    subjects = list(dict.fromkeys(one.subject for one in judged))
    if len(subjects) > 1:
        raise CommandError(
            f"Run {like.name} has the replies of several subjects.",
            fix=f"Name one of them: {like.name}:{one_line(subjects[0], 40)}.",
        )
    votes = [
        JudgedVote(one.case_id or f"row {one.row}", one.number, one.repeat, bool(one.present), one.applicable_total)
        for one in judged
    ]
    if len({one.case_id for one in votes}) < _LEAST_CASES:
        raise CannotRunError(
            f"Run {like.name} has fewer than {_LEAST_CASES} judged cases, which do not show how replies vary.",
            fix="Name a larger run, or none: then the bundled table is used.",
        )
    return variation_of(like.name, votes)


def _price_of_replies(
    suite: Suite, cases: int, subject: SubjectLike | None, skill: SkillLike, options: dict[str, Any]
) -> Price:
    if subject is None:
        return Price(cases, 0, 0, 0, None, at_least=True)
    work = {name: value for name, value in options.items() if name in ("config", "env_file")}
    return _price(cases, estimate_run(suite, subject=subject, skill=skill, judge=None, **work))


def _price_of_judgements(suite: Suite, cases: int, judge: Judges | None, options: dict[str, Any]) -> Price:
    if judge is None:
        return Price(cases, 0, 0, 0, None, at_least=True)
    return _price(cases, estimate_run(suite, subject=_Typical(), judge=judge, **options))


def _price(cases: int, found: Estimate) -> Price:
    # Without calls nothing is paid, even where no price is known.
    cost = found.cost if found.calls else 0.0
    return Price(cases, found.calls, found.prompt_tokens, found.completion_tokens, cost)


class _Typical:
    """A subject that asks no model: its replies have the usual length, so that judgements of them can be priced."""

    name, skill, version = "typical", None, ""

    def next(self, task: SubjectTask, history: Sequence[Answer]) -> Answered:
        """The reply."""
        del history
        return Answered(Reply(task.case.id, TYPICAL_REPLY, self.name, task.number), task.case)
