"""Figures over cases. The case is the unit: the value of a case is the mean over its replies."""

from iamhumans.stats.summary import AxisMean, Observation, Summary, Tally, summarise

__all__ = ["AxisMean", "Observation", "Summary", "Tally", "summarise"]
