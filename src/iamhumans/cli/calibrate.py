"""``iamhumans calibrate``: how far a judge agrees with people, and what that makes of its figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from iamhumans.cli.options import FILE, common_options, json_line, print_json, print_pieces, tell, terminal_width, warn
from iamhumans.cli.working import db_option, open_journal
from iamhumans.errors import CannotRunError, CommandError, Exit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from iamhumans.decisions.calibrated import Calibrated
    from iamhumans.runs import Journal, Run
    from iamhumans.runs.labels import Label
    from iamhumans.trust.calibration import Calibration
    from iamhumans.trust.draw import Draw

_MOST_PROBLEMS = 20


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--labels", "labels_file", type=FILE, help="People's labels; those in the journal if not given.")
@click.option("--map", "map_file", type=FILE, help="A table that says how to read a label file of another form.")
@click.option("--rater", help="Who labelled, where the file does not say.")
@click.option("--judge", "judge_name", help="One judge of several; all of them as a panel if not given.")
@click.option("--apply-map", is_flag=True, help="Show axis means with the judge's scores mapped to people's.")
@click.option("--show", is_flag=True, help="Show what is known of the judge of RUN already.")
@click.option("--import", "import_file", type=FILE, help="Take a calibration from a file, and show it.")
@click.option("--sample", type=click.IntRange(min=1), help="Draw so many replies for people to label.")
@click.option(
    "--targeted",
    type=click.FloatRange(0, 1),
    help="How much of the draw goes where judges are at odds; half if not given.",
)
@click.option("--seed", help="For another draw.")
@click.option("-o", "--output", type=FILE, help="Write the calibration, or the draw, into this file.")
@click.option(
    "--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print a calibration."
)
@db_option
@common_options
@click.pass_context
def calibrate(
    context: click.Context,
    run_name: str,
    labels_file: Path | None,
    map_file: Path | None,
    rater: str | None,
    judge_name: str | None,
    apply_map: bool,
    show: bool,
    import_file: Path | None,
    sample: int | None,
    targeted: float | None,
    seed: str | None,
    output: Path | None,
    style: str,
    as_json: bool,
    db: Path | None,
) -> None:
    """Hold the judge of RUN against what people say of the same replies, and keep what was learned.

    A run is named by its name, a beginning of it, or `last`; RUN:SUBJECT picks one subject of several.

    Says for each hard fail and axis how far people agree with each other and the judge with them, and gives the run's
    figures as people would have them beside the judge's own. `report` and `gate` use it for every run of the same
    judge, settings, rubric and prompt. With --sample it draws the replies that are worth a person's time, for
    `label --from`.

    Exits with 2 where a row of the label file cannot be used; the others count.
    """
    _check_options(
        {
            "--sample": sample is not None,
            "--show": show,
            "--import": import_file is not None,
            "--labels": labels_file is not None,
        },
        map_without_labels=bool(map_file or rater) and labels_file is None,
        draw_without_sample=(targeted is not None or seed is not None) and sample is None,
    )
    from iamhumans.runs.named import find_run

    with open_journal(db) as journal:
        run, subject = find_run(journal, run_name)
        if sample is not None:
            _sample(journal, run, subject, sample, targeted, seed or "", output, as_json=as_json)
            return
        code = Exit.DONE
        if show or import_file is not None:
            found = _known(journal, run, subject, judge_name, import_file)
        else:
            labels, code = _labels(journal, run, subject, labels_file, map_file, rater)
            found = _calibrate(journal, run, subject, judge_name, labels)
    calibration = found.calibration
    if calibration is None:
        raise CannotRunError(found.standing.sentence)
    if output is not None:
        from iamhumans.trust.calibration_files import calibration_text

        _write(output, [calibration_text(calibration)])
    _print(found, calibration, style, apply_map=apply_map, as_json=as_json)
    context.exit(code)


def _check_options(given: dict[str, bool], *, map_without_labels: bool, draw_without_sample: bool) -> None:
    named = [name for name, is_there in given.items() if is_there]
    if len(named) > 1:
        raise CommandError(f"{named[0]} and {named[1]} do not go together.", fix="Leave one of them out.")
    if map_without_labels:
        raise CommandError("--map and --rater say how to read a label file.", fix="Name the file with --labels.")
    if draw_without_sample:
        raise CommandError("--targeted and --seed are about a draw.", fix="Say how many to draw with --sample.")


def _labels(
    journal: Journal, run: Run, subject: str | None, path: Path | None, table: Path | None, rater: str | None
) -> tuple[Sequence[Label], Exit]:
    """The labels of a file, or those in the journal."""
    from iamhumans.trust.bench import Bench

    bench = Bench.of(journal, run, subject)
    if path is None:
        return [row.label for row in bench.rows()], Exit.DONE
    labels, problems = bench.read(path, table=table, rater=rater)
    for problem in problems[:_MOST_PROBLEMS]:
        tell(f"error: {problem}")
    if len(problems) > _MOST_PROBLEMS:
        tell(f"error: {len(problems) - _MOST_PROBLEMS} more rows cannot be used.")
    return labels, Exit.WRONG_INPUT if problems else Exit.DONE


def _calibrate(
    journal: Journal, run: Run, subject: str | None, judge: str | None, labels: Iterable[Label]
) -> Calibrated:
    """Compare, keep, and look at the run in the light of it."""
    from iamhumans.decisions.calibrated import by_judge, calibrated, identity_of, judged_values
    from iamhumans.decisions.outcomes import outcomes_of
    from iamhumans.trust.calibration import calibrate as compare
    from iamhumans.trust.kept import keep_calibration, what_is_known
    from iamhumans.trust.people import people_of

    outcomes = outcomes_of(journal, run, subject=subject)
    identity = identity_of(outcomes, judge)
    seen = outcomes if judge is None else by_judge(outcomes, judge)
    calibration = compare(people_of(labels), judged_values(seen), outcomes.rubric, identity, run.name)
    earlier = what_is_known(journal, identity).calibration
    if earlier is not None and earlier.labels.replies > calibration.labels.replies:
        warn(
            f"This takes the place of a calibration by labels of {earlier.labels.replies} replies of run {earlier.run};"
            f" `iamhumans calibrate {earlier.run}` brings that back."
        )
    keep_calibration(journal, calibration)
    return calibrated(journal, outcomes, judge)


def _known(journal: Journal, run: Run, subject: str | None, judge: str | None, import_file: Path | None) -> Calibrated:
    from iamhumans.decisions.calibrated import calibrated, identity_of
    from iamhumans.decisions.outcomes import outcomes_of
    from iamhumans.trust.calibration_files import read_calibration
    from iamhumans.trust.kept import keep_calibration
    from iamhumans.trust.standing import standing

    outcomes = outcomes_of(journal, run, subject=subject)
    if import_file is not None:
        calibration = read_calibration(import_file)
        keep_calibration(journal, calibration)
        stands = standing(calibration.identity, identity_of(outcomes, judge))
        if not stands.fits:
            warn(f"The calibration is kept. {stands.sentence}")
    return calibrated(journal, outcomes, judge)


def _print(found: Calibrated, calibration: Calibration, style: str, *, apply_map: bool, as_json: bool) -> None:
    from iamhumans.reports.calibration import (
        calibrated_document,
        calibrated_lines,
        calibrated_markdown,
        calibration_document,
        calibration_lines,
        calibration_markdown,
    )

    if as_json:
        document = calibration_document(calibration)
        run = found.run.name if found.run is not None else None
        print_json({"run": run, "calibration": document, **calibrated_document(found, apply_map=apply_map)})
    elif style == "md":
        click.echo(calibration_markdown(calibration) + calibrated_markdown(found, apply_map=apply_map), nl=False)
    else:
        width = terminal_width()
        beside = calibrated_lines(found, apply_map=apply_map, width=width)
        lines = [*calibration_lines(calibration, width=width), "", *beside]
        click.echo("\n".join(lines))


def _sample(
    journal: Journal,
    run: Run,
    subject: str | None,
    count: int,
    targeted: float | None,
    seed: str,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Draw replies, and write the draw."""
    from iamhumans.runs.rows import rubric_of
    from iamhumans.trust.draw import draw
    from iamhumans.trust.draw_files import draw_as_json_lines, drawn_values
    from iamhumans.trust.worth import candidates_of

    candidates = [one for one in candidates_of(journal, run, rubric_of(journal, run)) if subject in (None, one.subject)]
    found = draw(candidates, count, seed=seed, targeted=0.5 if targeted is None else targeted)
    if output is not None:
        _write(output, draw_as_json_lines(found))
    if as_json:
        rows = [drawn_values(one) for one in found.drawn]
        print_json({"run": run.name, "replies": found.replies, "drawn": rows})
    elif output is not None:
        click.echo(_drawn(found, run, output))
    else:
        print_pieces(json_line(drawn_values(one)) + "\n" for one in found.drawn)


def _drawn(found: Draw, run: Run, output: Path) -> str:
    random, targeted = found.part("random"), found.part("targeted")
    how = f"{random} at random, {targeted} since a look at them is worth most" if targeted else "all at random"
    drawn = f"{len(found.drawn)} of {found.replies} replies are drawn, {how}."
    return f"{drawn} Now `iamhumans label {run.name} --from {output}`."


def _write(path: Path, pieces: Iterable[str]) -> None:
    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(pieces)
    except OSError as error:
        raise CommandError(f"`{path}` cannot be written: {error.strerror}.") from None
