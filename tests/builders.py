"""Small builders for cases, rubrics, verdicts and tasks, shared by tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from hypothesis import settings
from hypothesis import strategies as st

from iamhumans.cases import Case, Reply, Turn
from iamhumans.judges import JudgeTask, RulesJudge
from iamhumans.rubrics import Axis, AxisDefault, HardFail, Rubric, load_rubric
from iamhumans.rubrics.rubric import Anchors, Scoring
from iamhumans.verdicts import EVERYTHING

SEED = load_rubric("iamhumans")
EXTENDED = load_rubric("iamhumans-extended")
SEES_ALL = RulesJudge(EVERYTHING)
"""A judge that needs no model and scores everything: the rules, as if all that they find counted."""

LINE_ENDS = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
"""All that some program takes for the end of a line."""

# Whatever a hostile text is made of: every Unicode character with lone surrogates, with line ends and marks often.
HOSTILE_PIECES = st.one_of(
    st.sampled_from(
        [
            *LINE_ENDS,
            *(
                "> ",
                ">",
                "```",
                "~~~",
                "---",
                "# ",
                "- ",
                "{{SKILL_RESPONSE}}",
                "{{CASE_ID}}",
                "\ud800",
                "\udfff",
                "\x00",
            ),
            *(
                "case_id: X",
                "axes:",
                "  naturalness: 10",
                "check: none",
                "Check token: `none`",
                "The user:",
                "\ufeff",
                " ",
            ),
        ]
    ),
    st.text(st.characters(), max_size=8),
)
HOSTILE_TEXT = st.lists(HOSTILE_PIECES, max_size=12).map("".join)


FEW = settings(max_examples=30)
"""For properties whose every example is much work."""


def axis(name: str, default: AxisDefault | None = None) -> Axis:
    """An axis of a rubric of one's own."""
    anchors = Anchors.model_validate({"10": f"all {name}", "5": f"some {name}", "0": f"no {name}"})
    return Axis(id=name, title=name.capitalize(), question=f"How much {name}?", anchors=anchors, default=default)


def own_rubric(*, hard_fails: Sequence[str] = (), pass_mark: int = 60) -> Rubric:
    """A rubric with other axes, another pass mark, and no hard fails unless some are named."""
    return Rubric(
        name="own",
        axes=(
            axis("warmth"),
            axis("brevity", AxisDefault(value=7, when="always", reason="Nothing was to be kept short.")),
        ),
        hard_fails=tuple(HardFail(id=name, meaning=f"The reply does {name}.") for name in hard_fails),
        scoring=Scoring(pass_mark=pass_mark),
    )


def conversation(*texts: str) -> tuple[Turn, ...]:
    """Turns whose last is the user's."""
    count = len(texts)
    return tuple(Turn("user" if (count - index) % 2 else "assistant", text) for index, text in enumerate(texts))


def case(
    *texts: str,
    case_id: str = "BAK-001",
    title: str = "",
    dimensions: Sequence[str] = (),
    hard_fails: Sequence[str] = (),
    rubric: Sequence[str] = (),
    failure_modes: Sequence[str] = (),
    repair: bool = False,
) -> Case:
    """A case of these turns; one turn if none is given."""
    return Case(
        id=case_id,
        conversation=conversation(*(texts or ("the bakery on my corner closed today",))),
        title=title,
        dimensions=tuple(dimensions),
        hard_fails=tuple(hard_fails),
        rubric=tuple(rubric),
        failure_modes=tuple(failure_modes),
        repair=repair,
    )


def task(
    reply: str = "Oh no. The one with the poppy rolls?",
    *,
    of: Case | None = None,
    rubric: Rubric = SEED,
    token: str | None = None,
    repeat: int = 1,
    subject: str = "",
    number: int = 1,
) -> JudgeTask:
    """A reply to judge."""
    of = of or case()
    return JudgeTask(rubric, of, Reply(of.id, reply, subject=subject, number=number), token=token, repeat=repeat)


def verdict_of(
    rubric: Rubric = SEED,
    *,
    case_id: str | None = "BAK-001",
    axes: Mapping[str, float | str] | None = None,
    yes: Mapping[str, Sequence[str]] | None = None,
    check: str | None = None,
    total: float | None = None,
    outcome: str | None = None,
    notes: str = "Warm and short.",
) -> str:
    """A verdict in the form that the built-in prompt asks for; every axis is 8 and every flag NO unless given."""
    yes = yes or {}
    head = [f"{key}: {value}" for key, value in (("case_id", case_id), ("check", check)) if value is not None]
    lines = [*head, "axes:", *(f"  {name}: {(axes or {}).get(name, 8)}" for name in rubric.axis_ids)]
    if rubric.hard_fails:
        evidence = [f"  {name}: {json.dumps(list(quotes))}" for name, quotes in yes.items()]
        lines += ["evidence:", *evidence] if evidence else ["evidence: {}"]
        lines += ["hard_fails:", *(f"  {name}: {'YES' if name in yes else 'NO'}" for name in rubric.hard_fail_ids)]
    lines += [f"{key}: {value}" for key, value in (("total", total), ("verdict", outcome)) if value is not None]
    return "\n".join([*lines, "notes: |", *(f"  {line}" for line in notes.splitlines())]) + "\n"
