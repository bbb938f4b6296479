"""Moved to :mod:`iamhumans.text`."""

from iamhumans.text import json_text

__all__ = ["json_text"]
