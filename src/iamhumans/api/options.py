"""What the use cases have in common: options of the work, opening things by name, working jobs off."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from iamhumans.api.checks import check_number
from iamhumans.cases import Suite
from iamhumans.errors import CommandError
from iamhumans.models import ChatModel, Config, load_config
from iamhumans.prompts import Template
from iamhumans.rubrics import DEFAULT_RUBRIC, Rubric, load_rubric
from iamhumans.runs.engine import Engine, Progress, work_directly
from iamhumans.runs.halt import StopRequest
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.location import find_journal
from iamhumans.runs.journal.queries import RunRecord, RunStatus
from iamhumans.runs.opening import JudgeLike, ObservedModel, open_seats
from iamhumans.runs.plan import Judging
from iamhumans.runs.settings import Budget, RetryPolicy, Settings
from iamhumans.text import did_you_mean, one_line, read_text

if TYPE_CHECKING:
    from iamhumans.api.run import OpenJournal

RubricLike: TypeAlias = Rubric | str | Path
JournalLike: TypeAlias = "Journal | OpenJournal | str | Path | None"
Judges: TypeAlias = JudgeLike | Sequence[JudgeLike]
"""A judge, or several for a panel."""
_SHOW_EVERY = 0.25
_LEAST = {"max_cost": 0, "max_tokens": 0, "max_minutes": 0, "max_connections": 1, "max_wait": 0}


class WorkOptions(TypedDict, total=False):
    """Options of everything that may ask models. All of them may be left out.

    Attributes:
        max_cost: Stop before more than this is spent, in the currency of the prices.
        max_tokens: Stop before more tokens than this are used.
        max_minutes: Stop after this many minutes.
        max_connections: Maximum concurrent calls to one provider; 10 if not given.
        max_wait: The longest wait that a server may ask for, in seconds; 120 if not given.
        fresh: Make a new run that shares no results with earlier ones.
        config: The file with tables of models; the nearest ``iamhumans.toml`` if not given.
        env_file: A file of ``NAME=value`` lines with keys for the models of this call. No such file is read by default.
            Environment variables override it, and programs that are called do not get its keys.
        progress: Called about four times a second with a :class:`Progress`, in the thread that does the work.
        stop: Stops the work from outside.
    """

    max_cost: float | None
    max_tokens: int | None
    max_minutes: float | None
    max_connections: int
    max_wait: float
    fresh: bool
    config: str | Path | None
    env_file: str | Path | None
    progress: Callable[[Progress], None] | None
    stop: StopRequest | None


@dataclass(frozen=True)
class Work:
    """The same, with what was left out filled in.

    ``beside`` is a folder near which a config is looked for as well. Work that is ``only_estimated`` needs no keys.
    """

    max_cost: float | None = None
    max_tokens: int | None = None
    max_minutes: float | None = None
    max_connections: int = 10
    max_wait: float = 120.0
    fresh: bool = False
    config: str | Path | None = None
    env_file: str | Path | None = None
    beside: Path | None = None
    progress: Callable[[Progress], None] | None = None
    stop: StopRequest | None = None
    only_estimated: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any], *, beside: Path | None = None, only_estimated: bool = False) -> Work:
        """The options that a caller gave, checked. Raises CommandError for an unknown name or an impossible value."""
        known = WorkOptions.__annotations__
        for name, value in given.items():
            if name not in known:
                fix = did_you_mean(name, known, f"The options are {', '.join(known)}.")
                raise CommandError(f"There is no option `{one_line(name, 60)}`.", fix=fix)
            if name in _LEAST:
                check_number(name, value, _LEAST[name])
        progress = given.get("progress")
        if progress is not None and not callable(progress):
            raise CommandError(f"`progress` is {progress!r}.", fix="It must be a function that takes a Progress.")
        return cls(**given, beside=beside, only_estimated=only_estimated)

    @property
    def budget(self) -> Budget:
        """What may be spent."""
        return Budget(self.max_cost, self.max_tokens, self.max_minutes)

    @cached_property
    def _config(self) -> Config:
        env_file = None if self.env_file is None else Path(self.env_file)
        named = None if self.config is None else Path(self.config)
        config = load_config(named, Path.cwd(), os.environ, beside=self.beside, env_file=env_file)
        return replace(config, keys_needed=not self.only_estimated)

    def open_config(self) -> Config:
        """The config, read when it is first needed."""
        return self._config


@dataclass(frozen=True, slots=True)
class Worked:
    """How work ended. ``stopped`` says why it ended early: the user, or the budget."""

    progress: Progress
    stopped: str | None = None


@contextmanager
def opened_journal(journal: JournalLike) -> Iterator[Journal]:
    """The journal that was given, or the one at a path, or a new one in memory. One that was given stays open."""
    given = getattr(journal, "core", journal)
    if isinstance(given, Journal):
        yield given
        return
    with Journal.open(None if journal is None else find_journal(Path(str(journal)))) as made:
        yield made


def open_judging(
    judge: Judges,
    work: Work,
    *,
    rubric: RubricLike | None = None,
    suite: Suite | None = None,
    repeats: int = 1,
    persona: str | Path | None = None,
    template: str | Path | Template | None = None,
) -> Judging:
    """How replies are judged."""
    check_number("repeats", repeats, 1, whole=True)
    judges: list[Any] = list(judge) if isinstance(judge, list | tuple) else [judge]
    if not judges:
        raise CommandError("No judge is named.", fix="Name one, such as `rules`.")
    if isinstance(template, str | Path):
        template = Template(read_text(Path(template)), Path(template))
    seats = open_seats(judges, work.open_config, template=template, repeats=repeats)
    if template is not None and all(seat.model is None for seat in seats):
        raise CommandError(
            "A template is only for a judge that is a model.", fix="Name a model, or leave the template out."
        )
    text = read_text(persona) if isinstance(persona, Path) else persona
    if isinstance(persona, str) and Path(persona).suffix and "\n" not in persona and Path(persona).is_file():
        fix = "Pass a `Path` to read the file, or pass its text."
        raise CommandError(f"`persona` is a text, but `{one_line(persona, 80)}` is the name of a file.", fix=fix)
    checks = {} if suite is None else {case.id: case.checks for case in suite.cases if case.checks}
    return Judging(open_rubric(rubric, suite), seats, repeats, text, template, checks)


def judging_options(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of ``open_judging``, and all others."""
    own = {name: given[name] for name in ("rubric", "repeats", "persona", "template") if name in given}
    return own, {name: value for name, value in given.items() if name not in own}


def open_rubric(rubric: RubricLike | None, suite: Suite | None) -> Rubric:
    """The rubric that was given, or the suite's, or the default one."""
    if isinstance(rubric, Rubric):
        return rubric
    if rubric is None and suite is not None:
        return load_rubric(suite.rubric, relative_to=suite.path)
    return load_rubric(str(rubric or DEFAULT_RUBRIC))


async def work_off(
    journal: Journal,
    run: int | None,
    jobs: Iterable[Job[Any]],
    models: Sequence[ChatModel],
    work: Work,
    *,
    on_ended: Callable[[Ended[Any]], None] | None = None,
    drain: bool = True,
) -> Worked:
    """Work jobs off: with an engine if a model is asked, or else directly. The models are closed in the end."""
    work.budget.require_prices(model.identity for model in models)
    if not models:
        stopped = threading.Event()
        working = asyncio.create_task(asyncio.to_thread(_work_directly, journal, jobs, work, on_ended, stopped))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            # The thread ends its batch first, so that nothing is written to a journal that is closed.
            stopped.set()
            await working
            raise
    messages: list[str] = []
    settings = Settings(max_connections=work.max_connections, retry=RetryPolicy(longest_retry_after=work.max_wait))
    engine = Engine(journal, run=run, settings=settings, budget=work.budget, report=messages.append, drain=drain)
    if work.stop is not None:
        loop = asyncio.get_running_loop()
        work.stop.listen(partial(loop.call_soon_threadsafe, engine.stop))
    _recall(journal, models, work)
    reporter = asyncio.create_task(_report(engine, work.progress, messages)) if work.progress else None
    results = engine.run(jobs)
    try:
        async for ended in results:
            if on_ended is not None:
                on_ended(ended)
    finally:
        await results.aclose()  # type: ignore[attr-defined]  # it is a generator
        if reporter is not None:
            reporter.cancel()
        if work.stop is not None:
            work.stop.listen(lambda: None)
        await _close(journal, models)
    if work.progress is not None:
        work.progress(engine.progress)
    return Worked(engine.progress, engine.stopped.detail if engine.stopped else None)


def _recall(journal: Journal, models: Iterable[ChatModel], work: Work) -> None:
    """Begin with what earlier runs have learned of the servers; a fresh run learns it again."""
    for model in models:
        if isinstance(model, ObservedModel) and not work.fresh:
            model.recall(journal)


async def _close(journal: Journal, models: Iterable[ChatModel]) -> None:
    for model in models:
        await model.close()
        if isinstance(model, ObservedModel):
            model.remember(journal)


async def work_on_run(
    journal: Journal,
    run: RunRecord,
    jobs: Iterable[Job[Any]],
    models: Sequence[ChatModel],
    work: Work,
    *,
    asked: Callable[[], int],
    on_ended: Callable[[Ended[Any]], None] | None = None,
    drain: bool = True,
) -> tuple[RunRecord, Worked]:
    """Work the jobs of a run off, and note how it ended. ``asked`` says how many judgements it is to have."""
    try:
        worked = await work_off(journal, run.id, jobs, models, work, on_ended=on_ended, drain=drain)
    except BaseException:
        journal.end_run(run, asked=asked(), stopped=True)
        raise
    ended = journal.end_run(run, asked=asked(), stopped=worked.stopped is not None)
    # A run that was stopped when nothing was left to do is finished.
    return ended, replace(worked, stopped=None) if ended.status is RunStatus.FINISHED else worked


def _work_directly(
    journal: Journal,
    jobs: Iterable[Job[Any]],
    work: Work,
    on_ended: Callable[[Ended[Any]], None] | None,
    stopped: threading.Event,
) -> Worked:
    if work.stop is not None:
        work.stop.listen(stopped.set)
    progress = Progress()
    for ended in work_directly(journal, jobs, stopped=stopped.is_set):
        found, failed = progress.from_journal + ended.from_journal, progress.failed + (not ended.final)
        progress = Progress(progress.ended + 1, found, failed)
        if on_ended is not None:
            on_ended(ended)
        if work.progress is not None and progress.ended % 500 == 0:
            work.progress(progress)
    return Worked(progress, "the run was stopped" if stopped.is_set() else None)


async def _report(engine: Engine, progress: Callable[[Progress], None], messages: list[str]) -> None:
    while True:
        await asyncio.sleep(_SHOW_EVERY)
        while messages:
            progress(replace(engine.progress, message=messages.pop(0)))
        progress(engine.progress)


def model_warnings(models: Iterable[ChatModel]) -> list[str]:
    """A sentence for each thing that a server did not take, and for answers that do not say how they ended."""
    observed = [model for model in models if isinstance(model, ObservedModel)]
    said = [f"The server of {one.identity.name} {what}." for one in observed for what in one.habits.sentences()]
    unended: Counter[str] = Counter()
    for model in observed:
        unended[model.identity.name] += model.without_ending
    return [*dict.fromkeys(said), *(_unended(name, count) for name, count in unended.items() if count)]


def _unended(name: str, count: int) -> str:
    answers = "1 answer" if count == 1 else f"{count:,} answers"
    said = f"{answers} of {name} came without a finish reason and counted as whole"
    return f"{said}: the server does not say whether it cut them."
