"""``iamhumans init``: a starter."""

import os
from importlib.resources import files
from pathlib import Path

import click

from iamhumans.cli.options import FILE, common_options
from iamhumans.cli.output import print_json
from iamhumans.errors import CommandError
from iamhumans.text import for_terminal

_STARTER = ("suite/suite.yaml", "suite/cases/FIRST-001.md", "skill.md", "replies.jsonl", "iamhumans.toml")

_NEXT = {
    "iamhumans judge {replies} --suite {suite}": "judge the two sample replies with rules",
    "iamhumans cases new SECOND-001 --suite {suite}": "write your own case",
    "iamhumans cases lint {suite}": "check your cases",
    "iamhumans cases show FIRST-001 --suite {suite}": "read the sample case",
}


@click.command()
@click.argument("folder", type=FILE, default=Path())
@common_options
def init(folder: Path, as_json: bool) -> None:
    """Write a starter into FOLDER (the working folder if not given): a suite with one case, a skill, replies, a config.

    No file is overwritten.
    """
    existing = [name for name in _STARTER if os.path.lexists(folder / name)]
    if existing:
        fix = "Choose another folder: `iamhumans init FOLDER`."
        raise CommandError(f"`{folder / existing[0]}` already exists.", fix=fix)
    for name in _STARTER:
        _copy(name, folder / name)
    if as_json:
        print_json({"written": [str(folder / name) for name in _STARTER]})
    else:
        lines = [*(f"wrote {folder / name}" for name in _STARTER), "", *_next(folder)]
        click.echo("\n".join(map(for_terminal, lines)))


def _next(folder: Path) -> list[str]:
    from iamhumans.platforms import shell_quoted

    suite, replies = shell_quoted(folder / "suite"), shell_quoted(folder / "replies.jsonl")
    steps = {command.format(suite=suite, replies=replies): what for command, what in _NEXT.items()}
    width = max(map(len, steps))
    return ["Next:", *(f"  {command:<{width}}   {what}" for command, what in steps.items())]


def _copy(name: str, target: Path) -> None:
    content = files("iamhumans.cli").joinpath("starter", name).read_bytes()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:  # never through a link, never over a file that has just appeared
            file.write(content)
    except OSError as error:
        raise CommandError(f"`{target}` cannot be written: {error.strerror}.") from None
