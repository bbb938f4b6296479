"""The second, blind reading of the proving set: what its authors said, and what a reader said who saw none of it.

Both stand in one file, as they were before they were settled, so that the agreement can be counted again. It is the
agreement of readers of one making, not of people.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, StrictStr

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import Rubric
from iamhumans.text import YamlReading, one_line, read_text
from iamhumans.text.checked import checked
from iamhumans.trust.proving import Band, json_object

if TYPE_CHECKING:
    from iamhumans.stats import Measure

_SCORES = {Band.LOW: 1.0, Band.MIDDLE: 2.0, Band.HIGH: 3.0}


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one reader said of a reply: the hard fails found, those in doubt, and bands where they were clear."""

    yes: frozenset[str]
    unsure: frozenset[str]
    bands: Mapping[str, Band]

    def answer(self, flag: str) -> bool | None:
        """YES or NO; ``None`` in doubt."""
        return True if flag in self.yes else None if flag in self.unsure else False


@dataclass(frozen=True, slots=True)
class TwiceRead:
    """A reply of the proving set with the opinions of its author and of the second reader."""

    id: str
    author: Opinion
    reader: Opinion


@dataclass(frozen=True, slots=True)
class FlagAgreement:
    """How far the two agree on a hard fail, over all replies."""

    flag: str
    both: int
    """Replies on which both say YES."""
    author_alone: int
    """The author says YES and the reader NO."""
    reader_alone: int
    in_doubt: int
    """Replies on which at least one is in doubt."""
    neither: int
    kappa: Measure
    """Of those that both decide."""


@dataclass(frozen=True, slots=True)
class AxisAgreement:
    """How far the two agree on the band of an axis, where the author found it clear and the reader gave one."""

    axis: str
    replies: int
    same: int
    opposite: int
    """Low for the one, high for the other."""
    kappa: Measure
    """Quadratically weighted."""


def load_second_reading() -> tuple[TwiceRead, ...]:
    """The second reading that ships with the package.

    Raises:
        InputError: A line cannot be used; names file and line.
    """
    return read_second_reading(Path(str(package_files("iamhumans.trust").joinpath("data", "second-reading.jsonl"))))


def read_second_reading(path: Path) -> tuple[TwiceRead, ...]:
    """The replies of a file that were read twice, one JSON object a line.

    Raises:
        InputError: A line cannot be used, or an id stands there twice; names file and line.
    """
    found: dict[str, TwiceRead] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        place = Place(path, number)
        written = checked(_Written, YamlReading(json_object(line, place)), path, first_line=number)
        if written.id in found:
            raise InputError(f"The id `{one_line(written.id, 80)}` stands here twice.", place=place)
        found[written.id] = TwiceRead(written.id, written.first.opinion(), written.opinion())
    return tuple(found.values())


def flag_agreement(readings: Sequence[TwiceRead], rubric: Rubric) -> list[FlagAgreement]:
    """The agreement on each hard fail of the rubric."""
    return [_flag(readings, flag) for flag in rubric.hard_fail_ids]


def axis_agreement(readings: Sequence[TwiceRead], rubric: Rubric) -> list[AxisAgreement]:
    """The agreement on each axis of the rubric."""
    return [_axis(readings, axis) for axis in rubric.axis_ids]


def _flag(readings: Sequence[TwiceRead], flag: str) -> FlagAgreement:
    from iamhumans.stats import cohen_kappa

    answers = [(one.author.answer(flag), one.reader.answer(flag)) for one in readings]
    return FlagAgreement(
        flag=flag,
        both=answers.count((True, True)),
        author_alone=answers.count((True, False)),
        reader_alone=answers.count((False, True)),
        in_doubt=sum(None in pair for pair in answers),
        neither=answers.count((False, False)),
        kappa=cohen_kappa(*(_numbers(side) for side in _sides(answers))),
    )


def _axis(readings: Sequence[TwiceRead], axis: str) -> AxisAgreement:
    from iamhumans.stats import cohen_kappa

    pairs = [(one.author.bands.get(axis), one.reader.bands.get(axis)) for one in readings]
    both = [(_SCORES[first], _SCORES[second]) for first, second in pairs if first and second]
    return AxisAgreement(
        axis=axis,
        replies=len(both),
        same=sum(first == second for first, second in both),
        opposite=sum(abs(first - second) > 1 for first, second in both),
        kappa=cohen_kappa(*_sides(both), weighting="quadratic"),
    )


def _sides(pairs: Sequence[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


def _numbers(answers: Iterable[bool | None]) -> list[float | None]:
    return [None if answer is None else float(answer) for answer in answers]


class _Opinion(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    yes: tuple[StrictStr, ...] | Mapping[str, StrictStr]
    unsure: tuple[StrictStr, ...]
    bands: Mapping[str, Band]

    def opinion(self) -> Opinion:
        return Opinion(frozenset(self.yes), frozenset(self.unsure), MappingProxyType(dict(self.bands)))


class _Written(_Opinion):
    id: StrictStr
    first: _Opinion
