"""Judging replies that exist: one, or many."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from iamhumans.api.chosen import Chosen
from iamhumans.api.holdout import log_result, log_use
from iamhumans.api.loop import run_sync, synchronous
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
from iamhumans.api.rows import Source, row_text
from iamhumans.api.run import OpenJournal, Run
from iamhumans.cases import Case, Reply, Suite, Turn, load_suite
from iamhumans.errors import CommandError, InputError
from iamhumans.judges import JudgeTask, open_judge
from iamhumans.rubrics import Rubric, load_rubric
from iamhumans.runs.engine import Progress
from iamhumans.runs.jobs import Ended
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord, RunStatus
from iamhumans.runs.opening import JudgeLike
from iamhumans.runs.plan import Estimate, Judging, Planner, digest_of, estimate, placed_judgement
from iamhumans.subjects import Reading, ReplyRow, Turns, given_reply, turns_of
from iamhumans.text import seen_message, take_off_reasoning
from iamhumans.verdicts import Judgement, score_verdict

if TYPE_CHECKING:
    from iamhumans.prompts import Template

DEFAULT_JUDGE = "rules"


def judge(
    reply: str,
    *,
    input: str | None = None,  # noqa: A002 - the word that users know
    conversation: Sequence[Any] | None = None,
    case: Case | None = None,
    judge: JudgeLike = DEFAULT_JUDGE,
    persona: str | None = None,
    rubric: RubricLike | None = None,
    template: str | Path | Template | None = None,
    journal: JournalLike = None,
    holdout_reason: str | None = None,
    **work: Unpack[WorkOptions],
) -> Judgement:
    """Judge one reply.

    Args:
        reply: The text to judge. Marked reasoning is removed and becomes the judgement's ``reasoning``.
        input: The user's message that the reply answers.
        conversation: Instead of ``input``, all messages before the reply, with ``role`` and ``content``.
        case: Instead of both, a case of a suite, with its criteria.
        judge: ``rules``, the name of a model, a function from messages to text, or a judge of your own.
        persona: What is true of the character that the assistant plays.
        rubric: A bundled rubric's name, a file, or a rubric; the default is ``iamhumans``.
        template: A prompt template of your own, for a model.
        journal: Where a model's answers are stored; nowhere if not given.
        holdout_reason: Why a held-out case is used, which is logged in its suite.
        **work: See :class:`WorkOptions`.

    Returns:
        The judgement. Its ``status`` is ``unjudged`` if there is no verdict; then ``reason`` says why.

    Raises:
        IamhumansError: An input is wrong, or the judge cannot be asked at all.

    Example:
        >>> import iamhumans as ih
        >>> j = ih.judge("Your feelings are completely valid.", input="i can't sleep again")
        >>> j.hard_fails["empty_validation"].quotes
        ('Your feelings are completely valid.',)
    """
    made = _case(input, conversation, case, holdout_reason)
    options = Work.of(work)
    if judge == DEFAULT_JUDGE and journal is None and template is None:
        # Nothing is asked and nothing is stored, so the way is short.
        loaded = rubric if isinstance(rubric, Rubric) else load_rubric(str(rubric or "iamhumans"))
        plain = take_off_reasoning(reply).text == reply
        given, failure = (Reply(made.id, reply), None) if plain else given_reply(made.id, seen_message(reply))
        task = JudgeTask(loaded, made, given, persona=persona)
        said = failure or open_judge(DEFAULT_JUDGE).next(task, ())
        found = score_verdict(said, loaded, task.asked(), judge=DEFAULT_JUDGE, case_id=made.id)  # type: ignore[arg-type]
        return replace(found, reasoning=given.reasoning) if given.reasoning else found
    judging = open_judging(judge, options, rubric=rubric, persona=persona, template=template)
    return run_sync(_judge(reply, made, judging, options, journal))


async def ajudge(
    reply: str,
    *,
    input: str | None = None,  # noqa: A002 - the word that users know
    conversation: Sequence[Any] | None = None,
    case: Case | None = None,
    judge: JudgeLike = DEFAULT_JUDGE,
    persona: str | None = None,
    rubric: RubricLike | None = None,
    template: str | Path | Template | None = None,
    journal: JournalLike = None,
    holdout_reason: str | None = None,
    **work: Unpack[WorkOptions],
) -> Judgement:
    """Judge one reply, inside a running event loop. Parameters and result are those of :func:`judge`."""
    made, options = _case(input, conversation, case, holdout_reason), Work.of(work)
    judging = open_judging(judge, options, rubric=rubric, persona=persona, template=template)
    return await _judge(reply, made, judging, options, journal)


async def _judge(reply: str, made: Case, judging: Judging, options: Work, journal: JournalLike) -> Judgement:
    ended: list[Ended[Any]] = []
    with opened_journal(journal) as journal_:
        journal_.store_texts(judging.texts())
        planner = Planner(journal_.secret, judging, salt=secrets.token_hex(8) if options.fresh else "")
        jobs = planner.for_replies([ReplyRow(1, made, *given_reply(made.id, seen_message(reply)))])
        await work_off(journal_, None, jobs, judging.models, options, on_ended=ended.append)
    return placed_judgement(ended[0], judging.judgements)


def _case(user_input: str | None, conversation: Sequence[Any] | None, case: Case | None, reason: str | None) -> Case:
    if sum(one is not None for one in (user_input, conversation, case)) != 1:
        fix = "Pass exactly one of `input`, `conversation` and `case`."
        raise CommandError("It is not clear what the reply answers.", fix=fix)
    if case is not None:
        if case.holdout:
            _log_held_out(case, reason)
        return case
    turns = (Turn("user", user_input),) if user_input is not None else turns_of(conversation)
    if not turns or turns[-1].speaker != "user":
        fix = "Pass only the messages before the reply. The last one must be the user's."
        raise InputError("The conversation does not end with a message from the user.", fix=fix)
    return Case(id="row-1", conversation=turns)


def _log_held_out(case: Case, reason: str | None) -> None:
    """Log the use of a held-out case in the ledger of its suite, before its text goes anywhere."""
    from iamhumans.cases.holdout import record_use, require_reason
    from iamhumans.cases.suite_files import find_home

    if reason is None:
        raise CommandError(f"The case {case.id} is held out.", fix="Say why you use it, with `holdout_reason`.")
    reason = require_reason(reason)
    if case.path is not None:
        record_use(find_home(case.path).folder, reason=reason, output="judge", run=None, cases=[case.id])


async def ajudge_all(
    rows: Any,
    *,
    suite: Suite | str | Path | None = None,
    judge: Judges = DEFAULT_JUDGE,
    repeats: int = 1,
    persona: str | Path | None = None,
    rubric: RubricLike | None = None,
    template: str | Path | Template | None = None,
    case: str | None = None,
    dimension: str | None = None,
    limit: int | None = None,
    shape: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    turns: Turns = "last",
    journal: JournalLike = None,
    holdout_reason: str | None = None,
    on_judgement: Callable[[Judgement], None] | None = None,
    **work: Unpack[WorkOptions],
) -> Run:
    """Judge many replies.

    Args:
        rows: A file or folder, a list or an iterator of mappings (consumed lazily), or a data frame of pandas or
            polars. A row is ``{"case_id", "reply"}`` for a case of ``suite``, ``{"input", "reply"}``, or a conversation
            in any shape of ``docs/logs.md``.
        suite: The suite that the replies answer, or its name or folder.
        judge: As for :func:`judge`; several make a panel.
        repeats: Independent judgements of each reply by each judge.
        persona: What is true of the character that the assistant plays: a text, or a ``Path`` to read it from.
        rubric: A bundled rubric's name, a file, or a rubric; the default is the suite's, or ``iamhumans``.
        template: A prompt template of your own, for models.
        case: A glob: only replies to cases whose ids match.
        dimension: Only replies to cases of this dimension of the suite.
        limit: Only replies to the first so many of these cases; without a suite, only the first so many rows.
        shape: The shape of the rows by its name, where it is not to be recognised.
        columns: Instead, where each part of a row is: ``{"input": "q.text", "reply": "a"}``, also as one text.
        turns: ``last`` judges the last message of the assistant in a conversation, ``all`` judges every one.
        journal: A path, or an open journal, in which the run is stored and can be resumed; memory if not given.
        holdout_reason: Why replies to held-out cases are judged as well; the use is logged first.
        on_judgement: Called with each judgement as it comes.
        **work: See :class:`WorkOptions`.

    Returns:
        The run. ``run.problems`` lists rows that could not be used; they are not part of it. ``run.notes`` says how the
        rows were read.

    Raises:
        InputError: There is no row that can be judged, or a file cannot be used.
        IamhumansError: The judge cannot be asked at all.

    Example:
        >>> rows = [{"input": "i can't sleep again", "reply": "Again? What is it this time?"}]
        >>> ih.judge_all(rows).judged
        1
    """
    given = {"repeats": repeats, "persona": persona, "rubric": rubric, "template": template, **work}
    chosen = Chosen(case, dimension, limit)
    reading = Reading(shape, columns, turns)
    source, judging, options = _opened(rows, suite, given, judge, chosen, holdout_reason, reading)
    opened = OpenJournal.of(journal)
    core = opened.core
    begun = _begin(core, source, judging, options)
    _say_shape(source, options)
    if begun.status is RunStatus.FINISHED:
        known = Run(opened, begun, tuple(source.problems), source.wrong, notes=source.notes())
        if on_judgement is not None:
            for judgement in known.raw_judgements() if holdout_reason else known:
                on_judgement(judgement)
        return known
    log_use(source.suite, begun.name, holdout_reason, subject="", variant=str(begun.plan["input"]))
    core.store_texts(judging.texts())
    planner = Planner(core.secret, judging, run=begun.id, salt=begun.salt)
    seen: list[str] = []
    # An iterator that was not consumed may have more rows.
    unread = [1] if source.is_one_shot else []

    def taken() -> Iterator[ReplyRow]:
        for row in source.rows():
            if source.is_one_shot:
                seen.append(row_text(row))
            yield row
        unread.clear()

    def hand_on(ended: Ended[Any]) -> None:
        if on_judgement is not None:
            on_judgement(placed_judgement(ended, judging.judgements))

    record, worked = await work_on_run(
        core,
        begun,
        planner.for_replies(taken()),
        judging.models,
        options,
        asked=lambda: max((source.count + len(unread)) * judging.judgements, begun.asked or 0),
        on_ended=hand_on if on_judgement is not None else None,
        drain=not source.is_one_shot,
    )
    if source.is_one_shot and worked.stopped is None:
        record = core.set_plan(record, _plan(digest_of(seen), source, judging))
    source.require_rows()
    warnings = tuple(model_warnings(judging.models))
    problems = tuple(source.problems)
    done = Run(opened, record, problems, source.wrong, warnings, worked.stopped, worked.progress, notes=source.notes())
    log_result(source.suite, done, holdout_reason)
    return done


judge_all = synchronous(ajudge_all)


def estimate_judging(
    rows: Any, *, suite: Suite | str | Path | None = None, journal: JournalLike = None, **options: Any
) -> Estimate:
    """What :func:`judge_all` would take with the same arguments. Nothing is sent.

    Example:
        >>> ih.estimate_judging([{"input": "hi", "reply": "Hello!"}], judge=lambda messages: "...").calls
        1
    """
    chosen = Chosen(*(options.pop(name, None) for name in ("case", "dimension", "limit")))
    known = {name: options.pop(name) for name in ("judge", "holdout_reason") if name in options}
    reading = Reading(**{name: options.pop(name) for name in ("shape", "columns", "turns") if name in options})
    asked: dict[str, Any] = {"chosen": chosen, "reading": reading, "only_estimated": True}
    source, judging, work = _opened(rows, suite, options, **known, **asked)
    with opened_journal(journal) as journal_:
        digest = source.digest()
        source.require_rows()
        salt = secrets.token_hex(8) if work.fresh else journal_.salt_of(_plan(digest, source, judging))
        return estimate(Planner(journal_.secret, judging, salt=salt).for_replies(source.rows()), journal_)


def _opened(
    rows: Any,
    suite: Suite | str | Path | None,
    work: Mapping[str, Any],
    judge: Judges = DEFAULT_JUDGE,
    chosen: Chosen = Chosen(),  # noqa: B008 - it is frozen
    holdout_reason: str | None = None,
    reading: Reading | None = None,
    *,
    only_estimated: bool = False,
) -> tuple[Source, Judging, Work]:
    from iamhumans.cases.seal import check_use

    chosen.refuse_held_out(holdout_reason)
    loaded = load_suite(suite) if isinstance(suite, str | Path) else suite
    if holdout_reason is not None:
        if loaded is None:
            raise CommandError("Held-out cases need a suite.", fix="Name the suite.")
        check_use(loaded, holdout_reason)
    named, others = judging_options(work)
    options = Work.of(others, beside=None if loaded is None else loaded.path, only_estimated=only_estimated)
    judging = open_judging(judge, options, suite=loaded, **named)
    how = reading or Reading()
    how.forced()  # what is wrong with it is an error before anything is asked
    source = Source(rows, loaded, holdout=holdout_reason is not None, reading=how, chosen=chosen)
    return source, judging, options


def _say_shape(source: Source, options: Work) -> None:
    """Tell who watches the progress as what the rows are read, before the work begins."""
    if options.progress is not None and source.shape_note:
        options.progress(Progress(message=source.shape_note))


def _begin(journal: Journal, source: Source, judging: Judging, work: Work) -> RunRecord:
    # A refusal must leave nothing behind.
    work.budget.require_prices(model.identity for model in judging.models)
    folder = None if source.suite is None else source.suite.path
    if source.is_one_shot:
        # What the rows are is known at the end only.
        return journal.begin_run(_plan(secrets.token_hex(16), source, judging), fresh=work.fresh, folder=folder)
    digest = source.digest()
    source.require_rows()
    asked = source.count * judging.judgements
    return journal.begin_run(_plan(digest, source, judging), asked=asked, fresh=work.fresh, folder=folder)


def _plan(digest: str, source: Source, judging: Judging) -> dict[str, Any]:
    suite: str | dict[str, Any] | None = None if source.suite is None else source.suite.name
    if source.suite is not None and not source.chosen.all:
        whole = source.suite.without_holdout()
        suite = {"name": source.suite.name, "count": len(source.chosen.of(whole).cases), "of": len(whole.cases)}
    return {"command": "judge", "input": digest, "suite": suite, **judging.described()}
