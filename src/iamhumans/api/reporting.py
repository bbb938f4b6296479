"""The report of a run, and the log of what outputs show of held-out cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from iamhumans.errors import IamhumansError
from iamhumans.reports.report import Report
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.verdicts import Judgement

if TYPE_CHECKING:
    from iamhumans.api.run import Run


class _Judgements:
    """The judgements of a run, read anew each time."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __iter__(self) -> Iterator[Judgement]:
        return iter(self._run)


def report_of(run: Run, holdout_reason: str | None) -> Report:
    """The report of a run; a use of held-out texts is logged first."""
    run.disclose("report", holdout_reason)
    facts = run.journal.core.case_facts(run.record)
    return Report(
        title_of(run),
        run.rubric,
        _Judgements(run),
        run.name,
        grouped=_may_group(run.record),
        held_out=frozenset(case_id for case_id, case in facts.items() if case.held_out),
        holdout_reason=holdout_reason,
    )


def title_of(run: Run) -> str:
    """A line for people: what was judged."""
    plan = run.plan
    names = [one["name"] for one in plan.get("subjects", ())]
    suite = plan["suite"]["name"] if isinstance(plan.get("suite"), dict) else plan.get("suite")
    what = f"{suite} answered by {', '.join(names)}" if names else f"Replies to {suite}" if suite else "Replies"
    state = "" if run.status == "finished" else f", {run.status}"
    return f"{what}, run {run.name}{state}"


def _may_group(record: RunRecord) -> bool:
    """Whether cases may have several judgements. Logs judged once have one each, which needs less memory."""
    return record.plan.get("suite") is not None or record.judgements_a_reply > 1 or (record.asked or 0) < 100_000


def log_disclosure(run: Run, output: str, reason: str) -> None:
    """Log that an output shows texts of held-out cases: in the journal, and in the suite's ledger where it is found.

    Raises:
        CommandError: The reason says too little.
    """
    from iamhumans.cases.holdout import record_use, require_reason

    reason = require_reason(reason)
    facts = run.journal.core.case_facts(run.record)
    held_out = sorted(case_id for case_id, case in facts.items() if case.held_out)
    if not held_out:
        return
    run.journal.core.record_disclosure(run.name, output, reason)
    folder = run.record.folder
    if folder is not None and Path(folder).is_dir():
        try:
            record_use(Path(folder), reason=reason, output=output, run=run.name, cases=held_out)
        except IamhumansError:
            # The suite may be read-only or have moved; the journal has the entry.
            return


def held_out_of(runs: Iterable[Run]) -> bool:
    """Whether any of the runs has held-out cases."""
    return any(case.held_out for run in runs for case in run.journal.core.case_facts(run.record).values())
