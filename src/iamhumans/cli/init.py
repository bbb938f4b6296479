"""``iamhumans init``: a starter."""

from __future__ import annotations

import os
import shlex
from importlib.resources import files
from pathlib import Path

import click

from iamhumans.cli.options import FILE, common_options, print_json
from iamhumans.errors import CommandError

_STARTER = (
    "suite/suite.yaml",
    "suite/cases/FIRST-001.md",
    "skill.md",
    "replies.jsonl",
    "iamhumans.toml",
)

_NEXT = {
    "iamhumans judge {replies} --suite {suite}": "judge the two sample replies by rules",
    "iamhumans cases new SECOND-001 --suite {suite}": "write a case of your own",
    "iamhumans cases lint {suite}": "check what you wrote",
    "iamhumans cases show FIRST-001 --suite {suite}": "read the case that is there",
}


@click.command()
@click.argument("folder", type=FILE, default=Path())
@common_options
def init(folder: Path, as_json: bool) -> None:
    """Write a starter into FOLDER (this one, if not given): a suite with one case, a skill, replies, a config.

    Nothing that is there is overwritten.
    """
    there = [name for name in _STARTER if os.path.lexists(folder / name)]
    if there:
        raise CommandError(
            f"`{folder / there[0]}` is there already.", fix="Choose another folder: `iamhumans init FOLDER`."
        )
    for name in _STARTER:
        _copy(name, folder / name)
    if as_json:
        print_json({"written": [str(folder / name) for name in _STARTER]})
    else:
        from iamhumans.text import for_terminal

        lines = [*(f"wrote {folder / name}" for name in _STARTER), "", *_next(folder)]
        click.echo("\n".join(map(for_terminal, lines)))


def _next(folder: Path) -> list[str]:
    """What to type next, with what it does."""

    def at(name: str) -> str:
        return shlex.quote(str(folder / name))

    steps = {command.format(suite=at("suite"), replies=at("replies.jsonl")): what for command, what in _NEXT.items()}
    width = max(map(len, steps))
    return ["Next:", *(f"  {command:<{width}}   {what}" for command, what in steps.items())]


def _copy(name: str, target: Path) -> None:
    content = files("iamhumans.cli").joinpath("starter", name).read_bytes()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Never through a link, and never over what somebody put there in this moment.
        with target.open("xb") as file:
            file.write(content)
    except OSError as error:
        raise CommandError(f"`{target}` cannot be written: {error.strerror}.") from None
