"""Packages whose modules are loaded late: every name that they promise is there, and what is not is said."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("iamhumans.models", "iamhumans.prompts", "iamhumans.runs")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_promised_name_is_there(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_is_not_there_is_said(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = import_module(package).nothing


def test_reading_a_journal_loads_neither_the_engine_nor_the_numbers() -> None:
    script = (
        "import sys; from iamhumans.runs import Journal;"
        "print([name for name in ('aiohttp', 'numpy', 'iamhumans.runs.engine') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
