"""``iamhumans run``: draws replies and judges them."""

from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import (
    FILE,
    REPEATS,
    REPLIES,
    STYLES,
    common_options,
    holdout_options,
    selection_options,
    texts_option,
    work_options,
)
from iamhumans.cli.output import ending, print_estimate, print_report, report_findings, warn
from iamhumans.cli.work import journal_path, watched
from iamhumans.errors import Exit


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--subject", multiple=True, required=True, help="A model, or recorded/PATH; repeatable.")
@click.option("--skill", type=FILE, multiple=True, help="The file with the system prompt; repeatable.")
@click.option("--persona", type=FILE, help="What is true of the character that the skill plays.")
@click.option("--rubric", help="A bundled rubric or a file. Default: the suite's.")
@click.option("--judge", multiple=True, help="rules (the default), or a model; repeatable.")
@click.option("--template", type=FILE, help="A prompt template of your own.")
@click.option("--replies", type=REPLIES, default=1, show_default=True, help="Replies to each case.")
@click.option("--repeats", type=REPEATS, default=1, show_default=True, help="Judgements of each reply.")
@selection_options
@click.option("--min-judged", type=click.FloatRange(0, 1), help="Exit with 3 if a smaller share is judged.")
@click.option("--format", "style", type=STYLES, default="terminal", help="How to print.")
@texts_option
@holdout_options
@work_options
@common_options
@click.pass_context
def run(
    context: click.Context,
    /,
    suite_name: str,
    min_judged: float | None,
    style: str,
    no_texts: bool,
    as_json: bool,
    dry_run: bool,
    db: Path | None,
    work: dict[str, Any],
    **options: Any,
) -> None:
    """Draw replies to the cases of SUITE, judge them, and print the report.

    Several subjects and skills give a grid in one report. Held-out cases are left out. With
    --holdout, only held-out cases are used, and the use is logged in the suite's ledger first.

    Every model response is stored in the journal before it is used. Run the same command again to resume, or to print
    a finished run.

    Exits with 2 if a case cannot be read, with 3 if less is judged than --min-judged demands, with 4 if nothing is
    judged or the work was stopped.

    Example: iamhumans run core --subject openai/gpt-5.1 --skill skill.md
    """
    from iamhumans.api.loop import run_sync
    from iamhumans.api.running import arun, estimate_run
    from iamhumans.cases import load_suite

    suite = load_suite(suite_name)
    report_findings(suite)
    options |= {name: list(options[name]) for name in ("subject", "skill", "judge")}
    options |= {"skill": options["skill"] or None, "judge": options["judge"] or ["rules"], "journal": journal_path(db)}
    if dry_run:
        print_estimate(estimate_run(suite, **options, **work), as_json=as_json)
        return
    with watched(work) as watching:
        done = run_sync(arun(suite, **options, **watching))
        for warning in done.all_warnings():
            warn(warning)
        figures = print_report(done, "json" if as_json else style, options["holdout_reason"], texts=not no_texts)
        code = ending(done, figures, fresh=bool(work.get("fresh")), min_judged=min_judged)
    context.exit(Exit.WRONG_INPUT if suite.errors and code is Exit.DONE else code)
