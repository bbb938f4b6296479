"""What the journal remembers of a gate: the question, and every look at it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from iamhumans.api.run import Run
from iamhumans.decisions.gate import GateResult, Thresholds
from iamhumans.decisions.looking import Looked, choose_design, number_of_look
from iamhumans.decisions.panel import Combined
from iamhumans.decisions.pooling import pool, suite_hash_of
from iamhumans.decisions.questions import question_of
from iamhumans.decisions.sequential import gate_sequentially, look_of
from iamhumans.errors import JournalError
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.looks import Design, Look, Question, SeenCase, looks_at, looks_at_matter, store_look
from iamhumans.runs.plan import digest_of

_OF_A_BASELINE = ("margin", "zero_margin")


@dataclass(frozen=True)
class Asked:
    """A gate's question about a run, and how it is to be decided.

    Attributes:
        run: The run.
        thresholds: What is demanded of it.
        question: The question as the journal knows it.
        design: Fixed or sequential.
        miss: How often each side may be wrong.
        declared: Whether the user chose the design.
    """

    run: Run
    thresholds: Thresholds
    question: Question
    design: Design
    miss: float
    declared: bool

    @classmethod
    def of(cls, run: Run, thresholds: Thresholds, sequential: bool | None, *, baseline: Run | None = None) -> Asked:
        """The question; raises CommandError where earlier looks at it were of the other kind."""
        core = run.journal.core
        question = question_of(core, run.record, run.subject, _demands(thresholds, baseline))
        design, miss = choose_design(looks_at(core, question), sequential)
        return cls(run, thresholds, question, design, miss, sequential is not None)

    @property
    def core(self) -> Journal:
        """The journal."""
        return self.run.journal.core

    def sequential_look(self, *, accept_imported: bool, entering: Sequence[str] = ()) -> GateResult:
        """Look at all results for the question, and remember the look. ``entering`` are cases whose turn it is."""
        looks, of_matter = looks_at(self.core, self.question), looks_at_matter(self.core, self.question)
        own = (one for one in reversed(of_matter) if one.kind == "sequential" and not one.imported)
        before = next((one.seen for one in own), ())
        pooled = pool(self.core, self.run.record, self.run.subject, before=before, entering=entering)
        result = gate_sequentially(
            *(pooled, self.thresholds, looks),
            miss=self.miss,
            accept_imported=accept_imported,
            continues="subjects" in self.run.plan,
        )
        # What was lost may come back, and nothing was seen where nothing is judged.
        if pooled.seen and not pooled.lost:
            store_look(self.core, look_of(result, pooled, self.question, run_name=self.run.name))
        return result

    def fixed_look(self, result: GateResult) -> GateResult:
        """Remember the look of a fixed gate, where the journal can be written."""
        looks = looks_at(self.core, self.question)
        replies = result.run.replies
        states = (
            f"{one.key} {'judged' if isinstance(one.combined, Combined) else one.combined.reason.value}"
            for one in replies
        )
        data = digest_of([self.run.name, *states])
        counts: dict[str, int] = {}
        for one in replies:
            counts[one.case_id] = counts.get(one.case_id, 0) + 1
        facts = result.run.cases
        suite_hash = suite_hash_of((name, facts[name].hash if name in facts else "") for name in counts)
        seen = tuple(SeenCase(name, count, self.run.name) for name, count in counts.items())
        place = (self.declared, self.run.name, suite_hash, data, result.decision.value)
        look = Look(self.question, "fixed", *place, seen)
        # A look that cannot be remembered, on a read-only disk, is a look all the same.
        with suppress(JournalError):
            store_look(self.core, look)
        number = number_of_look(looks, "fixed", data)
        return replace(result, looked=Looked("fixed", number, cases=len(counts), runs=(self.run.name,)))


def _demands(thresholds: Thresholds, baseline: Run | None) -> dict[str, Any]:
    """What is demanded; how much must be judged is no question about the subject."""
    found = {name: value for name, value in asdict(thresholds).items() if value not in (None, False, {})}
    found.pop("min_judged", None)
    if baseline is None:
        return {name: value for name, value in found.items() if name not in _OF_A_BASELINE}
    return {**found, "baseline": baseline.name}
