"""What a design can see: the power of the tests of a comparison, for so many cases, replies and repeats.

Of zero rates a case has a chance of being zeroed from a beta distribution, and skill B adds to it; each reply is zeroed
with the chance of its case, and each repeat of the judge flips with a chance of its own. So the number of zeroed
replies of B less that of A has known chances in each case: binomials, mixed over the betas by Gauss-Jacobi quadrature,
which is exact for polynomials (Golub and Welsch 1969). Given how many cases differ by how much, their signs are
independent, and the power of the sign-flip test is exact. Only those counts are drawn, so that few draws suffice
(conditional Monte Carlo: Asmussen and Glynn 2007, section V.4). Quality uses the noncentral t distribution.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from iamhumans.stats.cases import CaseValues, Pairs
from iamhumans.stats.intervals import wilson
from iamhumans.stats.power import MAX_CASES, POWER, RANGE, mcnemar_power, mean_power, smallest_mean_difference
from iamhumans.stats.quantiles import FloatArray, normal_quantile

DRAWS = 200
"""Of the numbers of cases that change, in each estimate of a power."""
TESTS = 2
"""Zero rate and quality are tested together (Holm), so each has half of the 5 % at first."""
_SEED = 20_240_229
_PRIOR_CORRELATION, _PRIOR_CASES = 0.3, 5.0  # the correlation within a case where little is known, and its weight
_PRIOR_RANGE = (0.1, 0.6)
_CORRELATIONS = (0.05, 0.9)
_ALPHA = 0.05
_LIMIT_CHANGED, _LIMIT_REPLIES = 300, 20  # above these numbers of changed cases and of replies the normal limit serves
_TINY = 1e-12
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class ZeroedModel:
    """How replies are zeroed.

    Attributes:
        rate: The share of replies that the judge mostly zeroes, 0 to 1.
        correlation: Of two replies to one case being zeroed, 0 (only chance) to 1 (only the case matters).
        flip: The chance that one repeat of the judge differs from what the judge mostly says about the reply.
    """

    rate: float
    correlation: float = _PRIOR_CORRELATION
    flip: float = 0.0


@dataclass(frozen=True, slots=True)
class QualityModel:
    """How quality varies, as standard deviations in points.

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


def zeroed_model(shares: CaseValues, *, flip: float = 0.0, repeats: int = 1) -> ZeroedModel:
    """The model behind the share of zeroed replies of each case; rate and correlation are smoothed.

    The correlation is the moment estimate of a beta-binomial (Williams 1975), shrunk as if five more informative cases
    had shown 0.3.

    Args:
        shares: The share of zeroed replies of each case, by the majority of the repeats.
        flip: See :class:`ZeroedModel`. What flips add to the rate and take from the correlation is undone.
        repeats: Of each reply in ``shares``.
    """
    return _zeroed_model(shares, _PRIOR_CORRELATION, flip, repeats)


def _zeroed_model(shares: CaseValues, prior: float, flip: float, repeats: int) -> ZeroedModel:
    sizes = shares.replies.astype(np.float64)
    counts = shares.values * sizes
    rate = float((counts.sum() + 0.5) / (sizes.sum() + 1.0))
    size, found = float(sizes.mean()), 0.0
    informative = float(np.count_nonzero(counts > 0)) if size > 1 else 0.0
    if informative:
        spread = float(sizes @ (shares.values - rate) ** 2 / sizes.sum()) * len(sizes) / max(1, len(sizes) - 1)
        found = (spread / (rate * (1 - rate)) - 1 / size) / (1 - 1 / size)
    least, slope = _as_voted(flip, repeats)
    own = min(1.0, max(0.5 / (sizes.sum() + 1.0), (rate - least) / slope))
    if flip > 0:
        found *= rate * (1 - rate) / max(_TINY, slope**2 * own * (1 - own))
    correlation = (informative * found + _PRIOR_CASES * prior) / (informative + _PRIOR_CASES)
    low, high = _CORRELATIONS
    return ZeroedModel(own, min(high, max(low, correlation)), flip)


def flip_of(disagreeing: float) -> float:
    """The chance of a flip, from the share of pairs of repeats of one reply that disagree: 2 f (1 - f)."""
    return (1 - sqrt(max(0.0, 1 - 2 * disagreeing))) / 2


def zero_rate_power(
    model: ZeroedModel, design: Design, difference: float, *, tests: int = TESTS, draws: int = DRAWS
) -> float:
    """The chance that a rise of the zero rate by ``difference`` is seen in a paired comparison.

    Above a rate of one half it is a fall.
    """
    model = _mirrored(model)
    chances = _difference_chances(model, design.replies, design.repeats, difference)
    level, replies = _ALPHA / tests, design.replies
    if replies == 1:
        return mcnemar_power(float(chances[2]), float(chances[0]), design.cases, 1 - level)
    fell, rose = chances[:replies][::-1], chances[replies + 1 :]
    changing = float(rose.sum() + fell.sum())
    if changing <= 0:
        return 0.0
    if design.cases * changing > _LIMIT_CHANGED or replies > _LIMIT_REPLIES:
        return _limit_power(chances, design.cases, level)
    upwards = tuple(np.round(rose / np.maximum(_TINY, rose + fell), 12).tolist())
    counts = _drawn_sizes(design.cases, changing, (rose + fell) / changing, draws)
    found, times = np.unique(counts, axis=0, return_counts=True)
    powers = [_power_given(tuple(row), upwards, level) for row in found.tolist()]
    return float(times @ powers) / draws


def zero_rate_limit(model: ZeroedModel, design: Design, difference: float, *, tests: int = TESTS) -> float:
    """The same with the normal limit of the test: at once, and a few points too high or too low for few cases."""
    model = _mirrored(model)
    return _limit_power(
        _difference_chances(model, design.replies, design.repeats, difference), design.cases, _ALPHA / tests
    )


def _mirrored(model: ZeroedModel) -> ZeroedModel:
    return replace(model, rate=1 - model.rate) if model.rate > _HALF else model


def _limit_power(chances: FloatArray, cases: int, level: float) -> float:
    steps = np.arange(len(chances)) - len(chances) // 2
    mean = float(steps @ chances)
    if mean <= 0 or cases < 2:
        return level
    return mean_power(mean, sqrt(max(_TINY, float(steps**2 @ chances) - mean**2)), cases, 1 - level)


def quality_power(model: QualityModel, design: Design, difference: float, *, tests: int = TESTS) -> float:
    """The chance that a difference of mean quality by so many points is seen in a paired comparison."""
    level = _ALPHA / tests
    # Sign flips of so few cases show nothing even if all move the same way.
    if 2 * 0.5**design.cases > level:
        return 0.0
    return mean_power(difference, quality_deviation(model, design), design.cases, 1 - level)


def quality_deviation(model: QualityModel, design: Design) -> float:
    """The standard deviation over cases of the difference between two runs, in points."""
    noise = 2 * (model.reply**2 + model.repeat**2 / design.repeats) / design.replies
    return max(1e-9, sqrt(model.effect**2 + noise))


def fewest_cases(power: Callable[[int], float], most: int = MAX_CASES, *, near: int = 8) -> int | None:
    """The fewest cases with 80 % power; ``None`` where more than ``most`` are needed. The power rises with the cases.

    The search begins ``near`` a number of cases.
    """
    step = 1 + near // 16
    low, high = max(0, near - step), min(most, near)
    while power(high) < POWER:
        if high >= most:
            return None
        low, high, step = high, min(most, high + step), 2 * step
    while low > 0 and power(low) >= POWER:
        high, low, step = low, max(0, low - step), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def detectable_zero_rate(shares: CaseValues, design: Design, *, tests: int = TESTS) -> Detectable:
    """The smallest rise of the zero rate that a comparison of such runs sees with 80 % power.

    The range comes from an 80 % interval of the rate, and from correlations of 0.1 to 0.6 where little is known.

    Args:
        shares: The share of zeroed replies of each case, of both runs together.
        design: Of the comparison. Flips of the judge are in the shares, so its repeats do not matter.
        tests: How many tests share the 5 %.
    """
    model = zeroed_model(shares)
    return _detectable(_around(shares, model, 0.0, 1), design, tests)


def planned_zero_rate(
    shares: CaseValues, design: Design, *, flip: float = 0.0, repeats: int = 1, tests: int = TESTS
) -> Detectable:
    """The same for a design with other repeats than the run has; see :func:`zeroed_model` for ``flip`` and repeats."""
    return _detectable(_around(shares, zeroed_model(shares, flip=flip, repeats=repeats), flip, repeats), design, tests)


def smallest_zero_rate(model: ZeroedModel, design: Design, *, tests: int = TESTS) -> float | None:
    """The smallest rise of the zero rate that is seen with 80 % power, if replies are zeroed like this.

    Above a rate of one half it is a fall.
    """
    model = _mirrored(model)
    # About what the normal limit says, to begin with.
    spread = 2 * model.rate * (1 - model.rate) * (1 + (design.replies - 1) * model.correlation) / design.replies
    guess = 3.1 * sqrt((spread + 0.01) / design.cases)
    return _smallest(lambda size: zero_rate_power(model, design, size, tests=tests), guess, 1 - model.rate)


def smallest_quality(model: QualityModel, design: Design, *, tests: int = TESTS) -> float | None:
    """The smallest difference of quality that is seen with 80 % power, if it varies like this."""
    return smallest_mean_difference(quality_deviation(model, design), design.cases, tests=tests)


def detectable_mean(pairs: Pairs, *, tests: int = TESTS) -> Detectable:
    """The smallest difference of means that these pairs could have shown.

    The range is that of the standard deviation of the differences: 80 %, by chi-square (Cochran 1934).
    """
    count = len(pairs)
    deviation = float(pairs.differences.std(ddof=1)) if count > 1 else None
    value = smallest_mean_difference(deviation, count, tests=tests)
    if value is None or deviation is None:
        return Detectable(None, None, None)
    tail, freedom = (1 - RANGE) / 2, count - 1
    ends = (deviation * sqrt(freedom / float(special.chdtri(freedom, miss))) for miss in (tail, 1 - tail))
    low, high = (smallest_mean_difference(end, count, tests=tests) for end in ends)
    return Detectable(value, low, high)


def detectable_rate(pairs: Pairs, *, tests: int = TESTS) -> Detectable:
    """The smallest difference of zero rates that these pairs could have shown."""
    if not len(pairs):
        return Detectable(None, None, None)
    replies = pairs.a.replies + pairs.b.replies
    values = (pairs.a.values * pairs.a.replies + pairs.b.values * pairs.b.replies) / replies
    size = max(1, round(float(replies.mean()) / 2))
    return detectable_zero_rate(CaseValues(pairs.ids, values, replies), Design(len(pairs), size), tests=tests)


def _around(
    shares: CaseValues, model: ZeroedModel, flip: float, repeats: int
) -> tuple[ZeroedModel, ZeroedModel, ZeroedModel]:
    """The model, and the best and the worst that it may be."""
    ends = wilson(model.rate, _effective(shares, model.correlation), normal_quantile((1 + RANGE) / 2))
    least, most = (_zeroed_model(shares, prior, flip, repeats) for prior in _PRIOR_RANGE)
    return model, replace(least, rate=ends[0]), replace(most, rate=ends[1])


def _detectable(models: tuple[ZeroedModel, ...], design: Design, tests: int) -> Detectable:
    value, *others = (smallest_zero_rate(one, design, tests=tests) for one in models)
    if value is None or None in others:
        return Detectable(value, value, None)
    ends_of = [value, *[one for one in others if one is not None]]
    return Detectable(value, min(ends_of), max(ends_of))


def _effective(shares: CaseValues, correlation: float) -> float:
    """The number of independent replies that so many replies with this correlation are worth."""
    return float(np.sum(shares.replies / (1 + (shares.replies - 1) * correlation)))


def _smallest(power: Callable[[float], float], guess: float, most: float) -> float | None:
    """The smallest size with enough power, to 2 %; the power rises with the size."""

    def over(size: float) -> float:
        return normal_quantile(min(1 - 1e-9, max(1e-9, power(size)))) - normal_quantile(POWER)

    low, high = 0.0, min(guess, most)
    below, above = -3.0, over(high)
    while above < 0:
        if high >= most:
            return None
        low, below, high = high, above, min(most, 1.6 * high)
        above = over(high)
    for _ in range(12):
        if high - low <= 0.02 * high:
            break
        # The quantile of the power is nearly linear in the size: false position, kept off the ends.
        share = min(0.9, max(0.1, -below / (above - below)))
        middle = low + share * (high - low)
        if (found := over(middle)) >= 0:
            high, above = middle, found
        else:
            low, below = middle, found
    return high


def _as_voted(flip: float, repeats: int) -> tuple[float, float]:
    """The chance of a zero as the repeats vote, where the judge mostly says no zero; and what is added otherwise.

    A tie zeroes.
    """
    if flip <= 0:
        return 0.0, 1.0
    wrong = float(special.bdtrc(-(-repeats // 2) - 1, repeats, flip)) if repeats > 1 else flip
    right = float(special.bdtrc(-(-repeats // 2) - 1, repeats, 1 - flip)) if repeats > 1 else 1 - flip
    return wrong, max(_TINY, right - wrong)


@lru_cache(maxsize=1_000)
def _difference_chances(model: ZeroedModel, replies: int, repeats: int, difference: float) -> FloatArray:
    """The chances of each number of zeroed replies of B less those of A in a case, from -replies to replies.

    What B adds is spread over cases as the rate itself is: some cases change much, most a little.
    """
    base, base_weights = _beta_nodes(model.rate, model.correlation, replies + 1)
    share = min(1.0, difference / max(_TINY, 1 - model.rate))
    added, added_weights = _beta_nodes(share, model.correlation, replies // 2 + 1)
    least, slope = _as_voted(model.flip, repeats)
    worse = base[:, None] + (1 - base[:, None]) * added
    in_a = _binomial(least + slope * base, replies)
    in_b = np.einsum("j,ijk->ik", added_weights, _binomial(least + slope * worse, replies))
    both = np.einsum("i,ij,ik->jk", base_weights, in_a, in_b)
    steps = np.arange(replies + 1)
    chances = np.bincount((replies + steps[None, :] - steps[:, None]).ravel(), weights=both.ravel())
    return np.asarray(np.maximum(0.0, chances))


def _beta_nodes(mean: float, correlation: float, count: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of the beta distribution with this mean whose draws have this correlation."""
    if mean <= _TINY or mean >= 1 - _TINY:
        return np.array([min(1.0, max(0.0, mean))]), np.ones(1)
    size = (1 - correlation) / correlation
    with np.errstate(divide="ignore", invalid="ignore"):  # it computes a term that it then replaces
        nodes, weights = special.roots_jacobi(count, (1 - mean) * size - 1, mean * size - 1)
    return np.clip((1 + nodes) / 2, 0.0, 1.0), np.asarray(weights / weights.sum())


def _binomial(chance: FloatArray, tries: int) -> FloatArray:
    """The chances of 0 to ``tries``, in a last axis."""
    counts = np.arange(tries + 1, dtype=np.float64)
    chance = np.clip(chance, 0.0, 1.0)[..., None]
    return np.asarray(special.binom(tries, counts) * chance**counts * (1 - chance) ** (tries - counts))


def _drawn_sizes(cases: int, changing: float, sizes: FloatArray, draws: int) -> NDArray[np.int64]:
    """How many cases differ by 1, by 2 and so on, for each draw; their sum is stratified."""
    source = np.random.default_rng(_SEED)
    most = min(cases, ceil(cases * changing + 10 * sqrt(cases * changing) + 30))
    counts = np.arange(most + 1, dtype=np.float64)
    at_most = special.bdtr(counts, cases, min(1.0, changing))
    levels = (source.permutation(draws) + 0.5) / draws
    changed = np.minimum(most, np.searchsorted(at_most, levels))
    shares = np.maximum(0.0, sizes)
    return source.multinomial(changed, shares / shares.sum())


@lru_cache(maxsize=50_000)
def _power_given(counts: tuple[int, ...], upwards: tuple[float, ...], level: float) -> float:
    """The chance that sign flips show a change, given how many cases differ by how much and how likely each rose."""
    least = _most_below(counts, level)
    if least < 0:
        return 0.0
    pluses = _sum_chances(counts, upwards)
    return float(pluses[: least + 1].sum() + pluses[len(pluses) - least - 1 :].sum())


@lru_cache(maxsize=50_000)
def _most_below(counts: tuple[int, ...], level: float) -> int:
    """The largest sum of the sizes with one sign that sign flips call a change; -1 where there is none."""
    tail = np.cumsum(_sum_chances(counts, (0.5,) * len(counts)))
    return int(np.searchsorted(2 * tail, level * (1 + 1e-12), side="right")) - 1


def _sum_chances(counts: tuple[int, ...], upwards: tuple[float, ...]) -> FloatArray:
    """The chances of each sum of the sizes of the cases that rose."""
    found = np.ones(1)
    for size, (count, chance) in enumerate(zip(counts, upwards, strict=True), start=1):
        if count:
            spread = np.zeros(size * count + 1)
            spread[::size] = _signs(count, chance)
            found = np.convolve(found, spread)
    return found


@lru_cache(maxsize=50_000)
def _signs(count: int, chance: float) -> Any:
    counts = np.arange(count + 1, dtype=np.float64)
    ways = special.gammaln(count + 1.0) - special.gammaln(counts + 1) - special.gammaln(count - counts + 1)
    return np.exp(ways + special.xlogy(counts, chance) + special.xlog1py(count - counts, -chance))
