"""``iamhumans verdict``: reads what a judge printed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import FILE, common_options
from iamhumans.cli.output import print_json, tell, warn
from iamhumans.errors import Exit, InputError
from iamhumans.text import json_text

_NOT_HERE = ("row", "subject", "number", "judge", "repeat")


@click.command()
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--case-id", help="The case that the verdict must be for.")
@click.option("--reply", "reply_file", type=FILE, help="The judged reply, to check quotes against.")
@click.option("--rubric", default="iamhumans", show_default=True, help="A bundled rubric or a file.")
@common_options
@click.pass_context
def verdict(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    reply_file: Path | None,
    rubric: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """Read what a judge printed into FILES and score it: one JSON line for each file.

    Exits with 3 if a file holds no verdict, with 2 if a file cannot be read.
    """
    from iamhumans.api.reading import read_verdict
    from iamhumans.rubrics import load_rubric
    from iamhumans.text import read_text

    loaded = load_rubric(rubric)
    reply = read_text(reply_file).strip("\n") if reply_file else None
    lines: list[dict[str, Any]] = []
    code = Exit.DONE
    for path in files:
        try:
            text = read_text(path)
        except InputError as error:
            tell(f"error: {error.message}")
            code = Exit.WRONG_INPUT
            continue
        judgement = read_verdict(text, reply=reply, rubric=loaded, **asked)
        fields = judgement.to_dict()
        names = ("status", "reason", "detail", "case_id")
        others = {name: value for name, value in fields.items() if name not in (*names, *_NOT_HERE)}
        lines.append({"file": str(path), **{name: fields[name] for name in names}, **others})
        if not judgement.judged and code is Exit.DONE:
            code = Exit.INCONCLUSIVE
        if judgement.differences:
            warn(f"{path}: {_difference(judgement.differences)}")
        if not as_json:
            click.echo(json_text(lines[-1]))
    if as_json:
        print_json({"verdicts": lines})
    context.exit(code)


def _difference(differences: Sequence[str]) -> str:
    """What of what a judge stated does not follow from its own answers, in a sentence."""
    others = [name for name in differences if name != "total_without_na"]
    verb = "does" if len(others) == 1 else "do"
    said = [f"the stated {' and '.join(others)} {verb} not follow from the verdict's own answers"] if others else []
    if len(others) < len(differences):
        said.append("the stated total leaves N/A axes out of the mean, where they count as 10")
    return "; ".join(said)
