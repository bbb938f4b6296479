"""Old name of ``figures.counted``, for ``calibration``."""

from iamhumans.reports.figures import counted as counted
