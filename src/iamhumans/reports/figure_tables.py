"""Old names of ``figures``, for ``calibration``. Delete this file and ``words`` when it imports that."""

from iamhumans.reports.figures import interval, listed, name_cell, number, rate, rate_with_interval, said_once
from iamhumans.reports.figures import with_interval as with_interval

__all__ = ["interval", "listed", "name_cell", "number", "rate", "rate_with_interval", "said_once", "with_interval"]
