"""``iamhumans judge``: judges replies that exist."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import (
    FILE,
    REPEATS,
    STYLES,
    common_options,
    holdout_options,
    reading_options,
    selection_options,
    texts_option,
    work_options,
)
from iamhumans.cli.output import ending, print_estimate, print_report, report_findings, tell_of_rows, warn
from iamhumans.cli.work import Heard, journal_path, read_standard_input, watched
from iamhumans.errors import CommandError, Exit
from iamhumans.text import json_text


@click.command()
@click.argument("replies", type=FILE)
@click.option("--suite", "suite_name", help="The suite that the replies answer: a folder or a bundled suite.")
@click.option("--input", "user_input", help="The user's message, if REPLIES is one reply in a text file.")
@click.option("--rubric", help="A bundled rubric or a file. Default: the suite's.")
@click.option("--judge", multiple=True, help="rules (the default), recorded/PATH, or a model; repeatable.")
@click.option("--repeats", type=REPEATS, default=1, show_default=True, help="Judgements of each reply.")
@click.option("--persona", type=FILE, help="What is true of the character that the assistant plays.")
@click.option("--template", type=FILE, help="A prompt template of your own.")
@selection_options
@click.option(
    "-o", "--output", type=FILE, help="Also write each judgement to this new JSON Lines file, as soon as it is made."
)
@click.option("--strict", is_flag=True, help="Exit with 2 if a row cannot be used.")
@click.option("--min-judged", type=click.FloatRange(0, 1), help="Exit with 3 if a smaller share is judged.")
@click.option("--format", "style", type=STYLES, default="terminal", help="How to print.")
@texts_option
@reading_options
@holdout_options
@work_options
@common_options
@click.pass_context
def judge(
    context: click.Context,
    /,
    replies: Path,
    suite_name: str | None,
    user_input: str | None,
    output: Path | None,
    strict: bool,
    min_judged: float | None,
    style: str,
    no_texts: bool,
    as_json: bool,
    dry_run: bool,
    db: Path | None,
    work: dict[str, Any],
    **options: Any,
) -> None:
    """Judge REPLIES and print the report.

    REPLIES is a file of {"case_id", "reply"}, {"input", "reply"} or {"messages"} rows, or of conversations in any other
    shape of docs/logs.md, which is recognised: JSON Lines, JSON, CSV, TSV or Parquet, also packed; a folder of verdict
    files with the reply inside; a folder with one subfolder per case that holds a reply.md; or one reply in a text file
    (with --input, or with --suite and the id of its case as --case). `-` is standard input.

    Judgements are stored in the journal. Run the same command again to resume.

    Exits with 2 if no row can be used, with 3 if less is judged than --min-judged demands, with 4 if nothing is judged
    or the work was stopped.

    Example: iamhumans judge replies.jsonl --suite core --judge openai/gpt-5.1
    """
    from iamhumans.api.judging import ajudge_all, estimate_judging
    from iamhumans.api.loop import run_sync
    from iamhumans.cases import load_suite
    from iamhumans.subjects import is_one_reply, one_reply

    suite = load_suite(suite_name) if suite_name else None
    if suite is not None:
        report_findings(suite)
    if str(replies) == "-":
        read_standard_input()
    rows: Any = replies
    if user_input is not None or (options["case"] is not None and is_one_reply(replies)):
        case_id = options.pop("case")
        held_out = options["holdout_reason"] is not None
        rows = [one_reply(replies, suite, case_id=case_id, user_input=user_input, holdout=held_out)]
    options |= {"suite": suite, "judge": list(options["judge"]) or ["rules"], "journal": journal_path(db)}
    if dry_run:
        print_estimate(estimate_judging(rows, **options, **work), as_json=as_json)
        return
    with _written(output) as write, watched(work) as watching:
        said = Heard(watching)
        run = run_sync(ajudge_all(rows, on_judgement=write, **options, **said.options))
        if output is not None and run.stopped is not None:
            output.unlink()  # so that the same command can resume
        for note in run.notes:
            if note not in said.messages:
                warn(note)
        tell_of_rows(run.problems, run.wrong_rows)
        for warning in run.all_warnings():
            warn(warning)
        figures = print_report(run, "json" if as_json else style, options["holdout_reason"], texts=not no_texts)
        code = ending(run, figures, fresh=bool(work.get("fresh")), min_judged=min_judged)
    context.exit(Exit.WRONG_INPUT if strict and run.wrong_rows and code is Exit.DONE else code)


@contextmanager
def _written(output: Path | None) -> Iterator[Callable[[Any], None] | None]:
    """Writes each judgement into a new file, if one is named."""
    if output is None:
        yield None
        return
    try:
        file = output.open("x", encoding="utf-8")
    except FileExistsError:
        raise CommandError(
            f"`{output}` already exists.", fix="Choose another file, or delete this one first."
        ) from None
    except OSError as error:
        raise CommandError(f"`{output}` cannot be written: {error.strerror}.") from None
    with file:

        def write(judgement: Any) -> None:
            file.write(json_text(judgement.to_dict()) + "\n")
            file.flush()

        try:
            yield write
        except BaseException:
            output.unlink(missing_ok=True)
            raise
