"""From what the user called a judge to the judge."""

from __future__ import annotations

from iamhumans.errors import CommandError
from iamhumans.judges.llm import LlmJudge
from iamhumans.judges.model import Judge
from iamhumans.judges.recorded import RecordedJudge
from iamhumans.judges.rules import RulesJudge
from iamhumans.prompts import Template
from iamhumans.verdicts import read_recorded

RULES = "rules"
_RECORDED = "recorded/"


def open_judge(name: str, *, template: Template | None = None, repeats: int = 1) -> Judge:
    """The judge of a name: ``rules``, ``recorded/PATH``, or the name of a model.

    Args:
        name: How the user named it.
        template: The prompt template for a model.
        repeats: How many judgements of each reply will be asked for.

    Raises:
        CommandError: No such recorded verdicts, or several for one reply where one was asked for.
    """
    if name == RULES:
        return RulesJudge()
    if not name.startswith(_RECORDED):
        return LlmJudge(name, template)
    source = name.removeprefix(_RECORDED)
    if not source:
        raise CommandError("`recorded/` names no files.", fix="Add the path of the verdicts: recorded/PATH.")
    judge = RecordedJudge(name, read_recorded(source))
    again = judge.most_for_one_reply()
    if again is not None and repeats == 1:
        raise CommandError(
            f"{name} holds several verdicts for case {again.case_id} (one is {again.place}).",
            fix="Name one judge's files by a pattern such as 'recorded/verdicts/*/NAME.yaml', or ask for --repeats.",
        )
    return judge


def needs_model(judge: Judge) -> bool:
    """Whether the judge asks a model."""
    return isinstance(judge, LlmJudge)
