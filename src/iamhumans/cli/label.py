"""``iamhumans label``: a person says what they think of the replies of a run."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, print_json, print_pieces, tell
from iamhumans.cli.working import db_option, open_journal
from iamhumans.errors import CommandError, Exit
from iamhumans.trust.raters import DEFAULT_RATER

if TYPE_CHECKING:
    from rich.text import Text

    from iamhumans.cli.keyboard import Keyboard
    from iamhumans.rubrics import Rubric
    from iamhumans.trust.bench import Asked, Bench, Keeper
    from iamhumans.trust.dialogue import Dialogue
    from iamhumans.trust.label_rows import LabelProblem

_MOST_PROBLEMS = 20
_PIPE_WIDTH = 80


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--rater", help=f"Who labels; `{DEFAULT_RATER}` if not given.")
@click.option("--sample", type=click.IntRange(min=1), help="Label so many replies, drawn by chance.")
@click.option("--from", "draw_file", type=FILE, help="Label the replies of a draw, which `calibrate --sample` writes.")
@click.option("--flags", help="Ask about these hard fails, with commas between them.")
@click.option("--axes", help="Ask about these axes, with commas between them.")
@click.option("--again", is_flag=True, help="Begin with the replies that are labelled already, to change answers.")
@click.option("--import", "import_file", type=FILE, help="Take labels of these replies from a file.")
@click.option("--map", "map_file", type=FILE, help="A table that says how to read a file of another form.")
@click.option("--export", "export_file", type=FILE, help="Write the labels of RUN: JSON Lines, or CSV by its name.")
@db_option
@common_options
@click.pass_context
def label(
    context: click.Context,
    run_name: str,
    rater: str | None,
    sample: int | None,
    draw_file: Path | None,
    flags: str | None,
    axes: str | None,
    again: bool,
    import_file: Path | None,
    map_file: Path | None,
    export_file: Path | None,
    as_json: bool,
    db: Path | None,
) -> None:
    """Label the replies of RUN, one after the other, by keyboard: hard fails, the words behind a YES, axes.

    A run is named by its name, a beginning of it, or `last`; RUN:SUBJECT picks one subject of several.

    Neither judge nor subject nor what was said of a reply before is shown. Every reply is kept as soon as it is
    answered, and the same command goes on where it stopped. Press h for the keys. With --flags or --axes only what is
    named is asked about.

    With --import or --export nothing is asked. Exits with 2 where a row of a file cannot be used; the others are kept.
    """
    from iamhumans.runs.named import find_run
    from iamhumans.trust.bench import Bench
    from iamhumans.trust.label_values import read_text_value

    rater = read_text_value(rater, "--rater")
    asks = import_file is None and export_file is None
    _check_options(sample, draw_file, import_file, map_file, asks=asks, named=flags or axes or again)
    with open_journal(db) as journal:
        run, subject = find_run(journal, run_name)
        bench = Bench.of(journal, run, subject)
        document: dict[str, Any] = {"run": run.name}
        code = Exit.DONE
        if import_file is not None:
            taken = bench.take_in(import_file, table=map_file, rater=rater)
            _tell_problems(taken.problems)
            document |= {"imported": taken.labels, "problems": len(taken.problems)}
            code = Exit.WRONG_INPUT if taken.problems else Exit.DONE
        if export_file is not None:
            document["exported"] = _export(bench, export_file, rater)
        if asks:
            asked = bench.asked(flags=_names(flags), axes=_names(axes), sample=sample, draw_file=draw_file)
            out = sys.stderr if as_json else sys.stdout
            document |= _label(bench, asked, rater or DEFAULT_RATER, out, again=again)
    if as_json:
        print_json(document)
    elif str(export_file) != "-":
        for what in ("imported", "exported"):
            if what in document:
                click.echo(f"{document[what]} {'label' if document[what] == 1 else 'labels'} {what}")
    context.exit(code)


def _check_options(
    sample: int | None,
    draw_file: Path | None,
    import_file: Path | None,
    map_file: Path | None,
    *,
    asks: bool,
    named: str | bool | None,
) -> None:
    if sample is not None and draw_file is not None:
        raise CommandError("--sample draws replies, and --from names drawn ones.", fix="Leave one of them out.")
    if map_file is not None and import_file is None:
        raise CommandError("--map says how to read a file.", fix="Name the file with --import.")
    if not asks and (sample or draw_file or named):
        raise CommandError(
            "Nothing is asked with --import or --export.",
            fix="Leave --sample, --from, --flags, --axes and --again out.",
        )


def _names(given: str | None) -> list[str] | None:
    return None if given is None else [name.strip() for name in given.split(",") if name.strip()]


def _tell_problems(problems: Sequence[LabelProblem]) -> None:
    for problem in problems[:_MOST_PROBLEMS]:
        tell(f"error: {problem}")
    if len(problems) > _MOST_PROBLEMS:
        tell(f"error: {len(problems) - _MOST_PROBLEMS} more rows cannot be used.")


def _export(bench: Bench, path: Path, rater: str | None) -> int:
    from iamhumans.trust.label_files import labels_as_csv, labels_as_json_lines

    rows = bench.rows(rater)
    pieces = labels_as_csv(rows) if path.suffix.lower() == ".csv" else labels_as_json_lines(rows)
    if str(path) == "-":
        print_pieces(pieces)
        return len(rows)
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
    except OSError as error:
        raise CommandError(f"`{path}` cannot be written: {error.strerror}.") from None
    return len(rows)


def _label(bench: Bench, asked: Asked, rater: str, out: IO[str], *, again: bool) -> dict[str, Any]:
    from iamhumans.cli.keyboard import keyboard
    from iamhumans.reports.figure_tables import wrapped
    from iamhumans.reports.labelling import opening, parting
    from iamhumans.trust.dialogue import Dialogue

    session, keeper = bench.begin(asked, rater, again=again)
    before = session.progress.labelled
    screen = _Screen.on(out, bench.rubric)
    if session.current is not None:
        screen.say("\n".join(wrapped(opening(session.progress, rater), screen.width)))
    with keyboard() as keys:
        progress = _ask(Dialogue(session), keys, screen, keeper).session.progress
    screen.say(parting(progress, progress.labelled - before, bench.run.name))
    return {
        "rater": rater,
        "labelled_now": progress.labelled - before,
        "labelled": progress.labelled,
        "replies": progress.total,
    }


def _ask(dialogue: Dialogue, keys: Keyboard, screen: _Screen, keeper: Keeper) -> Dialogue:
    """Ask until there is no more to ask, or nobody who answers; an answered reply is kept before the next is shown."""
    before: Dialogue | None = None
    while (question := dialogue.question) is not None:
        keys.expect(line=question.takes_line)
        screen.show(dialogue, before)
        try:
            said = keys.line() if question.takes_line else keys.key()
        except EOFError:
            screen.say("")
            return dialogue.ended()
        screen.echo(said, shown_already=keys.echoes and question.takes_line)
        before, dialogue = dialogue, dialogue.heard(said)
        keeper.keep(before.session, dialogue.session)
    return dialogue


@dataclass(frozen=True)
class _Screen:
    """Where the rater reads."""

    out: IO[str]
    rubric: Rubric
    width: int

    @classmethod
    def on(cls, out: IO[str], rubric: Rubric) -> _Screen:
        return cls(out, rubric, shutil.get_terminal_size().columns if out.isatty() else _PIPE_WIDTH)

    def show(self, dialogue: Dialogue, before: Dialogue | None) -> None:
        """Whatever is new since the state before, and the prompt."""
        from iamhumans.reports.labelling import news, prompt

        self._print(news(dialogue, before, self.rubric, self.width))
        self.out.write(prompt(dialogue, self.rubric, self.width))
        self.out.flush()

    def echo(self, said: str, *, shown_already: bool) -> None:
        """What was typed, where the terminal did not show it itself."""
        from iamhumans.text import one_line

        if not shown_already:
            self.say(one_line(said))

    def say(self, text: str) -> None:
        self.out.write(f"{text}\n")
        self.out.flush()

    def _print(self, lines: Iterable[Text]) -> None:
        from rich.console import Console

        console = Console(file=self.out, width=self.width, highlight=False)
        with console.capture() as captured:
            for line in lines:
                console.print(line, soft_wrap=True)
        self.out.write(captured.get())
