"""From the name of a judge to the judge."""

from iamhumans.errors import CommandError
from iamhumans.judges.judge import Judge
from iamhumans.judges.llm import LlmJudge
from iamhumans.judges.recorded import RecordedJudge
from iamhumans.judges.rules import RulesJudge
from iamhumans.prompts import Template
from iamhumans.verdicts import read_recorded


def open_judge(name: str, *, template: Template | None = None, repeats: int = 1) -> Judge:
    """The judge of a name: ``rules``, ``recorded/PATH``, or the name of a model, which asks with the template.

    Raises CommandError for a reserved name, and for recorded verdicts that are missing or several for one reply.
    """
    kind, slash, path = name.partition("/")
    if kind == "local":
        raise CommandError("The judge `local` does not exist yet.", fix="Use `rules`, which needs no model either.")
    if kind == "rules":
        if slash:
            raise CommandError(f"`{name}` is not a judge.", fix="Use `rules`, without a slash and a path.")
        return RulesJudge()
    if kind != "recorded":
        return LlmJudge(name, template)
    if not path:
        raise CommandError(f"`{name}` has no path.", fix="Add the path of the verdicts, as in `recorded/verdicts`.")
    judge = RecordedJudge(name, read_recorded(path))
    if repeats == 1 and (again := judge.repeated()) is not None:
        fix = "Name the files of one judge with a pattern such as 'recorded/verdicts/*/NAME.yaml', or use --repeats."
        raise CommandError(f"`{name}` has several verdicts for case {again.case_id}. One is {again.place}.", fix=fix)
    return judge
