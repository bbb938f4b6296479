"""``iamhumans reply``: draws replies and judges nothing."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import FILE, REPLIES, common_options, selection_options, work_options
from iamhumans.cli.output import RESUME, print_estimate, print_json, report_findings, tell, warn
from iamhumans.cli.work import journal_path, watched
from iamhumans.errors import Exit
from iamhumans.text import json_text

_MOST_FAILURES = 20


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--subject", multiple=True, required=True, help="A model, or recorded/PATH; repeatable.")
@click.option("--skill", type=FILE, multiple=True, help="The file with the system prompt; repeatable.")
@click.option("--replies", type=REPLIES, default=1, show_default=True, help="Replies to each case.")
@selection_options
@click.option("-o", "--output", type=FILE, help="Write the replies to this new JSON Lines file.")
@work_options
@common_options
@click.pass_context
def reply(
    context: click.Context,
    /,
    suite_name: str,
    output: Path | None,
    as_json: bool,
    dry_run: bool,
    db: Path | None,
    work: dict[str, Any],
    **options: Any,
) -> None:
    """Draw replies to the cases of SUITE and print them as JSON Lines, which `iamhumans judge` reads.

    Exits with 3 if some replies are missing, with 4 if all are, with 2 if a case cannot be read.

    Example: iamhumans reply core --subject openai/gpt-5.1 -o replies.jsonl
    """
    from iamhumans.api.loop import run_sync
    from iamhumans.api.running import areply_all, estimate_run
    from iamhumans.cases import load_suite
    from iamhumans.runs.journal.exchange import write_new

    suite = load_suite(suite_name)
    report_findings(suite)
    options |= {"subject": list(options["subject"]), "skill": list(options["skill"]) or None}
    options |= {"journal": journal_path(db)}
    if dry_run:
        print_estimate(estimate_run(suite, judge=None, **options, **work), as_json=as_json)
        return
    with watched(work) as watching:
        drawn = run_sync(areply_all(suite, **options, **watching))
    for warning in drawn.warnings:
        warn(warning)
    there = [one.to_dict() for one in drawn if one.reply is not None]
    if as_json:
        print_json({"replies": there})
    elif output is not None:
        write_new(output, (json_text(row) + "\n" for row in there))
    else:
        for row in there:
            click.echo(json_text(row))
    if drawn.stopped is not None and len(there) < len(drawn):
        tell(f"error: {drawn.stopped}. {RESUME}")
        context.exit(Exit.COULD_NOT_RUN)
    missing = Counter(f"{one.reason}: {one.detail}" for one in drawn if one.reply is None)
    for why, count in missing.most_common(_MOST_FAILURES):
        tell(f"error: {count} {'reply is' if count == 1 else 'replies are'} missing: {why}")
    if suite.errors:
        context.exit(Exit.WRONG_INPUT)
    if missing:
        context.exit(Exit.INCONCLUSIVE if there else Exit.COULD_NOT_RUN)
