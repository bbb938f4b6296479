"""Decisions about runs: did it get better, which reply is better, may it ship."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from iamhumans.api.checks import HOW_TO_GET_A_RUN, check_is, check_number, check_thresholds
from iamhumans.api.looking import Asked
from iamhumans.api.loop import synchronous
from iamhumans.api.options import Work, WorkOptions, model_warnings, work_off
from iamhumans.api.results import Result
from iamhumans.api.run import Run
from iamhumans.decisions import compare as comparing
from iamhumans.decisions import gate as gating
from iamhumans.decisions import side_by_side as choosing
from iamhumans.decisions.checks import checks_of
from iamhumans.decisions.consecutive import independent_runs
from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of
from iamhumans.decisions.sequential import refuse_unfit
from iamhumans.errors import CannotRunError, CommandError
from iamhumans.prompts import side_by_side_hash, side_by_side_text
from iamhumans.reports.blocks import Blocks
from iamhumans.reports.comparison import comparison_blocks, comparison_document, comparison_sentences
from iamhumans.reports.gate import gate_blocks, gate_document, gate_reasons, gate_warnings
from iamhumans.reports.junit import gate_junit
from iamhumans.reports.side_by_side import side_by_side_blocks, side_by_side_sentences
from iamhumans.runs.jobs import Ended
from iamhumans.runs.journal.entries import Text
from iamhumans.runs.keys import content_hash
from iamhumans.runs.opening import JudgeLike, open_choosing
from iamhumans.runs.plan import Estimate, estimate
from iamhumans.trust.run_calibration import calibration_of
from iamhumans.verdicts import Unjudged


@dataclass(frozen=True)
class Comparison(Result):
    """Two runs, paired by case. ``found`` holds the figures; every difference is B minus A."""

    found: comparing.Comparison

    @property
    def summary(self) -> str:
        """What the figures say, in a few sentences."""
        return " ".join(comparison_sentences(self.found))

    def blocks(self) -> Blocks:
        """Headings, paragraphs and tables."""
        return comparison_blocks(self.found)

    def to_dict(self) -> dict[str, Any]:
        """The figures for programs."""
        return comparison_document(self.found)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each case of both runs: its mean total in A and in B, or else the share of replies flagged."""
        what, rows = ("total", self.found.totals) if self.found.totals else ("flagged", self.found.flagged)
        return [{"case_id": case_id, f"{what}_a": a, f"{what}_b": b, "difference": b - a} for case_id, a, b in rows]

    def __repr__(self) -> str:
        return f"<Comparison of {self.found.b.name} with {self.found.a.name}: {self.summary}>"


@dataclass(frozen=True)
class SideBySide(Result):
    """Which replies a judge prefers, blind and in both orders. ``found`` holds the choices."""

    found: choosing.SideBySide
    warnings: tuple[str, ...] = ()
    stopped: str | None = None

    @property
    def summary(self) -> str:
        """What the choices say, in a few sentences."""
        return " ".join(side_by_side_sentences(self.found))

    def blocks(self) -> Blocks:
        """Headings, paragraphs and tables."""
        return side_by_side_blocks(self.found)

    def to_dict(self) -> dict[str, Any]:
        """The choices for programs."""
        return self.found.to_dict()

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each pair of replies."""
        return [one.to_dict() for one in self.found.chosen]

    def __repr__(self) -> str:
        return f"<SideBySide by {self.found.judge}: {self.summary}>"


@dataclass(frozen=True)
class GateResult(Result):
    """A decision with its reasons. ``found`` holds the criteria, ``of_models`` warnings of models that were asked."""

    found: gating.GateResult
    holdout_reason: str | None = None
    of_models: tuple[str, ...] = ()

    @property
    def decision(self) -> str:
        """``pass``, ``fail``, ``inconclusive``, or ``broken`` if nothing is judged."""
        return self.found.decision.value

    @property
    def exit_code(self) -> int:
        """How the command ends: 0, 1, 3 or 4."""
        return int(self.found.decision.exit_code)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences that decided, worst first."""
        return tuple(gate_reasons(self.found))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes a pass unlikely, however good the run is: a margin that is too small for the suite."""
        return (*self.of_models, *gate_warnings(self.found))

    @property
    def summary(self) -> str:
        """The decision and its reasons."""
        return f"{self.decision}: {' '.join(self.reasons)}"

    def blocks(self) -> Blocks:
        """Headings, paragraphs and tables."""
        return gate_blocks(self.found)

    def to_dict(self) -> dict[str, Any]:
        """The decision for programs."""
        return gate_document(self.found)

    def to_junit(self) -> str:
        """The criteria as JUnit XML, for CI systems."""
        return gate_junit(self.found, holdout_reason=self.holdout_reason)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each criterion."""
        return list(self.to_dict()["criteria"])

    def __repr__(self) -> str:
        return f"<GateResult {self.summary}>"


def compare(
    a: Run, b: Run, *, across: bool = False, margin: float | None = None, holdout_reason: str | None = None
) -> Comparison:
    """Compare run B with run A, case by case: what changed, and what of that may be chance.

    Args:
        a: The run from before.
        b: The run to compare with it. If a run holds several subjects, pick one: ``journal.run("NAME:SUBJECT")``.
        across: Compare although the runs were judged differently.
        margin: Say which is shown with this margin, in points of quality: superiority, non-inferiority, equivalence.
        holdout_reason: Why texts of held-out cases are shown, which is logged; they are left out, if not given.

    Raises:
        CommandError: The runs are the same, were judged differently, or share no case; or ``margin`` needs criteria
            that a judge does not see.
        CannotRunError: No case that they share is judged in both.

    Example:
        >>> ih.compare(run_a, run_b).to_rows()[0]
        {'case_id': 'A-1', 'flagged_a': 0.0, 'flagged_b': 1.0, 'difference': 1.0}
    """
    check_number("margin", margin, 0, 100)
    for name, one in (("a", a), ("b", b)):
        check_is(name, one, Run, HOW_TO_GET_A_RUN)
        one.disclose("compare", holdout_reason)
    before, after = _outcomes(a), _outcomes(b)
    return Comparison(comparing.compare(before, after, across=across, margin=margin, holdout_reason=holdout_reason))


async def acompare_replies(
    a: Run,
    b: Run,
    *,
    judge: JudgeLike,
    across: bool = False,
    holdout_reason: str | None = None,
    **work: Unpack[WorkOptions],
) -> SideBySide:
    """Have a judge choose between the replies of two runs, case by case, blind and in both orders.

    Args:
        a: One run.
        b: The other run, in the same journal.
        judge: The name of a model, a function from messages to text, or ``rules``.
        across: Compare although the runs were judged differently.
        holdout_reason: Why held-out cases are shown to the judge, which is logged; they are left out, if not given.
        **work: See :class:`WorkOptions`; ``fresh`` asks again.

    Raises:
        CommandError: The runs share no case, or are in two journals.
        CannotRunError: There is no pair of replies to show.

    Example:
        >>> [row["case_id"] for row in ih.compare_replies(run_a, run_b, judge="rules").to_rows()]
        ['A-1', 'A-2', 'A-3', 'A-4']
    """
    questions, models, left_out, name = _questions(a, b, judge, across, holdout_reason, Work.of(work))

    core = a.journal.core
    ended: list[Ended[Any]] = []
    jobs = [job for question in questions for job in question.jobs]
    worked = await work_off(core, None, jobs, models, Work.of(work), on_ended=ended.append)
    failures = {one.job.entry.key: one.outcome for one in ended if isinstance(one.outcome, Unjudged)}
    found = choosing.side_by_side(core, questions, name, failures, left_out)
    return SideBySide(found, tuple(model_warnings(models)), worked.stopped)


compare_replies = synchronous(acompare_replies)


def estimate_comparison(
    a: Run, b: Run, *, judge: JudgeLike, across: bool = False, **work: Unpack[WorkOptions]
) -> Estimate:
    """What :func:`compare_replies` would take with the same arguments. Nothing is sent.

    Example:
        >>> ih.estimate_comparison(run_a, run_b, judge=lambda messages: "...").calls
        8
    """
    questions, *_ = _questions(a, b, judge, across, None, Work.of(work, only_estimated=True))
    return estimate((job for question in questions for job in question.jobs), a.journal.core)


def gate(
    run: Run,
    *,
    min_mean: float | None = None,
    max_zero_rate: float | None = None,
    max_flagged_rate: float | None = None,
    min_pass_rate: float | None = None,
    max_hard_fails: int | None = None,
    max_failed_checks: int | None = None,
    min_dimensions: Mapping[str, float] | None = None,
    baseline: Run | None = None,
    margin: float | None = None,
    zero_margin: float = 0.05,
    corrected: bool = False,
    min_judged: float = 1.0,
    consecutive: int = 1,
    accept_imported: bool = False,
    sequential: bool | None = None,
    holdout_reason: str | None = None,
) -> GateResult:
    """Decide whether a run may ship, and say why.

    Each threshold is decided by a one-sided 95 % bound over cases. Such a gate is made for one look; a ``sequential``
    one may be looked at as often as one likes. The journal remembers every look.

    Args:
        run: The run.
        min_mean: The minimum mean total, 0 to 100.
        max_zero_rate: The maximum share of zeroed cases, 0 to 1.
        max_flagged_rate: The same by the criteria that the judge sees; the only figure of a judge that sees few.
        min_pass_rate: The minimum share of cases that pass, 0 to 1.
        max_hard_fails: The maximum number of replies with a hard fail.
        max_failed_checks: The maximum number of failed checks that need no judge, over all replies.
        min_dimensions: The minimum mean total of a dimension, by its name; ``each`` is all of them.
        baseline: A run that this one must be no worse than.
        margin: Maximum tolerated drop in quality against the baseline, in points. By default 3, or the smallest whole
            number that the cases can show.
        zero_margin: Maximum tolerated rise of the share of zeroed cases against the baseline, 0 to 1.
        corrected: Apply ``min_mean`` and ``max_zero_rate`` to what people would say, by a calibration of this judge.
        min_judged: The minimum share of replies that must be judged, 0 to 1.
        consecutive: How many independent runs of the same must pass.
        accept_imported: Decide although results were imported or adopted.
        sequential: Decide by bets over all cases that the journal has for this question. ``False`` announces a fixed
            gate, after which the same question cannot become sequential.
        holdout_reason: Why texts of held-out cases are shown in JUnit, which is logged.

    Raises:
        CommandError: No threshold is given, a dimension does not exist, the baseline does not fit, a threshold needs
            criteria that the judge does not see, or the question was gated in another way.
        CannotRunError: Nothing of the baseline is judged.

    Example:
        >>> ih.gate(run_b, max_flagged_rate=0.1).decision
        'fail'
    """
    check_is("run", run, Run, HOW_TO_GET_A_RUN)
    shares = {"max_zero_rate": max_zero_rate, "max_flagged_rate": max_flagged_rate, "min_pass_rate": min_pass_rate}
    counts = {"max_hard_fails": max_hard_fails, "max_failed_checks": max_failed_checks}
    points = {"min_mean": min_mean, "margin": margin, **(min_dimensions or {})}
    check_thresholds({**shares, "min_judged": min_judged, "zero_margin": zero_margin}, points, counts)
    check_number("consecutive", consecutive, 1, whole=True)
    run.disclose("gate", holdout_reason)
    dimensions = dict(min_dimensions or {})
    thresholds = gating.Thresholds(
        *(min_mean, max_zero_rate, min_pass_rate, max_hard_fails, min_judged, dimensions, margin, zero_margin),
        *(corrected, max_flagged_rate, max_failed_checks),
    )
    if sequential:
        refuse_unfit(thresholds, baseline=baseline is not None, consecutive=consecutive)
    asked = Asked.of(run, thresholds, sequential, baseline=baseline)
    if sequential:
        return GateResult(asked.sequential_look(accept_imported=accept_imported), holdout_reason)
    core = run.journal.core
    before, without = (None, None) if baseline is None else (_outcomes(baseline), baseline.record)
    counted = independent_runs(core, run.record, consecutive, without=without)
    results = []
    for record in counted.runs:
        outcomes = _outcomes(Run(run.journal, record, subject=run.subject))
        known, runs = calibration_of(core, outcomes), len(counted.runs)
        checks = checks_of(core, record, subject=run.subject) if max_failed_checks is not None else None
        given: Any = {"corrections": known, "accept_imported": accept_imported, "checks": checks}
        results.append(gating.gate(outcomes, thresholds, before, runs=runs, **given))
    decided = gating.in_a_row(results, consecutive, sharing=counted.sharing) if consecutive > 1 else results[0]
    return GateResult(asked.fixed_look(decided), holdout_reason)


def _outcomes(run: Run) -> RunOutcomes:
    return outcomes_of(run.journal.core, run.record, subject=run.subject)


def _questions(
    a: Run, b: Run, judge: JudgeLike, across: bool, holdout_reason: str | None, work: Work
) -> tuple[list[choosing.Question], list[Any], Mapping[str, int], str]:
    for name, one in (("a", a), ("b", b)):
        check_is(name, one, Run, HOW_TO_GET_A_RUN)
    core = a.journal.core
    if b.journal.core is not core:
        problem = "The two runs are in different journals."
        raise CommandError(problem, fix="Use one journal for both runs.")
    for one in (a, b):
        one.disclose("compare", holdout_reason)
    first, second = _outcomes(a), _outcomes(b)
    comparing.match(first, second, across=across)
    chooser, model = open_choosing(judge, first.rubric, work.open_config)
    models = [] if model is None else [model]
    work.budget.require_prices(one.identity for one in models)
    persona = choosing.persona_of(core, first, second)
    pairs, left_out = choosing.pairs_of(core, first, second, holdout_reason=holdout_reason)
    if not pairs:
        fix = "Held-out cases, cases that changed, and cases that a subject answers live are left out."
        raise CannotRunError("There is no pair of replies to show to the judge.", fix=fix)
    texts = [Text("prompt", side_by_side_hash(), side_by_side_text())] if models else []
    if persona is not None:
        texts.append(Text("persona", content_hash(persona), persona))
    core.store_texts(texts)
    salt = secrets.token_hex(8) if work.fresh else ""
    return choosing.questions(pairs, chooser, model, core.secret, persona, salt=salt), models, left_out, chooser.name
