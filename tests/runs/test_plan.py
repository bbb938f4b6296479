"""The plan of a run: which jobs there are, in which order, under which keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.builders import EXTENDED, SEED, case, conversation, verdict_of

from iamhumans.cases import Case, Reply, Turn
from iamhumans.judges import LlmJudge, RulesJudge, open_judge
from iamhumans.models.chat import ModelIdentity, Prices, Reception
from iamhumans.prompts import Answer, Request, Template
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.entries import JudgementEntry, Replied, ReplyEntry
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.plan import Drawing, Judging, Planner, Seat, case_text, estimate
from iamhumans.subjects import LlmSubject, RecordedSubject, ReplyRow
from iamhumans.verdicts import Judgement, Reason, Unjudged

SECRET = b"of the journal"
CASES = (case("the bakery closed", case_id="A-1"), case("my cat is back", case_id="A-2"))
TEMPLATE = Template("ID: `{{CASE_ID}}`\n{{SKILL_RESPONSE}}\n")


class Named:
    """A model with an identity that is never asked."""

    def __init__(self, name: str = "m", **settings: Any) -> None:
        self.identity = ModelIdentity(name, "loopback", "tiny", settings)

    async def send(self, request: Request) -> Reception:
        raise AssertionError("a plan sends nothing")

    async def close(self) -> None:
        pass


def seat(name: str = "m", template: Template | None = None, **settings: Any) -> Seat:
    return Seat(LlmJudge(name, template), Named(name, **settings))


RULES = Seat(RulesJudge())
OH_NO = Replied("oh no")
JUDGING = Judging(SEED, (seat(),))
DRAWING = Drawing(LlmSubject("s", "Be warm."), Named("s"))


def planner(
    judging: Judging | None = JUDGING, *drawings: Drawing, replies: int = 1, salt: str = "", run: int | None = 1
) -> Planner:
    return Planner(SECRET, judging, drawings or (DRAWING,), replies, run, salt)


def replied(job: Job[Any], outcome: Replied | Unjudged = OH_NO, *, final: bool = True) -> list[Job[Any]]:
    assert job.then is not None
    return list(job.then(Ended(job, outcome, final=final)))


def all_jobs(plan: Planner, cases: Sequence[Case] = CASES) -> Iterator[Job[Any]]:
    for job in plan.for_cases(cases):
        yield job
        yield from replied(job)


def keys(plan: Planner, cases: Sequence[Case] = CASES[:1]) -> list[str]:
    return [job.entry.key for job in all_jobs(plan, cases)]


def judgements(jobs: Sequence[Job[Any]]) -> list[JudgementEntry]:
    return [job.entry for job in jobs if isinstance(job.entry, JudgementEntry)]


# what a key depends on


BASE = keys(planner())


@pytest.mark.parametrize(
    ("change", "reply_changes"),
    [
        (lambda: planner(replace(JUDGING, rubric=EXTENDED)), False),
        (lambda: planner(replace(JUDGING, persona="Ada, a baker.")), False),
        (lambda: planner(replace(JUDGING, template=TEMPLATE, seats=(seat(template=TEMPLATE),))), False),
        (lambda: planner(replace(JUDGING, seats=(seat(temperature=1),))), False),
        (lambda: planner(replace(JUDGING, seats=(RULES,))), False),
        (lambda: planner(JUDGING, replace(DRAWING, subject=LlmSubject("s", "Be cold."))), True),
        (lambda: planner(JUDGING, replace(DRAWING, subject=LlmSubject("s"))), True),
        (lambda: planner(JUDGING, replace(DRAWING, model=Named("s", temperature=1))), True),
        (lambda: planner(salt="fresh"), True),
    ],
    ids=[
        *("rubric", "persona", "template", "judge settings", "kind of judge"),
        *("skill", "no skill", "subject settings", "salt"),
    ],
)
def test_whatever_can_change_a_result_changes_its_key(change: Callable[[], Planner], reply_changes: bool) -> None:
    reply, judgement = keys(change())
    assert (reply != BASE[0]) is reply_changes
    assert judgement != BASE[1]


@pytest.mark.parametrize(
    "change",
    [
        {"title": "The bakery"},
        {"rubric": ("Stays",)},
        {"failure_modes": ("Leaves",)},
        {"hard_fails": ("pity",)},
        {"dimensions": ("feeling",)},
        {"repair": True},
        {"lang": "de"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_criteria_of_a_case_change_the_judgement_and_not_the_reply(change: dict[str, Any]) -> None:
    reply, judgement = keys(planner(), [replace(CASES[0], **change)])
    assert (reply == BASE[0], judgement == BASE[1]) == (True, False)


@pytest.mark.parametrize("change", [{"id": "A-9"}, {"conversation": conversation("the bakery burned")}])
def test_what_a_subject_is_sent_changes_both_keys(change: dict[str, Any]) -> None:
    assert not set(keys(planner(), [replace(CASES[0], **change)])) & set(BASE)


@pytest.mark.parametrize(
    "plan",
    [
        planner(run=7),
        planner(replace(JUDGING, repeats=3)),
        planner(replies=2),
        planner(replace(JUDGING, seats=(seat(), seat("other", seed=1), RULES))),
        planner(replace(JUDGING, seats=(seat("other", temperature=1), seat()))),
        planner(replace(JUDGING, seats=(seat("other name"),))),
        planner(JUDGING, replace(DRAWING, subject=LlmSubject("other name", "Be warm."))),
        planner(JUDGING, DRAWING, replace(DRAWING, subject=LlmSubject("t"))),
    ],
    ids=["run", "repeats", "replies", "more judges", "order of judges", "judge's name", "subject's name", "subjects"],
)
def test_what_cannot_change_a_result_keeps_its_key(plan: Planner) -> None:
    assert set(BASE) <= set(keys(plan))


def test_notes_paths_holdout_and_other_cases_keep_the_keys() -> None:
    changed = replace(CASES[0], notes="For its author.", path=Path("a.md"), holdout=True)
    assert set(BASE) <= set(keys(planner(), [CASES[1], changed]))
    assert keys(planner(), [CASES[1], CASES[0]])[2:] == BASE


def test_prices_and_limits_keep_the_keys() -> None:
    model = Named("s")
    model.identity = replace(model.identity, prices=Prices(1.0, 1.0, 1.0))
    assert keys(planner(JUDGING, replace(DRAWING, model=model))) == BASE


def test_number_and_repeat_change_the_key() -> None:
    found = keys(planner(replace(JUDGING, repeats=2), replies=2))
    assert len(set(found)) == len(found) == 2 * 3


def test_another_text_of_a_reply_is_another_judgement() -> None:
    (job,) = planner().for_cases(CASES[:1])
    first, second = replied(job, Replied("oh no")), replied(job, Replied("oh yes"))
    assert first[0].entry.key != second[0].entry.key


def test_two_like_replies_are_judged_apart() -> None:
    rows = [ReplyRow(1, CASES[0], Reply("A-1", "oh no", number=number)) for number in (1, 2)]
    found = [job.entry.key for job in planner().for_replies(rows)]
    assert len(set(found)) == 2


def test_the_name_of_a_given_replys_subject_is_in_no_key() -> None:
    found = [
        [job.entry.key for job in planner().for_replies([ReplyRow(1, CASES[0], Reply("A-1", "oh no", name))])]
        for name in ("folder", "renamed")
    ]
    assert found[0] == found[1]


def test_the_persona_changes_what_the_rules_are_known_by() -> None:
    plan = replace(JUDGING, seats=(RULES,))
    assert keys(planner(plan))[1] != keys(planner(replace(plan, persona="Ada, a baker.")))[1]


def test_a_template_changes_nothing_for_a_judge_that_is_sent_none() -> None:
    plan = replace(JUDGING, seats=(RULES,))
    assert keys(planner(plan)) == keys(planner(replace(plan, template=TEMPLATE)))


def test_other_rules_are_another_judge() -> None:
    class OtherRules(RulesJudge):
        version = "another"

    assert keys(planner(replace(JUDGING, seats=(RULES,)))) != keys(
        planner(replace(JUDGING, seats=(Seat(OtherRules()),)))
    )


def test_other_recorded_verdicts_are_another_judge(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    found = []
    for naturalness in (8, 9):
        path.write_text(verdict_of(case_id="A-1", axes={"naturalness": naturalness}))
        judge = open_judge(f"recorded/{path}")
        found.append(keys(planner(replace(JUDGING, seats=(Seat(judge),))))[1])
    assert found[0] != found[1]


def test_other_recorded_replies_are_another_subject() -> None:
    found = [keys(planner(JUDGING, Drawing(RecordedSubject("recorded/x", version, {}), None)))[0] for version in "ab"]
    assert found[0] != found[1]


# rows


def test_rows_are_numbered_by_reply_then_judge_then_repeat() -> None:
    plan = planner(replace(JUDGING, seats=(seat(), seat("other", seed=1)), repeats=2), replies=2)
    found = [(entry.row, entry.judge, entry.repeat, entry.reply_key) for entry in judgements(list(all_jobs(plan)))]
    assert [row for row, _, _, _ in found] == list(range(1, 17))
    assert [(judge, repeat) for _, judge, repeat, _ in found] == [
        ("m", 1),
        ("m", 2),
        ("other", 1),
        ("other", 2),
    ] * 4
    assert [found[index][3] for index in range(0, 16, 4)] == list(dict.fromkeys(key for _, _, _, key in found))


def test_given_replies_are_numbered_alike_and_come_with_their_text() -> None:
    rows = [ReplyRow(index, of, Reply(of.id, "oh", "x")) for index, of in enumerate(CASES, start=1)]
    entries = judgements(list(planner(replace(JUDGING, repeats=2)).for_replies(rows)))
    assert [entry.row for entry in entries] == [1, 2, 3, 4]
    ((entry, reply),) = entries[0].given
    assert (entry.subject, reply) == ("x", Replied("oh"))


# replies and what follows


def test_a_reply_is_judged_without_blanks_around_it() -> None:
    (job,) = planner().for_cases(CASES[:1])
    assert isinstance(job.entry, ReplyEntry)
    assert job.step([Answer(" oh no \n")]) == Replied("oh no")
    (judgement,) = replied(job, Replied("oh no"))
    step = judgement.step(())
    assert isinstance(step, Request)
    assert "> oh no" in step.messages[-1].content


def test_a_judge_sees_the_conversation_as_it_went() -> None:
    live = replace(CASES[0], conversation=(Turn("user", "a"), Turn("assistant", ""), Turn("user", "b")))
    (job,) = planner().for_cases([live])
    outcome = job.step([Answer("oh"), Answer("no")])
    assert outcome == Replied("no", (Turn("user", "a"), Turn("assistant", "oh"), Turn("user", "b")))
    (judgement,) = replied(job, outcome)
    step = judgement.step(())
    assert isinstance(step, Request)
    assert "The assistant:\n> oh\n" in step.messages[-1].content
    (other,) = replied(job, Replied("no", (Turn("user", "a"), Turn("assistant", "ah"), Turn("user", "b"))))
    assert other.entry.key != judgement.entry.key


@pytest.mark.parametrize("failure", [Reason.PROVIDER_ERROR, Reason.TRUNCATED, Reason.NO_REPLY, Reason.BUDGET])
def test_without_a_reply_every_judgement_ends_with_the_reason_of_the_reply(failure: Reason) -> None:
    (job,) = planner(replace(JUDGING, repeats=2)).for_cases(CASES[:1])
    jobs = replied(job, Unjudged(failure, "it broke"), final=False)
    outcome = Unjudged(failure, "there is no reply to judge: it broke")
    assert [job.step(()) for job in jobs] == [outcome] * 2
    assert [job.model for job in jobs] == [None] * 2


def test_judgements_of_a_reply_that_failed_are_tried_again_under_other_keys() -> None:
    (job,) = planner().for_cases(CASES[:1])
    (failed,) = replied(job, Unjudged(Reason.TIMEOUT, "late"), final=False)
    assert not failed.is_final(failed.step(()))
    (judged,) = replied(job)
    assert failed.entry.key != judged.entry.key


def test_judgements_of_a_reply_that_will_never_come_are_final() -> None:
    (job,) = planner().for_cases(CASES[:1])
    (failed,) = replied(job, Unjudged(Reason.NO_REPLY, "nothing"), final=True)
    assert failed.is_final(failed.step(()))


# tokens


def test_the_token_is_in_the_prompt_and_differs_from_judgement_to_judgement() -> None:
    jobs = [job for job in all_jobs(planner(replace(JUDGING, repeats=2))) if isinstance(job.entry, JudgementEntry)]
    tokens = []
    for job in jobs:
        step = job.step(())
        assert isinstance(step, Request)
        tokens.append(step.messages[-1].content.split("Check token: `")[1].split("`")[0])
    assert len(set(tokens)) == len(tokens) == 4


def test_a_wrong_token_is_asked_again_once_and_then_unjudged() -> None:
    (job,) = planner().for_cases(CASES[:1])
    (judgement,) = replied(job)
    wrong = Answer(verdict_of(case_id="A-1", check="aaaaaaaaaa"))
    assert isinstance(judgement.step([wrong]), Request)
    outcome = judgement.step([wrong, wrong])
    assert isinstance(outcome, Unjudged)
    assert outcome.reason is Reason.WRONG_TOKEN


def test_the_right_token_makes_a_verdict() -> None:
    (job,) = planner().for_cases(CASES[:1])
    (judgement,) = replied(job)
    request = judgement.step(())
    assert isinstance(request, Request)
    token = request.messages[-1].content.split("Check token: `")[1].split("`")[0]
    outcome = judgement.step([Answer(verdict_of(case_id="A-1", check=token))])
    assert isinstance(outcome, Judgement)
    assert outcome.repairs == ()


def test_the_first_token_is_that_of_the_first_judgement() -> None:
    row = ReplyRow(1, CASES[0], Reply("A-1", "oh no"))
    plan = planner()
    step = next(plan.for_replies([row])).step(())
    assert isinstance(step, Request)
    assert f"Check token: `{plan.first_token(row)}`" in step.messages[-1].content


def test_another_secret_makes_another_token() -> None:
    row = ReplyRow(1, CASES[0], Reply("A-1", "oh no"))
    found = {Planner(secret, JUDGING).first_token(row) for secret in (b"a", b"b")}
    assert len(found) == 2


# estimates


def test_an_estimate_counts_all_jobs(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        plan = planner(replace(JUDGING, seats=(seat(), RULES), repeats=2), replies=2)
        found = estimate(plan.for_cases(CASES), journal)
    assert (found.jobs, found.in_journal, found.calls) == (4 * (1 + 4), 0, 4 * (1 + 2))


def test_a_recorded_reply_that_is_missing_needs_no_call() -> None:
    with Journal.open(None) as journal:
        plan = planner(JUDGING, Drawing(RecordedSubject("recorded/x", "1", {}), None))
        found = estimate(plan.for_cases(CASES[:1]), journal)
    assert (found.jobs, found.calls) == (2, 0)


# texts


def test_a_case_is_stored_without_notes_and_path() -> None:
    stored = json.loads(case_text(replace(CASES[0], notes="secret", path=Path("/home/x/a.md"))).text)
    assert stored["id"] == "A-1"
    assert not {"notes", "path"} & set(stored)


def test_texts_are_those_that_the_keys_are_made_of() -> None:
    judging = replace(JUDGING, persona="Ada, a baker.")
    found = {text.kind: text.text for text in (*judging.texts(), *DRAWING.texts())}
    assert set(found) == {"rubric", "prompt", "persona", "skill"}
    assert (found["persona"], found["skill"]) == ("Ada, a baker.", "Be warm.")


def test_a_plan_without_judges_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="judges nothing"):
        list(planner(judging=None).for_replies([ReplyRow(1, CASES[0], Reply("A-1", "oh"))]))


def test_replies_alone_have_nothing_after_them() -> None:
    assert [job.then for job in planner(judging=None).for_cases(CASES)] == [None, None]
