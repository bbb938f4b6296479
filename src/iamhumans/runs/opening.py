"""From the names that the user gave to judges and subjects that can be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from iamhumans.errors import CommandError
from iamhumans.judges import needs_model, open_judge
from iamhumans.models import Config, load_config, open_model
from iamhumans.prompts import Template
from iamhumans.runs.plan import Drawing, Seat
from iamhumans.subjects import LlmSubject, skill_text
from iamhumans.text import read_text


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
        seats.append(Seat(judge, open_model(name, config()) if needs_model(judge) else None))
    return tuple(seats)


def open_drawing(name: str, skill: Path | None, config: Config, *, replies: int) -> Drawing:
    """The subject of this name with the skill in a file.

    Raises:
        CommandError: There is no such model.
        InputError: The skill cannot be read, or a table of the config does not fit.
        CannotRunError: A key is not set.
    """
    text = skill_text(read_text(skill)) if skill is not None else None
    # The skill belongs to the subject's name, so that two skills of one model can be told apart in a report.
    subject = LlmSubject(f"{name}+{skill.stem}" if skill is not None else name, text or None)
    return Drawing(subject, open_model(name, config), replies)
