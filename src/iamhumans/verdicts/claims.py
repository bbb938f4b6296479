"""What one block of an answer claims: scores, flags, quotes, and what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from iamhumans.rubrics import Axis, Rubric
from iamhumans.text import YamlProblem, YamlReading, YamlValue, one_line, read_yaml
from iamhumans.text.yaml import RepeatedKey
from iamhumans.verdicts.blocks import CONTROL_CHARACTERS, SECTIONS, Block
from iamhumans.verdicts.lines import read_lines
from iamhumans.verdicts.model import Asked, Flag, Number, Outcome, Reason, Unjudged, Verdict
from iamhumans.verdicts.values import (
    NA,
    NotApplicable,
    Wrong,
    plain_key,
    read_flag,
    read_number,
    read_quotes,
    read_score,
)


class Ending(NamedTuple):
    """How an answer goes on after a block."""

    ends_answer: bool
    """Nothing follows."""
    open_line: bool
    """The last line of the answer has no end."""


Signature: TypeAlias = tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]

_MAX_DEPTH = 20
_LEADING_TABS = re.compile(r"^[ \t]*\t[ \t]*", re.MULTILINE)
_TOP_KEYS = ("case_id", "check", "total", "verdict", "notes", *SECTIONS)


@dataclass(slots=True)
class Claim:
    """What a block says, as far as it could be read."""

    block: Block
    case_id: str | None = None
    token: str | None = None
    axes: dict[str, Number | NotApplicable | Wrong] = field(default_factory=dict)
    flags: dict[str, Flag | Wrong] = field(default_factory=dict)
    evidence: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: str = ""
    stated_total: Number | None = None
    stated_verdict: Outcome | None = None
    repairs: set[str] = field(default_factory=set)
    problem: Unjudged | None = None

    @property
    def states_anything(self) -> bool:
        """Whether there is at least one axis or flag in it, or it is a verdict that cannot be read at all."""
        return bool(self.axes or self.flags) or self.problem is not None

    @property
    def signature(self) -> Signature:
        """What it says, without the dress."""
        return (
            frozenset((name, str(value)) for name, value in self.axes.items() if not isinstance(value, Wrong)),
            frozenset((name, str(flag.present)) for name, flag in self.flags.items() if isinstance(flag, Flag)),
        )

    def whole(self, rubric: Rubric) -> bool:
        """Whether every axis and flag is stated."""
        return (
            len(self.axes) == len(rubric.axis_ids)
            and len(self.flags) == len(rubric.hard_fail_ids)
            and Wrong not in map(type, (*self.axes.values(), *self.flags.values()))
        )

    def has_token(self, token: str | None) -> bool:
        """Whether its check line is the one that was asked for."""
        return token is not None and self.token == token

    def contradicts(self, other: Claim) -> bool:
        """Whether some axis or flag that both state is stated differently."""
        mine, theirs = self.signature, other.signature
        return any(_differ(dict(a), dict(b)) for a, b in zip(mine, theirs, strict=True))

    def verdict(self, repairs: set[str]) -> Verdict:
        """The verdict of a claim without a problem."""
        flags = {
            name: Flag(present=True, quotes=self._quotes(name, flag)) if flag.present else flag
            for name, flag in self.flags.items()
            if isinstance(flag, Flag)
        }
        axes: dict[str, Number | None] = {
            name: None if isinstance(value, NotApplicable) else value
            for name, value in self.axes.items()
            if not isinstance(value, Wrong)
        }
        return Verdict(
            axes=axes,
            flags=flags,
            case_id=self.case_id and _clean(self.case_id),
            notes=_clean(self.notes),
            stated_total=self.stated_total,
            stated_verdict=self.stated_verdict,
            repairs=tuple(sorted(repairs)),
        )

    def _quotes(self, name: str, flag: Flag) -> tuple[str, ...]:
        return tuple(map(_clean, flag.quotes or self.evidence.get(name, ())))


def _clean(text: str) -> str:
    r"""The text without characters that came in as escapes (``\u0000``, half an emoji) and cannot be written down."""
    return text if text.isprintable() else CONTROL_CHARACTERS.sub("", text)


def _is_missing(part: object) -> bool:
    return isinstance(part, Wrong) and part.reason in (Reason.MISSING_AXIS, Reason.MISSING_FLAG)


def _differ(mine: Mapping[str, str], theirs: Mapping[str, str]) -> bool:
    return any(theirs[name] != value for name, value in mine.items() if name in theirs)


def read_claim(block: Block, rubric: Rubric, asked: Asked, ending: Ending) -> Claim:
    """Read a block. What stands after it decides whether it may have been cut off."""
    claim = Claim(block)
    try:
        reading = _reading(block, rubric, claim.repairs)
    except YamlProblem as problem:
        claim.problem = Unjudged(Reason.NO_VERDICT, f"line {block.start + problem.line}: {problem.problem}")
        return claim
    top = _unwrapped(_mapping(reading.value, claim.repairs), claim.repairs)
    conflict = _Extraction(claim, rubric, top).fill()
    conflict = _repeated(reading.repeated, rubric, claim.repairs) or conflict
    if conflict and "`check`" in conflict:
        claim.token = None
    claim.problem = _problem(claim, rubric, asked, conflict, ending)
    return claim


# --- text to plain values ---------------------------------------------------------------------------------------------


def _reading(block: Block, rubric: Rubric, repairs: set[str]) -> YamlReading:
    if block.json and block.closed:
        reading = _read_json(block.text)
        if reading is not None:
            return reading
    if not block.closed:
        return read_lines(re.sub(r"([{,])\s*(?=\")", "\\1\n", block.text), rubric, repairs)
    text = _dedented(block.text)
    try:
        reading = read_yaml(text)
    except YamlProblem as problem:
        if problem.hostile:
            raise
        reading = _read_loosely(text, rubric, repairs)
    if isinstance(reading.value, str):
        reading = _read_loosely(text, rubric, repairs)
    repairs |= reading.oddities
    return reading


def _read_loosely(text: str, rubric: Rubric, repairs: set[str]) -> YamlReading:
    if _LEADING_TABS.search(text):
        try:
            reading = read_yaml(_LEADING_TABS.sub(lambda match: match.group().replace("\t", "  "), text))
        except YamlProblem as problem:
            if problem.hostile:
                raise
        else:
            if isinstance(reading.value, dict):
                repairs.add("tabs")
                return reading
    repairs.add("line_by_line")
    return read_lines(text, rubric, repairs)


def _dedented(text: str) -> str:
    """The text without the indent of its first line."""
    margin = len(text) - len(text.lstrip(" "))
    if margin == 0:
        return text
    return "\n".join(line[margin:] if line[:margin].isspace() else line.lstrip(" ") for line in text.split("\n"))


def _read_json(text: str) -> YamlReading | None:
    """JSON as YAML would read it: every scalar a string, repeated keys noted. ``None`` where it is not JSON."""
    reading = YamlReading()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in items:
            if key in mapping:
                reading.repeated.append(RepeatedKey((key,), 1, mapping[key], _plain(value)))
            else:
                mapping[key] = _plain(value)
        return mapping

    try:
        value = json.loads(
            text, strict=False, object_pairs_hook=pairs, parse_int=str, parse_float=str, parse_constant=str
        )
    except (ValueError, RecursionError):
        return None
    reading.value = _plain(value)
    if not _within_depth(reading.value, _MAX_DEPTH):
        raise YamlProblem(f"more than {_MAX_DEPTH} levels deep", hostile=True)
    return reading


def _plain(value: Any) -> YamlValue:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value  # type: ignore[no-any-return]  # strings and mappings whose parts are plain already


def _within_depth(value: YamlValue, levels: int) -> bool:
    """Whether a value is nested no deeper than so many levels; looks no deeper than that itself."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not parts or (levels > 0 and all(_within_depth(part, levels - 1) for part in parts))


# --- plain values to parts --------------------------------------------------------------------------------------------


def _mapping(value: YamlValue, repairs: set[str]) -> dict[str, YamlValue]:
    """A mapping; a list of one-key mappings is one, too."""
    if isinstance(value, dict):
        return value
    merged: dict[str, YamlValue] = {}
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                repairs.add("list_form")
                merged |= {key: part for key, part in item.items() if key not in merged}
    return merged


def _unwrapped(top: dict[str, YamlValue], repairs: set[str]) -> dict[str, YamlValue]:
    """What is inside ``{"result": {...}}``, where the outer mapping says nothing itself."""
    if len(top) == 1:
        ((key, inner),) = top.items()
        if isinstance(inner, dict) and plain_key(key) not in _TOP_KEYS and {"axes", "hard_fails"} & inner.keys():
            repairs.add("wrapped")
            return inner
    return top


def _named(
    mapping: Mapping[str, YamlValue], repairs: set[str], known: tuple[str, ...]
) -> Iterator[tuple[str, YamlValue]]:
    """The entries with the known spelling of their keys."""
    for key, value in mapping.items():
        if key in known:
            yield key, value
            continue
        plain = plain_key(key)
        if plain in known:
            repairs.add("key_names")
        yield plain, value


class _Extraction:
    """Fills a claim from the mapping that a block holds."""

    def __init__(self, claim: Claim, rubric: Rubric, top: Mapping[str, YamlValue]) -> None:
        self.claim = claim
        self.rubric = rubric
        self.top = top
        self.entries = list(_named(top, claim.repairs, _TOP_KEYS))
        self.named = dict(self.entries)

    def fill(self) -> str | None:
        """Fill the claim; returns what contradicts itself in it."""
        claim, named = self.claim, self.named
        claim.case_id = _word(named.get("case_id"))
        claim.token = _word(named.get("check"))
        axes = self._section("axes", self.rubric.axis_ids)
        flags = self._section("hard_fails", self.rubric.hard_fail_ids)
        claim.axes = {
            name: read_score(axes[name], name, claim.repairs) for name in self.rubric.axis_ids if name in axes
        }
        claim.flags = {
            name: read_flag(flags[name], name, claim.repairs) for name in self.rubric.hard_fail_ids if name in flags
        }
        self._read_evidence()
        claim.stated_total = read_number(named.get("total", ""))
        stated = (_word(named.get("verdict")) or "").upper()
        claim.stated_verdict = "PASS" if stated == "PASS" else "FAIL" if stated == "FAIL" else None
        notes = named.get("notes", "")
        claim.notes = notes.strip() if isinstance(notes, str) else "\n".join(read_quotes(notes))
        return self.conflict

    conflict: str | None = None

    def _section(self, name: str, known: tuple[str, ...]) -> dict[str, YamlValue]:
        repairs = self.claim.repairs
        section = self.named.get(name)
        at_top = [entry for entry in self.entries if entry[0] in known]
        if section is None or section == "":
            entries = at_top
            if entries:
                repairs.add("flat")
                if any(key not in self.top for key, _ in entries):
                    repairs.add("key_names")
            return self._unique(entries)
        entries = list(_named(_mapping(section, repairs), repairs, known))
        if any(key not in known for key, _ in entries):
            repairs.add("unknown_key")
        # A key of the section that stands at the top as well must not say something else there.
        readable = [(key, value) for key, value in at_top if not isinstance(_READ[name](value, key, set()), Wrong)]
        return self._unique([*((key, value) for key, value in entries if key in known), *readable])

    def _unique(self, entries: list[tuple[str, YamlValue]]) -> dict[str, YamlValue]:
        """Entries by key; two spellings of one key must say the same."""
        found: dict[str, YamlValue] = {}
        for key, value in entries:
            if key in found and found[key] != value:
                self.conflict = f"`{key}` stands twice with different values"
            found.setdefault(key, value)
        return found

    def _read_evidence(self) -> None:
        repairs = self.claim.repairs
        evidence = self.named.get("evidence", "")
        if isinstance(evidence, str):
            if evidence.strip().lower() not in ("", "none", "null", "~", "n/a"):
                repairs.add("evidence_ignored")
            return
        for name, value in _named(_mapping(evidence, repairs), repairs, self.rubric.hard_fail_ids):
            quotes = read_quotes(value)
            if name not in self.rubric.hard_fail_ids:
                repairs.add("evidence_ignored")
                continue
            if isinstance(value, dict) or (isinstance(value, list) and len(quotes) != len(value)):
                repairs.add("evidence_ignored")
            self.claim.evidence[name] = quotes
            flag = self.claim.flags.get(name)
            if quotes and isinstance(flag, Flag) and not flag.present:
                repairs.add("evidence_without_flag")


_READ: Mapping[str, Callable[[YamlValue, str, set[str]], object]] = {"axes": read_score, "hard_fails": read_flag}


def _word(value: YamlValue | None) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _repeated(repeated: list[RepeatedKey], rubric: Rubric, repairs: set[str]) -> str | None:
    """What a key that stands twice means: nothing where it says the same, a contradiction where it does not."""
    meaningful = {*rubric.axis_ids, *rubric.hard_fail_ids, "case_id", "check", "axes", "hard_fails"}
    conflict = None
    for again in repeated:
        key = plain_key(str(again.path[-1]))
        inside_evidence = len(again.path) > 1 and plain_key(str(again.path[-2])) == "evidence"
        if again.first == again.later or key not in meaningful or inside_evidence:
            repairs.add("duplicate_key")
        else:
            conflict = f"`{key}` stands twice with different values"
    return conflict


# --- what is wrong ----------------------------------------------------------------------------------------------------


def _problem(claim: Claim, rubric: Rubric, asked: Asked, conflict: str | None, ending: Ending) -> Unjudged | None:
    """The first thing that is wrong, in the order of what it means for the whole."""
    if not claim.axes and not claim.flags:
        return None
    if conflict:
        return Unjudged(Reason.CONFLICTING_VERDICTS, conflict)
    wrong_case = _wrong_case(claim, asked)
    if wrong_case:
        return wrong_case
    cut = _cut_off(claim, rubric, asked, ending)
    problems = [*_axis_problems(claim, rubric, asked, cut), *_flag_problems(claim, rubric, cut)]
    if problems:
        return _most_telling(problems)
    if cut:
        return Unjudged(Reason.TRUNCATED, "the answer was cut off in its last value")
    if asked.finish_reason == "length":
        claim.repairs.add("cut_notes")
    return None


def _most_telling(problems: list[Unjudged]) -> Unjudged:
    order = (
        Reason.TRUNCATED,
        Reason.MISSING_AXIS,
        Reason.NOT_A_NUMBER,
        Reason.OUT_OF_RANGE,
        Reason.MISSING_FLAG,
        Reason.BAD_FLAG,
    )
    axis_values = (Reason.NOT_A_NUMBER, Reason.OUT_OF_RANGE)
    for reason in order:
        same = [
            problem
            for problem in problems
            if problem.reason is reason or (reason in axis_values and problem.reason in axis_values)
        ]
        if same:
            return same[0]
    return problems[0]


def _wrong_case(claim: Claim, asked: Asked) -> Unjudged | None:
    if asked.case_id is None:
        return None
    if claim.case_id is None:
        claim.repairs.add("no_case_id")
        return None
    if claim.case_id == asked.case_id:
        return None
    if claim.case_id.strip("\"'`*“”‘’ ").casefold() == asked.case_id.casefold():
        claim.repairs.add("case_id_spelling")
        return None
    return Unjudged(
        Reason.WRONG_CASE, f"the verdict is for `{one_line(claim.case_id, 60)}`, asked was `{asked.case_id}`"
    )


def _axis_problems(claim: Claim, rubric: Rubric, asked: Asked, cut: str | None) -> Iterator[Unjudged]:
    for axis in rubric.axes:
        value = claim.axes.get(axis.id)
        if value is None:
            yield Unjudged(Reason.TRUNCATED, cut) if cut else Unjudged(Reason.MISSING_AXIS, f"{axis.id} is missing")
        elif isinstance(value, Wrong):
            yield (
                Unjudged(Reason.TRUNCATED, cut) if cut and _is_missing(value) else Unjudged(value.reason, value.detail)
            )
        elif value is NA and not _may_be_na(axis, asked):
            yield Unjudged(Reason.NOT_A_NUMBER, f"{axis.id} is N/A, but in this case it is to be scored")


def _may_be_na(axis: Axis, asked: Asked) -> bool:
    default = axis.default
    if default is None or not axis.may_be_na:
        return False
    return default.holds(single_turn=asked.single_turn, repair=asked.repair)


def _flag_problems(claim: Claim, rubric: Rubric, cut: str | None) -> Iterator[Unjudged]:
    for name in rubric.hard_fail_ids:
        value = claim.flags.get(name)
        if value is None:
            yield Unjudged(Reason.TRUNCATED, cut) if cut else Unjudged(Reason.MISSING_FLAG, f"{name} is missing")
        elif isinstance(value, Wrong):
            yield (
                Unjudged(Reason.TRUNCATED, cut) if cut and _is_missing(value) else Unjudged(value.reason, value.detail)
            )


def _cut_off(claim: Claim, rubric: Rubric, asked: Asked, ending: Ending) -> str | None:
    """How the answer seems to have been cut off, if it was: the format stops and nothing follows."""
    if claim.whole(rubric) and claim.block.closed and asked.finish_reason != "length":
        return None
    order = (*rubric.axis_ids, *rubric.hard_fail_ids)
    parts = [claim.axes.get(name, claim.flags.get(name)) for name in order]
    stated = [part is not None and not _is_missing(part) for part in parts]
    last = max((index for index, is_there in enumerate(stated) if is_there), default=0)
    after = claim.stated_total is not None or claim.stated_verdict is not None or bool(claim.notes)
    if not claim.block.closed:
        return f"the answer breaks off after {order[last]}"
    if asked.finish_reason == "length" and (not all(stated) or (ending.open_line and not after)):
        return f"the answer was cut off after {order[last]}"
    if ending.ends_answer and not after and not all(stated) and all(stated[: last + 1]):
        return f"the answer stops after {order[last]}"
    return None
