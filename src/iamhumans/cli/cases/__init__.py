"""``iamhumans cases``: what is in a suite, is it right, a file for one more case, a sample, and what is held out."""

from __future__ import annotations

import click

from iamhumans.cli.cases.holdout import holdout_command
from iamhumans.cli.cases.lint import lint_command
from iamhumans.cli.cases.list_cases import list_command
from iamhumans.cli.cases.new import new_command
from iamhumans.cli.cases.sample import sample_command
from iamhumans.cli.cases.seal import seal_command
from iamhumans.cli.cases.show import show_command


@click.group()
def cases() -> None:
    """Look at the cases of a suite, check them, write a new one, draw a sample, keep cases back."""


for command in (
    list_command,
    show_command,
    lint_command,
    new_command,
    sample_command,
    seal_command,
    holdout_command,
):
    cases.add_command(command)
