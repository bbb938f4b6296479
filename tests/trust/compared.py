"""People and judges of whom it is known how they agree, with a rubric of two hard fails and two axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from tests.builders import SEED

from iamhumans.rubrics import Rubric
from iamhumans.runs.labels import Label, Part
from iamhumans.trust.calibration import Calibration, calibrate
from iamhumans.trust.judge_identity import JudgeIdentity
from iamhumans.trust.people import Judged, people_of

FLAGS = ("pity", "lecturing")
AXES = ("naturalness", "empathy_fit")
RUBRIC = Rubric(
    name="small",
    axes=tuple(axis for axis in SEED.axes if axis.id in AXES),
    hard_fails=tuple(one for one in SEED.hard_fails if one.id in FLAGS),
)
IDENTITY = JudgeIdentity("judge", {"temperature": 0}, RUBRIC.hash, "prompt")


def said(
    key: str,
    *,
    rater: str = "ann",
    pity: bool | None = False,
    lecturing: bool | None = False,
    naturalness: float | None = 8.0,
    empathy_fit: float | None = 8.0,
    case_id: str | None = None,
    weight: float | None = None,
    part: Part | None = None,
) -> Label:
    """A label with everything answered."""
    return Label(
        reply_key=key,
        case_id=case_id or f"case of {key}",
        subject="s",
        number=1,
        rater=rater,
        flags={"pity": pity, "lecturing": lecturing},
        axes={"naturalness": naturalness, "empathy_fit": empathy_fit},
        part=part,
        weight=weight,
    )


def judged(
    key: str,
    *,
    pity: bool = False,
    lecturing: bool = False,
    axes: Mapping[str, float] | None = None,
    defaulted: Sequence[str] = (),
    case_id: str | None = None,
    subject: str = "s",
) -> Judged:
    """What a judge said."""
    values = {"naturalness": 8.0, "empathy_fit": 8.0, **(axes or {})}
    total = 0 if pity or lecturing else round(10 * sum(values.values()) / len(values))
    flags = {"pity": pity, "lecturing": lecturing}
    said = flags, pity or lecturing, values, total, frozenset(defaulted)
    return Judged(key, case_id or f"case of {key}", *said, subject)


def learned(labels: Sequence[Label], judgements: Sequence[Judged], run: str = "abc") -> Calibration:
    """The calibration that comes of them."""
    return calibrate(people_of(labels), judgements, RUBRIC, IDENTITY, run, created="2026-01-01T00:00:00+00:00")


@cache
def a_run(count: int = 120, labelled: int = 60, seed: int = 1) -> tuple[tuple[Label, ...], tuple[Judged, ...]]:
    """A run of a judge that gives a point more than people and pities one clean reply in ten.

    People say pity to one reply in four; the judge finds four of five of those. Two people label.
    """
    source = np.random.default_rng(seed)
    labels: list[Label] = []
    judgements: list[Judged] = []
    for number in range(count):
        key, meant = f"r{number}", float(source.uniform(3, 9))
        pity = bool(source.random() < 0.25)
        found = bool(source.random() < (0.8 if pity else 0.1))
        judgements.append(judged(key, pity=found, axes={"naturalness": min(10.0, round(meant + 1))}))
        if number < labelled:
            labels += [
                said(
                    key,
                    rater=rater,
                    pity=pity,
                    naturalness=float(round(meant + float(source.normal(0, 0.4)))),
                    weight=count / labelled,
                    part="random",
                )
                for rater in ("ann", "bob")
            ]
    return tuple(labels), tuple(judgements)


@cache
def a_calibration() -> Calibration:
    """What is learned from the labels of :func:`a_run`."""
    return learned(*a_run())
