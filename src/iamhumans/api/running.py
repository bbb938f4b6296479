"""Drawing replies from subjects, with or without judging them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from iamhumans.api.checks import check_number
from iamhumans.api.chosen import Chosen
from iamhumans.api.holdout import log_result, log_use
from iamhumans.api.judging import DEFAULT_JUDGE
from iamhumans.api.loop import synchronous
from iamhumans.api.options import (
    JournalLike,
    Judges,
    RubricLike,
    Work,
    WorkOptions,
    judging_options,
    model_warnings,
    open_judging,
    opened_journal,
    work_off,
    work_on_run,
)
from iamhumans.api.run import OpenJournal, Run
from iamhumans.cases import Case, Suite, Turn, load_suite
from iamhumans.errors import CommandError
from iamhumans.runs.jobs import Ended
from iamhumans.runs.journal.entries import Replied, ReplyEntry
from iamhumans.runs.journal.queries import RunStatus
from iamhumans.runs.opening import SubjectLike, open_drawing, read_skill
from iamhumans.runs.plan import Drawing, Estimate, Judging, Planner, digest_of, estimate
from iamhumans.subjects import Skill
from iamhumans.verdicts import Unjudged

if TYPE_CHECKING:
    from iamhumans.prompts import Template

SkillLike: TypeAlias = Skill | str | Path | None
Skills: TypeAlias = SkillLike | list[SkillLike] | tuple[SkillLike, ...]
Subjects: TypeAlias = SubjectLike | list[SubjectLike] | tuple[SubjectLike, ...]


async def arun(
    suite: Suite | str | Path,
    *,
    subject: Subjects,
    skill: Skills = None,
    judge: Judges = DEFAULT_JUDGE,
    replies: int = 1,
    repeats: int = 1,
    persona: str | Path | None = None,
    rubric: RubricLike | None = None,
    template: str | Path | Template | None = None,
    case: str | None = None,
    dimension: str | None = None,
    limit: int | None = None,
    journal: JournalLike = None,
    holdout_reason: str | None = None,
    **work: Unpack[WorkOptions],
) -> Run:
    """Draw replies to a suite and judge them.

    Args:
        suite: A suite, its folder, or a bundled suite's name.
        subject: The name of a model, ``recorded/PATH``, a function, or a subject of your own; several make a grid.
        skill: The file with the system prompt under test, or a :class:`Skill`; several make a grid.
        judge: As for :func:`judge`; several make a panel.
        replies: Replies to each case.
        repeats: Independent judgements of each reply by each judge.
        persona: What is true of the character that the skill plays: a text, or a ``Path`` to read it from.
        rubric: A bundled rubric's name, a file, or a rubric; the default is the suite's.
        template: A prompt template of your own, for models.
        case: A glob: only cases whose ids match.
        dimension: Only cases of this dimension.
        limit: Only the first cases, up to this number.
        journal: A path, or an open journal, in which the run is stored and can be resumed; memory if not given.
        holdout_reason: Why the held-out cases are used. Only held-out cases are then used, and the use is logged first.
        **work: See :class:`WorkOptions`.

    Returns:
        The run.

    Raises:
        CommandError: There is no case to run, no such model, or the reason says too little.
        InputError: A file cannot be used.
        CannotRunError: A key is not set, or nothing can be written.

    Example:
        >>> def friend(messages):
        ...     return "Oh no. How long has it been like this?"
        >>> ih.run("core", subject=friend, judge="rules").asked
        88
    """
    check_number("replies", replies, 1, whole=True)
    chosen = Chosen(case, dimension, limit)
    whole, cases, drawings, options = _open(suite, subject, skill, chosen, holdout_reason, work)
    judging = open_judging(
        judge, options, rubric=rubric, suite=whole, repeats=repeats, persona=persona, template=template
    )
    models = [*(one.model for one in drawings if one.model is not None), *judging.models]
    # A refusal must leave nothing behind.
    options.budget.require_prices(model.identity for model in models)
    opened = OpenJournal.of(journal)
    core = opened.core
    plan = plan_of_run(whole, cases, drawings, replies, judging)
    asked = len(cases) * len(drawings) * replies * judging.judgements
    begun = core.begin_run(plan, asked=asked, fresh=options.fresh, folder=whole.path)
    if begun.status is RunStatus.FINISHED:
        return Run(opened, begun)
    names = ", ".join(one.subject.name for one in drawings)
    variant = digest_of(f"{one.settings} {one.skill_hash}" for one in drawings)
    log_use(whole, begun.name, holdout_reason, subject=names, variant=variant)
    core.store_texts([*(text for one in drawings for text in one.texts()), *judging.texts()])
    planner = Planner(core.secret, judging, drawings, replies, begun.id, begun.salt)
    ended, worked = await work_on_run(core, begun, planner.for_cases(cases), models, options, asked=lambda: asked)
    done = Run(opened, ended, (), 0, tuple(model_warnings(models)), worked.stopped, worked.progress)
    log_result(whole, done, holdout_reason)
    return done


run = synchronous(arun)


@dataclass(frozen=True, slots=True)
class DrawnReply:
    """One reply that was drawn, or the reason why there is none.

    Attributes:
        case_id: The case.
        subject: Who replied.
        number: Which of the replies to the case, from 1.
        reply: The text; ``None`` if there is none.
        conversation: The whole conversation, if the subject also answered earlier turns.
        reasoning: The model's reasoning. It was removed from the reply and is never judged.
        beside: What else the message held, in words, such as a call of a tool.
        reason: Why there is no reply, from the closed list of reasons.
        detail: The same in words.
    """

    case_id: str
    subject: str
    number: int
    reply: str | None
    conversation: tuple[Turn, ...] = ()
    reason: str | None = None
    detail: str | None = None
    reasoning: str = ""
    beside: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The row that ``judge_all`` takes."""
        row: dict[str, Any] = {name: getattr(self, name) for name in ("case_id", "reply", "subject", "number")}
        if self.conversation:
            row["conversation"] = [{"role": turn.speaker, "content": turn.text} for turn in self.conversation]
        row |= {name: said for name in ("reasoning", "beside") if (said := getattr(self, name))}
        return row if self.reason is None else {**row, "reason": self.reason, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class DrawnReplies:
    """The replies of :func:`reply_all`, in the order of the cases. ``stopped`` says why it ended early, if it did."""

    replies: tuple[DrawnReply, ...]
    warnings: tuple[str, ...] = ()
    stopped: str | None = None

    def __iter__(self) -> Iterator[DrawnReply]:
        return iter(self.replies)

    def __len__(self) -> int:
        return len(self.replies)


async def areply_all(
    suite: Suite | str | Path,
    *,
    subject: Subjects,
    skill: Skills = None,
    replies: int = 1,
    case: str | None = None,
    dimension: str | None = None,
    limit: int | None = None,
    journal: JournalLike = None,
    **work: Unpack[WorkOptions],
) -> DrawnReplies:
    """Draw replies to a suite, without judging them. Parameters are those of :func:`run`.

    Raises:
        CommandError: There is no case to reply to, or no such model.
        InputError: A file cannot be used.
        CannotRunError: A key is not set, or nothing can be written.

    Example:
        >>> drawn = ih.reply_all("core", subject=lambda messages: "Tell me more.")
        >>> drawn.replies[0].reply
        'Tell me more.'
    """
    check_number("replies", replies, 1, whole=True)
    _, cases, drawings, options = _open(suite, subject, skill, Chosen(case, dimension, limit), None, work)
    if options.fresh:
        raise CommandError(
            "`fresh` needs judgements, and replies alone make no run.", fix="Draw more replies, or use another journal."
        )
    models = [drawing.model for drawing in drawings if drawing.model is not None]
    ended: list[Ended[Any]] = []
    with opened_journal(journal) as core:
        core.store_texts(text for drawing in drawings for text in drawing.texts())
        planner = Planner(core.secret, None, drawings, replies)
        worked = await work_off(core, None, planner.for_cases(cases), models, options, on_ended=ended.append)
        failures = {one.job.entry.key: one.outcome for one in ended if isinstance(one.outcome, Unjudged)}
        drawn = []
        for job in planner.for_cases(cases):
            entry = job.entry
            if not isinstance(entry, ReplyEntry):
                continue
            found = core.find(entry)
            outcome = failures.get(entry.key) if found is None else found.outcome
            place = (entry.case_id, entry.subject, entry.number)
            if isinstance(outcome, Replied):
                more: Any = {"reasoning": outcome.reasoning, "beside": outcome.beside}
                drawn.append(DrawnReply(*place, outcome.text, outcome.conversation, **more))
            elif isinstance(outcome, Unjudged):
                drawn.append(DrawnReply(*place, None, (), outcome.reason.value, outcome.detail))
    return DrawnReplies(tuple(drawn), tuple(model_warnings(models)), worked.stopped)


reply_all = synchronous(areply_all)


def estimate_run(
    suite: Suite | str | Path,
    *,
    subject: Subjects,
    skill: Skills = None,
    judge: Judges | None = DEFAULT_JUDGE,
    replies: int = 1,
    case: str | None = None,
    dimension: str | None = None,
    limit: int | None = None,
    journal: JournalLike = None,
    holdout_reason: str | None = None,
    **options: Any,
) -> Estimate:
    """What :func:`run` would take with the same arguments, or :func:`reply_all` if ``judge`` is ``None``.

    Nothing is sent, and no key is needed.

    Example:
        >>> ih.estimate_run("core", subject=lambda messages: "...").calls
        88
    """
    named, others = judging_options(options)
    chosen = Chosen(case, dimension, limit)
    whole, cases, drawings, work = _open(suite, subject, skill, chosen, holdout_reason, others, only_estimated=True)
    judging = None if judge is None else open_judging(judge, work, suite=whole, **named)
    with opened_journal(journal) as core:
        salt = ""
        if judging is not None:
            plan = plan_of_run(whole, cases, drawings, replies, judging)
            salt = "of a run that is not made yet" if work.fresh else core.salt_of(plan)
        planner = Planner(core.secret, judging, drawings, replies, salt=salt)
        return estimate(planner.for_cases(cases), core)


def _open(
    suite: Suite | str | Path,
    subject: Subjects,
    skill: Skills,
    chosen: Chosen,
    holdout_reason: str | None,
    work: Mapping[str, Any],
    *,
    only_estimated: bool = False,
) -> tuple[Suite, tuple[Case, ...], tuple[Drawing, ...], Work]:
    whole = load_suite(suite) if isinstance(suite, str | Path) else suite
    options = Work.of(work, beside=whole.path, only_estimated=only_estimated)
    cases = _cases(whole, chosen, holdout_reason)
    return whole, cases, _drawings(subject, skill, options, whole, holdout=holdout_reason is not None), options


def _cases(suite: Suite, choice: Chosen, holdout_reason: str | None) -> tuple[Case, ...]:
    from iamhumans.cases.seal import check_use

    choice.refuse_held_out(holdout_reason)
    if holdout_reason is not None:
        check_use(suite, holdout_reason)
    chosen = suite.without_holdout() if holdout_reason is None else suite.only_held_out()
    chosen = choice.of(chosen) if chosen.cases else chosen
    if not chosen.cases:
        raise CommandError(
            f"There is no case to run in {suite.name}.",
            fix=f"`iamhumans cases lint {suite.path}` shows errors in its files. Without errors, all are held out.",
        )
    unfinished = next((case for case in chosen.cases if case.unfinished), None)
    if unfinished is not None:
        raise CommandError(
            f"The case {unfinished.id} still has a TODO in it, and it would be sent to the model.",
            fix=f"Fill it in: {unfinished.path}.",
        )
    return chosen.cases


def usual_cases(suite: Suite) -> tuple[Case, ...]:
    """The cases of a suite that are not held out. Raises CommandError where there is none, or one is unfinished."""
    return _cases(suite, Chosen(), None)


def _drawings(subject: Subjects, skill: Skills, work: Work, suite: Suite, *, holdout: bool) -> tuple[Drawing, ...]:
    subjects: list[Any] = list(subject) if isinstance(subject, list | tuple) else [subject]
    given: list[Any] = list(skill) if isinstance(skill, list | tuple) else [skill]
    skills = [one if one is None or isinstance(one, Skill) else read_skill(Path(one)) for one in given]
    drawings = tuple(
        open_drawing(one, own, work.open_config, suite=suite, holdout=holdout) for one in subjects for own in skills
    )
    names = [drawing.subject.name for drawing in drawings]
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None or not drawings:
        problem = f"The subject {twice} is named twice." if twice else "No subject is named."
        fix = "Name it once. To draw several replies to each case, use `replies`." if twice else "Name one."
        raise CommandError(problem, fix=fix)
    return drawings


def plan_of_run(
    suite: Suite, cases: Sequence[Case], drawings: Sequence[Drawing], replies: int, judging: Judging
) -> dict[str, Any]:
    """Everything that makes two calls of :func:`run` the same run."""
    whole = suite.whole or suite
    usual = sum(case.holdout == cases[0].holdout for case in whole.cases)
    return {
        "command": "run",
        "suite": {
            "name": suite.name,
            "cases": digest_of(case.hash for case in cases),
            "count": len(cases),
            "of": usual,
        },
        "subjects": [drawing.described() for drawing in drawings],
        "replies": replies,
        **judging.described(),
    }
