"""The old name of :mod:`iamhumans.models.chat`. Delete it once nothing imports it."""

from iamhumans.models.chat import *  # noqa: F403
