"""From the names that the user gave to judges and subjects that can be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from iamhumans.cases import Suite
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.judges import needs_model, open_judge
from iamhumans.models import ChatModel, Config, Reception, load_config, open_model
from iamhumans.prompts import Request, Template
from iamhumans.runs.keys import canonical_json
from iamhumans.runs.plan import Drawing, Seat, digest_of
from iamhumans.subjects import Answered, LlmSubject, RowProblem, open_replies, skill_text
from iamhumans.subjects.model import RecordedSubject
from iamhumans.text import read_text

_RECORDED = "recorded/"


class NotingModel:
    """A model that notes which settings its server refused, so that the user can be told."""

    def __init__(self, model: ChatModel) -> None:
        self.identity = model.identity
        self.left_out: tuple[str, ...] = ()
        self._model = model

    async def send(self, request: Request) -> Reception:
        """Send one request, once. Raises ModelFailure."""
        reception = await self._model.send(request)
        if reception.left_out:
            self.left_out = reception.left_out
        return reception

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


def open_config(given: Path | None) -> Config:
    """The config that ``--config`` names, or the nearest above the working folder, or an empty one."""
    return load_config(given, Path.cwd(), os.environ)


def open_seats(
    names: Sequence[str], config: Callable[[], Config], *, template: Template | None, repeats: int
) -> tuple[Seat, ...]:
    """The judges of these names, each with the model that it asks.

    Args:
        names: As the user gave them.
        config: Opens the config; called only if a judge needs a model, so that rules work beside a broken one.
        template: The prompt template for models.
        repeats: How many judgements of each reply will be asked for.

    Raises:
        CommandError: A judge is named twice, or there is none of this name.
        InputError: A table of the config does not fit.
        CannotRunError: A key is not set.
    """
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise CommandError(f"The judge {twice} is named twice.", fix="To ask it several times use --repeats.")
    seats = []
    for name in names:
        judge = open_judge(name, template=template, repeats=repeats)
        seats.append(Seat(judge, NotingModel(open_model(name, config())) if needs_model(judge) else None))
    return tuple(seats)


def open_drawing(
    name: str, skill: Path | None, config: Callable[[], Config], *, replies: int, suite: Suite | None = None
) -> Drawing:
    """The subject of this name with the skill in a file.

    Args:
        name: As the user gave it: a model, or ``recorded/PATH``.
        skill: The file with the system prompt.
        config: Opens the config; called only for a model.
        replies: How many replies to each case.
        suite: What recorded replies answer.

    Raises:
        CommandError: There is no such model, or a skill for replies that are recorded.
        InputError: The skill cannot be read or is empty, recorded replies do not fit the suite, or a table of the
            config does not fit.
        CannotRunError: A key is not set.
    """
    if name.startswith(_RECORDED):
        if skill is not None:
            raise CommandError("--skill does nothing for recorded replies.", fix="Leave it out, or name a model.")
        return Drawing(_recorded_subject(name, suite), None, replies)
    text = None
    if skill is not None:
        text = skill_text(read_text(skill))
        if not text:
            raise InputError("The skill has no text.", fix="Write the system prompt into it.", place=Place(skill))
    # The skill belongs to the subject's name, so that two skills of one model can be told apart in a report.
    subject = LlmSubject(f"{name}+{_name_of(skill)}" if skill is not None else name, text)
    return Drawing(subject, NotingModel(open_model(name, config())), replies)


def _name_of(skill: Path) -> str:
    """What people call a skill: its file's name, or its folder's where the file is called SKILL like all others."""
    if skill.stem.lower() != "skill":
        return skill.stem
    return skill.resolve().parent.name or skill.stem


def _recorded_subject(name: str, suite: Suite | None) -> RecordedSubject:
    source = Path(name.removeprefix(_RECORDED))
    if suite is None or str(source) in ("", "."):
        raise CommandError("`recorded/` names no replies.", fix="Add the path of the replies: recorded/PATH.")
    found: dict[tuple[str, int], Answered] = {}
    for row in open_replies(source, suite, held_out=True):
        if isinstance(row, RowProblem):
            fix = "Take the row out, or judge those that fit with `iamhumans judge`."
            raise InputError(row.problem, fix=fix, place=row.place)
        place = (row.case.id, row.reply.number)
        if place in found:
            raise InputError(
                f"There is more than one reply {row.reply.number} to case {row.case.id}.",
                fix='Number them ("number": 1, 2, ...), or judge them all with `iamhumans judge`.',
                place=Place(source),
            )
        found[place] = Answered(row.reply, row.case)
    return RecordedSubject(name, _hash_of(found), found)


def _hash_of(replies: Mapping[tuple[str, int], Answered]) -> str:
    parts = (
        canonical_json([case_id, number, there.case.hash, there.reply.text])
        for (case_id, number), there in sorted(replies.items(), key=lambda item: item[0])
    )
    return digest_of(parts)
