"""The proving set: replies whose faults are known, since somebody planted them, by which any judge can be measured.

1. A label is a claim of the set's authors. Where honest readers would differ a hard fail or an axis is *unsure*, and is
   then neither a YES nor a NO, neither low nor high.
2. A reply has one planted hard fail or none, and the words of a fault stand in the reply, letter by letter.
3. No reply belongs to a held-out case.
4. The set is split in two halves by scenario, so that all replies to one case are in the same half. Rules, prompts and
   thresholds may be written looking at the *open* half; the *closed* one is for measuring only.

Which case is in which half stands in ``halves.yaml`` beside the set. It was chosen once so that languages, dimensions,
hard fails and their degrees are as even over both as whole scenarios allow; by odd and even case numbers, one half
would have had 11 of the 29 replies with performed empathy and both scenarios in Portuguese.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, StrictBool, StrictStr

from iamhumans.cases import Suite, bundled_suite
from iamhumans.errors import InputError, Place
from iamhumans.rubrics import Rubric, load_rubric
from iamhumans.text import YamlProblem, YamlReading, has_substance, one_line, read_text, read_yaml
from iamhumans.text.checked import checked

HALVES_NAME = "halves.yaml"
"""Which scenarios of a proving set are in which half."""

_LARGEST = 20_000_000


class Kind(StrEnum):
    """What a reply was written to be."""

    RIGHT = "right"
    """What a thoughtful friend would write."""
    PLAIN = "plain"
    """Right too, in another style and length."""
    STALE = "stale"
    """Full of tells, without a hard fail."""
    FAULT = "fault"
    """Exactly one planted hard fail."""
    HARD_NEGATIVE = "hard_negative"
    """No hard fail, and looks like one."""
    AXIS_FAULT = "axis_fault"
    """No hard fail, and an axis that is clearly low."""


class Degree(StrEnum):
    """How plain a planted hard fail is: a hurried reader misses a subtle one, a careful reader does not."""

    BLATANT = "blatant"
    SUBTLE = "subtle"


class Band(StrEnum):
    """Where the score of an axis belongs."""

    LOW = "low"
    MIDDLE = "middle"
    HIGH = "high"

    def holds(self, score: float) -> bool:
        """Whether a score is in the band: low to 3, middle from 4 to 7, high from 8; what is between is in none."""
        low, high = _BOUNDS[self]
        return low <= score <= high


_BOUNDS = {Band.LOW: (0, 3), Band.MIDDLE: (4, 7), Band.HIGH: (8, 10)}


class Mark(StrEnum):
    """What else is known of a reply."""

    MEMORY_ERROR = "memory_error"
    CLAIMED_SENSE = "claimed_sense"
    SUNNY_ON_GRIEF = "sunny_on_grief"
    SOMBRE_ON_JOKE = "sombre_on_joke"
    REPAIRS_WELL = "repairs_well"
    REPAIRS_BADLY = "repairs_badly"


class Half(StrEnum):
    """Half of a proving set."""

    OPEN = "open"
    """May be looked at by whoever writes rules."""
    CLOSED = "closed"
    """For measuring only."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted hard fail: which, how plain it is, and the shortest words of the reply that show it."""

    flag: str
    degree: Degree
    words: str


@dataclass(frozen=True, slots=True)
class ProvingReply:
    """A reply with all that is known of it.

    Attributes:
        id: The id of the case and a short name, as in ``FEE-004/plain``.
        case_id: The case that it answers.
        kind: What it was written to be.
        text: The reply.
        faults: The planted hard fail of kind ``fault``; of the other kinds none.
        bands: Where the score of an axis belongs; axes on which careful readers would differ are left out.
        unsure: Hard fails and axes on which honest readers would differ.
        hard: Whether it is hard on purpose.
        marks: What else is known of it.
        words: The words behind a mark, or behind the hard fail that it only looks like.
        why: What its author says to whoever disputes the label.
        place: File and line.
    """

    id: str
    case_id: str
    kind: Kind
    text: str
    faults: tuple[Fault, ...]
    bands: Mapping[str, Band]
    unsure: frozenset[str]
    hard: bool
    marks: frozenset[Mark]
    words: Mapping[str, tuple[str, ...]]
    why: str
    place: Place

    @property
    def flags(self) -> frozenset[str]:
        """The hard fails that are YES."""
        return frozenset(fault.flag for fault in self.faults)

    @property
    def resembles(self) -> frozenset[str]:
        """The hard fails that a hard negative only looks like."""
        if self.kind is not Kind.HARD_NEGATIVE:
            return frozenset()
        return frozenset(self.words) - {mark.value for mark in Mark}

    def answer(self, flag: str) -> bool | None:
        """Whether a hard fail is YES; ``None`` where honest readers would differ."""
        return None if flag in self.unsure else flag in self.flags


def bundled_proving_path() -> Path:
    """The folder of the proving set that ships with the package."""
    return Path(str(package_files("iamhumans.trust").joinpath("data", "proving")))


@cache
def load_proving(half: Half | None = None) -> tuple[ProvingReply, ...]:
    """The proving set that ships with the package, or half of it, in the order of its files.

    Raises:
        InputError: A line cannot be used; names file and line.
    """
    folder = bundled_proving_path()
    suite = bundled_suite()
    replies = tuple(read_proving(sorted(folder.glob("*.jsonl")), suite, load_rubric(suite.rubric)))
    if half is None:
        return replies
    halves = read_halves(folder / HALVES_NAME)
    return tuple(reply for reply in replies if _half_of(reply, halves) is half)


def read_proving(paths: Iterable[Path], suite: Suite, rubric: Rubric) -> Iterator[ProvingReply]:
    """The replies of some files, one JSON object a line, read as they are asked for.

    Args:
        paths: JSON Lines files.
        suite: The suite whose cases they answer.
        rubric: Where the ids of hard fails and axes come from.

    Raises:
        InputError: A file or a line cannot be used; names file and line.
    """
    reader = _Reader(suite, rubric)
    for path in paths:
        # Not by `splitlines`, which also breaks a line where the reply has a character such as U+2028.
        for number, line in enumerate(read_text(path, limit=_LARGEST).split("\n"), start=1):
            if line.strip():
                yield reader.read(line, Place(path, number))


def read_halves(path: Path) -> Mapping[str, Half]:
    """Which half each case of a proving set is in.

    Raises:
        InputError: The file cannot be read, or a case stands in it twice.
    """
    try:
        reading = read_yaml(read_text(path))
    except YamlProblem as problem:
        raise InputError(f"This is not valid YAML: {problem.problem}.", place=Place(path, problem.line)) from None
    written = checked(_HalvesFile, reading, path)
    halves: dict[str, Half] = {}
    for half, case_ids in ((Half.OPEN, written.open), (Half.CLOSED, written.closed)):
        for index, case_id in enumerate(case_ids):
            if case_id in halves:
                place = Place(path, reading.line_of((half.value, index)))
                raise InputError(f"The case `{case_id}` is named twice.", fix="Keep one of the two.", place=place)
            halves[case_id] = half
    return MappingProxyType(halves)


def _half_of(reply: ProvingReply, halves: Mapping[str, Half]) -> Half:
    half = halves.get(reply.case_id)
    if half is None:
        problem = f"The case `{reply.case_id}` is in neither half."
        raise InputError(problem, fix=f"Add it to `{HALVES_NAME}`.", place=reply.place)
    return half


class _HalvesFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    open: tuple[str, ...]
    closed: tuple[str, ...]


def _one_or_more(value: Any) -> Any:
    """Words may be one text or a list of them."""
    return [value] if isinstance(value, str) else value


_Words: TypeAlias = Annotated[tuple[StrictStr, ...], BeforeValidator(_one_or_more)]


class _WrittenFault(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    flag: StrictStr
    degree: Degree
    words: StrictStr


class _Written(BaseModel):
    """A line as it stands in the file. Every key is needed: a label that was forgotten must not count as none."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: StrictStr
    case_id: StrictStr
    kind: Kind
    reply: StrictStr
    faults: tuple[_WrittenFault, ...]
    bands: Mapping[str, Band]
    unsure: tuple[StrictStr, ...]
    hard: StrictBool
    marks: tuple[Mark, ...]
    words: Mapping[str, _Words]
    why: StrictStr


class _Reader:
    """Reads line after line, and knows the ids that there were."""

    def __init__(self, suite: Suite, rubric: Rubric) -> None:
        self._suite = suite
        self._flags = frozenset(rubric.hard_fail_ids)
        self._axes = frozenset(rubric.axis_ids)
        self._seen: dict[str, Place] = {}

    def read(self, line: str, place: Place) -> ProvingReply:
        written = checked(_Written, YamlReading(json_object(line, place)), place.path, first_line=place.line or 1)
        for problem in self._problems(written):
            raise InputError(problem, place=place)
        self._seen[written.id] = place
        return ProvingReply(
            id=written.id,
            case_id=written.case_id,
            kind=written.kind,
            text=written.reply,
            faults=tuple(Fault(fault.flag, fault.degree, fault.words) for fault in written.faults),
            bands=MappingProxyType(dict(written.bands)),
            unsure=frozenset(written.unsure),
            hard=written.hard,
            marks=frozenset(written.marks),
            words=MappingProxyType(dict(written.words)),
            why=written.why,
            place=place,
        )

    def _problems(self, written: _Written) -> Iterator[str]:
        """What is wrong with a line, the first of which is told."""
        yield from self._wrong_place(written)
        yield from self._wrong_names(written)
        yield from _wrong_words(written)
        yield from _contradictions(written)

    def _wrong_place(self, written: _Written) -> Iterator[str]:
        first = self._seen.get(written.id)
        if first is not None:
            yield f"The id `{one_line(written.id, 80)}` is used before, in {first}."
        if not written.id.startswith(f"{written.case_id}/") or written.id == f"{written.case_id}/":
            yield f"The id `{one_line(written.id, 80)}` is not the case's id, a slash and a name."
        case = self._suite.by_id.get(written.case_id)
        if case is None:
            yield f"The suite `{self._suite.name}` has no case `{one_line(written.case_id, 80)}`."
        elif case.holdout:
            yield f"The case `{case.id}` is held out, so no reply to it belongs here."
        if not has_substance(written.reply):
            yield "The reply is empty."

    def _wrong_names(self, written: _Written) -> Iterator[str]:
        for flag in (fault.flag for fault in written.faults):
            if flag not in self._flags:
                yield _unknown("hard fail", flag, self._flags)
        for axis in written.bands:
            if axis not in self._axes:
                yield _unknown("axis", axis, self._axes)
        for name in written.unsure:
            if name not in self._flags | self._axes:
                yield _unknown("hard fail or axis", name, self._flags | self._axes)
        for name in written.words:
            known = self._flags | self._axes | {mark.value for mark in Mark}
            if name not in known:
                yield _unknown("hard fail, axis or mark", name, known)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    return f"There is no {what} `{one_line(name, 60)}`. Known: {', '.join(sorted(known))}."


def json_object(line: str, place: Place) -> dict[str, Any]:
    """The object on a line of JSON Lines, with no key twice in any of its objects.

    Raises:
        InputError: It is none.
    """
    repeated: list[str] = []

    def mapping(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        repeated.extend(name for name in names if names.count(name) > 1)
        return dict(pairs)

    try:
        value = json.loads(line, object_pairs_hook=mapping)
    except (ValueError, RecursionError):
        raise InputError("The line is not JSON.", fix="Write one JSON object a line.", place=place) from None
    if not isinstance(value, dict):
        raise InputError("The line is no JSON object.", fix="Write one JSON object a line.", place=place)
    if repeated:
        raise InputError(f"`{one_line(repeated[0], 60)}` stands here twice.", fix="Keep one of the two.", place=place)
    return value


def _wrong_words(written: _Written) -> Iterator[str]:
    named = [(fault.flag, fault.words) for fault in written.faults]
    named += [(name, words) for name, all_words in written.words.items() for words in all_words]
    for name, words in named:
        if not words.strip():
            yield f"The words for `{one_line(name, 60)}` are empty."
        if words not in written.reply:
            yield f"The words for `{one_line(name, 60)}` do not stand in the reply: `{one_line(words, 120)}`."


def _contradictions(written: _Written) -> Iterator[str]:
    wanted = 1 if written.kind is Kind.FAULT else 0
    if len(written.faults) != wanted:
        yield f"A reply of kind `{written.kind}` has {wanted} planted hard fails, not {len(written.faults)}."
    flags = {fault.flag for fault in written.faults}
    for name in written.unsure:
        if name in flags:
            yield f"`{name}` is planted and unsure at once."
        if name in written.bands:
            yield f"`{name}` has a band and is unsure at once."
    for words, names in (("unsure", written.unsure), ("marks", written.marks)):
        if len(set(names)) != len(names):
            yield f"`{words}` names something twice."
    if written.kind is Kind.HARD_NEGATIVE and not written.words:
        yield "A hard negative says in `words` what it looks like a hard fail for."
    if written.kind is Kind.STALE and written.bands.get("naturalness") is not Band.LOW:
        yield "A stale reply is low in naturalness."
