"""Heavy modules are loaded where they are needed, so that start-up is fast."""

from __future__ import annotations

import subprocess
import sys

import pytest

import iamhumans.rubrics
import iamhumans.stats

WITHOUT = {
    "from iamhumans.runs.journal.journal import Journal": ("aiohttp", "numpy", "iamhumans.runs.engine"),
    "from iamhumans.rubrics import BUNDLED, bundled_hard_fail_ids": ("pydantic",),
    "from iamhumans.stats import Estimate, Summary, Tally": ("numpy", "scipy"),
}


@pytest.mark.parametrize("statement", WITHOUT)
def test_an_import_loads_nothing_heavy(statement: str) -> None:
    script = f"import sys; {statement}; print([name for name in {WITHOUT[statement]} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("package", [iamhumans.rubrics, iamhumans.stats])
def test_an_unknown_name_is_an_attribute_error(package: object) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(package, "nothing")  # noqa: B009 - the type checker knows that it is not there
