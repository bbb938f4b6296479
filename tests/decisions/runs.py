"""Real runs for decisions: a suite of small cases in a folder, replies to it judged by ``rules``, and a journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.judging_server import case_file

import iamhumans as ih
from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of


@dataclass(frozen=True)
class Bench:
    """A suite with ``C-001`` and so on, and an open journal."""

    folder: Path
    cases: int
    journal: ih.OpenJournal = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "journal", ih.open_journal(self.folder / "journal.db"))
        for number in range(1, self.cases + 1):
            self.case(f"C-{number:03}", f"the bakery on corner {number} closed today")

    def case(self, case_id: str, *turns: str, **front: str) -> None:
        path = self.folder / "suite" / "cases" / f"{case_id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(case_file(case_id, *turns, **front), encoding="utf-8")

    def judged(
        self,
        text: str,
        *subjects: str,
        cases: int | None = None,
        numbers: Sequence[int] = (1,),
        **options: Any,
    ) -> ih.Run:
        rows = [
            {"case_id": f"C-{n:03}", "reply": f"{text} {n}.{k}", "subject": subject, "number": k}
            for subject in subjects or ("s",)
            for n in range(1, (cases or self.cases) + 1)
            for k in numbers
        ]
        return ih.judge_all(rows, suite=self.folder / "suite", journal=self.journal, **{"judge": "rules", **options})


def outcomes(run: ih.Run) -> RunOutcomes:
    return outcomes_of(run.journal.core, run.record, subject=run.subject)
