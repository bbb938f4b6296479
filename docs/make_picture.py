"""Draw the picture of the README: the report of `iamhumans demo`, cut to what fits.

python docs/make_picture.py
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from iamhumans.cases import bundled_suite
from iamhumans.cli.options import JudgementsOf
from iamhumans.judges import JudgeTask, open_judge
from iamhumans.reports.report import Report
from iamhumans.reports.report_blocks import report_blocks
from iamhumans.reports.terminal import blocks_text
from iamhumans.rubrics import load_rubric
from iamhumans.runs.records import judge_here
from iamhumans.subjects import ReplyRow, bundled_replies_path, read_reply_rows

SHOWN = ("FEE-001", "MEM-001", "EMO-001")
TARGET = Path(__file__).parent / "pictures" / "report.svg"


def report_text() -> str:
    """The report with its colours as escape codes."""
    suite = bundled_suite()
    rubric = load_rubric(suite.rubric)
    rows = [row for row in read_reply_rows(bundled_replies_path(suite.name), suite) if isinstance(row, ReplyRow)]
    tasks = [(row.row, JudgeTask(rubric, row.case, row.reply)) for row in rows if row.case.id in SHOWN]
    judged = JudgementsOf(list(judge_here(open_judge("rules"), tasks)))
    report = Report(f"Sample replies to {len(SHOWN)} cases of the suite {suite.name}", rubric, judged)
    return blocks_text(report_blocks(report), width=100, color=True)


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
