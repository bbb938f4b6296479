"""``iamhumans demo``: the main job on what ships."""

import click

from iamhumans.cli.options import common_options
from iamhumans.cli.output import print_report, warn


@click.command()
@common_options
def demo(as_json: bool) -> None:
    """Judge the bundled sample replies with the rules judge, and print the report.

    Three made-up subjects answer some cases of the bundled suite: a thoughtful friend, a plain assistant, and one that
    speaks in stock phrases. Nothing is stored and nothing is sent.
    """
    from iamhumans.api.judging import judge_all
    from iamhumans.cases import bundled_slice
    from iamhumans.subjects import bundled_replies_path

    suite = bundled_slice()
    print_report(judge_all(bundled_replies_path(suite.name), suite=suite), "json" if as_json else "terminal")
    if not as_json:
        warn("")
        warn("Next: `iamhumans init mine` starts your own suite, with replies to try it on.")
