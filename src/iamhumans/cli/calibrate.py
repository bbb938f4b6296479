"""``iamhumans calibrate``: how far a judge agrees with people, and what that means for its figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, db_option, holdout_options
from iamhumans.cli.output import print_blocks, print_json, print_pieces, print_text, tell_of_rows, warn
from iamhumans.cli.work import journal_at
from iamhumans.errors import CannotRunError, CommandError, Exit
from iamhumans.text import json_text

if TYPE_CHECKING:
    from iamhumans.api.run import Run


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--labels", "labels_file", type=FILE, help="A label file. Default: the labels in the journal.")
@click.option("--map", "map_file", type=FILE, help="A map file that says how to read another format.")
@click.option("--rater", help="Who labelled, if the label file does not say.")
@click.option("--judge", help="One of several judges. Default: all of them as a panel.")
@click.option("--apply-map", is_flag=True, help="Also show axis means with the judge's scores mapped to people's.")
@click.option("--show", is_flag=True, help="Show the stored calibration of the judge of RUN.")
@click.option("--import", "import_file", type=FILE, help="Import a calibration from a file, and show it.")
@click.option("--sample", type=click.IntRange(min=1), help="Draw this many replies for people to label.")
@click.option("--targeted", type=click.FloatRange(0, 1), help="Share of the draw taken from doubtful replies [0.5].")
@click.option("--seed", help="Random seed of the draw.")
@click.option("-o", "--output", type=FILE, help="Write the calibration, or the draw, to this new file.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print.")
@holdout_options
@db_option
@common_options
@click.pass_context
def calibrate(
    context: click.Context,
    /,
    run_name: str,
    as_json: bool,
    db: Path | None,
    **options: Any,
) -> None:
    """Compare the judge of RUN with people's labels of the same replies, and store the result.

    RUN is a name, the beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    Shows for each hard fail and axis how far people agree with each other, and the judge with people. Then shows the
    figures of the run, corrected by the labels. `report` and `gate` use the calibration for every run with the same
    judge, settings, rubric and prompt. --sample draws the replies to label with `label --from`.

    Exits with 2 if a row of the label file cannot be used; the other rows count.
    """
    from iamhumans.api.calibrating import calibrate as compare

    _check(options)
    with journal_at(db) as journal:
        run = journal.run(run_name)
        if options["sample"] is not None:
            _sample(run, options, as_json=as_json)
            return
        result = compare(
            run,
            options["labels_file"],
            judge=options["judge"],
            map=options["map_file"],
            rater=options["rater"],
            calibration=options["import_file"],
            apply_map=options["apply_map"],
            stored=options["show"],
        )
        if result.found.calibration is None:
            raise CannotRunError(result.summary)
        if options["output"] is not None:
            result.save(options["output"])
        tell_of_rows(result.problems, len(result.problems))
        for warning in result.warnings:
            warn(warning)
        if as_json:
            print_json(result.to_dict())
        else:
            print_blocks(result.blocks(), options["style"])
    context.exit(Exit.WRONG_INPUT if result.problems else Exit.DONE)


def _check(options: dict[str, Any]) -> None:
    names = ("sample", "show", "import_file", "labels_file")
    named = [f"--{name.removesuffix('_file')}" for name in names if options[name]]
    if len(named) > 1:
        raise CommandError(f"{named[0]} and {named[1]} cannot be combined.", fix="Use one of them.")
    if (options["map_file"] or options["rater"]) and options["labels_file"] is None:
        raise CommandError("--map and --rater need a label file.", fix="Name the file with --labels.")
    if options["sample"] is None and (options["targeted"] is not None or options["seed"] is not None):
        raise CommandError("--targeted and --seed only apply to a draw.", fix="Add --sample N.")


def _sample(run: Run, options: dict[str, Any], *, as_json: bool) -> None:
    from iamhumans.runs.journal.exchange import write_new
    from iamhumans.trust.drawing import draw_as_json_lines, drawn_values

    share = 0.5 if options["targeted"] is None else options["targeted"]
    seed, reason, output = options["seed"] or "", options["holdout_reason"], options["output"]
    found = run.draw(options["sample"], targeted=share, seed=seed, holdout_reason=reason)
    if output is not None:
        write_new(output, draw_as_json_lines(found))
    if as_json:
        drawn = [drawn_values(one) for one in found.drawn]
        print_json({"run": run.name, "replies": found.replies, "drawn": drawn})
    elif output is not None:
        print_text(
            f"{len(found.drawn)} of {found.replies} replies drawn: {found.part('random')} at random,"
            f" {found.part('targeted')} doubtful. To label them, run `iamhumans label {run.name} --from {output}`."
        )
    else:
        print_pieces(json_text(drawn_values(one)) + "\n" for one in found.drawn)
