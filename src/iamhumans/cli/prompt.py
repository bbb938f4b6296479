"""``iamhumans prompt``: prints exactly what a judge is sent."""

import sys
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import FILE, common_options, db_option
from iamhumans.cli.output import print_json, warn
from iamhumans.cli.work import journal_at


@click.command()
@click.option("--suite", default="core", show_default=True, help="A folder, or a bundled suite.")
@click.option("--case", "case_id", required=True, help="The case that the reply answers.")
@click.option("--reply", type=FILE, required=True, help="The reply in a text file; - is standard input.")
@click.option("--template", type=FILE, help="A prompt template of your own.")
@click.option("--persona", type=FILE, help="What is true of the character that the skill plays.")
@click.option("--rubric", help="A bundled rubric or a file. Default: the suite's.")
@click.option("--judge", default="rules", help="The model that would be asked; the check token depends on it.")
@click.option("--config", type=FILE, help="Default: the nearest iamhumans.toml.")
@db_option
@common_options
def prompt(as_json: bool, db: Path | None, **options: Any) -> None:
    """Print exactly what a judge is sent for one reply, message by message. Nothing is sent.

    Also prints how much of the prompt is the same for all cases of the suite. A provider can cache that part.
    """
    from iamhumans.api.reading import prompt_for
    from iamhumans.text import for_terminal

    with journal_at(db, write=True) as journal:
        found = prompt_for(**options, journal=journal.core)
    messages = [{"role": message.role, "content": message.content} for message in found.messages]
    if as_json:
        document = {"case_id": options["case_id"], "messages": messages, "schema": found.schema}
        print_json({**document, "common_share": found.common_share})
        return
    # A file or a pipe gets exactly what is sent; a terminal must not interpret what is in a reply.
    shown = for_terminal if sys.stdout.isatty() else str
    for message in messages:
        # Without `color`, click would remove escape codes from it.
        click.echo(shown(f"--- {message['role']} ---\n{message['content']}"), color=True)
    warn(f"{found.common_share:.0%} of the characters are the same for all cases of the suite.")
