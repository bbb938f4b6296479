"""What a gate asks, so that the journal can tell a second look from a new question.

A question names the suite, not its cases: to add cases is to look again, not to ask anew. Names of subjects and judges
that a user may change freely are left out where their settings are known.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.looks import Question
from iamhumans.runs.journal.queries import RunRecord

_JUDGED = ("rubric", "prompt", "persona", "judges", "repeats")
_RECORDED = "recorded"


def question_of(journal: Journal, run: RunRecord, subject: str | None, thresholds: Mapping[str, Any]) -> Question:
    """The question that a gate with these thresholds asks about a run, or about one of its subjects."""
    return Question({**_judging(run), "suite": _suite(run), "subject": _subject(journal, run, subject)}, thresholds)


def runs_with(journal: Journal, run: RunRecord, subject: str | None) -> Iterator[tuple[RunRecord, str | None]]:
    """All runs of the same subject with the same suite that were judged the same way, the oldest first.

    Each comes with the subject that is meant, where it holds several.
    """
    wanted, suite, judging = _subject(journal, run, subject), _suite(run), _judging(run)
    for other in reversed(journal.runs()):
        if other.id == run.id:
            yield run, subject
        elif _suite(other) == suite and _judging(other) == judging:
            names = _subjects(journal, other)
            found = (name for name in names if _subject(journal, other, name) == wanted)
            name = next(found, None)
            if name is not None:
                yield other, name if len(names) > 1 else None


def _suite(run: RunRecord) -> Any:
    suite = run.plan.get("suite")
    if suite is None:
        # Rows without a suite are a question of their own.
        return {"input": run.plan.get("input")}
    return suite["name"] if isinstance(suite, Mapping) else suite


def _judging(run: RunRecord) -> dict[str, Any]:
    found = {name: run.plan.get(name) for name in _JUDGED}
    found["rubric"] = run.plan["rubric"]["hash"]
    found["judges"] = sorted((_judge(one) for one in run.plan.get("judges", ())), key=repr)
    return found


def _judge(described: Mapping[str, Any]) -> Any:
    """The settings of a judge. Of recorded verdicts only the name is known, since there may be more of them later."""
    if described["settings"].get("judge") == _RECORDED:
        return described["name"]
    return {name: described[name] for name in described if name != "name"}


def _subjects(journal: Journal, run: RunRecord) -> list[str]:
    if "subjects" in run.plan:
        return [one["name"] for one in run.plan["subjects"]]
    return list(dict.fromkeys(group.subject for group in journal.summary(run).groups))


def _subject(journal: Journal, run: RunRecord, name: str | None) -> Any:
    """The settings and the skill of a subject. Of recorded replies only the name is known."""
    described = {one["name"]: one for one in run.plan.get("subjects", ())}
    chosen = [described[name]] if name in described else list(described.values())
    if not chosen:
        return [name] if name is not None else _subjects(journal, run)
    return [
        one["name"]
        if one["settings"].get("subject") == _RECORDED
        else {"settings": one["settings"], "skill": one["skill"]}
        for one in chosen
    ]
