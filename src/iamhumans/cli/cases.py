"""``iamhumans cases``: what is in a suite, is it right, and a file for one more case."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import common_options, is_quiet, warn
from iamhumans.errors import CommandError, Exit
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Case, Finding, Suite

DEFAULT_SUITE = "core"


@click.group()
def cases() -> None:
    """Look at the cases of a suite, check them, write a new one."""


@cases.command("list")
@click.argument("suite", default=DEFAULT_SUITE)
@common_options
@click.pass_context
def list_command(context: click.Context, suite: str, as_json: bool) -> None:
    """List the cases of SUITE: a folder, a case file, or a bundled suite's name.

    Held-out cases are listed by their id and dimensions alone.
    """
    from iamhumans.cases import load_suite

    loaded = load_suite(suite)
    if as_json:
        _print_json(_suite_as_data(loaded))
    else:
        room = get_terminal_size().columns if sys.stdout.isatty() else None
        for line in _table([_HEADINGS, *(_row(case) for case in loaded.cases)], room):
            click.echo(line)
        _print_findings(loaded.findings, hidden=_held_out_files(loaded))
    if loaded.errors:
        context.exit(Exit.WRONG_INPUT)


@cases.command("show")
@click.argument("case_id", metavar="ID")
@click.option("--suite", default=DEFAULT_SUITE, show_default=True, help="A folder, a case file, or a bundled suite.")
@click.option("--holdout", is_flag=True, help="Show the case even if it is held out.")
@common_options
def show_command(case_id: str, suite: str, holdout: bool, as_json: bool) -> None:
    """Show the whole of the case ID."""
    from iamhumans.cases import load_suite

    case = _find(load_suite(suite), case_id)
    if case.holdout and not holdout:
        raise CommandError(
            f"The case `{one_line(case.id)}` is held out: whoever has read it tunes to it.",
            fix="Add `--holdout` to read it all the same.",
        )
    if as_json:
        _print_json(_case_as_data(case))
    else:
        click.echo(for_terminal(_case_as_text(case)))


@cases.command("lint")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Let warnings count as errors.")
@common_options
@click.pass_context
def lint_command(context: click.Context, paths: tuple[str, ...], strict: bool, as_json: bool) -> None:
    """Check case files, folders of them and suites; each finding is one line."""
    from iamhumans.cases.lint import lint

    result = lint(paths)
    summary = {"errors": result.errors, "files": result.files, "warnings": result.warnings}
    if as_json:
        _print_json({"findings": [_finding_as_data(finding) for finding in result.findings], "summary": summary})
    else:
        for finding in result.findings:
            click.echo(_finding_as_line(finding))
        counted = f"{_count(result.errors, 'error')}, {_count(result.warnings, 'warning')}"
        warn(f"{counted} in {_count(result.files, 'case file')}.")
    if result.errors or (strict and result.warnings):
        context.exit(Exit.WRONG_INPUT)


@cases.command("new")
@click.argument("case_id", metavar="ID")
@click.option("--suite", "folder", default=".", show_default=True, help="The folder of the suite.")
@click.option("--title", default="", help="What the case is about.")
@click.option("--dimension", "dimensions", multiple=True, help="What the case tests; may be given several times.")
@click.option("--conversation", is_flag=True, help="With earlier turns.")
@common_options
def new_command(
    case_id: str, folder: str, title: str, dimensions: tuple[str, ...], conversation: bool, as_json: bool
) -> None:
    """Write a commented file for the case ID, ready to be filled in."""
    from iamhumans.cases.new import write_new_case

    new = write_new_case(case_id, Path(folder), title=title, dimensions=dimensions, conversation=conversation)
    path = for_terminal(str(new.path))
    if as_json:
        findings = [_finding_as_data(finding) for finding in new.findings]
        _print_json({"findings": findings, "id": case_id, "path": str(new.path)})
        return
    click.echo(path)
    _print_findings(new.findings)
    warn(f"Next: fill it in, then `iamhumans cases lint {path}`.")


def _find(suite: Suite, case_id: str) -> Case:
    case = suite.by_id.get(case_id)
    if case is not None:
        return case
    near = get_close_matches(case_id.casefold(), [known.casefold() for known in suite.by_id], n=3)
    meant = [known for known in suite.by_id if known.casefold() in near]
    fix = f"Did you mean {', '.join(meant)}?" if meant else f"`iamhumans cases list {suite.path}` shows all."
    if suite.errors:
        files = _count(len({finding.path for finding in suite.errors}), "file")
        fix += f" It may also be in what could not be read: `iamhumans cases lint {suite.path}` tells of {files}."
    raise CommandError(f"The suite `{one_line(suite.name)}` has no case `{one_line(case_id, 100)}`.", fix=one_line(fix))


_NARROWEST = 12
_HEADINGS = ("ID", "TURNS", "DIMENSIONS", "HARD FAILS", "TITLE", "FLAGS")


def _row(case: Case) -> tuple[str, ...]:
    dimensions = ", ".join(case.dimensions) or "-"
    if case.holdout:
        return (case.id, "-", dimensions, "-", "-", "held out")
    flags = "repair" if case.repair else ""
    hard_fails = ", ".join(case.hard_fails) or "-"
    return (case.id, str(len(case.conversation)), dimensions, hard_fails, case.title or "-", flags)


def _table(rows: Sequence[Sequence[str]], room: int | None) -> Iterable[str]:
    """Rows as lines of aligned columns; a character of double width counts as two.

    ``room`` is the width of the terminal, to which the widest columns are cut; None where there is none.
    """
    from rich.cells import cell_len, set_cell_size

    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = _fitted([max(cell_len(cell) for cell in column) for column in zip(*cells, strict=True)], room)
    for row in cells:
        fitted = (
            set_cell_size(cell, width) if cell_len(cell) <= width else f"{set_cell_size(cell, width - 1)}…"
            for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(fitted).rstrip()


def _fitted(widths: list[int], room: int | None) -> list[int]:
    while room is not None and sum(widths) + 2 * (len(widths) - 1) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _case_as_text(case: Case) -> str:
    head = [f"{case.id}  {case.title}".rstrip()]
    facts = {
        "dimensions": ", ".join(case.dimensions) or "none",
        "hard fails": ", ".join(case.hard_fails) or "none",
        "lang": case.lang,
        "flags": ", ".join(flag for flag, on in (("held out", case.holdout), ("repair", case.repair)) if on) or "none",
        "file": str(case.path) if case.path else "none",
    }
    width = max(map(len, facts))
    head += [f"{name:<{width}}  {value}" for name, value in facts.items()]
    parts = ["\n".join(head)]
    parts += [_block(turn.speaker, turn.text or "(answered live by the subject)") for turn in case.conversation]
    for name, items in (("rubric", case.rubric), ("failure modes", case.failure_modes)):
        if items:
            parts.append(_block(name, "\n".join(f"- {item}" for item in items)))
    if case.notes:
        parts.append(_block("notes (neither judge nor subject sees them)", case.notes))
    return "\n\n".join(parts)


def _block(name: str, text: str) -> str:
    lines = (f"  {line}".rstrip() for line in text.split("\n"))
    return "\n".join((f"{name}:", *lines))


def _suite_as_data(suite: Suite) -> dict[str, Any]:
    hidden = _held_out_files(suite)
    return {
        "cases": [_case_in_list(case, suite.path) for case in suite.cases],
        "findings": [_finding_as_data(_without_text(finding, hidden)) for finding in suite.findings],
        "suite": {
            "dimensions": suite.dimensions,
            "hard_fails": suite.hard_fails,
            "languages": suite.languages,
            "license": suite.license,
            "name": suite.name,
            "rubric": suite.rubric,
            "version": suite.version,
        },
    }


def _case_in_list(case: Case, folder: Path) -> dict[str, Any]:
    if case.holdout:
        return {"dimensions": case.dimensions, "holdout": True, "id": case.id}
    return {
        "dimensions": case.dimensions,
        "file": _relative(case.path, folder),
        "hard_fails": case.hard_fails,
        "holdout": False,
        "id": case.id,
        "lang": case.lang,
        "repair": case.repair,
        "title": case.title,
        "turns": len(case.conversation),
    }


def _relative(path: Path | None, folder: Path) -> str | None:
    if path is None:
        return None
    inside = path.is_relative_to(folder)
    return (path.relative_to(folder) if inside else path).as_posix()


def _case_as_data(case: Case) -> dict[str, Any]:
    return {
        "conversation": [{"speaker": turn.speaker, "text": turn.text} for turn in case.conversation],
        "dimensions": case.dimensions,
        "failure_modes": case.failure_modes,
        "hard_fails": case.hard_fails,
        "hash": case.hash,
        "holdout": case.holdout,
        "id": case.id,
        "lang": case.lang,
        "notes": case.notes,
        "repair": case.repair,
        "rubric": case.rubric,
        "title": case.title,
    }


def _finding_as_data(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "error": finding.error,
        "fix": finding.fix,
        "line": finding.line,
        "path": str(finding.path),
        "problem": finding.problem,
    }


def _finding_as_line(finding: Finding) -> str:
    return for_terminal(str(finding)).replace("\n", "\\n")


def _held_out_files(suite: Suite) -> set[Path | None]:
    return {case.path for case in suite.cases if case.holdout}


def _without_text(finding: Finding, hidden: Collection[Path | None]) -> Finding:
    """The finding without its advice, which may quote the title, where the file's text is not to be shown."""
    return replace(finding, fix="") if finding.path in hidden else finding


def _print_findings(findings: Iterable[Finding], *, hidden: Collection[Path | None] = ()) -> None:
    for finding in findings:
        if finding.error or not is_quiet():
            click.echo(_finding_as_line(_without_text(finding, hidden)), err=True)


def _print_json(data: Any) -> None:
    click.echo(json.dumps(data, sort_keys=True, indent=2))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
