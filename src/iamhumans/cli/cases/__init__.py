"""``iamhumans cases``: list, show, check, write, sample, seal the cases of a suite."""

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
    """List the cases of a suite, check them, write a new one, draw a sample, hold cases out."""


_COMMANDS = (list_command, show_command, lint_command, new_command, sample_command, seal_command, holdout_command)
for _command in _COMMANDS:
    cases.add_command(_command)
