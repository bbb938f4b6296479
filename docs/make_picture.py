"""Draw the picture of the README: the report of `iamhumans demo`, cut to what fits.

python docs/make_picture.py
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

import iamhumans as ih
from iamhumans.subjects import bundled_replies_path

SHOWN = ("FEE-001", "MEM-001", "EMO-001")
TARGET = Path(__file__).parent / "pictures" / "report.svg"


def report_text() -> str:
    """The report with its colours as escape codes."""
    lines = bundled_replies_path("core").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["case_id"] in SHOWN]
    report = ih.judge_all(rows, suite="core").report()
    title = f"Sample replies to {len(SHOWN)} cases of the suite core"
    return replace(report, found=replace(report.found, title=title)).to_text(width=100, color=True)


def main() -> None:
    """Write the picture."""
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("$ iamhumans demo"))
    console.print(Text.from_ansi(report_text()))
    svg = console.export_svg(title="iamhumans demo")
    # The picture shows the same everywhere without fetching a font.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    TARGET.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
