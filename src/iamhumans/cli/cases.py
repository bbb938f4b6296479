"""``iamhumans cases``: what is in a suite, is it right, a file for one more case, a sample, and what is held out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, is_quiet, warn
from iamhumans.errors import CommandError, Exit
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Case, Finding, Ledger, Sample, Suite, Use

DEFAULT_SUITE = "core"


@click.group()
def cases() -> None:
    """Look at the cases of a suite, check them, write a new one, draw a sample, keep cases back."""


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
        _print_findings(_without_texts(loaded.findings))
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
@click.option("--holdout", is_flag=True, help="Quote held-out cases too.")
@common_options
@click.pass_context
def lint_command(context: click.Context, paths: tuple[str, ...], strict: bool, holdout: bool, as_json: bool) -> None:
    """Check case files, folders of them and suites; each finding is one line.

    Of held-out cases it says where something is and what kind of thing, but quotes nothing.
    """
    from iamhumans.cases.lint import lint

    result = lint(paths)
    findings = result.findings if holdout else _without_texts(result.findings)
    summary = {"errors": result.errors, "files": result.files, "warnings": result.warnings}
    if as_json:
        _print_json({"findings": [_finding_as_data(finding) for finding in findings], "summary": summary})
    else:
        for finding in findings:
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


@cases.command("sample")
@click.argument("suite")
@click.option("-n", "--size", type=click.IntRange(min=1), required=True, help="How many cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed is another sample.")
@click.option("-o", "--output", type=FILE, help="Write the sample as a suite into this new folder.")
@click.option("--holdout", is_flag=True, help="Draw from held-out cases too.")
@common_options
@click.pass_context
def sample_command(
    context: click.Context, suite: str, size: int, seed: int, output: Path | None, holdout: bool, as_json: bool
) -> None:
    """Draw a sample of SUITE in which every dimension and hard fail has its place.

    Prints the ids of the cases, or with -o writes a suite of them. The same seed gives the same sample on every
    machine, and a larger sample holds the smaller one.
    """
    from iamhumans.cases import load_suite, sample_suite, write_sample

    loaded = load_suite(suite)
    sample = sample_suite(loaded, size, seed=seed, holdout=holdout)
    if output is not None:
        write_sample(loaded, sample, output)
    if as_json:
        _print_json(_sample_as_data(sample, seed, output))
    else:
        for case in sample.cases if output is None else ():
            click.echo(one_line(case.id))
        if output is not None or not is_quiet():
            for line in _sample_as_lines(sample):
                # Where the ids go into a file or a pipe, nothing else goes with them.
                click.echo(line, err=output is None)
        if output is not None:
            warn(f"Written to {output}.")
    if size > len(sample.cases):
        warn(f"There are no more than {_count(len(sample.cases), 'case')}; all were taken.")
    _print_findings(_without_texts(loaded.findings))
    if loaded.errors:
        context.exit(Exit.WRONG_INPUT)


@cases.command("seal")
@click.argument("suite", default=".")
@click.option("--check", is_flag=True, help="Only say whether the seal holds.")
@click.option("--reason", default="", help="Why it is sealed again after a change; goes into the ledger.")
@common_options
@click.pass_context
def seal_command(context: click.Context, suite: str, check: bool, reason: str, as_json: bool) -> None:
    """Seal the held-out cases of SUITE, so that every later change of them shows.

    Writes seal.json beside the suite: a hash of each held-out case and of the rubric. With --check it ends with 2 where
    the seal does not hold.
    """
    from iamhumans.cases import load_suite, seal_suite

    if check and reason:
        raise CommandError("--check changes nothing, so there is no reason to give.", fix="Leave one of them out.")
    loaded = load_suite(suite)
    if check:
        _check_seal(context, loaded, as_json=as_json)
        return
    sealing = seal_suite(loaded, reason)
    changes = [replace(change, fix="", error=False) for change in sealing.changes]
    sealed = _count(len(sealing.seal.cases), "held-out case")
    if as_json:
        _print_json(
            {
                "cases": [case.id for case in sealing.seal.cases],
                "changes": [_finding_as_data(change) for change in changes],
                "hash": sealing.seal.hash,
                "path": str(sealing.path),
                "written": sealing.written,
            }
        )
        return
    for change in changes:
        click.echo(f"{for_terminal(str(change.path))}:{change.line}: {one_line(change.problem)}")
    path = for_terminal(str(sealing.path))
    click.echo(f"Sealed {sealed} in {path}." if sealing.written else f"{sealed} in {path}: nothing has changed.")


@cases.command("holdout")
@click.argument("suite", default=".")
@common_options
@click.pass_context
def holdout_command(context: click.Context, suite: str, as_json: bool) -> None:
    """Show how often the held-out cases of SUITE were used, when and why, and whether they are still what was sealed.

    Ends with 2 where the seal does not hold or a line of the ledger is missing.
    """
    from iamhumans.cases import check_seal, load_suite, read_ledger
    from iamhumans.cases.seal import SealCode

    loaded = load_suite(suite)
    ledger = read_ledger(loaded.path)
    problems = check_seal(loaded)
    if as_json:
        _print_json(_holdout_as_data(loaded, ledger, problems))
    else:
        for line in _holdout_as_lines(loaded, ledger, problems):
            click.echo(line)
        _print_findings((*problems, *ledger.problems))
    never_sealed = ledger.sealed is None and all(finding.code == SealCode.NOT_SEALED for finding in problems)
    if ledger.problems or (problems and not never_sealed):
        context.exit(Exit.WRONG_INPUT)


def _check_seal(context: click.Context, suite: Suite, *, as_json: bool) -> None:
    from iamhumans.cases import check_seal, held_out

    problems = check_seal(suite)
    count = len(held_out(suite))
    if as_json:
        found = [_finding_as_data(finding) for finding in problems]
        _print_json({"cases": count, "holds": not problems, "problems": found})
    else:
        for finding in problems:
            click.echo(_finding_as_line(finding))
        if not problems:
            held = f"The seal holds: {_count(count, 'held-out case')}."
            click.echo(held if count else "No case is held out, so there is nothing that a seal could break over.")
    if problems:
        context.exit(Exit.WRONG_INPUT)


def _sample_as_data(sample: Sample, seed: int, output: Path | None) -> dict[str, Any]:
    return {
        "available": len(sample.available),
        "dimensions": _shares_as_data(sample.dimensions()),
        "hard_fails": _shares_as_data(sample.hard_fails()),
        "ids": [case.id for case in sample.cases],
        "path": None if output is None else str(output),
        "seed": seed,
    }


def _shares_as_data(shares: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    return {name: {"sample": drawn, "suite": there} for name, (drawn, there) in shares.items()}


def _sample_as_lines(sample: Sample) -> Iterable[str]:
    yield f"{len(sample.cases)} of {_count(len(sample.available), 'case')}"
    for heading, shares in (("DIMENSION", sample.dimensions()), ("HARD FAIL", sample.hard_fails())):
        rows = [(name, str(drawn), str(there)) for name, (drawn, there) in shares.items()]
        if rows:
            yield from ("", *_table([(heading, "SAMPLE", "SUITE"), *rows], None))


def _holdout_as_data(suite: Suite, ledger: Ledger, problems: Sequence[Finding]) -> dict[str, Any]:
    from iamhumans.cases import held_out
    from iamhumans.cases.ledger import what_use_does

    sealed = ledger.sealed
    return {
        "advice": what_use_does(ledger.uses),
        "cases": [
            {"id": case.id, "last": uses[-1].begun.at if uses else None, "uses": len(uses)}
            for case in held_out(suite)
            for uses in [ledger.uses_of(case.id)]
        ],
        "ledger": {
            "lines": ledger.lines,
            "path": str(ledger.path),
            "problems": [_finding_as_data(finding) for finding in ledger.problems],
            "whole": not ledger.problems,
        },
        "seal": {
            "at": sealed.at if sealed else None,
            "hash": sealed.seal if sealed else None,
            "holds": sealed is not None and not problems,
            "problems": [_finding_as_data(finding) for finding in problems],
        },
        "suite": suite.name,
        "uses": [_use_as_data(use) for use in ledger.uses],
    }


def _use_as_data(use: Use) -> dict[str, Any]:
    begun = use.begun.model_dump(mode="json", include={"at", "reason", "seal", "cases", "about"})
    result = use.ended.result.model_dump(mode="json") if use.ended else None
    return {**begun, "ended": use.ended.at if use.ended else None, "finished": use.finished, "result": result}


_USE_HEADINGS = ("WHEN (UTC)", "CASES", "JUDGED", "ZEROED", "REST", "PASSED", "SUBJECT", "RUN", "WHY")


def _holdout_as_lines(suite: Suite, ledger: Ledger, problems: Sequence[Finding]) -> Iterable[str]:
    from iamhumans.cases import held_out
    from iamhumans.cases.ledger import what_use_does

    held = held_out(suite)
    yield f"{_count(len(held), 'held-out case')} in {one_line(suite.name)}"
    if not held and ledger.sealed is None:
        return
    yield f"seal    {_seal_in_words(ledger, problems)}"
    whole = "whole" if not ledger.problems else "NOT whole: see below"
    yield f"ledger  {_count(ledger.lines, 'line')}, {whole}"
    if held:
        rows = [
            (case.id, str(len(uses)), uses[-1].begun.at if uses else "-")
            for case in held
            for uses in [ledger.uses_of(case.id)]
        ]
        yield from ("", *_table([("CASE", "USES", "LAST USED (UTC)"), *rows], None))
    if ledger.uses:
        room = get_terminal_size().columns if sys.stdout.isatty() else None
        yield from ("", *_table([_USE_HEADINGS, *(_use_as_row(use) for use in ledger.uses)], room))
    yield from ("", what_use_does(ledger.uses))


def _seal_in_words(ledger: Ledger, problems: Sequence[Finding]) -> str:
    sealed = ledger.sealed
    if sealed is None:
        return "none: see below" if problems else "none"
    return "does NOT hold: see below" if problems else f"holds, of {sealed.at}: {one_line(sealed.reason, 100)}"


def _use_as_row(use: Use) -> tuple[str, ...]:
    about = use.begun.about
    head = (use.begun.at, str(len(use.begun.cases)))
    tail = (about.subject.name, about.run, use.begun.reason)
    if use.ended is None:
        return (*head, "not ended", "-", "-", "-", *tail)
    result = use.ended.result
    mean = "-" if result.mean_of_rest is None else f"{result.mean_of_rest:.1f}"
    judged = f"{result.judged}/{result.asked}" + ("" if use.finished else " (stopped)")
    return (*head, judged, _percent(result.zero_rate), mean, _percent(result.pass_rate), *tail)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


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
    return {
        "cases": [_case_in_list(case, suite.path) for case in suite.cases],
        "findings": [_finding_as_data(finding) for finding in _without_texts(suite.findings)],
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


def _without_texts(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with no word of a held-out case in them: what is said of its file may quote it."""
    from iamhumans.cases import says_held_out

    hidden = cache(says_held_out)
    return [
        replace(finding, problem="Something in this held-out case.", fix="`iamhumans cases lint --holdout` tells what.")
        if hidden(finding.path)
        else finding
        for finding in findings
    ]


def _print_findings(findings: Iterable[Finding]) -> None:
    for finding in findings:
        if finding.error or not is_quiet():
            click.echo(_finding_as_line(finding), err=True)


def _print_json(data: Any) -> None:
    click.echo(json.dumps(data, sort_keys=True, indent=2))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
