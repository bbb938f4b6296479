"""The ``rules`` judge: a verdict from deterministic findings alone, at once and without a model.

1. The same task always gives the same verdict.
2. A YES always comes with the words of the reply that caused it.
3. It answers only where its table of coverage shows that the answer counts (``rules_coverage.json``). The rest is null.
4. A language that it does not see at all, and a reply with nothing in it, are unjudged.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import ClassVar

from iamhumans.judges.judge import JudgeTask
from iamhumans.judges.rules_coverage import rules_coverage
from iamhumans.judges.rules_verdict import verdict_from_tells
from iamhumans.prompts import Answer
from iamhumans.tells import find_tells, looks_english
from iamhumans.text import has_substance
from iamhumans.verdicts import Coverage, Reason, Unjudged, Verdict

# The hash of the code of the rules. tests/judges/test_rules_version.py fails, with the new value, when it changes.
VERSION = "626afbb7f5ed4b28412f070ff8b7fbe1a8643e1d2d71370e76c249bd7a8776fa"
_LETTER_OR_DIGIT = re.compile("[A-Za-z0-9]")


@dataclass(frozen=True)
class RulesJudge:
    """Judges with rules alone. It asks nothing and answers at once. ``coverage`` is what counts of its answers."""

    coverage: Coverage = field(default_factory=rules_coverage)
    name: ClassVar[str] = "rules"
    asks_model: ClassVar[bool] = False

    @cached_property
    def version(self) -> str:
        """The hash of the rules and of the coverage."""
        seen = [*sorted(self.coverage.languages.items(), key=itemgetter(0)), ("", self.coverage.others)]
        names = [(lang, *(part and sorted(part) for part in (one.yes, one.no, one.axes))) for lang, one in seen]
        return hashlib.sha256(f"{VERSION}\n{names}".encode()).hexdigest()

    def next(self, task: JudgeTask, history: Sequence[Answer] = ()) -> Verdict | Unjudged:
        """The verdict on a reply, or why there is none. ``history`` is always empty."""
        del history
        reply, case = task.reply.text, task.case
        # Almost every reply has an ASCII letter, so the slower check is for the rest.
        if not _LETTER_OR_DIGIT.search(reply) and not has_substance(reply):
            return Unjudged(Reason.NO_REPLY, "The reply has no letter, digit or symbol in it.")
        if not looks_english(reply):
            return _unjudged("The reply does not look like English, and the rules are for English only.")
        if case.conversation and not looks_english(case.conversation[-1].text):
            return _unjudged("The user does not write English, so the rules cannot see what the moment asks for.")
        found = verdict_from_tells(task, find_tells(reply, case=case, persona=task.persona))
        seen = self.coverage.in_language(case.lang)
        counted = seen.of(found)
        if counted is not None:
            return counted
        if not seen:
            return _unjudged(f"The rules see no criterion in the language of the case, `{case.lang}`.")
        problem = f"The rules see no criterion of the rubric `{task.rubric.name}`."
        return Unjudged(Reason.OUT_OF_SCOPE, f"{problem} Use a model as the judge.")


def _unjudged(problem: str) -> Unjudged:
    return Unjudged(Reason.UNSUPPORTED_LANGUAGE, f"{problem} Use a model as the judge.")
