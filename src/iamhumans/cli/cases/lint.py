"""``iamhumans cases lint``."""

from __future__ import annotations

import click

from iamhumans.cli.cases.printing import counted, print_findings
from iamhumans.cli.options import common_options, holdout_options
from iamhumans.cli.output import print_json, warn
from iamhumans.errors import Exit


@click.command("lint")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option("--style", is_flag=True, help="Check how the cases are written, too.")
@holdout_options
@common_options
@click.pass_context
def lint_command(
    context: click.Context, paths: tuple[str, ...], strict: bool, style: bool, holdout_reason: str | None, as_json: bool
) -> None:
    """Check case files, folders of them and suites; each finding is one line.

    --style warns of a rubric that names a virtue, a user who sounds like a prompt, and cases that are nearly the same.
    Findings in held-out cases have a line and a code, but no quote; --holdout quotes them.
    """
    from iamhumans.cases import lint

    result = lint(paths, style=style, holdout_reason=holdout_reason)
    errors = sum(finding.error for finding in result.findings)
    warnings = len(result.findings) - errors
    if as_json:
        summary = {"errors": errors, "files": result.files, "warnings": warnings}
        print_json({"findings": [finding.to_dict() for finding in result.findings], "summary": summary})
    else:
        print_findings(result.findings)
        found = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
        warn(f"{found} in {counted(result.files, 'case file')}.")
    if errors or (strict and warnings):
        context.exit(Exit.WRONG_INPUT)
