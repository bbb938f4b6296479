"""The ``rules`` judge: a verdict from deterministic findings alone, at once and without a model.

1. The same task always gives the same verdict.
2. A YES always comes with the words of the reply that caused it.
3. What it cannot judge is unjudged: another language, a reply with nothing in it, an axis without rules.
4. Its notes say what it cannot see. A 10 from this judge means "nothing was found", never "this is good".
"""

import re
from collections.abc import Sequence

from iamhumans.judges.judge import JudgeTask
from iamhumans.judges.rules_verdict import AXES, verdict_from_tells
from iamhumans.prompts import Answer
from iamhumans.tells import find_tells, looks_english
from iamhumans.text import has_substance
from iamhumans.verdicts import Reason, Unjudged, Verdict

_LETTER_OR_DIGIT = re.compile("[A-Za-z0-9]")
_ENGLISH = ("", "en", "eng", "english")


class RulesJudge:
    """Judges with rules alone. It asks nothing and answers at once."""

    name = "rules"
    asks_model = False
    # The hash of the code of the rules. tests/judges/test_rules_version.py fails, with the new value, when it changes.
    version = "b65758196af4ce20af2c540df305cbadf12b6f6919553e3f0ed8c18e8794f7c2"

    def next(self, task: JudgeTask, history: Sequence[Answer] = ()) -> Verdict | Unjudged:
        """The verdict on a reply, or why there is none. ``history`` is always empty."""
        del history
        reply, case = task.reply.text, task.case
        unknown = [f"`{axis}`" for axis in task.rubric.axis_ids if axis not in AXES]
        if unknown:
            problem = f"There are no rules for {', '.join(unknown)} of the rubric `{task.rubric.name}`."
            return Unjudged(Reason.NO_VERDICT, f"{problem} Use a model as the judge, or drop them with `without:`.")
        # Almost every reply has an ASCII letter, so the slower check is for the rest.
        if not _LETTER_OR_DIGIT.search(reply) and not has_substance(reply):
            return Unjudged(Reason.NO_REPLY, "The reply has no letter, digit or symbol in it.")
        if case.lang.lower().replace("_", "-").split("-")[0] not in _ENGLISH:
            problem = f"The case is in `{case.lang}`, and the rules are for English only."
        elif not looks_english(reply):
            problem = "The reply does not look like English, and the rules are for English only."
        elif case.conversation and not looks_english(case.conversation[-1].text):
            problem = "The user does not write English, so the rules cannot see what the moment asks for."
        else:
            return verdict_from_tells(task, find_tells(reply, case=case, persona=task.persona))
        return Unjudged(Reason.UNSUPPORTED_LANGUAGE, f"{problem} Use a model as the judge.")
