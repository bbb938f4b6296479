"""Figures over cases. The case is the unit: the value of a case is the mean over its replies.

Whatever needs numpy or scipy is loaded when it is first asked for, so that commands that only count do not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iamhumans.loading import loaded_later
from iamhumans.stats.estimate import LEVEL, Estimate, Settled, no_worse, settle
from iamhumans.stats.multiple import holm
from iamhumans.stats.summary import AxisMean, Observation, Observed, Summary, Tally, summarise
from iamhumans.stats.words import say_change, say_needed, say_rate, say_smallest

if TYPE_CHECKING:
    from iamhumans.stats.agreement import (
        Line,
        bias_and_slope,
        cohen_kappa,
        icc,
        krippendorff_alpha,
        rank_correlation,
        raw_agreement,
    )
    from iamhumans.stats.cases import Cases, CaseValues, Pairs, pair
    from iamhumans.stats.clusters import cluster_interval, clustered_rate, clustered_worth
    from iamhumans.stats.corrections import (
        Corrected,
        Labelled,
        corrected_rate,
        prediction_powered_mean,
        prediction_powered_rate,
    )
    from iamhumans.stats.detection import Confusion, auc, confusion, f1, precision, prevalence, sensitivity, specificity
    from iamhumans.stats.flips import ChangeTest, changed_test, mcnemar, sign_flip
    from iamhumans.stats.intervals import Worth, mean_of, rate_of, worth_of
    from iamhumans.stats.measure import Measure
    from iamhumans.stats.monotone import MapGain, MonotoneMap, map_gain, monotone_map
    from iamhumans.stats.paired import (
        Difference,
        TwoPartDifference,
        mean_difference,
        rate_difference,
        two_part_difference,
    )
    from iamhumans.stats.parts import TwoPart, TwoPartValues, split_totals, two_part
    from iamhumans.stats.power import (
        cases_for_mean_difference,
        cases_for_rate_difference,
        cases_to_settle_difference,
        cases_to_settle_mean,
        cases_to_settle_rate,
        mcnemar_power,
        mean_power,
        smallest_difference,
        smallest_mean_difference,
        smallest_rate_difference,
    )
    from iamhumans.stats.spread import (
        Spread,
        deviation_within_cases,
        flip_rate,
        replies_to_halve,
        spread_of_judgements,
    )

__all__ = [
    "LEVEL",
    "AxisMean",
    "CaseValues",
    "Cases",
    "ChangeTest",
    "Confusion",
    "Corrected",
    "Difference",
    "Estimate",
    "Labelled",
    "Line",
    "MapGain",
    "Measure",
    "MonotoneMap",
    "Observation",
    "Observed",
    "Pairs",
    "Settled",
    "Spread",
    "Summary",
    "Tally",
    "TwoPart",
    "TwoPartDifference",
    "TwoPartValues",
    "Worth",
    "auc",
    "bias_and_slope",
    "cases_for_mean_difference",
    "cases_for_rate_difference",
    "cases_to_settle_difference",
    "cases_to_settle_mean",
    "cases_to_settle_rate",
    "changed_test",
    "cluster_interval",
    "clustered_rate",
    "clustered_worth",
    "cohen_kappa",
    "confusion",
    "corrected_rate",
    "deviation_within_cases",
    "f1",
    "flip_rate",
    "holm",
    "icc",
    "krippendorff_alpha",
    "map_gain",
    "mcnemar",
    "mcnemar_power",
    "mean_difference",
    "mean_of",
    "mean_power",
    "monotone_map",
    "no_worse",
    "pair",
    "precision",
    "prediction_powered_mean",
    "prediction_powered_rate",
    "prevalence",
    "rank_correlation",
    "rate_difference",
    "rate_of",
    "raw_agreement",
    "replies_to_halve",
    "say_change",
    "say_needed",
    "say_rate",
    "say_smallest",
    "sensitivity",
    "settle",
    "sign_flip",
    "smallest_difference",
    "smallest_mean_difference",
    "smallest_rate_difference",
    "specificity",
    "split_totals",
    "spread_of_judgements",
    "summarise",
    "two_part",
    "two_part_difference",
    "worth_of",
]

_LATER = {
    "agreement": (
        "Line",
        "bias_and_slope",
        "cohen_kappa",
        "icc",
        "krippendorff_alpha",
        "rank_correlation",
        "raw_agreement",
    ),
    "clusters": ("cluster_interval", "clustered_rate", "clustered_worth"),
    "corrections": ("Corrected", "Labelled", "corrected_rate", "prediction_powered_mean", "prediction_powered_rate"),
    "detection": (
        "Confusion",
        "auc",
        "confusion",
        "f1",
        "precision",
        "prevalence",
        "sensitivity",
        "specificity",
    ),
    "measure": ("Measure",),
    "monotone": ("MapGain", "MonotoneMap", "map_gain", "monotone_map"),
    "cases": ("CaseValues", "Cases", "Pairs", "pair"),
    "flips": ("ChangeTest", "changed_test", "mcnemar", "sign_flip"),
    "intervals": ("Worth", "mean_of", "rate_of", "worth_of"),
    "paired": ("Difference", "TwoPartDifference", "mean_difference", "rate_difference", "two_part_difference"),
    "power": (
        "cases_for_mean_difference",
        "cases_for_rate_difference",
        "cases_to_settle_difference",
        "cases_to_settle_mean",
        "cases_to_settle_rate",
        "mcnemar_power",
        "mean_power",
        "smallest_difference",
        "smallest_mean_difference",
        "smallest_rate_difference",
    ),
    "spread": ("Spread", "deviation_within_cases", "flip_rate", "replies_to_halve", "spread_of_judgements"),
    "parts": ("TwoPart", "TwoPartValues", "split_totals", "two_part"),
}

__getattr__ = loaded_later(__name__, _LATER)
