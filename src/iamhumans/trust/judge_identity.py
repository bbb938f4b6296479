"""Which judge a calibration is bound to, and whether that is the judge of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from iamhumans.rubrics import Rubric
from iamhumans.runs.keys import canonical_json

State = Literal["calibrated", "not_calibrated", "other_judge", "other_rubric", "other_prompt", "other_settings"]

_OTHER: Mapping[State, str] = {
    "other_judge": "another judge",
    "other_rubric": "another rubric",
    "other_prompt": "another prompt",
    "other_settings": "other settings of the judge",
}
NEAREST_FIRST: tuple[State, ...] = ("calibrated", "other_settings", "other_prompt", "other_rubric")
"""Of several calibrations of a judge, the first of these says most about a run."""
_MOST_NAMED = 2
_FIX = "Label replies with `iamhumans label`, then run `iamhumans calibrate`."


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Everything that can change what a judge says."""

    judge: str  # the name that the user gave; for a panel all names, joined by " + "
    settings: Mapping[str, Any]  # of each judge, with the number of repeats
    rubric: str  # its hash
    prompt: str | None  # its hash; None for judges that get none

    @classmethod
    def of_plan(cls, plan: Mapping[str, Any], rubric: Rubric, judge: str | None = None) -> "JudgeIdentity":
        """The judge of a run: one of several by name, or all of them as a panel."""
        seats = [seat for seat in plan.get("judges", ()) if judge is None or seat["name"] == judge]
        names = [str(seat["name"]) for seat in seats]
        without_prompt = all(name == "rules" or name.startswith("recorded/") for name in names)
        settings = {"judges": seats, "repeats": plan.get("repeats", 1)}
        return cls(" + ".join(names), settings, rubric.hash, None if without_prompt else plan.get("prompt"))

    def compare(self, run: "JudgeIdentity") -> State:
        """Whether a calibration of this judge holds for the judge of a run, or what is different."""
        same: dict[State, bool] = {
            "other_judge": self.judge == run.judge,
            "other_rubric": self.rubric == run.rubric,
            "other_prompt": self.prompt == run.prompt,
            "other_settings": canonical_json(dict(self.settings)) == canonical_json(dict(run.settings)),
        }
        return next((state for state, fits in same.items() if not fits), "calibrated")


@dataclass(frozen=True, slots=True)
class CalibrationStatus:
    """Whether a run's judge is calibrated, as a word and as a sentence."""

    state: State
    sentence: str

    @property
    def fits(self) -> bool:
        """Whether there is a calibration that holds for the run."""
        return self.state == "calibrated"


def calibration_status(
    state: State, *, replies: int = 0, cases: int = 0, about: Sequence[str] = ()
) -> CalibrationStatus:
    """A state with its sentence; by labels of how many replies to how many cases, about which hard fails and axes."""
    if state == "calibrated":
        counted = f"{replies} {'reply' if replies == 1 else 'replies'} to {cases} {'case' if cases == 1 else 'cases'}"
        what = f"{len(about)} hard fails and axes" if len(about) > _MOST_NAMED else " and ".join(about)
        sentence = f"The judge is calibrated against people{f' on {what}' if about else ''}, by labels of {counted}."
    elif state == "not_calibrated":
        sentence = f"The judge is not calibrated against people, so its error rates are unknown. {_FIX}"
    else:
        sentence = f"The judge was calibrated for {_OTHER[state]}. That calibration does not apply to this run. {_FIX}"
    return CalibrationStatus(state, sentence)
