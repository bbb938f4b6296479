"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

# No test measures time: a loaded machine must not make one fail. For a long search: --hypothesis-profile=thorough
settings.register_profile("suite", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=3000)
settings.load_profile("suite")
