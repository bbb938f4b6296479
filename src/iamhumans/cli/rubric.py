"""``iamhumans rubric``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, SuggestingGroup, common_options
from iamhumans.cli.output import print_json, print_text

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
        from iamhumans.reports.rubric_text import rubric_lines

        print_text("\n".join(rubric_lines(shown)))


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
        print_text(
            f"{checked.name} is a valid rubric: {len(checked.axes)} axes, {len(checked.hard_fails)} hard fails,"
            f" PASS from {checked.scoring.pass_mark}, hash {checked.hash[:12]}."
        )


def _document(shown: Rubric) -> dict[str, Any]:
    return {**shown.model_dump(mode="json", by_alias=True), "hash": shown.hash}
