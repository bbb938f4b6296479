"""Reading a verdict that is written exactly as it was asked for, by one pattern and without a YAML parser.

Most judges keep to the form, and for them this is several times faster. It gives what the general way gives, or
nothing: whatever is in the least unusual (a score that is no whole number, a backslash in a quote, a tab, a key more
or less) is left to the general way. A test holds the two against each other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from iamhumans.rubrics import AXIS_MAXIMUM, NOT_APPLICABLE, Rubric
from iamhumans.verdicts.model import Flag, Number, Outcome
from iamhumans.verdicts.values import NA, NotApplicable

_SCORES: dict[str, Number | NotApplicable] = {
    **{str(score): score for score in range(AXIS_MAXIMUM + 1)},
    NOT_APPLICABLE: NA,
}
_NO, _YES = Flag(present=False), Flag(present=True)
_ANSWERS = {"NO": _NO, "YES": _YES}
# Within double quotes, without a backslash or a line end, YAML and JSON take every character as it is.
_QUOTE = r'"([^"\\\n]*)"'
_QUOTES = re.compile(_QUOTE)
_EVIDENCE = re.compile(r"  ([a-z0-9_]+): \[(.*)\]")


class ExactVerdict(NamedTuple):
    """What the text says."""

    case_id: str
    token: str | None
    axes: dict[str, Number | NotApplicable]
    flags: dict[str, Flag]
    evidence: dict[str, tuple[str, ...]]
    total: int
    outcome: Outcome
    notes: str

    def flags_with_quotes(self) -> dict[str, Flag]:
        """The flags, each YES with its quotes."""
        if not self.evidence:
            return self.flags
        quoted = {name: Flag(present=True, quotes=quotes) for name, quotes in self.evidence.items()}
        return {**self.flags, **quoted}


@lru_cache(maxsize=16)
def _pattern(rubric: Rubric) -> re.Pattern[str]:
    scores = "|".join(map(re.escape, _SCORES))
    axes = "".join(rf"  {name}: ({scores})\n" for name in rubric.axis_ids)
    flags = "".join(rf"  {name}: (NO|YES)\n" for name in rubric.hard_fail_ids)
    evidence = rf"(?:evidence:(?: \{{\}}\n|\n((?:  [a-z0-9_]+: \[(?:{_QUOTE}(?:, {_QUOTE})*)?\]\n)+)))?"
    # Words that YAML reads as something else than they look like are not among the ids and tokens of this pattern.
    return re.compile(
        r"case_id: ([A-Za-z][A-Za-z0-9]*(?:[-._][A-Za-z0-9]+)*)\n(?:check: ([a-z0-9]+)\n)?"
        rf"axes:\n{axes}{evidence.replace('([^', '(?:[^')}hard_fails:\n{flags}"
        r"total: (\d{1,3})\nverdict: (PASS|FAIL)\nnotes: \|\n((?:  \S[^\n]*\n|\n)*  \S[^\n]*)"
    )


def read_exactly(text: str, rubric: Rubric) -> ExactVerdict | None:
    """The verdict in a text that holds nothing else; ``None`` where it is not exactly in the form."""
    if not rubric.hard_fail_ids or not text.replace("\n", "").isprintable():
        return None
    match = _pattern(rubric).fullmatch(text)
    if match is None:
        return None
    case_id, token, *answers = match.groups()
    # The answers stand in the order of the rubric, and there are more of them than names.
    axes = dict(zip(rubric.axis_ids, map(_SCORES.__getitem__, answers[: len(rubric.axis_ids)]), strict=True))
    listed, *rest = answers[len(axes) :]
    flags = dict(zip(rubric.hard_fail_ids, map(_ANSWERS.__getitem__, rest[: len(rubric.hard_fail_ids)]), strict=True))
    total, outcome, notes = rest[len(flags) :]
    evidence = _evidence(listed, flags) if listed else {}
    if evidence is None:
        return None
    stated: Outcome = "PASS" if outcome == "PASS" else "FAIL"
    # Every line begins with two blanks, or is empty.
    return ExactVerdict(case_id, token, axes, flags, evidence, int(total), stated, notes.replace("\n  ", "\n").strip())


def _evidence(listed: str, flags: dict[str, Flag]) -> dict[str, tuple[str, ...]] | None:
    """The quotes of each flag that says YES; ``None`` where there is something to be repaired or to be told."""
    found: dict[str, tuple[str, ...]] = {}
    for line in listed.splitlines():
        match = _EVIDENCE.fullmatch(line)
        if match is None or match[1] in found or not flags.get(match[1], _NO).present:
            return None
        quotes = tuple(_QUOTES.findall(match[2]))
        if not all(quote.strip() for quote in quotes):
            return None
        found[match[1]] = quotes
    return found
