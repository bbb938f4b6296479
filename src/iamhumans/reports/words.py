"""Old names of ``figures``, for ``calibration`` and ``in_short``. Delete this file when they import that."""

from iamhumans.reports.figures import NOTHING, counted, mean, rate

__all__ = ["NOTHING", "counted", "mean", "rate"]
