"""``iamhumans cases``: list, show, check, write, sample, seal the cases of a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from iamhumans.cli.holdout import holdout_command, seal_command
from iamhumans.cli.options import FILE, common_options, holdout_options
from iamhumans.cli.output import counted, print_findings, print_json, print_table, print_text, report_findings, warn
from iamhumans.errors import CommandError, Exit
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Case, Suite


@click.group()
def cases() -> None:
    """List the cases of a suite, check them, write a new one, draw a sample, hold cases out."""


@cases.command("list")
@click.argument("suite", default="core")
@common_options
def list_command(suite: str, as_json: bool) -> None:
    """List the cases of SUITE: a folder, a case file, or the name of a bundled suite.

    Shows only the ids and dimensions of held-out cases.
    """
    from iamhumans.cases import load_suite

    loaded = load_suite(suite)
    if as_json:
        print_json(loaded.to_dict())
    else:
        print_table(("ID", "TURNS", "FLAGS", "TITLE", "DIMENSIONS; HARD FAILS"), map(_row, loaded.cases), note=4)
        report_findings(loaded)
    _end(loaded)


def _row(case: Case) -> tuple[str, ...]:
    dimensions = ", ".join(case.dimensions) or "-"
    if case.holdout:
        return (case.id, "-", "held out", "-", dimensions)
    hard_fails = ", ".join(case.hard_fails) or "-"
    flags = "repair" if case.repair else ""
    return (case.id, str(len(case.conversation)), flags, case.title or "-", f"{dimensions}; {hard_fails}")


@cases.command("show")
@click.argument("case_id", metavar="ID")
@click.option("--suite", default="core", show_default=True, help="A folder, a case file, or a bundled suite.")
@holdout_options
@common_options
def show_command(case_id: str, suite: str, holdout_reason: str | None, as_json: bool) -> None:
    """Show the whole case ID."""
    from iamhumans.cases import load_suite, record_use

    loaded = load_suite(suite)
    case = loaded.find(case_id)
    if case.holdout:
        if holdout_reason is None:
            problem = f"The case `{case.id}` is held out: do not read it while tuning a skill."
            raise CommandError(problem, fix="To read it anyway, add --holdout --reason TEXT.")
        record_use(loaded, reason=holdout_reason, output="show", run=None, cases=[case.id])
    if as_json:
        print_json(case.to_dict())
    else:
        print_text(for_terminal("\n\n".join(_parts(case))))


def _parts(case: Case) -> list[str]:
    flags = [flag for flag, is_on in (("held out", case.holdout), ("repair", case.repair)) if is_on]
    head = (
        f"{case.id}  {case.title}".rstrip(),
        f"dimensions  {', '.join(case.dimensions) or 'none'}",
        f"hard fails  {', '.join(case.hard_fails) or 'none'}",
        f"lang        {case.lang}",
        f"flags       {', '.join(flags) or 'none'}",
        f"file        {case.path or 'none'}",
    )
    live = "(answered live by the subject)"
    blocks = (
        *((turn.speaker, turn.text or live) for turn in case.conversation),
        ("rubric", "\n".join(f"- {item}" for item in case.rubric)),
        ("failure modes", "\n".join(f"- {item}" for item in case.failure_modes)),
        ("notes (no judge and no subject sees them)", case.notes),
    )
    return ["\n".join(head), *(_block(name, text) for name, text in blocks if text)]


def _block(name: str, text: str) -> str:
    return "\n".join((f"{name}:", *(f"  {line}".rstrip() for line in text.split("\n"))))


@cases.command("lint")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option("--style", is_flag=True, help="Also check how the cases are written.")
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


@cases.command("new")
@click.argument("case_id", metavar="ID")
@click.option("--suite", "folder", default=".", show_default=True, help="The folder of the suite.")
@click.option("--title", default="", help="What the case is about.")
@click.option("--dimension", "dimensions", multiple=True, help="What the case tests; repeatable.")
@click.option("--conversation", is_flag=True, help="Start with a conversation of several turns.")
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


@cases.command("sample")
@click.argument("suite")
@click.option("-n", "--size", type=click.IntRange(min=1), required=True, help="How many cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the sample.")
@click.option("-o", "--output", type=FILE, help="Write the sample as a suite to this new folder.")
@holdout_options
@common_options
def sample_command(
    suite: str, size: int, seed: int, output: Path | None, holdout_reason: str | None, as_json: bool
) -> None:
    """Draw a sample of SUITE in which every dimension and hard fail is represented.

    Prints the ids of the cases, or with -o writes a suite of them. The same seed gives the same sample on every
    machine, and a larger sample contains the smaller one.
    """
    from iamhumans.cases import load_suite, record_use, write_sample

    loaded = load_suite(suite)
    available = loaded if holdout_reason else loaded.without_holdout()
    sample = loaded.sample(size, seed, holdout_reason is not None)
    if output is not None:
        write_sample(loaded, sample, output, holdout_reason=holdout_reason)
    elif holdout_reason is not None:
        held_out = sample.only_held_out().by_id
        record_use(loaded, reason=holdout_reason, output="sample", run=None, cases=held_out)
    if as_json:
        path = output and str(output)
        print_json({"available": len(available.cases), "ids": list(sample.by_id), "path": path, "seed": seed})
    else:
        for case_id in sample.by_id if output is None else ():
            click.echo(one_line(case_id))
        where = f", written to {output}" if output is not None else ""
        warn(f"{len(sample.cases)} of {counted(len(available.cases), 'case')}{where}.")
    if size > len(sample.cases):
        warn(f"There are only {counted(len(sample.cases), 'case')}; all were taken.")
    report_findings(loaded)
    _end(loaded)


def _end(suite: Suite) -> None:
    if suite.errors:
        click.get_current_context().exit(Exit.WRONG_INPUT)


cases.add_command(seal_command)
cases.add_command(holdout_command)
