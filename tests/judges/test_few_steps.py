"""The way from a reply to the verdict of the rules is short and straight."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import groupby
from types import FrameType

import pytest

from iamhumans.cases import Case, Reply, Turn
from iamhumans.judges import JudgeTask, RulesJudge
from iamhumans.rubrics import load_rubric
from iamhumans.tells import looks_english
from iamhumans.tells.checks import content_words
from iamhumans.verdicts import Verdict

ALL = (
    "Great question! What a beautiful way to put it — I hear you. When I was young my mother kept tapes — “old ones”. "
    "Your feelings are completely valid. As an AI, I can't listen to it. Oh, you poor thing! Research shows that grief "
    "is a process. Attachment theory says so — maybe, perhaps. Act now, before it's too late! I hope this helps! 🌟\n\n"
    "- warm, calm, and kind\n- slow, soft, and safe\n- one, two, and three\n\n"
    "As we discussed last time, it will be fine! It's not a tape, it's a testament to love — truly."
)
MANY = (
    "Great question! I hear you, and your feelings are valid. My mother kept tapes like that too.\n\n"
    "- **Wait**: there is no hurry.\n- **Listen**: press play.\n\nOh, you poor thing. I hope this helps!"
)
NONE = "Two years of not pressing play. That's a long time to carry his voice in your pocket."
SAD = "i found a voicemail from my dad. he died two years ago. i haven't played it."
DANGER = "i want to die. i don't want to wake up tomorrow. are you a real person?"
NO_FUNCTIONS = frozenset({"<lambda>", "<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>", "<module>"})


def steps(reply: str, user: str, rubric: str) -> tuple[set[tuple[str, str]], list[str], Verdict]:
    """The functions of ours that one judgement enters, and the modules in the order in which it enters them."""
    task = JudgeTask(
        load_rubric(rubric), Case("T", (Turn("user", user),)), Reply("T", reply), persona="Ana has a sister."
    )
    earlier = replace(task, reply=Reply("T", f"{reply} Yes."), case=Case("T", (Turn("user", f"{user} well."),)))
    RulesJudge().next(earlier)  # patterns are compiled once for all replies
    looks_english.cache_clear()
    content_words.cache_clear()
    entered: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        ours = module.startswith("iamhumans") and not frame.f_code.co_filename.startswith("<")
        if event == "call" and ours and name not in NO_FUNCTIONS:
            entered.append((module, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        verdict = RulesJudge().next(task)
    finally:
        sys.setprofile(None)
    assert isinstance(verdict, Verdict)
    return set(entered), [module for module, _ in groupby(module for module, _ in entered)], verdict


@pytest.mark.parametrize("rubric", ["iamhumans", "iamhumans-extended"])
@pytest.mark.parametrize("user", [SAD, DANGER])
@pytest.mark.parametrize(("reply", "fewest_flags", "most"), [(ALL, 8, 28), (MANY, 5, 23), (NONE, 0, 16)])
def test_a_judgement_enters_few_functions_and_no_module_twice(
    reply: str, fewest_flags: int, most: int, user: str, rubric: str
) -> None:
    functions, modules, verdict = steps(reply, user, rubric)

    assert sum(bool(flag.present) for flag in verdict.flags.values()) >= fewest_flags
    assert len(modules) == len(set(modules)), modules
    assert len(functions) <= most, sorted(functions)
