"""The proving set: replies with known faults, to measure any judge by.

A label is a claim of the set's authors. Where honest readers would differ, a hard fail or an axis is *unsure*.
A reply has one planted hard fail or none. No reply belongs to a held-out case.

The set has two halves, split by scenario (``halves.yaml``). The *open* half may be used to write rules, prompts and
thresholds. The *closed* half is for measuring only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictStr

from iamhumans.errors import InputError, Place
from iamhumans.text import YamlReading, read_text, read_yaml
from iamhumans.text.checked import checked
from iamhumans.trust.label_files import json_values

_LARGEST = 20_000_000


Kind: TypeAlias = Literal["right", "plain", "stale", "fault", "hard_negative", "axis_fault"]
"""A reply is written to be right; right in another style; full of tells, without a hard fail; with one hard fail;
without one, but looking like it; without one, and clearly low on an axis."""
Degree: TypeAlias = Literal["blatant", "subtle"]
"""How obvious a planted hard fail is. A hurried reader misses a subtle one, a careful reader does not."""
Band: TypeAlias = Literal["low", "middle", "high"]
BANDS: Mapping[Band, tuple[int, int]] = {"low": (0, 3), "middle": (4, 7), "high": (8, 10)}
"""The lowest and highest score of each band. Scores between two bands are in none."""
Mark: TypeAlias = Literal[
    "memory_error", "claimed_sense", "sunny_on_grief", "sombre_on_joke", "repairs_well", "repairs_badly"
]
"""What else is known about a reply."""
Half: TypeAlias = Literal["open", "closed"]


class _Strict(BaseModel):
    # Every key is required: a label that was forgotten must not count as "none".
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Fault(_Strict):
    """A planted hard fail, how obvious it is, and the shortest words of the reply that show it."""

    flag: StrictStr
    degree: Degree
    words: StrictStr


_Words: TypeAlias = Annotated[
    tuple[StrictStr, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
]


class ProvingReply(_Strict):
    """A reply with all that is known about it.

    The id is that of the case and a short name, as in ``FEE-004/plain``. ``bands`` says where scores belong; ``unsure``
    names hard fails and axes on which honest readers would differ. ``hard`` means hard on purpose. ``words`` are those
    behind a mark, or behind the hard fail that the reply only looks like. ``why`` is the author's reason.
    """

    id: StrictStr
    case_id: StrictStr
    kind: Kind
    text: StrictStr = Field(validation_alias="reply")
    faults: tuple[Fault, ...]
    bands: Mapping[str, Band]
    unsure: frozenset[StrictStr]
    hard: StrictBool
    marks: frozenset[Mark]
    words: Mapping[str, _Words]
    why: StrictStr

    @property
    def flags(self) -> frozenset[str]:
        """The hard fails that are YES."""
        return frozenset(fault.flag for fault in self.faults)

    @property
    def resembles(self) -> frozenset[str]:
        """The hard fails that a hard negative only looks like."""
        return frozenset(self.words) - {*get_args(Mark)} if self.kind == "hard_negative" else frozenset()

    def answer(self, flag: str) -> bool | None:
        """Whether a hard fail is YES; ``None`` where honest readers would differ."""
        return None if flag in self.unsure else flag in self.flags


class _Halves(_Strict):
    open: frozenset[str]
    closed: frozenset[str]


def bundled_proving_path() -> Path:
    """The folder of the proving set."""
    return Path(__file__).with_name("proving-set")


@cache
def load_proving(half: Half | None = None) -> tuple[ProvingReply, ...]:
    """The proving set, or half of it, in the order of its files."""
    folder = bundled_proving_path()
    replies = tuple(read_proving(sorted(folder.glob("*.jsonl"))))
    if half is None:
        return replies
    cases = read_halves(folder / "halves.yaml")[half]
    return tuple(reply for reply in replies if reply.case_id in cases)


def read_proving(paths: Iterable[Path]) -> list[ProvingReply]:
    """The replies of JSON Lines files. Raises InputError, with file and line, for a line that is not one."""
    found = []
    for path in paths:
        for number, value in json_values(read_text(path, limit=_LARGEST)):
            if isinstance(value, InputError):
                raise InputError(value.what, fix=value.fix, where=Place(path, number))
            found.append(checked(ProvingReply, YamlReading(value), path, first_line=number))
    return found


def read_halves(path: Path) -> Mapping[Half, frozenset[str]]:
    """The cases of each half."""
    halves = checked(_Halves, read_yaml(read_text(path)), path)
    return {"open": halves.open, "closed": halves.closed}
