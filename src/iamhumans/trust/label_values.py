"""Single values of a label file: an answer on a hard fail, a score, a weight. Strict: what is not known is an error.

``None`` and the empty text mean that nothing was asked, "cannot tell" is an answer.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import Any, Final

from iamhumans.errors import InputError
from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.runs.journal.entries import storable
from iamhumans.runs.labels import Part
from iamhumans.text import one_line

CANNOT_TELL: Final = "cannot_tell"
MOST_CHARACTERS = 20_000
"""Of a note, and of the words behind a YES."""
MOST_OF_A_NAME = 300
MOST_OF_AN_ID = 64
_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MOST_REPLIES = 1_000_000
_YES_WORDS = frozenset({"yes", "true", "y"})
_NO_WORDS = frozenset({"no", "false", "n"})
# With an exponent too, which is how programs write very small numbers.
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")


class Nothing(Enum):
    """Nothing was asked, or nothing was answered."""

    ASKED = "nothing was asked"


NOT_ASKED: Final = Nothing.ASKED


@dataclass(frozen=True, slots=True)
class Names:
    """The ids that a rubric has. Without a rubric any id will do."""

    axes: tuple[str, ...] | None = None
    hard_fails: tuple[str, ...] | None = None

    def check_axis(self, name: str) -> None:
        """Raise an InputError for an axis that the rubric has not."""
        _check(name, self.axes, "axis")

    def check_hard_fail(self, name: str) -> None:
        """Raise an InputError for a hard fail that the rubric has not."""
        _check(name, self.hard_fails, "hard fail")


ANY_NAMES = Names()
"""No rubric is known, so any id will do."""


def _check(name: str, known: tuple[str, ...] | None, kind: str) -> None:
    if known is None and len(name) <= MOST_OF_AN_ID and _ID.fullmatch(name):
        return
    if known is None:
        raise InputError(f"`{one_line(name, 60)}` cannot be the id of an axis or a hard fail.", fix="Is it misspelt?")
    if name in known:
        return
    near = get_close_matches(name, known, n=1)
    fix = f"Did you mean `{near[0]}`?" if near else f"It has {', '.join(known) or 'none'}."
    raise InputError(f"The rubric has no {kind} `{one_line(name, 60)}`.", fix=fix)


def _blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def is_cannot_tell(value: object) -> bool:
    """Whether a value says that the rater cannot tell."""
    return isinstance(value, str) and re.sub(r"[\s_-]+", "_", value.strip().lower()) in (CANNOT_TELL, "can't_tell")


def read_answer(value: object, name: str) -> bool | Nothing | None:
    """Whether a hard fail is there; ``None`` for "cannot tell".

    Raises:
        InputError: It is none of the answers.
    """
    if _blank(value):
        return NOT_ASKED
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in _YES_WORDS or word in _NO_WORDS:
        return word in _YES_WORDS
    if is_cannot_tell(value):
        return None
    raise InputError(f"`{name}` is {_shown(value)}.", fix=f"Write YES, NO or {CANNOT_TELL}, or leave it out.")


def read_axis(value: object, name: str) -> float | Nothing | None:
    """A score from 0 to 10; ``None`` for "cannot tell".

    Raises:
        InputError: It is no such score.
    """
    if _blank(value):
        return NOT_ASKED
    if is_cannot_tell(value):
        return None
    number = as_number(value)
    if number is None or not 0 <= number <= AXIS_MAXIMUM:
        fix = f"Write a number from 0 to {AXIS_MAXIMUM}, or {CANNOT_TELL}, or leave it out."
        raise InputError(f"`{name}` is {_shown(value)}.", fix=fix)
    return number


def as_number(value: object) -> float | None:
    """A finite number, also one that is written as text; ``None`` for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value.strip().replace(",", "."))
    return None


def read_weight(value: object) -> float | None:
    """A weight, the inverse of a probability; ``None`` where there is none.

    Raises:
        InputError: It is no number, or below 1.
    """
    if _blank(value):
        return None
    number = _exact_number(value)
    if number is None or number < 1:
        fix = "It is the inverse of the chance of being drawn; leave it out where that is not known."
        raise InputError(f"`weight` is {_shown(value)}, and not a number of at least 1.", fix=fix)
    return number


def _exact_number(value: object) -> float | None:
    """As :func:`as_number`, but all that a program writes for a float is read: a weight is never typed by a person."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return None
        return number if math.isfinite(number) else None
    return as_number(value)


def read_part(value: object) -> Part | None:
    """Which part of a draw.

    Raises:
        InputError: It is neither.
    """
    if _blank(value):
        return None
    if value == "random":
        return "random"
    if value == "targeted":
        return "targeted"
    raise InputError(f"`part` is {_shown(value)}.", fix="Write random or targeted, or leave it out.")


def read_count(value: object) -> int | None:
    """The number of a reply, from 1; ``None`` where there is none.

    Raises:
        InputError: It is no such number.
    """
    if _blank(value):
        return None
    number = as_number(value)
    if number is None or number != int(number) or not 1 <= number <= _MOST_REPLIES:
        raise InputError(f"`number` is {_shown(value)}.", fix=f"Write a whole number from 1 to {_MOST_REPLIES:,}.")
    return int(number)


def read_text_value(value: object, name: str, *, limit: int = MOST_OF_A_NAME) -> str | None:
    """A text; ``None`` where there is none. Numbers are read as they stand, since ids often are.

    Raises:
        InputError: It is no text, or longer than ``limit`` characters.
    """
    if _blank(value):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InputError(f"`{name}` is {_shown(value)} and not a text.")
    if len(value) > limit:
        raise InputError(f"`{name}` is longer than {limit:,} characters.", fix="Shorten it.")
    return storable(value)


def read_words(value: object, name: str) -> tuple[str, ...]:
    """The words behind a YES: a text or a list of texts.

    Raises:
        InputError: It is neither.
    """
    if _blank(value):
        return ()
    several = value if isinstance(value, list) else [value]
    texts = [read_text_value(text, name, limit=MOST_CHARACTERS) for text in several if isinstance(text, str)]
    if len(texts) != len(several):
        raise InputError(f"`{name}` is {_shown(value)}.", fix="Write the words, or a list of texts.")
    return tuple(text for text in texts if text is not None)


def _shown(value: Any) -> str:
    return f"`{one_line(str(value), 60)}`"
