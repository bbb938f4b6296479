"""Whether what was learned about a judge holds for a run: same judge, same settings, same rubric, same prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from iamhumans.rubrics import Rubric

State = Literal["calibrated", "not_calibrated", "other_judge", "other_settings", "other_rubric", "other_prompt"]

_NEEDS_NO_PROMPT = ("rules", "recorded/")


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """All of a judge that a calibration is bound to.

    Attributes:
        judge: How the user named it; of a panel, all names joined by `` + ``.
        settings: The settings of each judge, and how many repeats are combined.
        rubric: The rubric's hash.
        prompt: The hash of the prompt; ``None`` for judges that are sent none.
    """

    judge: str
    settings: Mapping[str, Any]
    rubric: str
    prompt: str | None


def identity_of_plan(plan: Mapping[str, Any], rubric: Rubric, judge: str | None = None) -> JudgeIdentity:
    """The judge of a run, by the run's plan.

    Args:
        plan: The plan.
        rubric: What the run was judged by.
        judge: One of several judges; all of them together, as a panel, if not given.
    """
    seats = [seat for seat in plan.get("judges", ()) if judge is None or seat["name"] == judge]
    names = [str(seat["name"]) for seat in seats]
    return JudgeIdentity(
        judge=" + ".join(names),
        settings={"judges": seats, "repeats": plan.get("repeats", 1)},
        rubric=rubric.hash,
        prompt=None if all(map(_needs_no_prompt, names)) else plan.get("prompt"),
    )


def _needs_no_prompt(name: str) -> bool:
    return name == _NEEDS_NO_PROMPT[0] or name.startswith(_NEEDS_NO_PROMPT[1])


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run stands to a calibration, and the same as a sentence."""

    state: State
    sentence: str

    @property
    def fits(self) -> bool:
        """Whether the calibration may be used."""
        return self.state == "calibrated"


_SAID: Mapping[State, str] = {
    "calibrated": "calibrated against people",
    "not_calibrated": "not calibrated against people",
    "other_judge": "calibrated for another judge",
    "other_settings": "calibrated for other settings of the judge",
    "other_rubric": "calibrated for another rubric",
    "other_prompt": "calibrated for another prompt",
}
_MOST_NAMED = 2
_MEND = "Label replies (`iamhumans label`) and give `iamhumans calibrate`."


def standing(
    known: JudgeIdentity | None, wanted: JudgeIdentity, *, replies: int = 0, cases: int = 0, about: Sequence[str] = ()
) -> Standing:
    """How a run stands to a calibration.

    Args:
        known: What the calibration is bound to; ``None`` where there is none.
        wanted: The judge of the run.
        replies: How many replies people labelled for it.
        cases: To how many cases.
        about: On which hard fails and axes.
    """
    state = _state(known, wanted)
    if state == "calibrated":
        counted = f"{replies} {'reply' if replies == 1 else 'replies'} to {cases} {'case' if cases == 1 else 'cases'}"
        of_what = f"{len(about)} hard fails and axes" if len(about) > _MOST_NAMED else " and ".join(about)
        on = f" on {of_what}" if about else ""
        return Standing(state, f"The judge is {_SAID[state]}{on}, by labels of {counted}.")
    if state == "not_calibrated":
        return Standing(state, f"The judge is {_SAID[state]}, so how often it is wrong is not known. {_MEND}")
    return Standing(state, f"The judge was {_SAID[state]}, which says nothing about this run. {_MEND}")


def _state(known: JudgeIdentity | None, wanted: JudgeIdentity) -> State:
    if known is None:
        return "not_calibrated"
    if known.judge != wanted.judge:
        return "other_judge"
    if known.rubric != wanted.rubric:
        return "other_rubric"
    if known.prompt != wanted.prompt:
        return "other_prompt"
    return "calibrated" if _canonical(known.settings) == _canonical(wanted.settings) else "other_settings"


def nearest(known: Sequence[JudgeIdentity], wanted: JudgeIdentity) -> int | None:
    """Which of several calibrations, the newest first, says most about a run; ``None`` where there is none.

    One that fits; else the newest of the same judge.
    """
    states = [_state(one, wanted) for one in known]
    for state in ("calibrated", "other_settings", "other_prompt", "other_rubric"):
        if state in states:
            return states.index(state)
    return None


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
