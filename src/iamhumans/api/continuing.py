"""Judging further cases of a run's suite: its subject, skill and judges are opened again by what the journal knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.api.options import Judges, Work, open_judging
from iamhumans.api.run import Run
from iamhumans.api.running import plan_of_run, usual_cases
from iamhumans.cases import Case, Suite, load_suite
from iamhumans.errors import CommandError, InputError
from iamhumans.models import ChatModel
from iamhumans.prompts import Template
from iamhumans.prompts import prompt_hash as hash_of_prompt
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal.queries import RunStatus
from iamhumans.runs.opening import SubjectLike, open_drawing
from iamhumans.runs.plan import Drawing, Judging, Planner
from iamhumans.subjects import Skill
from iamhumans.text import one_line

_RECORDED = "recorded"


@dataclass(frozen=True)
class Continuation:
    """All cases of a run's suite, for its subject and its judges."""

    run: Run
    suite: Suite
    cases: tuple[Case, ...]
    drawing: Drawing
    judging: Judging

    @classmethod
    def of(
        cls,
        run: Run,
        work: Work,
        *,
        suite: Suite | str | Path | None,
        subject: SubjectLike | None,
        judge: Judges | None,
    ) -> Continuation:
        """Open it again.

        Raises:
            CommandError: The run has no subject, several, or held-out cases; its suite is gone; or its subject, skill
                or judges are not what they were.
        """
        described = _described(run)
        if any(facts.held_out for facts in run.journal.core.case_facts(run.record).values()):
            fix = "Gate without --until-decided."
            raise CommandError(f"Run {run.name} used held-out cases, and each use of them needs a reason.", fix=fix)
        whole = _suite(run, suite)
        drawing = _drawing(run, described, subject, work, whole)
        judging = _judging(run, judge, work, whole)
        return cls(run, whole, usual_cases(whole), drawing, judging)

    @property
    def replies(self) -> int:
        """How many replies each case gets."""
        return int(self.run.plan["replies"])

    @property
    def asked(self) -> int:
        """How many judgements all cases need."""
        return len(self.cases) * self.replies * self.judging.judgements

    @property
    def plan(self) -> dict[str, Any]:
        """The plan of a run with all cases: the one that ``iamhumans run`` makes."""
        return plan_of_run(self.suite, self.cases, [self.drawing], self.replies, self.judging)

    @property
    def models(self) -> list[ChatModel]:
        """The models that are asked."""
        return [one for one in (self.drawing.model, *self.judging.models) if one is not None]

    def known_cases(self) -> list[str]:
        """The cases of the run itself. Their results are in the journal, so a run of all cases has them for nothing."""
        described = next(one for one in self.run.plan["subjects"] if one["name"] == self.drawing.subject.name)
        unchanged = described["settings"] == self.drawing.settings and self.run.status == RunStatus.FINISHED.value
        facts = self.run.journal.core.case_facts(self.run.record) if unchanged else {}
        return [one.id for one in self.cases if one.id in facts and facts[one.id].hash == one.hash]

    def jobs(self, run: int, salt: str, ids: Sequence[str]) -> Iterator[Job[Any]]:
        """The work for these cases, which have the places that they have in a run of all cases."""
        planner = Planner(self.run.journal.core.secret, self.judging, (self.drawing,), self.replies, run, salt)
        chosen = set(ids)
        return (job for job in planner.for_cases(self.cases) if job.entry.case_id in chosen)  # type: ignore[attr-defined]


def _described(run: Run) -> Mapping[str, Any]:
    subjects = run.plan.get("subjects")
    if subjects is None:
        raise CommandError(
            f"Run {run.name} judged replies that were there, so no further ones can be drawn.",
            fix="Judge replies to further cases, and gate again with --sequential.",
        )
    found = [one for one in subjects if run.subject in (None, one["name"])]
    if len(found) != 1:
        names = ", ".join(one_line(one["name"], 40) for one in subjects[:6])
        raise CommandError(f"Run {run.name} has several subjects ({names}).", fix=f"Name one: {run.name}:SUBJECT.")
    return dict(found[0])


def _suite(run: Run, given: Suite | str | Path | None) -> Suite:
    if isinstance(given, Suite):
        return given
    where = given if given is not None else run.record.folder
    if where is None or (given is None and not Path(where).exists()):
        gone = f"The suite of run {run.name} is not at {where} any more." if where else "The run names no suite."
        raise CommandError(gone, fix="Run `iamhumans run` with the suite where it is now, and gate that run.")
    return load_suite(where)


def _drawing(run: Run, described: Mapping[str, Any], given: SubjectLike | None, work: Work, suite: Suite) -> Drawing:
    name, skill_hash = str(described["name"]), described["skill"]
    text = None if skill_hash is None else run.journal.core.text("skill", skill_hash)
    if skill_hash is not None and text is None:
        raise CommandError(f"The skill of run {run.name} is not in the journal.", fix="Run the suite with it again.")
    # The name of a subject is that of its model, and that of its skill if it has one.
    base, plus, skill_name = name.rpartition("+")
    tried = [(name, "")] if text is None or not plus else [(base, skill_name), (name, "")]
    error: CommandError | None = None
    for model, named in tried:
        skill = None if text is None else Skill(text, named)
        try:
            found = open_drawing(model if given is None else given, skill, work.open_config, suite=suite)
        except CommandError as one:
            error = error or one
            continue
        same = found.settings == described["settings"] or described["settings"].get("subject") == _RECORDED
        if same and found.skill_hash == skill_hash:
            return found
    if error is not None:
        raise error
    if given is not None and not isinstance(given, str):
        fix = 'A function needs a version to be known again: ih.CallableModel(function, version="1").'
        raise CommandError(f"This is not known to be the subject of run {run.name}.", fix=fix)
    raise CommandError(
        f"The subject {one_line(name, 80)} is not what it was in run {run.name}: its settings have changed.",
        fix="Set its table in iamhumans.toml as it was, or run the suite with the new settings and gate that run.",
    )


def _judging(run: Run, given: Judges | None, work: Work, suite: Suite) -> Judging:
    plan, core, rubric = run.plan, run.journal.core, run.rubric
    template, persona = None, None
    if plan.get("prompt") != hash_of_prompt(rubric):
        text = core.text("prompt", str(plan.get("prompt")))
        with suppress(InputError, CommandError):
            template = None if text is None else Template(text)
    if plan.get("persona") is not None:
        persona = core.text("persona", plan["persona"])
    names = [one["name"] for one in plan["judges"]]
    found = open_judging(
        *(names if given is None else given, work),
        rubric=rubric,
        suite=suite,
        repeats=int(plan.get("repeats", 1)),
        persona=persona,
        template=template,
    )
    described = found.described()
    parts = ("prompt", "persona", "repeats")
    now, then = ([_settings(one) for one in of["judges"]] for of in (described, plan))
    if now != then or any(described[name] != plan.get(name) for name in parts):
        fix = "Set them as they were, or run the suite with the new ones and gate that run."
        raise CommandError(f"The judges, the prompt or the persona are not what they were in run {run.name}.", fix=fix)
    return found


def _settings(judge: Mapping[str, Any]) -> Any:
    settings = judge["settings"]
    return judge["name"] if settings.get("judge") == _RECORDED else settings
