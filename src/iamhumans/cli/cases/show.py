"""``iamhumans cases show``: the whole of a case."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.cases.printing import (
    DEFAULT_SUITE,
    counted,
    print_json,
)
from iamhumans.cli.options import common_options
from iamhumans.errors import CommandError
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Case, Suite


@click.command("show")
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
        print_json(_case_as_data(case))
    else:
        click.echo(for_terminal(_case_as_text(case)))


def _find(suite: Suite, case_id: str) -> Case:
    case = suite.by_id.get(case_id)
    if case is not None:
        return case
    near = get_close_matches(case_id.casefold(), [known.casefold() for known in suite.by_id], n=3)
    meant = [known for known in suite.by_id if known.casefold() in near]
    fix = f"Did you mean {', '.join(meant)}?" if meant else f"`iamhumans cases list {suite.path}` shows all."
    if suite.errors:
        files = counted(len({finding.path for finding in suite.errors}), "file")
        fix += f" It may also be in what could not be read: `iamhumans cases lint {suite.path}` tells of {files}."
    raise CommandError(f"The suite `{one_line(suite.name)}` has no case `{one_line(case_id, 100)}`.", fix=one_line(fix))


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
