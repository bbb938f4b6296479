"""``iamhumans convert``: turns logs of any shape into our rows."""

from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import FILE, common_options, reading_options
from iamhumans.cli.output import print_json, tell, tell_of_rows, warn
from iamhumans.cli.work import read_standard_input
from iamhumans.errors import Exit
from iamhumans.text import json_text


@click.command()
@click.argument("file", type=FILE)
@click.option("-o", "--output", type=FILE, help="The new JSON Lines file; standard output if not given.")
@reading_options
@click.option("--strict", is_flag=True, help="Exit with 2 if a row cannot be used.")
@common_options
@click.pass_context
def convert(
    context: click.Context, /, file: Path, output: Path | None, strict: bool, as_json: bool, **reading: Any
) -> None:
    """Turn the conversations in FILE into rows that every command reads: {"id", "input", "reply", "subject"}.

    FILE is JSON Lines, JSON, CSV, TSV or Parquet, also packed, in any shape of docs/logs.md. `-` is standard input.
    Says how many rows there are, how many were dropped, and why. With --json, the report of dropped rows is
    one JSON document.

    Exits with 2 if no row can be used.

    Example: iamhumans convert conversations.json -o rows.jsonl
    """
    from iamhumans.api import converting

    if str(file) == "-":
        read_standard_input()
    done = converting.convert(file, output, **reading)
    for note in done.notes:
        warn(note)
    if as_json:
        facts = {name: getattr(done, name) for name in ("shape", "written", "dropped", "reasons")}
        print_json(
            {**facts, "problems": [str(one) for one in done.problems], **({} if output else {"rows": done.rows})}
        )
    else:
        for row in done.rows:
            click.echo(json_text(row))
        tell_of_rows(done.problems, done.dropped)
        where = f" into {output}" if output else ""
        tell(f"{done.written:,} {'row' if done.written == 1 else 'rows'} written{where}, {done.dropped:,} dropped")
        for reason, count in done.reasons.items():
            tell(f"dropped {count:,}: {reason}")
    context.exit(Exit.WRONG_INPUT if strict and done.dropped else Exit.DONE)
