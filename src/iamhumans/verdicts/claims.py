"""What one block of an answer claims: scores, flags, quotes, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from iamhumans.rubrics import Axis, Rubric
from iamhumans.text import YamlProblem, YamlValue
from iamhumans.verdicts.answers import Claim, Ending, Signature, repeated_keys, wrong_case
from iamhumans.verdicts.blocks import Block
from iamhumans.verdicts.exact import ExactVerdict, read_exactly
from iamhumans.verdicts.forms import SECTIONS
from iamhumans.verdicts.lines import read_lines
from iamhumans.verdicts.model import Asked, Flag, Number, Outcome, Reason, Unjudged, Verdict
from iamhumans.verdicts.plain import clean, mapping_of, named, prose, read_block, unwrapped, word
from iamhumans.verdicts.values import (
    NA,
    NotApplicable,
    Wrong,
    read_flag,
    read_number,
    read_quotes,
    read_score,
)

_TOP_KEYS = ("case_id", "check", "total", "verdict", "notes", *SECTIONS)


@dataclass(slots=True)
class VerdictClaim(Claim):
    """What a block says as a verdict, as far as it could be read."""

    axes: dict[str, Number | NotApplicable | Wrong] = field(default_factory=dict)
    flags: dict[str, Flag | Wrong] = field(default_factory=dict)
    evidence: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: str = ""
    stated_total: Number | None = None
    stated_verdict: Outcome | None = None

    @property
    def states_anything(self) -> bool:
        """Whether there is at least one axis or flag in it, or it is a verdict that cannot be read at all."""
        return bool(self.axes or self.flags) or self.problem is not None

    @property
    def signature(self) -> Signature:
        """What it says, without the dress."""
        axes = ((name, str(value)) for name, value in self.axes.items() if not isinstance(value, Wrong))
        flags = ((name, str(flag.present)) for name, flag in self.flags.items() if isinstance(flag, Flag))
        return frozenset((*axes, *flags))

    def whole(self, rubric: Rubric) -> bool:
        """Whether every axis and flag is stated."""
        return (
            len(self.axes) == len(rubric.axis_ids)
            and len(self.flags) == len(rubric.hard_fail_ids)
            and Wrong not in map(type, (*self.axes.values(), *self.flags.values()))
        )

    def take(self, exact: ExactVerdict) -> None:
        """Claim what a text says that is exactly in the form."""
        self.case_id, self.token = exact.case_id, exact.token
        self.axes = dict(exact.axes)
        self.flags = dict(exact.flags)
        self.evidence, self.notes = exact.evidence, exact.notes
        self.stated_total, self.stated_verdict = exact.total, exact.outcome

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
            case_id=self.case_id and clean(self.case_id),
            notes=clean(self.notes),
            stated_total=self.stated_total,
            stated_verdict=self.stated_verdict,
            repairs=tuple(sorted(repairs)),
        )

    def _quotes(self, name: str, flag: Flag) -> tuple[str, ...]:
        return tuple(map(clean, flag.quotes or self.evidence.get(name, ())))


def _is_missing(part: object) -> bool:
    return isinstance(part, Wrong) and part.reason in (Reason.MISSING_AXIS, Reason.MISSING_FLAG)


def read_claim(block: Block, rubric: Rubric, asked: Asked, ending: Ending) -> VerdictClaim:
    """Read a block. What stands after it decides whether it may have been cut off."""
    claim = VerdictClaim(block)
    exact = None if block.json else read_exactly(block.text, rubric)
    if exact is not None:
        claim.take(exact)
        claim.problem = _problem(claim, rubric, asked, None, ending)
        return claim
    return _read_generally(claim, rubric, asked, ending)


def take_exactly(text: str, rubric: Rubric, asked: Asked) -> Verdict | None:
    """The verdict of an answer that is nothing but one in the form that was asked for, with the right check token.

    Whoever wrote the reply does not know the token, so nothing else needs to be looked at. Most answers of most judges
    are of this kind; for every other it is ``None``, and the general way decides.
    """
    if asked.token is None or asked.finish_reason == "length":
        return None
    exact = read_exactly(text.strip("\n"), rubric)
    if exact is None or exact.token != asked.token or exact.case_id != asked.case_id:
        return None
    axes = {name: None if isinstance(value, NotApplicable) else value for name, value in exact.axes.items()}
    if None in axes.values() and any(axes[axis.id] is None and not _may_be_na(axis, asked) for axis in rubric.axes):
        return None
    return Verdict(
        axes=axes,
        flags=exact.flags_with_quotes(),
        case_id=exact.case_id,
        notes=exact.notes,
        stated_total=exact.total,
        stated_verdict=exact.outcome,
    )


def _read_generally(claim: VerdictClaim, rubric: Rubric, asked: Asked, ending: Ending) -> VerdictClaim:
    """Read a block in whatever dress."""
    block = claim.block
    try:
        reading = read_block(block, lambda text, repairs: read_lines(text, rubric, repairs), claim.repairs)
    except YamlProblem as problem:
        claim.problem = Unjudged(Reason.NO_VERDICT, f"line {block.start + problem.line}: {problem.problem}")
        return claim
    top = mapping_of(reading.value, claim.repairs)
    top = unwrapped(top, claim.repairs, known=_TOP_KEYS, marks=("axes", "hard_fails"))
    conflict = _Extraction(claim, rubric, top).fill()
    meaningful = {*rubric.axis_ids, *rubric.hard_fail_ids, "case_id", "check", "axes", "hard_fails"}
    conflict = repeated_keys(reading.repeated, meaningful, claim.repairs) or conflict
    if conflict and "`check`" in conflict:
        claim.token = None
    claim.problem = _problem(claim, rubric, asked, conflict, ending)
    return claim


# --- plain values to parts --------------------------------------------------------------------------------------------


class _Extraction:
    """Fills a claim from the mapping that a block holds."""

    def __init__(self, claim: VerdictClaim, rubric: Rubric, top: Mapping[str, YamlValue]) -> None:
        self.claim = claim
        self.rubric = rubric
        self.top = top
        self.entries = list(named(top, claim.repairs, _TOP_KEYS))
        self.by_key = dict(self.entries)

    def fill(self) -> str | None:
        """Fill the claim; returns what contradicts itself in it."""
        claim, by_key = self.claim, self.by_key
        claim.case_id = word(by_key.get("case_id"))
        claim.token = word(by_key.get("check"))
        axes = self._section("axes", self.rubric.axis_ids)
        flags = self._section("hard_fails", self.rubric.hard_fail_ids)
        claim.axes = {
            name: read_score(axes[name], name, claim.repairs) for name in self.rubric.axis_ids if name in axes
        }
        claim.flags = {
            name: read_flag(flags[name], name, claim.repairs) for name in self.rubric.hard_fail_ids if name in flags
        }
        self._read_evidence()
        claim.stated_total = read_number(by_key.get("total", ""))
        stated = (word(by_key.get("verdict")) or "").upper()
        claim.stated_verdict = "PASS" if stated == "PASS" else "FAIL" if stated == "FAIL" else None
        claim.notes = prose(by_key.get("notes", ""))
        return self.conflict

    conflict: str | None = None

    def _section(self, name: str, known: tuple[str, ...]) -> dict[str, YamlValue]:
        repairs = self.claim.repairs
        section = self.by_key.get(name)
        at_top = [entry for entry in self.entries if entry[0] in known]
        if section is None or section == "":
            entries = at_top
            if entries:
                repairs.add("flat")
                if any(key not in self.top for key, _ in entries):
                    repairs.add("key_names")
            return self._unique(entries)
        entries = list(named(mapping_of(section, repairs), repairs, known))
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
        evidence = self.by_key.get("evidence", "")
        if isinstance(evidence, str):
            if evidence.strip().lower() not in ("", "none", "null", "~", "n/a"):
                repairs.add("evidence_ignored")
            return
        for name, value in named(mapping_of(evidence, repairs), repairs, self.rubric.hard_fail_ids):
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


# --- what is wrong ----------------------------------------------------------------------------------------------------


def _problem(
    claim: VerdictClaim, rubric: Rubric, asked: Asked, conflict: str | None, ending: Ending
) -> Unjudged | None:
    """The first thing that is wrong, in the order of what it means for the whole."""
    if not claim.axes and not claim.flags:
        return None
    if conflict:
        return Unjudged(Reason.CONFLICTING_VERDICTS, conflict)
    wrong = wrong_case(claim, asked.case_id, "verdict")
    if wrong:
        return wrong
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


def _axis_problems(claim: VerdictClaim, rubric: Rubric, asked: Asked, cut: str | None) -> Iterator[Unjudged]:
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


def _flag_problems(claim: VerdictClaim, rubric: Rubric, cut: str | None) -> Iterator[Unjudged]:
    for name in rubric.hard_fail_ids:
        value = claim.flags.get(name)
        if value is None:
            yield Unjudged(Reason.TRUNCATED, cut) if cut else Unjudged(Reason.MISSING_FLAG, f"{name} is missing")
        elif isinstance(value, Wrong):
            yield (
                Unjudged(Reason.TRUNCATED, cut) if cut and _is_missing(value) else Unjudged(value.reason, value.detail)
            )


def _cut_off(claim: VerdictClaim, rubric: Rubric, asked: Asked, ending: Ending) -> str | None:
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
