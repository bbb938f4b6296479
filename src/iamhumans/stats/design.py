"""What a design can see: the power of the tests of a comparison, for so many cases, replies and repeats.

Zero rates are simulated, since no formula knows replies that agree within a case, votes that flip and an exact test.
A case has a chance of being zeroed from a beta distribution; skill B adds to it; each reply is zeroed with the chance
of its case, and each repeat of the judge flips with a chance of its own. Quality uses the noncentral t distribution.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from iamhumans.stats.cases import CaseValues
from iamhumans.stats.intervals import wilson
from iamhumans.stats.power import POWER, mean_power
from iamhumans.stats.quantiles import FloatArray, normal_quantile
from iamhumans.stats.significance import sign_flip

DRAWS = 300
"""Of simulated comparisons. The standard error of a power of 0.8 is 0.023."""
TESTS = 2
"""Zero rate and quality are tested together (Holm), so each has half of the 5 % at first."""
_SEED = 20_240_229
_PRIOR_CORRELATION, _PRIOR_CASES = 0.3, 5.0  # the correlation within a case where little is known, and its weight
_PRIOR_RANGE = (0.1, 0.6)
_CORRELATIONS = (0.05, 0.9)
_RANGE = 0.8  # the level of "about 12 points (9 to 17)"
_ALPHA = 0.05
_LEVELS = (1 - np.cos(np.linspace(0, np.pi, 513))) / 2  # closer together at the ends, where quantiles bend


@dataclass(frozen=True, slots=True)
class ZeroedModel:
    """How replies are zeroed.

    Attributes:
        rate: The share of replies that are zeroed, 0 to 1.
        correlation: Of two replies to one case being zeroed, 0 (only chance) to 1 (only the case matters).
        flip: The chance that one repeat of the judge differs from what the judge mostly says about the reply.
    """

    rate: float
    correlation: float = _PRIOR_CORRELATION
    flip: float = 0.0


@dataclass(frozen=True, slots=True)
class QualityModel:
    """How totals vary, as standard deviations in points.

    Attributes:
        effect: Of the effect of a change of the skill between cases.
        reply: Between replies to one case.
        repeat: Between repeats of the judge on one reply.
    """

    effect: float
    reply: float
    repeat: float = 0.0


@dataclass(frozen=True, slots=True)
class Design:
    """How many cases, replies to each case, and repeats of the judge for each reply."""

    cases: int
    replies: int = 1
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest difference that is seen with 80 % power, with a range for what is not known of the model.

    ``None`` where no difference is, however large.
    """

    value: float | None
    low: float | None
    high: float | None


def zeroed_model(shares: CaseValues, *, flip: float = 0.0) -> ZeroedModel:
    """The model behind the share of zeroed replies of each case; rate and correlation are smoothed.

    The correlation is the moment estimate of a beta-binomial (Williams 1975), shrunk as if five more informative cases
    had shown 0.3.
    """
    return _zeroed_model(shares, _PRIOR_CORRELATION, flip)


def _zeroed_model(shares: CaseValues, prior: float, flip: float) -> ZeroedModel:
    sizes = shares.replies.astype(np.float64)
    counts = shares.values * sizes
    rate = float((counts.sum() + 0.5) / (sizes.sum() + 1.0))
    size, found = float(sizes.mean()), 0.0
    informative = float(np.count_nonzero(counts > 0)) if size > 1 else 0.0
    if informative:
        spread = float(sizes @ (shares.values - rate) ** 2 / sizes.sum()) * len(sizes) / max(1, len(sizes) - 1)
        found = (spread / (rate * (1 - rate)) - 1 / size) / (1 - 1 / size)
    correlation = (informative * found + _PRIOR_CASES * prior) / (informative + _PRIOR_CASES)
    low, high = _CORRELATIONS
    return ZeroedModel(rate, min(high, max(low, correlation)), flip)


def zero_rate_power(
    model: ZeroedModel, design: Design, difference: float, *, tests: int = TESTS, draws: int = DRAWS
) -> float:
    """The chance that a rise of the zero rate by ``difference`` is seen in a paired comparison."""
    found = _differences(model, design, difference, draws)
    level = _ALPHA / tests
    return float(np.mean([_p_value(*_folded(row)) <= level for row in found]))


def quality_power(model: QualityModel, design: Design, difference: float, *, tests: int = TESTS) -> float:
    """The chance that a difference of mean quality by so many points is seen in a paired comparison."""
    return mean_power(difference, quality_deviation(model, design), design.cases, 1 - _ALPHA / tests)


def quality_deviation(model: QualityModel, design: Design) -> float:
    """The standard deviation over cases of the difference between two runs, in points."""
    noise = 2 * (model.reply**2 + model.repeat**2 / design.repeats) / design.replies
    return max(1e-9, sqrt(model.effect**2 + noise))


def detectable_zero_rate(shares: CaseValues, design: Design, *, flip: float = 0.0, tests: int = TESTS) -> Detectable:
    """The smallest rise of the zero rate that a comparison of such runs sees with 80 % power.

    Args:
        shares: The share of zeroed replies of each case, of both runs together.
        design: Of the comparison.
        flip: See :class:`ZeroedModel`.
        tests: How many tests share the 5 %.
    """
    model = zeroed_model(shares, flip=flip)
    ends = wilson(model.rate, _effective(shares, model.correlation), normal_quantile((1 + _RANGE) / 2))
    least, most = (_zeroed_model(shares, prior, flip) for prior in _PRIOR_RANGE)
    models = (model, replace(least, rate=ends[0]), replace(most, rate=ends[1]))

    def smallest(of: ZeroedModel) -> float | None:
        # About what the normal limit says, to begin with.
        spread = 2 * of.rate * (1 - of.rate) * (1 + (design.replies - 1) * of.correlation) / design.replies
        guess = 3.1 * sqrt((spread + 0.01) / design.cases)
        return _smallest(lambda size: zero_rate_power(of, design, size, tests=tests), guess, 1 - of.rate)

    value, *others = map(smallest, models)
    if value is None or None in others:
        return Detectable(value, value, None)
    ends_of = [value, *[one for one in others if one is not None]]
    return Detectable(value, min(ends_of), max(ends_of))


def _effective(shares: CaseValues, correlation: float) -> float:
    """The number of independent replies that so many replies with this correlation are worth."""
    return float(np.sum(shares.replies / (1 + (shares.replies - 1) * correlation)))


def _smallest(power: Callable[[float], float], guess: float, most: float) -> float | None:
    """The smallest size with enough power, to 4 %; the power rises with the size."""
    low, high = min(guess, most) / 3, min(3 * guess, most)
    while power(high) < POWER:
        if high >= most:
            return None
        low, high = high, min(most, 3 * high)
    for _ in range(6):
        middle = sqrt(low * high)
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def _differences(model: ZeroedModel, design: Design, difference: float, draws: int) -> NDArray[np.int64]:
    """Zeroed replies of B less those of A, for each draw and case. The same random numbers serve every model."""
    source = np.random.default_rng(_SEED)
    size = (draws, design.cases)
    base = _beta(source.random(size), model.rate, model.correlation)
    # What B adds is spread over cases as the rate itself is: some cases change much, most a little.
    added = _beta(source.random(size), min(1.0, difference / max(1e-9, 1 - model.rate)), model.correlation)
    worse = base + (1 - base) * added
    per_vote = source.random((2, *size, design.replies))
    zeroed = per_vote < np.stack([base, worse])[..., None]
    if model.flip > 0:
        flips = source.random((*zeroed.shape, design.repeats)) < model.flip
        votes = (zeroed[..., None] ^ flips).sum(axis=-1)
        zeroed = 2 * votes >= design.repeats
    counts = zeroed.sum(axis=-1)
    return np.asarray(counts[1] - counts[0], dtype=np.int64)


def _beta(chances: FloatArray, mean: float, correlation: float) -> FloatArray:
    """Quantiles of the beta distribution with this mean whose draws have this correlation (beta-binomial)."""
    if mean <= 0 or mean >= 1:
        return np.full_like(chances, min(1.0, max(0.0, mean)))
    size = (1 - correlation) / correlation
    quantiles = special.betaincinv(mean * size, (1 - mean) * size, _LEVELS)
    return np.asarray(np.interp(chances, _LEVELS, quantiles))


def _folded(differences: ArrayLike) -> tuple[tuple[int, ...], int]:
    """All that the sign-flip test depends on: how many cases changed by how much, and the sum."""
    steps = np.asarray(differences)
    return tuple(np.sort(np.abs(steps[steps != 0])).tolist()), abs(int(steps.sum()))


@lru_cache(maxsize=50_000)
def _p_value(sizes: tuple[int, ...], total: int) -> float:
    """The p-value of these sizes whose signs give this sum. Any signs that do will serve."""
    signed = np.array(sizes, dtype=np.float64)
    rest = (int(signed.sum()) - total) // 2
    for place in range(len(sizes) - 1, -1, -1):
        if sizes[place] <= rest:
            signed[place] = -signed[place]
            rest -= sizes[place]
    return sign_flip(signed).p_value
