"""A verdict that is exactly in the form that was asked for, read at once.

The general reader takes a third of the CPU time of a run of 1000 answers (``python -m benchmarks.engine``). It reads
whatever is not exactly so: this one never says that something is wrong.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from iamhumans.rubrics import Rubric
from iamhumans.verdicts.verdict import Asked, Flag, Outcome, Verdict

_QUOTES = r"\[\"[^\"\\\n\x00-\x1f\x7f-\uffff]+\"(?:, \"[^\"\\\n\x00-\x1f\x7f-\uffff]+\")*\]"
_NOTES = r"((?:  [!-~][ -~]*\n?)+)"


@lru_cache(maxsize=16)
def _form(rubric: Rubric) -> tuple[re.Pattern[str], frozenset[str]]:
    """The form under a rubric, and the axes that may be N/A in some cases."""
    axes = "".join(f"  {name}: (10|[0-9]|N/A)\n" for name in rubric.axis_ids)
    flags = "".join(f"  {name}: (YES|NO)\n" for name in rubric.hard_fail_ids)
    head = rf"case_id: ([\w-]+)\ncheck: (\w+)\naxes:\n{axes}(?:evidence:\n((?:  \w+: {_QUOTES}\n)+))?"
    form = rf"{head}hard_fails:\n{flags}total: (\d{{1,3}})\nverdict: (PASS|FAIL)\nnotes: \|\n{_NOTES}"
    return re.compile(form), frozenset(axis.id for axis in rubric.axes if axis.may_be_na)


def read_exact(text: str, rubric: Rubric, asked: Asked) -> Verdict | None:
    """The verdict; ``None`` if the answer, or what is known of the question, leaves anything to be looked at."""
    form, may_be_na = _form(rubric)
    match = form.fullmatch(text)
    if match is None or asked.token is None or asked.finish_reason not in (None, "stop"):
        return None
    case_id, token, *given = match.groups()
    copied = any(asked.token in other for other in (asked.reply or "", *asked.conversation))
    if (case_id, token) != (asked.case_id, asked.token) or copied:
        return None
    scores, (evidence, *said) = given[: len(rubric.axis_ids)], given[len(rubric.axis_ids) :]
    axes = {name: None if score == "N/A" else int(score) for name, score in zip(rubric.axis_ids, scores, strict=True)}
    by_default = {axis.id: axis.default for axis in rubric.axes if axes[axis.id] is None}
    if not by_default.keys() <= may_be_na or not all(
        default and default.holds(single_turn=asked.single_turn, repair=asked.repair) for default in by_default.values()
    ):
        return None
    quotes = dict(line.strip().split(": ", 1) for line in evidence.splitlines()) if evidence else {}
    flags = {}
    for name, answer in zip(rubric.hard_fail_ids, said, strict=False):
        own = quotes.pop(name, None)
        if own is not None and answer == "NO":
            return None
        flags[name] = Flag(answer == "YES", tuple(json.loads(own)) if own else ())
    total, outcome, notes = said[len(flags) :]
    if quotes or (evidence and evidence.count("\n") != sum(bool(flag.quotes) for flag in flags.values())):
        return None
    stated: Outcome = "PASS" if outcome == "PASS" else "FAIL"
    return Verdict(axes, flags, case_id, re.sub("^  ", "", notes, flags=re.MULTILINE).strip(), int(total), stated)
