"""From the text that a judge printed to a verdict, or to the reason why there is none.

Reading never raises, whatever the text. Form is forgiven and each repair recorded; meaning is strict. Nothing is
clamped, filled in or guessed.
"""

from __future__ import annotations

from functools import lru_cache

from iamhumans.rubrics import Axis, Rubric
from iamhumans.verdicts.blocks import CONTROL_CHARACTERS
from iamhumans.verdicts.claims import Claim, entries_of, read_answer
from iamhumans.verdicts.form import Form, ReadValue
from iamhumans.verdicts.values import NA, READERS, plain_key, read_flag, read_prose, read_quotes, read_score
from iamhumans.verdicts.verdict import Asked, Flag, MaybeVerdict, Reason, Unjudged, Verdict

_MISSING = (Reason.MISSING_AXIS, Reason.MISSING_FLAG)
_RANK = {
    Reason.MISSING_AXIS: 1,
    Reason.NOT_A_NUMBER: 2,
    Reason.OUT_OF_RANGE: 2,
    Reason.MISSING_FLAG: 3,
    Reason.BAD_FLAG: 4,
}


def read_verdict(text: str, rubric: Rubric, asked: Asked = Asked()) -> MaybeVerdict:  # noqa: B008 - it is frozen
    """Read an answer of a judge.

    Args:
        text: The whole answer, in any form.
        rubric: The axes and hard fails that the verdict must have.
        asked: What is known about the question: case, check token, reply, how the answer ended.
    """
    form = verdict_form(rubric)
    claim = read_answer(
        text,
        form,
        asked,
        lambda claim: _problem(claim, rubric, asked),
        (asked.reply or "", *asked.conversation),
        lambda claim, other: claim.meaning(form.parts) == other.meaning(form.parts),
    )
    return claim if isinstance(claim, Unjudged) else _verdict(claim, rubric)


@lru_cache(maxsize=16)
def verdict_form(rubric: Rubric) -> Form:
    """The form of a verdict under a rubric."""
    readers: dict[str, ReadValue] = {**READERS}
    readers |= dict.fromkeys(rubric.axis_ids, read_score) | dict.fromkeys(rubric.hard_fail_ids, read_flag)
    sections = {"axes": rubric.axis_ids, "hard_fails": rubric.hard_fail_ids}
    return Form("verdict", sections, readers, mark="axes", prose="notes")


def _verdict(claim: Claim, rubric: Rubric) -> Verdict:
    said = claim.said
    evidence = _evidence(claim, rubric)
    flags = {name: said[name] for name in rubric.hard_fail_ids}
    for name, flag in flags.items():
        if flag.present:
            flags[name] = Flag(present=True, quotes=tuple(map(writable, flag.quotes or evidence.get(name, ()))))
    return Verdict(
        axes={name: None if said[name] is NA else said[name] for name in rubric.axis_ids},
        flags=flags,
        case_id=writable(said["case_id"]) if said.get("case_id") else None,
        notes=writable(read_prose(claim.raw.get("notes", ""))),
        stated_total=said.get("total"),
        stated_verdict=said.get("verdict"),
        repairs=tuple(sorted(claim.repairs)),
    )


def writable(text: str) -> str:
    r"""The text without characters that came in as escapes (``\u0000``, half an emoji) and cannot be written."""
    return text if text.replace("\n", "").isprintable() else CONTROL_CHARACTERS.sub("", text)


def _evidence(claim: Claim, rubric: Rubric) -> dict[str, tuple[str, ...]]:
    evidence = claim.raw.get("evidence", "")
    if isinstance(evidence, str):
        ignored = evidence.strip().lower() not in ("", "none", "null", "~", "n/a")
        claim.repairs.update({"evidence_ignored"} if ignored else ())
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for key, value in entries_of(evidence, claim.repairs):
        name = key if key in rubric.hard_fail_ids else plain_key(key)
        quotes = read_quotes(value)
        complete = isinstance(value, str) or (isinstance(value, list) and len(quotes) == len(value))
        if name not in rubric.hard_fail_ids or not complete:
            claim.repairs.add("evidence_ignored")
        if name in rubric.hard_fail_ids:
            claim.repairs.update({"key_names"} if name != key else ())
            claim.repairs.update({"evidence_without_flag"} if quotes and not claim.said[name].present else ())
            found.setdefault(name, quotes)
    return found


def _problem(claim: Claim, rubric: Rubric, asked: Asked) -> Unjudged | None:
    said: dict[str, object] = {}
    for names, reason in ((rubric.axis_ids, Reason.MISSING_AXIS), (rubric.hard_fail_ids, Reason.MISSING_FLAG)):
        for name in names:
            value = claim.said.get(name)
            said[name] = Unjudged(reason, f"{name} is missing") if value is None else value
    for axis in rubric.axes:
        if said[axis.id] is NA and not _may_be_na(axis, asked):
            said[axis.id] = Unjudged(Reason.NOT_A_NUMBER, f"{axis.id} is N/A, but this case needs a score for it")
    problems = [value for value in said.values() if isinstance(value, Unjudged)]
    cut = _cut_off(claim, said, asked)
    if cut and any(found.reason in _MISSING for found in problems):
        return Unjudged(Reason.TRUNCATED, cut)
    if cut and not problems:
        return Unjudged(Reason.TRUNCATED, "the answer was cut off in its last value")
    if asked.finish_reason == "length":
        claim.repairs.add("cut_notes")
    return min(problems, key=lambda found: _RANK[found.reason]) if problems else None


def _may_be_na(axis: Axis, asked: Asked) -> bool:
    default = axis.default
    return bool(default and axis.may_be_na and default.holds(single_turn=asked.single_turn, repair=asked.repair))


def _cut_off(claim: Claim, said: dict[str, object], asked: Asked) -> str | None:
    """Where the answer was cut off, if it was: the form ends early and nothing follows."""
    stated = [not (isinstance(value, Unjudged) and value.reason in _MISSING) for value in said.values()]
    if all(stated) and claim.block.closed and asked.finish_reason != "length":
        return None
    last = max((index for index, is_there in enumerate(stated) if is_there), default=0)
    name = list(said)[last]
    after = any(claim.said.get(key) is not None for key in ("total", "verdict")) or bool(claim.raw.get("notes"))
    if not claim.block.closed:
        return f"the answer breaks off after {name}"
    if asked.finish_reason == "length" and (not all(stated) or (claim.open_line and not after)):
        return f"the answer was cut off after {name}"
    if claim.ends_answer and not after and not all(stated) and all(stated[: last + 1]):
        return f"the answer stops after {name}"
    return None
