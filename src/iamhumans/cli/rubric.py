"""``iamhumans rubric``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, SuggestingGroup, common_options
from iamhumans.cli.output import print_json

if TYPE_CHECKING:
    from iamhumans.rubrics import Rubric


@click.group(cls=SuggestingGroup)
def rubric() -> None:
    """Show a rubric, or check your own."""


@rubric.command("show")
@click.argument("name", default="iamhumans")
@common_options
def show_command(name: str, as_json: bool) -> None:
    """Show the rubric NAME: iamhumans, iamhumans-extended, or a YAML file."""
    from iamhumans.rubrics import load_rubric

    shown = load_rubric(name)
    if as_json:
        print_json(_document(shown))
    else:
        click.echo("\n".join(_lines(shown)))


@rubric.command("check")
@click.argument("file", type=FILE)
@common_options
def check_command(file: Path, as_json: bool) -> None:
    """Check the rubric in FILE, together with the rubric that it extends."""
    from iamhumans.rubrics import load_rubric

    checked = load_rubric(file)
    if as_json:
        print_json(_document(checked))
    else:
        click.echo(
            f"{checked.name} is a valid rubric: {len(checked.axes)} axes, {len(checked.hard_fails)} hard fails,"
            f" PASS from {checked.scoring.pass_mark}, hash {checked.hash[:12]}."
        )


def _document(shown: Rubric) -> dict[str, Any]:
    return {**shown.model_dump(mode="json", by_alias=True), "hash": shown.hash}


def _lines(shown: Rubric) -> list[str]:
    from iamhumans.text import for_terminal

    lines = [f"{shown.name}  {shown.hash}", shown.description, ""]
    for axis in shown.axes:
        lines.append(f"{axis.id}: {axis.question}")
        lines += [f"  {score:>2}  {meaning}" for score, meaning in axis.anchors.items()]
        lines += [f"   -  {tell}" for tell in axis.tells]
        if axis.default:
            instead = " or ".join(axis.default.instead_of)
            lines.append(f"   =  {axis.default.value} instead of {instead}: {axis.default.reason}")
    lines.append("")
    for hard_fail in shown.hard_fails:
        lines.append(f"{hard_fail.id}: {hard_fail.meaning}")
        lines += [f"   -  {example}" for example in hard_fail.examples]
    rule = "One YES makes the total 0; otherwise it is the mean of the axes times ten."
    lines += ["", f"{rule} PASS from {shown.scoring.pass_mark}."]
    return [for_terminal(line) for line in lines]
