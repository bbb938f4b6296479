"""A sequential gate that judges further cases until it is decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from iamhumans.api.checks import HOW_TO_GET_A_RUN, check_is, check_number, check_thresholds
from iamhumans.api.continuing import Continuation
from iamhumans.api.deciding import GateResult
from iamhumans.api.looking import Asked
from iamhumans.api.loop import synchronous
from iamhumans.api.options import Judges, Work, WorkOptions, model_warnings, work_on_run
from iamhumans.api.run import Run
from iamhumans.decisions import gate as gating
from iamhumans.decisions.pooling import seeded_order, suite_hash_of
from iamhumans.decisions.sequential import blocked, refuse_unfit
from iamhumans.errors import CommandError
from iamhumans.runs.engine import Progress
from iamhumans.runs.opening import SubjectLike

if TYPE_CHECKING:
    from iamhumans.cases import Suite

_BATCH = 10
"""Cases between two looks: enough to keep a provider busy, few enough that little is paid after the decision."""


async def agate_until_decided(
    run: Run,
    *,
    min_mean: float | None = None,
    max_zero_rate: float | None = None,
    max_flagged_rate: float | None = None,
    min_pass_rate: float | None = None,
    max_hard_fails: int | None = None,
    max_failed_checks: int | None = None,
    min_dimensions: Mapping[str, float] | None = None,
    min_judged: float = 1.0,
    max_cases: int | None = None,
    suite: Suite | str | Path | None = None,
    subject: SubjectLike | None = None,
    judge: Judges | None = None,
    accept_imported: bool = False,
    holdout_reason: str | None = None,
    **work: Unpack[WorkOptions],
) -> GateResult:
    """Gate a run sequentially, and judge further cases of its suite until the gate is decided.

    The run's subject, skill and judges are used, and the same journal. Cases come in batches, in a random order that
    follows from the suite's hash. It ends when the gate passes or fails, when no case is left, at ``max_cases``, or
    when the budget is spent. Call it again to go on.

    Args:
        run: The run, which :func:`run` made.
        min_mean: The minimum mean total, 0 to 100.
        max_zero_rate: The maximum share of zeroed cases, 0 to 1.
        max_flagged_rate: The same by the criteria that the judge sees.
        min_pass_rate: The minimum share of cases that pass, 0 to 1.
        max_hard_fails: The maximum number of replies with a hard fail.
        max_failed_checks: The maximum number of failed checks that need no judge.
        min_dimensions: The minimum mean total of a dimension, by its name; ``each`` is all of them.
        min_judged: The minimum share of replies that must be judged, 0 to 1.
        max_cases: Stop at so many cases, those that are judged already included.
        suite: The suite or its folder, if it is not where it was.
        subject: The subject, if it is a function or an object and has no name that can be opened.
        judge: The judges, likewise.
        accept_imported: Decide although results were imported or adopted.
        holdout_reason: Why texts of held-out cases are shown in JUnit, which is logged.
        **work: See :class:`WorkOptions`; a budget is for the whole call.

    Raises:
        CommandError: Nothing is demanded, the run cannot be continued, or the question was gated in another way.
        CannotRunError: A key is not set, or nothing can be written.

    Example:
        >>> friend = ih.CallableModel(lambda messages: "Oh no. How long has it been?", name="friend", version="1")
        >>> first = ih.run("core", subject=friend, judge="rules", limit=10)
        >>> ih.gate_until_decided(first, max_flagged_rate=0.5, min_judged=0.6, subject=friend).decision
        'pass'
    """
    check_is("run", run, Run, HOW_TO_GET_A_RUN)
    shares = {"max_zero_rate": max_zero_rate, "max_flagged_rate": max_flagged_rate, "min_pass_rate": min_pass_rate}
    counts = {"max_hard_fails": max_hard_fails, "max_failed_checks": max_failed_checks}
    points = {"min_mean": min_mean, **(min_dimensions or {})}
    check_thresholds({**shares, "min_judged": min_judged}, points, counts)
    check_number("max_cases", max_cases, 1, whole=True)
    options = Work.of(work)
    if options.fresh:
        raise CommandError("A gate that goes on has nothing to make anew.", fix="Make a fresh run, and gate that.")
    thresholds = gating.Thresholds(
        min_mean=min_mean,
        max_zero_rate=max_zero_rate,
        max_flagged_rate=max_flagged_rate,
        min_pass_rate=min_pass_rate,
        max_hard_fails=max_hard_fails,
        max_failed_checks=max_failed_checks,
        min_judged=min_judged,
        min_dimensions=dict(min_dimensions or {}),
    )
    refuse_unfit(thresholds, baseline=False, consecutive=1)
    run.disclose("gate", holdout_reason)
    asked = Asked.of(run, thresholds, True)
    given = {"suite": suite, "subject": subject, "judge": judge}
    found, warnings = await _until_decided(asked, options, given, max_cases, accept_imported=accept_imported)
    return GateResult(found, holdout_reason, warnings)


gate_until_decided = synchronous(agate_until_decided)


async def _until_decided(
    asked: Asked, work: Work, given: Mapping[str, Any], max_cases: int | None, *, accept_imported: bool
) -> tuple[gating.GateResult, tuple[str, ...]]:
    run, core = asked.run, asked.core
    result = asked.sequential_look(accept_imported=accept_imported)
    if _is_decided(result) or (_cases(result) and blocked(result)):
        return result, ()
    opened = Continuation.of(run, work, **given)
    suite_hash = suite_hash_of((case.id, case.hash) for case in opened.cases)
    seen = {reply.case_id for reply in result.run.replies} if _cases(result) else set()
    waiting = [one for one in seeded_order((case.id for case in opened.cases), suite_hash) if one not in seen]
    if not waiting:
        return _exhausted(result, f"all {len(opened.cases)} cases of the suite are judged already"), ()
    most = len(waiting) if max_cases is None else max(0, max_cases - _cases(result))
    if not most:
        return _stopped(result, _at_most(max_cases)), ()
    work.budget.require_prices(model.identity for model in opened.models)
    begun = core.begin_run(opened.plan, asked=opened.asked, salt=run.record.salt, folder=opened.suite.path)
    core.store_texts([*opened.drawing.texts(), *opened.judging.texts()])
    planned, entering, used, total = waiting[:most], list[str](), Used(), opened.asked
    warnings: dict[str, None] = {}
    known = opened.known_cases()
    while planned:
        batch, planned = planned[:_BATCH], planned[_BATCH:]
        jobs, known = opened.jobs(begun.id, begun.salt, [*known, *batch]), []
        begun, worked = await work_on_run(
            *(core, begun, jobs, opened.models, used.left_of(work)), asked=lambda: total, drain=False
        )
        warnings |= dict.fromkeys(model_warnings(opened.models))
        used = used.and_also(worked.progress)
        if worked.stopped is not None:
            return _stopped(result, worked.stopped), tuple(warnings)
        entering += batch
        result = asked.sequential_look(accept_imported=accept_imported, entering=entering)
        if _is_decided(result) or blocked(result):
            return result, tuple(warnings)
        if planned:
            # The connections of the models were closed.
            opened = Continuation.of(run, work, **given)
    if len(waiting) > most:
        return _stopped(result, _at_most(max_cases)), tuple(warnings)
    return _exhausted(result, f"all {len(opened.cases)} cases of the suite are judged"), tuple(warnings)


@dataclass(frozen=True)
class Used:
    """What the batches so far have used."""

    ended: int = 0
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    def and_also(self, one: Progress) -> Used:
        """With another batch."""
        cost = self.cost + (one.cost or 0.0)
        return Used(self.ended + one.ended, self.tokens + one.tokens, cost, self.seconds + one.seconds)

    def left_of(self, work: Work) -> Work:
        """The options of the next batch, with what is left of the budget."""
        return replace(
            work,
            max_cost=None if work.max_cost is None else max(0.0, work.max_cost - self.cost),
            max_tokens=None if work.max_tokens is None else max(0, work.max_tokens - self.tokens),
            max_minutes=None if work.max_minutes is None else max(0.0, work.max_minutes - self.seconds / 60),
            progress=None if work.progress is None else self._reporting(work.progress),
        )

    def _reporting(self, progress: Callable[[Progress], None]) -> Callable[[Progress], None]:
        def report(one: Progress) -> None:
            cost = one.cost if one.cost is None else one.cost + self.cost
            seconds, ended, tokens = one.seconds + self.seconds, one.ended + self.ended, one.tokens + self.tokens
            progress(replace(one, seconds=seconds, ended=ended, tokens=tokens, cost=cost))

        return report


def _cases(result: gating.GateResult) -> int:
    return 0 if result.looked is None else result.looked.cases


def _is_decided(result: gating.GateResult) -> bool:
    return result.decision in (gating.Decision.PASS, gating.Decision.FAIL)


def _at_most(max_cases: int | None) -> str:
    return f"the limit of {max_cases} cases is reached"


def _stopped(result: gating.GateResult, why: str, *, exhausted: bool = False) -> gating.GateResult:
    looked = result.looked and replace(result.looked, stopped=why, exhausted=exhausted)
    return replace(result, looked=looked)


def _exhausted(result: gating.GateResult, why: str) -> gating.GateResult:
    return _stopped(result, why, exhausted=True)
