"""``iamhumans demo``: the main job on what ships."""

from __future__ import annotations

import click

from iamhumans.cli.options import JudgementsOf, common_options, print_report_as, warn


@click.command()
@common_options
def demo(as_json: bool) -> None:
    """Judge the bundled sample replies by the rules judge, and print the report.

    Three made-up subjects answer some cases of the bundled suite: a thoughtful friend, a plain assistant, and a stock
    one.
    """
    from iamhumans.cases import bundled_slice
    from iamhumans.judges import JudgeTask, open_judge
    from iamhumans.reports import Report
    from iamhumans.rubrics import load_rubric
    from iamhumans.runs.records import judge_here
    from iamhumans.subjects import ReplyRow, bundled_replies_path, read_reply_rows

    suite = bundled_slice()
    rubric = load_rubric(suite.rubric)
    rows = [row for row in read_reply_rows(bundled_replies_path(suite.name), suite) if isinstance(row, ReplyRow)]
    tasks = ((row.row, JudgeTask(rubric, row.case, row.reply)) for row in rows)
    judged = list(judge_here(open_judge("rules"), tasks))
    report = Report(
        f"Sample replies to {len(suite.cases)} cases of the suite {suite.name}", rubric, JudgementsOf(judged), "demo"
    )
    print_report_as(report, "json" if as_json else "terminal")
    if not as_json:
        warn("")
        warn("Next: `iamhumans init` for a suite of your own, `iamhumans judge REPLIES.jsonl --suite SUITE` to judge.")
