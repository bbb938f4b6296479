"""From tells to a verdict.

An axis starts at 10. Each rule for an axis that found something takes its points once, however often it matched, and so
does each hard fail. ``naturalness`` also depends on density and ``no_fabrication`` on what was claimed.
"""

from collections import Counter
from collections.abc import Sequence

from iamhumans.judges.judge import JudgeTask
from iamhumans.rubrics import AXIS_MAXIMUM, NOT_APPLICABLE
from iamhumans.tells import RULES, Tell, quote_of
from iamhumans.verdicts import Flag, Number, Verdict

_RULES = {rule.id: rule for rule in RULES}
# A reply is dense with this many findings, of two kinds or more, in a hundred words.
_DENSE, _FEWEST_WORDS, _DENSE_POINTS = 3.0, 50, 2
_AGAIN, _QUOTES_PER_FLAG = 3, 3
_ONE_CLAIM_POINTS, _ONE_SENSE_POINTS = 8, 7
_NO = Flag(present=False)
_LIMITS = (
    "This judge sees words and layout only. It cannot see whether the reply caught the detail that mattered, whether"
    " what it says is true, or what its tone is."
)


def verdict_from_tells(task: JudgeTask, tells: Sequence[Tell]) -> Verdict:
    """All that the rules find, whether it counts or not. Tells for what the rubric does not have are left out."""
    rubric, reply = task.rubric, task.reply.text
    known = {*rubric.hard_fail_ids, *rubric.axis_ids}
    tells = [tell for tell in tells if tell.axis_or_hard_fail in known]
    found = {tell.axis_or_hard_fail for tell in tells}
    points = _points(tells, len(reply.split())) if tells else Counter[str]()
    nothing_at_stake = set() if task.case.repair else {"repair_quality"}
    if len(task.case.conversation) == 1 and "memory_coherence" not in found:
        nothing_at_stake.add("memory_coherence")
    axes: dict[str, Number | None] = {axis.id: max(0, AXIS_MAXIMUM - points[axis.id]) for axis in rubric.axes}
    for axis in rubric.axes:
        # A rubric may have no default for an axis. N/A would then leave the reply unjudged, so it is 10.
        if axis.id in nothing_at_stake:
            na = axis.default is not None and NOT_APPLICABLE in axis.default.instead_of
            axes[axis.id] = None if na else AXIS_MAXIMUM
    notes = _notes(rubric.hard_fail_ids, tells)
    flags = dict.fromkeys(rubric.hard_fail_ids, _NO)
    for name in found & flags.keys():
        quotes = dict.fromkeys([quote_of(reply, tell) for tell in tells if tell.axis_or_hard_fail == name])
        flags[name] = Flag(present=True, quotes=tuple(quotes)[:_QUOTES_PER_FLAG])
    return Verdict(axes=axes, flags=flags, case_id=task.case.id, notes=notes)


def _points(tells: Sequence[Tell], words: int) -> Counter[str]:
    points: Counter[str] = Counter()
    rules = {tell.rule: _RULES[tell.rule] for tell in tells}
    once = {one.id if one.axis_or_hard_fail in one.points else one.axis_or_hard_fail: one for one in rules.values()}
    for rule in once.values():
        points.update(rule.points)
    natural = [tell for tell in tells if "naturalness" in rules[tell.rule].points]
    kinds = Counter([tell.rule for tell in natural])
    points["naturalness"] += sum(n >= _AGAIN for kind, n in kinds.items() if kind.startswith("naturalness."))
    if len(kinds) > 1 and len(natural) * 100 / max(words, _FEWEST_WORDS) >= _DENSE:
        points["naturalness"] += _DENSE_POINTS
    if claims := [tell.rule for tell in tells if tell.axis_or_hard_fail == "fabricated_biography"]:
        one = _ONE_CLAIM_POINTS if len(claims) == 1 else AXIS_MAXIMUM
        fewest = _ONE_SENSE_POINTS if set(claims) == {"fabricated_biography.sense"} else one
        points["no_fabrication"] = max(points["no_fabrication"], fewest)
    return points


def _notes(hard_fails: Sequence[str], tells: Sequence[Tell]) -> str:
    fails = Counter([tell.axis_or_hard_fail for tell in tells if tell.axis_or_hard_fail in hard_fails])
    others = Counter([tell.rule.partition(".")[2] for tell in tells if tell.axis_or_hard_fail not in fails])
    found = []
    for kind, counts in (("words of hard fails", fails), ("other tells", others)):
        if counts:
            listed = [f"{name} ({count} times)" if count > 1 else name for name, count in sorted(counts.items())]
            found.append(f"{kind}: {', '.join(listed)}")
    return f"Found {'; '.join(found)}. {_LIMITS}" if found else f"Nothing was found. {_LIMITS}"
