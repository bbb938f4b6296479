"""``iamhumans init``: a starter."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from iamhumans.cli.options import FILE, common_options, is_quiet, print_json
from iamhumans.errors import CommandError

_STARTER = (
    "suite/suite.yaml",
    "suite/cases/FIRST-001.md",
    "skill.md",
    "replies.jsonl",
    "iamhumans.toml",
)

_NEXT = {
    "iamhumans judge {at}replies.jsonl --suite {at}suite": "judge the two sample replies by rules",
    "iamhumans cases new SECOND-001 --suite {at}suite": "write a case of your own",
    "iamhumans cases lint {at}suite": "check what you wrote",
    "iamhumans cases show FIRST-001 --suite {at}suite": "read the case that is there",
}


@click.command()
@click.argument("folder", type=FILE, default=Path())
@common_options
def init(folder: Path, as_json: bool) -> None:
    """Write a starter into FOLDER (this one, if not given): a suite with one case, a skill, replies, a config.

    Nothing that is there is overwritten.
    """
    there = [name for name in _STARTER if (folder / name).exists()]
    if there:
        raise CommandError(
            f"`{folder / there[0]}` is there already.", fix="Choose another folder: `iamhumans init FOLDER`."
        )
    for name in _STARTER:
        _copy(name, folder / name)
    if as_json:
        print_json({"written": [str(folder / name) for name in _STARTER]})
    elif not is_quiet():
        click.echo("\n".join(f"wrote {folder / name}" for name in _STARTER))
        click.echo("\n" + "\n".join(_next(folder)))


def _next(folder: Path) -> list[str]:
    """What to type next, with what it does."""
    at = "" if folder == Path() else f"{folder}/"
    steps = {command.format(at=at): what for command, what in _NEXT.items()}
    width = max(map(len, steps))
    return ["Next:", *(f"  {command:<{width}}   {what}" for command, what in steps.items())]


def _copy(name: str, target: Path) -> None:
    content = files("iamhumans.cli").joinpath("starter", name).read_bytes()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    except OSError as error:
        raise CommandError(f"`{target}` cannot be written: {error.strerror}.") from None
