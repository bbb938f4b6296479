"""``iamhumans cases new``."""

from __future__ import annotations

from pathlib import Path

import click

from iamhumans.cli.options import common_options
from iamhumans.cli.output import print_json, warn
from iamhumans.text import for_terminal


@click.command("new")
@click.argument("case_id", metavar="ID")
@click.option("--suite", "folder", default=".", show_default=True, help="The folder of the suite.")
@click.option("--title", default="", help="What the case is about.")
@click.option("--dimension", "dimensions", multiple=True, help="What the case tests; may be given several times.")
@click.option("--conversation", is_flag=True, help="With earlier turns.")
@common_options
def new_command(
    case_id: str, folder: str, title: str, dimensions: tuple[str, ...], conversation: bool, as_json: bool
) -> None:
    """Write a commented file for the case ID, to be filled in."""
    from iamhumans.cases import write_new_case

    path, found = write_new_case(case_id, Path(folder), title=title, dimensions=dimensions, conversation=conversation)
    if as_json:
        print_json({"findings": [finding.to_dict() for finding in found], "id": case_id, "path": str(path)})
        return
    click.echo(for_terminal(str(path)))
    for finding in found:
        warn(str(finding))
    warn(f"Next: fill it in, then run `iamhumans cases lint {path}`.")
