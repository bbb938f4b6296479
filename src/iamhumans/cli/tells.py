"""``iamhumans tells``: deterministic findings in texts, and the rules that make them."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options
from iamhumans.cli.output import print_json, print_table, print_text, tell
from iamhumans.errors import CommandError, Exit, InputError

if TYPE_CHECKING:
    from iamhumans.tells import Tell

_FORMATS = click.Choice(["text", "json", "sarif", "github"])


class _FilesOrCommand(click.Group):
    """A group whose own arguments are files, unless the first is the name of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without the name of a command, the words are those of `find`."""
        named = {*self.commands, "-h", "--help"}
        return super().parse_args(ctx, args if not args or args[0] in named else ["find", *args])


@click.group(cls=_FilesOrCommand)
def tells() -> None:
    """Find tells in replies: `iamhumans tells FILE...`. English only; no model is asked.

    Example: iamhumans tells reply.txt --format github
    """


@tells.command("find", hidden=True)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option("--input", "user_input", default="", help="The user's message that the replies answer.")
@click.option("--format", "style", type=_FORMATS, default="text", help="How to print.")
@common_options
@click.pass_context
def find_command(context: click.Context, files: tuple[Path, ...], user_input: str, style: str, as_json: bool) -> None:
    """Find tells in each FILE, which holds one reply. `-` is standard input.

    Exits with 2 if a file cannot be read. Findings are results, not errors.
    """
    from iamhumans.reports import tells as printing
    from iamhumans.tells import find_tells
    from iamhumans.text import read_text

    found: list[tuple[Path, str, tuple[Tell, ...]]] = []
    code = Exit.DONE
    for path in files:
        try:
            text = read_text(path)
        except InputError as error:
            tell(f"error: {error.message}")
            code = Exit.WRONG_INPUT
            continue
        found.append((path, text, find_tells(text, input=user_input)))
    if as_json or style == "json":
        print_json({"tells": printing.tell_rows(found)})
    elif style == "sarif":
        print_json(printing.tells_sarif(found))
    else:
        lines = printing.github_lines if style == "github" else printing.text_lines
        for line in lines(found):
            print_text(line)
    context.exit(code)


@tells.command("list")
@common_options
def list_command(as_json: bool) -> None:
    """List all rules, with what each finding means."""
    from iamhumans.reports.tells import rule_row
    from iamhumans.tells import RULES

    rows = [rule_row(rule) for rule in RULES]
    if as_json:
        print_json({"rules": rows})
        return
    print_table(("", ""), [(row["rule"], row["meaning"]) for row in rows], note=1)


@tells.command("explain")
@click.argument("rule_id", metavar="RULE")
@common_options
def explain_command(rule_id: str, as_json: bool) -> None:
    """Explain RULE: what it counts for, and when it applies."""
    from iamhumans.reports.tells import rule_row
    from iamhumans.tells import RULES

    rules = {rule.id: rule for rule in RULES}
    if rule_id not in rules:
        near = get_close_matches(rule_id, rules, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else "`iamhumans tells list` shows all."
        raise CommandError(f"There is no rule `{rule_id}`.", fix=hint)
    row: dict[str, Any] = rule_row(rules[rule_id])
    if as_json:
        print_json(row)
        return
    print_text(f"{row['rule']}: {row['meaning']}")
    print_text(f"Counts for {row['axis_or_hard_fail']}.")
    for name, text in (("when", "Only if the moment is"), ("unless", "Not if the moment is")):
        if row[name]:
            print_text(f"{text}: {', '.join(row[name])}.")
    if row["at_least"] > 1:
        print_text(f"A finding needs {row['at_least']} matches.")
