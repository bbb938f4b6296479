"""What to mind when reading how far a judge agrees with people, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from iamhumans.trust.people import People

FEW_LABELS = 25
FEW_CASES = 20
FEW_YES = 5
_RARE = 0.05
_NARROW = 2.0
_MOST_ALIKE = 0.8

Numbers = NDArray[np.float64]


def notes_on_labels(people: People) -> Iterator[str]:
    """On the labels as a whole: how many, from whom, drawn how."""
    count, cases = len(people), people.cases
    if count < FEW_LABELS:
        yield (
            f"{_replies(count)} labelled: with so few, intervals are wide, and a figure without its interval is noise."
        )
    if cases < FEW_CASES:
        yield (
            f"{_cases(cases)} only: replies to one case are much alike, so there is less in them than their number"
            " says, and plain percentile intervals (alpha between people) hold in about 18 of 20 tries, not 19."
        )
    if len(people.raters) == 1:
        yield (
            "One person labelled: how far people agree is not known, nor how much of the difference from the judge is"
            " that person's own."
        )
    targeted, random = people.of_part("targeted"), people.of_part("random")
    if targeted:
        spread = float(people.weights.sum() ** 2 / np.sum(people.weights**2))
        yield (
            f"{_replies(targeted)} of the targeted part count by their weights, so that they do not stand for more than"
            f" they are; with {random} drawn at random that makes {count} labels worth about {spread:.0f}."
        )
    undrawn = people.of_part(None)
    if undrawn and (random or targeted):
        yield (
            f"{_replies(undrawn)} of these {'was' if undrawn == 1 else 'were'} labelled besides the draw and"
            f" {'counts' if undrawn == 1 else 'count'} once each. If somebody chose them, leave them out."
        )
    if not random and not targeted and count:
        yield (
            "The replies were not drawn by `--sample`: they stand for others only if nobody chose them for what is in"
            " them."
        )


def notes_on_answers(true: Numbers, said: Numbers) -> Iterator[str]:
    """On a hard fail: whether YES is rare."""
    both = ~np.isnan(true + said)
    count = int(np.count_nonzero(both))
    yes = int(np.count_nonzero(true[both] == 1))
    if not count:
        return
    if not yes:
        yield "People never said YES, so what the judge misses (sensitivity) cannot be told."
    elif yes < FEW_YES:
        # Without the number, which the table has, so that what holds for several hard fails is said once.
        yield (
            f"People said YES to fewer than {FEW_YES} of these: sensitivity rests on those few, and kappa swings with"
            " each."
        )
    rate = yes / count
    if yes and (rate < _RARE or rate > 1 - _RARE):
        yield (
            "Nearly all answers are the same, so two who answered blindly would agree too: raw agreement says little,"
            " and kappa comes out low for a few differences."
        )


def notes_on_scores(true: Numbers, said: Numbers) -> Iterator[str]:
    """On an axis: whether people used much of it."""
    given = true[~np.isnan(true + said)]
    if len(given) < 2:
        return
    low, high = (float(one) for one in np.quantile(given, [0.05, 0.95]))
    _, counts = np.unique(given, return_counts=True)
    if high - low <= _NARROW or counts.max() >= _MOST_ALIKE * len(given):
        yield (
            f"People gave nearly all of these {low:g} to {high:g}: in so narrow a range correlation and kappa come out"
            " low however well the judge does. Read bias and absolute error."
        )


def _replies(count: int) -> str:
    return "1 reply" if count == 1 else f"{count} replies"


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"
