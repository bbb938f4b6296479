"""``iamhumans verdict``: reads what a judge printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import FILE, common_options, json_line, print_json, tell, warn
from iamhumans.errors import Exit, InputError


@click.command()
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--case-id", help="The case that the verdict must be for.")
@click.option("--reply", "reply_file", type=FILE, help="The judged reply, to check quotes against.")
@click.option("--rubric", "rubric_name", default="iamhumans", show_default=True, help="A bundled rubric or a file.")
@common_options
@click.pass_context
def verdict(
    context: click.Context,
    files: tuple[Path, ...],
    case_id: str | None,
    reply_file: Path | None,
    rubric_name: str,
    as_json: bool,
) -> None:
    """Read what a judge printed into FILES and score it: one JSON line a file.

    Exits with 3 where a file holds no verdict, with 2 where one cannot be read.
    """
    from iamhumans.rubrics import load_rubric
    from iamhumans.text import read_text
    from iamhumans.verdicts import Asked, Verdict, judgement_of, read_verdict, score_verdict

    rubric = load_rubric(rubric_name)
    reply = read_text(reply_file).strip("\n") if reply_file else None
    asked = Asked(case_id=case_id, reply=reply)
    found: list[dict[str, Any]] = []
    code = Exit.DONE
    for path in files:
        try:
            text = read_text(path)
        except InputError as error:
            tell(f"error: {error.message}")
            code = Exit.WRONG_INPUT
            continue
        judgement = read_verdict(text, rubric, asked)
        score = score_verdict(judgement, rubric, asked) if isinstance(judgement, Verdict) else None
        first = ("status", "reason", "detail", "case_id")
        fields = judgement_of(judgement, score).to_dict()
        rest = {
            name: value for name, value in fields.items() if name not in ("row", "subject", "number", "judge", "repeat")
        }
        line = {"file": str(path), **{name: fields[name] for name in first}, **rest}
        if score is None and code is Exit.DONE:
            code = Exit.INCONCLUSIVE
        if score is not None and score.differences:
            verb = "does" if len(score.differences) == 1 else "do"
            stated = " and ".join(score.differences)
            warn(f"{path}: the stated {stated} {verb} not follow from the verdict's own answers")
        if as_json:
            found.append(line)
        else:
            click.echo(json_line(line))
    if as_json:
        print_json({"verdicts": found})
    context.exit(code)
