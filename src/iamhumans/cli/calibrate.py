"""``iamhumans calibrate``: how far a judge agrees with people, and what that means for its figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.label import check_holdout, tell_problems, write_file
from iamhumans.cli.options import FILE, common_options, json_line, print_json, print_pieces, terminal_width, warn
from iamhumans.cli.working import db_option, open_journal
from iamhumans.errors import CannotRunError, CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.runs import Journal, Run
    from iamhumans.trust.calibration import Calibration
    from iamhumans.trust.judge_identity import JudgeIdentity
    from iamhumans.trust.run_calibration import RunCalibration


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--labels", "labels_file", type=FILE, help="A label file; without it, the labels in the journal.")
@click.option("--map", "map_file", type=FILE, help="A map that says how to read a label file of another form.")
@click.option("--rater", help="Who labelled, where the label file does not say.")
@click.option("--judge", "judge_name", help="One of several judges; without it, all of them as a panel.")
@click.option("--apply-map", is_flag=True, help="Also show axis means with the judge's scores mapped to people's.")
@click.option("--show", is_flag=True, help="Show the stored calibration of the judge of RUN.")
@click.option("--import", "import_file", type=FILE, help="Import a calibration from a file, and show it.")
@click.option("--sample", type=click.IntRange(min=1), help="Draw this many replies for people to label.")
@click.option("--targeted", type=click.FloatRange(0, 1), help="Share of replies in doubt in the draw; 0.5 by default.")
@click.option("--seed", help="Another seed gives another draw.")
@click.option("--holdout", is_flag=True, help="Draw from held-out replies too; needs --reason.")
@click.option("--reason", help="Why the held-out replies are needed.")
@click.option("-o", "--output", type=FILE, help="Write the calibration, or the draw, to this file.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print it.")
@db_option
@common_options
@click.pass_context
def calibrate(context: click.Context, /, run_name: str, as_json: bool, db: Path | None, **options: Any) -> None:
    """Compare the judge of RUN with people's labels of the same replies, and store the result.

    RUN is a name, the beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    Shows for each hard fail and axis how far people agree with each other, and the judge with people. Then shows the
    figures of the run, corrected by the labels. `report` and `gate` use the calibration for every run with the same
    judge, settings, rubric and prompt. --sample draws the replies to label with `label --from`.

    The exit code is 2 if a row of the label file cannot be used; the other rows count.
    """
    from iamhumans.runs.named import find_run

    _check(options)
    with open_journal(db) as journal:
        run, subject = find_run(journal, run_name)
        if options["sample"] is not None:
            _sample(journal, run, subject, options, as_json=as_json)
            return
        from iamhumans.decisions.outcomes import outcomes_of
        from iamhumans.trust.labels import RunLabels
        from iamhumans.trust.run_calibration import calibrate_run, calibration_of, identity_of

        outcomes, judge = outcomes_of(journal, run, subject=subject), options["judge_name"]
        code = Exit.DONE
        if options["import_file"] is not None:
            _import(journal, options["import_file"], identity_of(outcomes, judge))
        elif not options["show"]:
            labels = RunLabels.of(journal, run, subject=subject)
            read, problems = labels.read(options["labels_file"], map_file=options["map_file"], rater=options["rater"])
            tell_problems(problems)
            _store(journal, calibrate_run(outcomes, read, run.name, judge))
            code = Exit.WRONG_INPUT if problems else Exit.DONE
        found = calibration_of(journal, outcomes, judge)
    _print(found, options, as_json=as_json)
    context.exit(code)


def _check(options: dict[str, Any]) -> None:
    if sum(bool(options[name]) for name in ("sample", "show", "import_file", "labels_file")) > 1:
        raise CommandError("--sample, --show, --import and --labels do not go together.", fix="Use one of them.")
    if (options["map_file"] or options["rater"]) and options["labels_file"] is None:
        raise CommandError("--map and --rater need a label file.", fix="Name the file with --labels.")
    about_draw = any(options[name] not in (None, False) for name in ("targeted", "seed", "holdout"))
    if options["sample"] is None and about_draw:
        raise CommandError("--targeted, --seed and --holdout are about a draw.", fix="Add --sample N.")
    check_holdout(options)


def _store(journal: Journal, calibration: Calibration) -> None:
    from iamhumans.trust.run_calibration import store_calibration

    earlier = store_calibration(journal, calibration)
    if earlier is not None and earlier.labels.replies > calibration.labels.replies:
        warn(
            f"This replaces a calibration by labels of {earlier.labels.replies} replies of run {earlier.run}."
            f" `iamhumans calibrate {earlier.run}` restores it."
        )


def _import(journal: Journal, path: Path, judge: JudgeIdentity) -> None:
    from iamhumans.trust.calibration_files import read_calibration
    from iamhumans.trust.judge_identity import calibration_status

    calibration = read_calibration(path)
    _store(journal, calibration)
    status = calibration_status(calibration.identity.compare(judge))
    if not status.fits:
        warn(f"The calibration is stored. {status.sentence}")


def _print(found: RunCalibration, options: dict[str, Any], *, as_json: bool) -> None:
    from iamhumans.reports.blocks import _blocks_markdown as blocks_markdown
    from iamhumans.reports.blocks import _blocks_text as blocks_text
    from iamhumans.reports.calibration import calibrated_blocks, calibrated_document, calibration_blocks
    from iamhumans.trust.calibration_files import calibration_document, calibration_text

    if found.calibration is None:
        raise CannotRunError(found.status.sentence)
    if options["output"] is not None:
        write_file(options["output"], [calibration_text(found.calibration)])
    apply_map = options["apply_map"]
    if as_json:
        document = {"run": found.run and found.run.name, "calibration": calibration_document(found.calibration)}
        print_json(document | calibrated_document(found, apply_map=apply_map))
        return
    blocks = [*calibration_blocks(found.calibration), *calibrated_blocks(found, apply_map=apply_map)]
    markdown = options["style"] == "md"
    click.echo(blocks_markdown(blocks) if markdown else blocks_text(blocks, width=terminal_width()), nl=False)


def _sample(journal: Journal, run: Run, subject: str | None, options: dict[str, Any], *, as_json: bool) -> None:
    from iamhumans.runs.rows import rubric_of
    from iamhumans.trust.drawing import candidates_of, draw, draw_as_json_lines, drawn_values

    reason, share, output = options["reason"], options["targeted"], options["output"]
    candidates = candidates_of(journal, run, rubric_of(journal, run), subject=subject, holdout_reason=reason)
    found = draw(candidates, options["sample"], seed=options["seed"] or "", targeted=0.5 if share is None else share)
    if output is not None:
        write_file(output, draw_as_json_lines(found))
    if as_json:
        print_json({"run": run.name, "replies": found.replies, "drawn": [*map(drawn_values, found.drawn)]})
    elif output is not None:
        click.echo(
            f"{len(found.drawn)} of {found.replies} replies are drawn: {found.part('random')} at random,"
            f" {found.part('targeted')} in doubt. Label them with `iamhumans label {run.name} --from {output}`."
        )
    else:
        print_pieces(json_line(drawn_values(one)) + "\n" for one in found.drawn)
