"""The format in which a judge answers, generated from the rubric. It holds no number that could be copied."""

from __future__ import annotations

from functools import lru_cache

from iamhumans.rubrics import AXIS_MAXIMUM, NOT_APPLICABLE, Axis, Rubric

_SCORE = f"<a number from 0 to {AXIS_MAXIMUM}>"
_SCORE_OR_NA = f"<a number from 0 to {AXIS_MAXIMUM}, or {NOT_APPLICABLE}>"


@lru_cache(maxsize=16)
def output_format(rubric: Rubric) -> str:
    """The verdict's form with a placeholder for each value, and the rules for filling it in."""
    return "\n".join(
        [
            "Print one verdict in this form and nothing outside of it, with your own value in place of each <...>.",
            "",
            "```yaml",
            *_form(rubric),
            "```",
            "",
            *_rules(rubric),
        ]
    )


def _form(rubric: Rubric) -> list[str]:
    lines = ["case_id: <the case's ID>", "check: <the check token>", "axes:"]
    lines += [f"  {axis.id}: {_SCORE_OR_NA if axis.may_be_na else _SCORE}" for axis in rubric.axes]
    if rubric.hard_fails:
        lines += ["evidence:", '  <id of a hard fail that is YES>: ["<its words, copied exactly from the reply>"]']
        lines += ["hard_fails:", *(f"  {name}: <YES or NO>" for name in rubric.hard_fail_ids)]
    return [*lines, "total: <your total>", "verdict: <PASS or FAIL>", "notes: |", "  <two to four sentences>"]


def _rules(rubric: Rubric) -> list[str]:
    rules = []
    if rubric.hard_fails:
        rules += [
            "- Score the axes first. Then read the reply again for the hard fails alone; neither settles the other.",
            "- Every YES needs evidence: words that stand in the reply, character by character, in double quotes."
            " Leave `evidence` empty (`evidence: {}`) where every answer is NO.",
            "- One YES makes the total 0. Otherwise the total is the mean of the axes times ten, rounded.",
        ]
    else:
        rules.append("- The total is the mean of the axes times ten, rounded.")
    rules.append(f"- PASS is a total of at least {rubric.scoring.pass_mark}.")
    rules += [f"- `{axis.id}`: {_na_rule(axis)}" for axis in rubric.axes if axis.may_be_na]
    return rules


def _na_rule(axis: Axis) -> str:
    default = axis.default
    when = {
        "single_turn": "where the user's message is the whole conversation and the reply invents no earlier one",
        "no_repair": "where nothing was to be put right and the reply corrects nothing",
        "always": "where there is nothing to score",
    }[default.when if default else "always"]
    return f"write {NOT_APPLICABLE} {when}. In every other case score it."
