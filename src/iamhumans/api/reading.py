"""Reading what a judge printed, and printing what a judge is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.api.options import JournalLike, RubricLike, Work, open_judging, open_rubric, opened_journal
from iamhumans.cases import Reply, load_suite
from iamhumans.errors import CommandError
from iamhumans.prompts import Message, Template, common_share, judge_messages
from iamhumans.runs.plan import Planner
from iamhumans.subjects import ReplyRow
from iamhumans.text import read_text
from iamhumans.verdicts import Asked, Judgement, score_verdict, verdict_schema
from iamhumans.verdicts import read_verdict as read


def read_verdict(
    text: str, *, reply: str | None = None, case_id: str | None = None, rubric: RubricLike | None = None
) -> Judgement:
    """Read and score a verdict that a judge printed, in whatever form.

    Args:
        text: All that the judge printed.
        reply: The judged reply, to check quotes against.
        case_id: The case that the verdict must be for.
        rubric: A bundled rubric's name, a file, or a rubric; the default is ``iamhumans``.

    Returns:
        The judgement; ``unjudged`` with a reason if there is no verdict in the text. No text raises an error.

    Raises:
        IamhumansError: The rubric cannot be used.

    Example:
        >>> ih.read_verdict("I cannot judge this.").reason
        'refused'
    """
    loaded = open_rubric(rubric, None)
    asked = Asked(case_id=case_id, reply=reply)
    return score_verdict(read(text, loaded, asked), loaded, asked)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a judge is sent for a reply. ``common_share``: how much of it all cases of the suite begin with, 0 to 1."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    common_share: float


def prompt_for(
    suite: str | Path,
    case_id: str,
    reply: Path,
    *,
    judge: str = "rules",
    rubric: RubricLike | None = None,
    persona: Path | None = None,
    template: Path | None = None,
    config: Path | None = None,
    journal: JournalLike = None,
) -> Prompt:
    """What a judge would be sent for the reply in a file. The check token depends on the judge and on the journal."""
    loaded = load_suite(suite)
    case = loaded.by_id.get(case_id)
    if case is None:
        raise CommandError(f"The suite {loaded.name} has no case {case_id}.", fix="`iamhumans cases list` shows them.")
    if case.holdout:
        raise CommandError(f"The case {case_id} is held out.", fix="If you are its author, look at its file.")
    if any(turn.speaker == "assistant" and not turn.text for turn in case.conversation):
        problem = f"In case {case_id} the subject answers earlier turns live, so the prompt depends on them."
        raise CommandError(problem, fix="Choose a case whose conversation is complete.")
    work = Work(config=config, beside=loaded.path)
    made = None if template is None else Template(read_text(template), template)
    # The template is shown also for a judge that would not use it.
    used = None if judge == "rules" or judge.startswith("recorded/") else made
    judging = open_judging(judge, work, rubric=rubric, suite=loaded, repeats=1, persona=persona, template=used)
    answer = Reply(case.id, read_text(reply).strip("\n"))
    with opened_journal(journal) as journal_:
        token = Planner(journal_.secret, judging).first_token(ReplyRow(1, case, answer))

    def messages(of: Any, check: str) -> tuple[Message, ...]:
        return judge_messages(judging.rubric, of, answer.text, template=made, persona=judging.persona, token=check)

    sent = messages(case, token)
    # Tokens differ from case to case, so what follows them is not common.
    others = [messages(other, "x" * len(token)) for other in loaded.without_holdout().cases if other is not case]
    share = common_share([[message.content for message in prompt] for prompt in (sent, *others)])
    return Prompt(sent, verdict_schema(judging.rubric), share)
