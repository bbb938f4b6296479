"""``iamhumans prompt``: prints exactly what a judge is sent."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from iamhumans.cli.options import FILE, common_options, print_json, warn
from iamhumans.cli.working import db_option, open_journal, rubric_for
from iamhumans.errors import CommandError


@click.command()
@click.option("--suite", "suite_name", default="core", show_default=True, help="A folder, or a bundled suite.")
@click.option("--case", "case_id", required=True, help="The case that the reply answers.")
@click.option("--reply", "reply_file", required=True, type=FILE, help="The reply in a text file; - is standard input.")
@click.option("--template", "template_file", type=FILE, help="A prompt template of your own.")
@click.option("--persona", "persona_file", type=FILE, help="What is true of the speaker that the skill plays.")
@click.option("--rubric", "rubric_name", help="A bundled rubric or a file; the suite's own if not given.")
@click.option(
    "--judge", "judge_name", default="rules", help="The model that would be asked; the check token is its own."
)
@click.option("--config", type=FILE, help="The nearest iamhumans.toml if not given.")
@db_option
@common_options
def prompt(
    suite_name: str,
    case_id: str,
    reply_file: Path,
    template_file: Path | None,
    persona_file: Path | None,
    rubric_name: str | None,
    judge_name: str,
    config: Path | None,
    as_json: bool,
    db: Path | None,
) -> None:
    """Print exactly what a judge is sent for one reply, message by message. Nothing is sent.

    With it goes the share of characters with which the prompts of all cases of the suite begin, which is what a
    provider's prompt cache can hit.
    """
    from iamhumans.cases import Reply, load_suite
    from iamhumans.prompts import Template, common_share, judge_messages
    from iamhumans.runs.opening import open_config, open_seats
    from iamhumans.runs.plan import Judging, Place, Planner
    from iamhumans.subjects import ReplyRow
    from iamhumans.text import for_terminal, read_text
    from iamhumans.verdicts import verdict_schema

    suite = load_suite(suite_name)
    case = suite.by_id.get(case_id)
    if case is None:
        raise CommandError(f"The suite {suite.name} has no case {case_id}.", fix="`iamhumans cases list` shows them.")
    if case.holdout:
        raise CommandError(f"The case {case_id} is held out.", fix="Look at its file, if you are its author.")
    if any(turn.speaker == "assistant" and not turn.text for turn in case.conversation):
        raise CommandError(
            f"In case {case_id} the subject answers earlier turns live, so what a judge is sent depends on them.",
            fix="Take a case whose conversation is whole.",
        )
    template = Template(read_text(template_file), template_file) if template_file else None
    persona = read_text(persona_file) if persona_file else None
    rubric = rubric_for(rubric_name, suite)
    seats = open_seats((judge_name,), lambda: open_config(config), template=template, repeats=1)
    judging = Judging(rubric, seats, persona=persona, template=template)
    reply = Reply(case.id, read_text(reply_file).strip("\n"))
    with open_journal(db) as journal:
        token = Planner(Place(journal.secret), judging).first_token(ReplyRow(1, case, reply))

    def messages_for(case_id: str, token: str) -> list[dict[str, str]]:
        made = judge_messages(rubric, suite.by_id[case_id], reply.text, template=template, persona=persona, token=token)
        return [{"role": message.role, "content": message.content} for message in made]

    sent = messages_for(case.id, token)
    # A token differs from case to case, so what stands behind it is not common.
    others = [messages_for(other.id, "x" * len(token)) for other in suite.without_holdout().cases if other is not case]
    share = common_share([[message["content"] for message in messages] for messages in (sent, *others)])
    if as_json:
        print_json({"case_id": case.id, "messages": sent, "schema": verdict_schema(rubric), "common_share": share})
        return
    # Exactly what is sent goes into a file or a pipe; a terminal must not act on what stands in a reply.
    shown = for_terminal if sys.stdout.isatty() else str
    for message in sent:
        # Without `color`, click would take escape codes out of it.
        click.echo(shown(f"--- {message['role']} ---\n{message['content']}"), color=True)
    warn(f"{share:.0%} of the characters are the same for all cases of the suite.")
