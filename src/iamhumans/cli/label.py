"""``iamhumans label``: people say what they think about the replies of a run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, db_option, holdout_options
from iamhumans.cli.output import print_json, print_pieces, tell_of_rows
from iamhumans.cli.work import journal_at, journal_path
from iamhumans.errors import CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.trust.label_session import LabelSession
    from iamhumans.trust.labels import RunLabels


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--rater", help="Your name as a rater; `me` by default.")
@click.option("--sample", type=click.IntRange(min=1), help="Label this many replies, drawn at random.")
@click.option("--from", "draw_file", type=FILE, help="Label the replies of a draw, from `calibrate --sample -o FILE`.")
@click.option("--flags", help="Ask only about these hard fails, separated by commas.")
@click.option("--axes", help="Ask only about these axes, separated by commas.")
@click.option("--again", is_flag=True, help="Start with the replies that you have already labelled, to change answers.")
@click.option("--import", "import_file", type=FILE, help="Import labels from a file.")
@click.option("--map", "map_file", type=FILE, help="A map file that says how to read another format.")
@click.option("--export", "export_file", type=FILE, help="Export labels: JSON Lines, or CSV if the name ends in .csv.")
@holdout_options
@db_option
@common_options
@click.pass_context
def label(
    context: click.Context, /, run_name: str, as_json: bool, db: Path | None, holdout_reason: str | None, **options: Any
) -> None:
    """Label the replies of RUN one by one, by keyboard: hard fails, the words behind a YES, axes.

    RUN is a name, the beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    You do not see the judge, the subject or earlier answers. Each reply is stored when you finish it. Run the same
    command again to continue. Press h for help.

    With --import or --export no questions are asked. The exit code is 2 if a row of a file cannot be used; the other
    rows are imported.
    """
    from iamhumans.trust.label_files import DEFAULT_RATER, read_text_value

    _check(options)
    rater = read_text_value(options["rater"], "--rater")
    import_file, export_file = options["import_file"], options["export_file"]
    code = Exit.DONE
    # What a rater says must not be lost at the end to a journal that only reads.
    with journal_at(db, write=export_file is None and journal_path(db).exists()) as journal:
        run = journal.run(run_name)
        labels = run.labels(holdout_reason=holdout_reason)
        document: dict[str, Any] = {"run": run.name}
        if import_file is not None:
            imported, problems = labels.import_file(import_file, map_file=options["map_file"], rater=rater)
            tell_of_rows(problems, len(problems))
            document |= {"imported": imported, "problems": len(problems)}
            code = Exit.WRONG_INPUT if problems else Exit.DONE
        if export_file is not None:
            document["exported"] = _export(labels, export_file, rater)
        if import_file is None and export_file is None:
            session = labels.session(
                rater or DEFAULT_RATER,
                flags=_names(options["flags"]),
                axes=_names(options["axes"]),
                sample=options["sample"],
                draw_file=options["draw_file"],
                again=options["again"],
            )
            document |= _label(session, labels, sys.stderr if as_json else sys.stdout)
    if as_json:
        print_json(document)
    elif str(export_file) != "-":
        for done in ("imported", "exported"):
            if done in document:
                click.echo(f"{document[done]} {'label' if document[done] == 1 else 'labels'} {done}")
    context.exit(code)


def _check(options: dict[str, Any]) -> None:
    asking = [name for name in ("sample", "draw_file", "flags", "axes", "again") if options[name]]
    if options["sample"] is not None and options["draw_file"] is not None:
        raise CommandError("--sample and --from both choose replies.", fix="Use one of them.")
    if options["map_file"] is not None and options["import_file"] is None:
        raise CommandError("--map needs a file to read.", fix="Name the file with --import.")
    if asking and (options["import_file"] is not None or options["export_file"] is not None):
        fix = "Leave out --sample, --from, --flags, --axes and --again."
        raise CommandError("--import and --export ask no questions.", fix=fix)


def _names(given: str | None) -> list[str] | None:
    return None if given is None else [name.strip() for name in given.split(",") if name.strip()]


def _export(labels: RunLabels, path: Path, rater: str | None) -> int:
    from iamhumans.runs.journal.exchange import write_new
    from iamhumans.trust.label_files import labels_as_csv, labels_as_json_lines

    rows = labels.rows(rater)
    pieces = labels_as_csv(rows) if path.suffix.lower() == ".csv" else labels_as_json_lines(rows)
    print_pieces(pieces) if str(path) == "-" else write_new(path, pieces)
    return len(rows)


def _label(session: LabelSession, labels: RunLabels, out: IO[str]) -> dict[str, Any]:
    from iamhumans.cli.label_screen import Screen, ask

    before, rater = session.state.progress.labelled, session.rater
    screen = Screen(out, labels.rubric, shutil.get_terminal_size().columns if out.isatty() else 80)
    progress = ask(session, screen, labels.run.name)
    return {
        "rater": rater,
        "labelled_now": progress.labelled - before,
        "labelled": progress.labelled,
        "replies": progress.total,
    }
