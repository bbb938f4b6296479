"""The log of what uses held-out cases and of what shows their texts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from iamhumans.cases import Suite
from iamhumans.errors import IamhumansError

if TYPE_CHECKING:
    from iamhumans.api.run import Run


def log_use(suite: Suite | None, run_name: str, reason: str | None, *, subject: str, variant: str) -> None:
    """Log in the suite's ledger that a run uses its held-out cases, if there is a reason; before any text is sent."""
    from iamhumans.cases.holdout import record_use

    if suite is not None and reason is not None:
        ids = [case.id for case in suite.only_held_out().cases]
        record_use(suite, reason=reason, output="run", run=run_name, cases=ids, subject=subject, variant=variant[:12])


def log_result(suite: Suite | None, run: Run, reason: str | None) -> None:
    """Log the figures of a run that used held-out cases."""
    from iamhumans.cases.holdout import record_result
    from iamhumans.cases.ledger import Result

    if suite is None or reason is None:
        return
    figures, names = run.report().summary, (field.name for field in fields(Result))
    result = Result(**{name: getattr(figures, name) for name in names})
    record_result(suite, run=run.name, result=result, finished=run.status == "finished")


def log_disclosure(run: Run, output: str, reason: str) -> None:
    """Log that an output shows texts of held-out cases: in the journal, and in the suite's ledger where it is found."""
    from iamhumans.cases.holdout import record_use, require_reason

    reason = require_reason(reason)
    facts = run.journal.core.case_facts(run.record)
    held_out = sorted(case_id for case_id, case in facts.items() if case.held_out)
    if not held_out:
        return
    run.journal.core.record_disclosure(run.name, output, reason)
    folder = run.record.folder
    if folder is not None and Path(folder).is_dir():
        # The suite may be read-only or have moved; the journal has the entry.
        with suppress(IamhumansError):
            record_use(Path(folder), reason=reason, output=output, run=run.name, cases=held_out)
