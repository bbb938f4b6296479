"""How far the blind second reading of the proving set agrees with its authors: ``python -m benchmarks.second_reading``.

Prints the Markdown tables of ``docs/data-card.md``. All figures are of the labels before they were settled, and both
readers are of one making: this is not agreement between people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.proving import table
from benchmarks.proving_set import Band
from pydantic import BaseModel, ConfigDict, StrictStr

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import Rubric, load_rubric
from iamhumans.stats import Measure, cohen_kappa
from iamhumans.text import YamlReading, read_text
from iamhumans.text.checked import checked
from iamhumans.trust.label_files import json_values

READINGS = Path(__file__).with_name("second-reading.jsonl")
_SCORES: Mapping[Band, float] = {"low": 1.0, "middle": 2.0, "high": 3.0}


class Opinion(BaseModel):
    """What one reader said about a reply: the hard fails found, those in doubt, and bands where they were clear."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    yes: tuple[StrictStr, ...] | Mapping[str, StrictStr]
    unsure: frozenset[StrictStr]
    bands: Mapping[str, Band]

    def answer(self, flag: str) -> bool | None:
        """YES or NO; ``None`` in doubt."""
        return True if flag in self.yes else None if flag in self.unsure else False


class TwiceRead(Opinion):
    """A reply as the second reader saw it, with the opinion of its author (``first``)."""

    id: StrictStr
    first: Opinion


@dataclass(frozen=True, slots=True)
class FlagAgreement:
    """On how many replies the two say what about a hard fail; kappa is over those that both decide."""

    flag: str
    both: int
    author_alone: int
    reader_alone: int
    in_doubt: int
    neither: int
    kappa: Measure


@dataclass(frozen=True, slots=True)
class AxisAgreement:
    """How far the two agree on the band of an axis; ``opposite`` is low for one and high for the other."""

    axis: str
    replies: int
    same: int
    opposite: int
    kappa: Measure


def read_second_reading(path: Path = READINGS) -> list[TwiceRead]:
    """The replies of a file, one JSON object a line. Raises InputError, with the line, for one that is wrong."""
    found: dict[str, TwiceRead] = {}
    for number, value in json_values(read_text(path)):
        place = Place(path, number)
        if isinstance(value, InputError):
            raise InputError(value.what, fix=value.fix, where=place)
        one = checked(TwiceRead, YamlReading(value), path, first_line=number)
        if found.setdefault(one.id, one) is not one:
            raise InputError(f"The id `{one.id}` is used twice.", where=place)
    return list(found.values())


def flag_agreement(readings: Sequence[TwiceRead], flag: str) -> FlagAgreement:
    """The agreement on a hard fail."""
    answers = [(one.first.answer(flag), one.answer(flag)) for one in readings]
    return FlagAgreement(
        flag=flag,
        both=answers.count((True, True)),
        author_alone=answers.count((True, False)),
        reader_alone=answers.count((False, True)),
        in_doubt=sum(None in pair for pair in answers),
        neither=answers.count((False, False)),
        kappa=cohen_kappa(*(_numbers(side) for side in _sides(answers))),
    )


def axis_agreement(readings: Sequence[TwiceRead], axis: str) -> AxisAgreement:
    """The agreement on an axis."""
    pairs = [(one.first.bands.get(axis), one.bands.get(axis)) for one in readings]
    both = [(_SCORES[first], _SCORES[second]) for first, second in pairs if first and second]
    same = sum(first == second for first, second in both)
    opposite = sum(abs(first - second) > 1 for first, second in both)
    return AxisAgreement(axis, len(both), same, opposite, cohen_kappa(*_sides(both), weighting="quadratic"))


def _sides(pairs: Sequence[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


def _numbers(answers: Sequence[bool | None]) -> list[float | None]:
    return [None if answer is None else float(answer) for answer in answers]


def decimal(measure: Measure) -> str:
    """A figure with two digits."""
    return "-" if measure.value is None else f"{measure.value:.2f}"


def report(readings: Sequence[TwiceRead], rubric: Rubric) -> Sequence[str]:
    """The lines of both tables."""
    headings = ("hard fail", "both YES", "author alone", "reader alone", "in doubt", "both NO", "kappa")
    flags = [flag_agreement(readings, flag) for flag in rubric.hard_fail_ids]
    rows = [
        (
            one.flag,
            *map(str, (one.both, one.author_alone, one.reader_alone, one.in_doubt, one.neither)),
            decimal(one.kappa),
        )
        for one in flags
    ]
    axis_headings = ("axis", "bands by both", "the same", "opposite", "weighted kappa")
    axes = [axis_agreement(readings, axis) for axis in rubric.axis_ids]
    axis_rows = [(one.axis, *map(str, (one.replies, one.same, one.opposite)), decimal(one.kappa)) for one in axes]
    first = f"{len(readings)} replies, each read twice."
    return [first, "", *table([headings, *rows]), "", *table([axis_headings, *axis_rows])]


if __name__ == "__main__":
    print("\n".join(report(read_second_reading(), load_rubric("iamhumans"))))
