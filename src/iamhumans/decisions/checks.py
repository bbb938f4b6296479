"""The checks of a run that need no judge, case by case, computed from its replies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from iamhumans.cases.checks import CheckResult, Checks
from iamhumans.cases.holdout import is_hash, shown
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord


class CheckedReply(NamedTuple):
    """A reply with the results of its checks; ``key`` is that of the reply in the journal."""

    key: str
    case_id: str
    held_out: bool
    results: tuple[CheckResult, ...]

    def shown(self, *, hidden: bool) -> tuple[CheckResult, ...]:
        """The results as they may be shown: a pattern of a hidden case is a hash, since it may quote the case."""
        if not hidden:
            return self.results
        return tuple(replace(one, expected=shown(one.expected, held_out=True, reason=None)) for one in self.results)


class FailedCheck(NamedTuple):
    """A check of a case with the number of its replies that fail it."""

    case_id: str
    check: str
    expected: str
    failed: int
    replies: int


@dataclass(frozen=True)
class RunChecks:
    """The checks of a run. They are of these very replies, so their counts have no interval."""

    replies: tuple[CheckedReply, ...]

    @cached_property
    def by_key(self) -> Mapping[str, CheckedReply]:
        """The replies by their key."""
        return {one.key: one for one in self.replies}

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many checks there are, in how many replies and cases; how many failed, in how many replies.

        ``unknown`` are those of the language of a reply that is too short.
        """
        passed = [one.passed for reply in self.replies for one in reply.results]
        return {
            "checks": len(passed),
            "failed": passed.count(False),
            "unknown": passed.count(None),
            "replies": len(self.replies),
            "failing_replies": sum(any(one.passed is False for one in reply.results) for reply in self.replies),
            "cases": len({reply.case_id for reply in self.replies}),
        }

    def failed(self, *, reason: str | None = None, texts: bool = True) -> list[FailedCheck]:
        """The checks that some reply fails, most failures first; hashes for held-out cases without a reason."""
        every: Counter[tuple[str, CheckResult]] = Counter()
        fails: Counter[tuple[str, CheckResult]] = Counter()
        for reply in self.replies:
            hidden = not texts or (reply.held_out and not reason)
            for one in reply.shown(hidden=hidden):
                what = reply.case_id, replace(one, passed=None)
                every[what] += 1
                fails[what] += one.passed is False
        return [
            FailedCheck(case_id, one.check, one.expected, count, every[case_id, one])
            for (case_id, one), count in sorted(fails.items(), key=lambda item: -item[1])
            if count
        ]

    def to_dict(self) -> dict[str, Any]:
        """The counts, for JSON."""
        return dict(self.counts)


def checks_of(journal: Journal, run: RunRecord, *, subject: str | None = None) -> RunChecks | None:
    """The checks of the replies of a run, or of one of its subjects; ``None`` where its suite has none."""
    if (stored := run.plan.get("checks")) is None:
        return None
    text = journal.text("checks", stored)
    by_case = {case_id: Checks.from_dict(found) for case_id, found in json.loads(text or "{}").items()}
    return RunChecks(
        tuple(
            CheckedReply(one.key, one.case.id, one.case.holdout, by_case[one.case.id].of(one.text))
            for one in journal.replies(run)
            # An export without texts has hashes in their place, which cannot be checked.
            if one.case.id in by_case and subject in (None, one.subject) and not is_hash(one.text)
        )
    )
