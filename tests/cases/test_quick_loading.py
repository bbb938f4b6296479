"""A suite loads without what only other commands need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from iamhumans.rubrics import BUNDLED, bundled_hard_fail_ids, load_rubric


@pytest.mark.parametrize("name", BUNDLED)
def test_the_hard_fails_of_a_bundled_rubric_are_those_that_it_has_when_built(name: str) -> None:
    assert bundled_hard_fail_ids(name) == load_rubric(name).hard_fail_ids


def test_listing_a_suite_loads_neither_pydantic_nor_the_rules_of_style(tmp_path: Path) -> None:
    program = (
        "import sys; sys.argv = ['iamhumans', 'cases', 'list', '--quiet']\n"
        "from iamhumans.cli.main import main\n"
        "try: main()\n"
        "except SystemExit:\n"
        "    print(sorted({'pydantic', 'iamhumans.cases.style'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stderr == "[]\n"
