"""``iamhumans cases lint``: are the case files right, and written well."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import click

from iamhumans.cli.cases.printing import (
    counted,
    finding_as_data,
    finding_as_line,
    print_json,
    without_texts,
)
from iamhumans.cli.options import common_options, warn
from iamhumans.errors import Exit


@click.command("lint")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Let warnings count as errors.")
@click.option("--style", is_flag=True, help="Look at how the cases are written, too.")
@click.option("--holdout", is_flag=True, help="Quote held-out cases too.")
@common_options
@click.pass_context
def lint_command(
    context: click.Context, paths: tuple[str, ...], strict: bool, style: bool, holdout: bool, as_json: bool
) -> None:
    """Check case files, folders of them and suites; each finding is one line.

    With --style also that no rubric names a virtue, no failure mode repeats the rubric, no user sounds like a prompt or
    forbids what is tested, no title tells it, no stock figure turns up, and no two cases are nearly the same; all of
    these are warnings. Of held-out cases it says where something is and what kind of thing, but quotes nothing.
    """
    from iamhumans.cases.lint import lint

    with _cycles_left_alone():
        result = lint(paths, style=style)
    findings = result.findings if holdout else without_texts(result.findings)
    summary = {"errors": result.errors, "files": result.files, "warnings": result.warnings}
    if as_json:
        print_json({"findings": [finding_as_data(finding) for finding in findings], "summary": summary})
    else:
        for finding in findings:
            click.echo(finding_as_line(finding))
        found = f"{counted(result.errors, 'error')}, {counted(result.warnings, 'warning')}"
        warn(f"{found} in {counted(result.files, 'case file')}.")
    if result.errors or (strict and result.warnings):
        context.exit(Exit.WRONG_INPUT)


@contextmanager
def _cycles_left_alone() -> Iterator[None]:
    """All that is read is needed to the end; to look for garbage in it takes a fifth of the time of 10,000 files."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
