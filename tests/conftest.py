"""Settings for all tests."""

from __future__ import annotations

import os
import tempfile

from hypothesis import settings

# Marks of trusted files go into a folder of the test session, in this process and in those that it starts.
_CONFIG = tempfile.TemporaryDirectory(prefix="iamhumans-tests-")
os.environ["XDG_CONFIG_HOME"] = _CONFIG.name

# No test measures time: a loaded machine must not make one fail. For a long search: --hypothesis-profile=thorough
settings.register_profile("suite", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=3000)
settings.load_profile("suite")


def pytest_xdist_auto_num_workers() -> int:
    """Two workers a core: many tests wait for processes and servers of their own."""
    return 2 * (os.cpu_count() or 1)
