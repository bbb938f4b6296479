"""From what the user gave as judges and subjects, by name or as an object, to what can be asked."""

import contextlib
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

from iamhumans.cases import Suite
from iamhumans.errors import CommandError, InputError, JournalError, Place
from iamhumans.judges import Judge, LlmJudge, LlmPreference, PreferenceJudge, open_judge, open_preference_judge
from iamhumans.models import CallableModel, ChatModel, Config, Reception, open_model
from iamhumans.models.habits import Habits
from iamhumans.models.names import WITHOUT_MODEL
from iamhumans.prompts import Request, Template
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.keys import canonical_json, content_hash
from iamhumans.runs.plan import Drawing, Seat, digest_of
from iamhumans.subjects import Answered, LlmSubject, RecordedSubject, RowProblem, Skill, Subject, open_replies
from iamhumans.subjects.subject import SubjectOutcome, skill_text
from iamhumans.text import Ending, read_text
from iamhumans.text.safety import one_line

JudgeLike: TypeAlias = str | Judge | ChatModel | Callable[..., Any]
"""The name of a judge or a model, a judge, a model, or a function from messages to text."""
SubjectLike: TypeAlias = str | Subject | ChatModel | Callable[..., Any]
"""The name of a model or ``recorded/PATH``, a subject, a model, or a function from messages to text."""
_RECORDED = "recorded/"


class ObservedModel:
    """A model of which the journal remembers what its server takes, and that counts answers without a finish reason."""

    def __init__(self, model: ChatModel) -> None:
        self.identity = model.identity
        self.without_ending = 0
        self._model = model
        settings = model.identity.settings
        place = [model.identity.provider, model.identity.model, settings.get("path")]
        self._server = content_hash(canonical_json(place))
        self._recalled: Habits | None = None

    @property
    def habits(self) -> Habits:
        """What its server was found to take."""
        found = getattr(self._model, "habits", None)
        return found if isinstance(found, Habits) else Habits()

    def recall(self, journal: Journal) -> None:
        """Begin with what earlier runs have learned of the server."""
        if isinstance(getattr(self._model, "habits", None), Habits):
            self._recalled = Habits.from_dict(journal.habits(self._server))
            self._model.recall(self._recalled)  # type: ignore[attr-defined]  # a model with habits has this method

    def remember(self, journal: Journal) -> None:
        """Store what was learned."""
        if self.habits != (self._recalled or Habits()):
            with contextlib.suppress(JournalError):  # it spares refusals, and decides nothing
                journal.store_habits(self._server, self.habits.to_dict())

    async def send(self, request: Request) -> Reception:
        """Send one request, once. Raises ModelFailure."""
        reception = await self._model.send(request)
        self.without_ending += reception.answer.finish_reason == Ending.ABSENT
        return reception

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


def open_seats(
    judges: Sequence[JudgeLike], config: Callable[[], Config], *, template: Template | None = None, repeats: int = 1
) -> tuple[Seat, ...]:
    """The judges with their models. Only a model opens ``config``. Raises CommandError, InputError, CannotRunError."""
    seats = tuple(_seat(judge, config, template, repeats) for judge in judges)
    names = [seat.judge.name for seat in seats]
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise CommandError(f"The judge {twice} is named twice.", fix="To ask it several times, use `repeats`.")
    return seats


def _seat(judge: JudgeLike, config: Callable[[], Config], template: Template | None, repeats: int) -> Seat:
    if isinstance(judge, str):
        opened = open_judge(judge, template=template, repeats=repeats)
        return Seat(opened, _judge_model(judge, config) if opened.asks_model else None)
    if hasattr(judge, "next"):
        return Seat(*_own(judge, config))
    model = _model(judge, config, "a judge")
    return Seat(LlmJudge(model.identity.name, template), model)


def _judge_model(name: str, config: Callable[[], Config]) -> ObservedModel:
    """The model of a judge. A name that is nearly that of a judge without a model may be meant so."""
    try:
        return _model(name, config, "a judge")
    except CommandError as error:
        near = get_close_matches(name.casefold(), WITHOUT_MODEL, n=1)
        if not near:
            raise
        raise CommandError(error.what, fix=f"Did you mean the judge `{near[0]}`? {error.fix}") from None


def _own(given: Any, config: Callable[[], Config]) -> tuple[Any, ObservedModel | None]:
    asked = getattr(given, "model", None)
    return given, None if asked is None else _model(asked, config)


def _model(given: Any, config: Callable[[], Config], role: str = "a model") -> ObservedModel:
    if isinstance(given, str):
        return ObservedModel(open_model(given, config()))
    if hasattr(given, "send"):
        return ObservedModel(given)
    if not callable(given):
        raise CommandError(
            f"`{one_line(repr(given), 60)}` cannot be used as {role}.",
            fix="Give a name such as openai/gpt-5.1, a function from messages to text, or an object with `next`.",
        )
    return ObservedModel(CallableModel(given))


def open_drawing(
    subject: SubjectLike, skill: Skill | None, config: Callable[[], Config], *, suite: Suite, holdout: bool = False
) -> Drawing:
    """A subject with a skill; ``suite`` has all its cases. Raises CommandError, InputError, CannotRunError."""
    is_recorded = isinstance(subject, str) and subject.startswith(_RECORDED)
    if skill is not None and (is_recorded or hasattr(subject, "next")):
        raise CommandError("A skill does nothing for this subject.", fix="Leave it out, or name a model.")
    if isinstance(subject, str) and is_recorded:
        return Drawing(_recorded_subject(subject, suite, holdout=holdout))
    if hasattr(subject, "next"):
        return Drawing(*_own(subject, config))
    model = _model(subject, config, "a subject")
    name = model.identity.name
    if skill is None:
        return Drawing(LlmSubject(name), model)
    # The skill belongs to the subject's name, so that a report tells two skills of one model apart.
    return Drawing(LlmSubject(f"{name}+{skill.name}" if skill.name else name, skill.text), model)


def read_skill(path: Path) -> Skill:
    """The skill in a file. A file called SKILL.md is named after its folder. Raises InputError."""
    text = skill_text(read_text(path))
    if not text:
        raise InputError("The skill is empty.", fix="Write the system prompt in the file.", where=Place(path))
    name = path.resolve().parent.name if path.name == "SKILL.md" else path.stem
    return Skill(text, name or path.stem)


def _recorded_subject(name: str, suite: Suite, *, holdout: bool) -> RecordedSubject:
    source = Path(name.removeprefix(_RECORDED))
    if str(source) in ("", "."):
        raise CommandError("`recorded/` names no replies.", fix="Add the path of the replies: recorded/PATH.")
    found: dict[tuple[str, int], SubjectOutcome] = {}
    parts: dict[tuple[str, int], list[str]] = {}
    for row in open_replies(source, suite.whole or suite, holdout=True):
        if isinstance(row, RowProblem):
            fix = "Take the row out, or judge those that fit with `iamhumans judge`."
            raise InputError(row.problem, fix=fix, where=row.place)
        if row.case.holdout and not holdout:
            continue
        place = (row.case.id, row.reply.number)
        if place in found:
            problem = f"Several replies to case {row.case.id} have the number {row.reply.number}."
            fix = 'Number them ("number": 1, 2, ...), or judge them all with `iamhumans judge`.'
            raise InputError(problem, fix=fix, where=Place(source))
        found[place] = row.failure or Answered(row.reply, row.case)
        failed = [row.failure.reason, row.failure.detail] if row.failure is not None else []
        parts[place] = [row.case.hash, row.reply.text, *failed]
    version = digest_of(canonical_json([*place, *parts[place]]) for place in sorted(parts))
    return RecordedSubject(name, version, found)


def open_choosing(
    judge: JudgeLike, rubric: Rubric, config: Callable[[], Config]
) -> tuple[PreferenceJudge, ObservedModel | None]:
    """A judge that chooses between two replies, with the model that it asks. Raises CommandError."""
    if isinstance(judge, str):
        opened = open_preference_judge(judge, rubric)
        return opened, _judge_model(judge, config) if opened.asks_model else None
    if hasattr(judge, "next"):
        raise CommandError(
            "This judge is your own: it judges single replies and cannot choose between two.",
            fix="Use a model, or `rules`.",
        )
    model = _model(judge, config, "a judge")
    return LlmPreference(model.identity.name), model
