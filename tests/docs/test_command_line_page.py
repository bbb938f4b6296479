"""docs/command-line.md is what the code says."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_the_command_line_is_up_to_date() -> None:
    page = runpy.run_path(str(DOCS / "make_command_line.py"))["page"]()
    written = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert page == written, "docs/command-line.md is out of date. Run: python docs/make_command_line.py"


def test_each_option_is_described() -> None:
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `-")]
    assert [row for row in rows if row.endswith("|  |")] == []
