"""A run as programs use it, and the journal that holds it."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from iamhumans.api.checks import check_number
from iamhumans.api.results import Result
from iamhumans.errors import CommandError
from iamhumans.runs.engine import Progress
from iamhumans.runs.journal import exchange
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.location import find_journal
from iamhumans.runs.journal.queries import AnsweringModel, CaseFacts, JudgedReply, RunRecord, RunSummary
from iamhumans.subjects import RowProblem
from iamhumans.text import one_line
from iamhumans.verdicts import Judgement

if TYPE_CHECKING:
    from iamhumans.api.case_view import CaseView
    from iamhumans.api.reporting import RunReport
    from iamhumans.reports.blocks import Blocks
    from iamhumans.rubrics import Rubric
    from iamhumans.runs.labels import Label
    from iamhumans.trust.drawing import Draw
    from iamhumans.trust.labels import RunLabels
    from iamhumans.trust.run_calibration import RunCalibration


class OpenJournal:
    """An open journal at ``path`` (``None``: in memory), and its runs. It is a context manager, for any thread."""

    def __init__(self, core: Journal) -> None:
        self.core = core
        self.path = core.path
        # Runs may still be read from it, so a journal that was not closed is closed when nothing refers to it any more.
        self._closing = weakref.finalize(self, core.close)

    @classmethod
    def of(cls, journal: OpenJournal | Journal | str | Path | None, *, write: bool = True) -> OpenJournal:
        """The journal that was given, or the one at a path, or a new one in memory."""
        if isinstance(journal, OpenJournal):
            return journal
        if isinstance(journal, Journal):
            opened = cls(journal)
            opened._closing.detach()
            return opened
        return cls(Journal.open(None if journal is None else find_journal(Path(journal)), write=write))

    def runs(self) -> list[Run]:
        """All runs, the newest first."""
        return [Run(self, record) for record in self.core.runs()]

    def run(self, name: str = "last") -> Run:
        """A run by its name, by a beginning of it that no other has, or the newest; ``RUN:SUBJECT`` picks a subject.

        Raises:
            CommandError: There is none, or several.
        """
        name, colon, subject = name.partition(":")
        if colon and not subject:
            raise CommandError(f"`{one_line(name, 80)}:` names no subject.", fix="Write RUN, or RUN:SUBJECT.")
        return Run(self, self.core.run(name), subject=subject or None)

    def delete(self, run: Run) -> None:
        """Delete a run, with all replies, judgements and calls that nothing else refers to. Labelled replies stay."""
        self.core.delete_run(run.record)

    def export(self, run: Run, path: str | Path, *, texts: bool = True, holdout_reason: str | None = None) -> int:
        """Write a run as JSON Lines: the run itself, then a line for each judgement. Returns the number of judgements.

        Args:
            run: The run.
            path: The file, which is replaced.
            texts: Whether conversations, replies and the prompt are written.
            holdout_reason: Why the texts of held-out cases are written; their hashes are, if not given.

        Raises:
            CommandError: The file cannot be written.
        """
        return exchange.write_file(Path(path), self.exported(run, texts=texts, holdout_reason=holdout_reason))

    def exported(self, run: Run, *, texts: bool = True, holdout_reason: str | None = None) -> Iterator[dict[str, Any]]:
        """What :meth:`export` writes, line by line."""
        run.disclose("export", holdout_reason)
        return exchange.lines_of(self.core, run.record, texts=texts, holdout_reason=holdout_reason)

    def import_(self, path: str | Path) -> Run:
        """Read a run that :meth:`export` wrote. It stays marked as imported.

        Raises:
            InputError: The file is no such export; names the line.
        """
        return Run(self, exchange.read_file(self.core, Path(path)))

    def close(self) -> None:
        """Close the journal. A journal in memory is gone then."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"OpenJournal({'in memory' if self.path is None else str(self.path)!r})"


def open_journal(path: str | Path | None = None, *, write: bool = True) -> OpenJournal:
    """Open a journal.

    Args:
        path: The file; the nearest ``.iamhumans/journal.db``, from the working folder upwards, if not given.
        write: Create it if it is missing. Without it a missing journal is an error, and a read-only disk is fine.

    Raises:
        JournalRefusedError: The file is not a journal, was not made here by this user, or is tracked by git.
        JournalError: It is missing, damaged, or locked.

    Example:
        >>> with ih.open_journal("runs.db") as journal:
        ...     [run.name for run in journal.runs()]
        []
    """
    return OpenJournal(Journal.open(find_journal(None if path is None else Path(path)), write=write))


def adopt_journal(path: str | Path) -> OpenJournal:
    """Adopt a journal that was made elsewhere, or by an earlier version. All its results are marked as imported.

    Use it only if you trust the source of the journal.

    Raises:
        JournalRefusedError: The file is not a journal, is tracked by git, or others may write to it.
        JournalError: It is damaged or locked.

    Example:
        >>> ih.adopt_journal("examples.db").run("last").imported
        True
    """
    core = Journal.open(find_journal(Path(path)), trusted=True)
    core.adopt()
    return OpenJournal(core)


@dataclass(frozen=True, eq=False, repr=False)
class Run(Result):
    """A run: a plan and all its judgements. It is read from its journal when it is asked.

    Attributes:
        journal: Where it is.
        record: The run as the journal holds it.
        problems: Rows of the input that could not be used, the first 1,000; empty for a run that was read back.
        wrong_rows: How many rows could not be used.
        warnings: What the user should know about how it was done.
        notes: What the user should know about how the rows were read; empty for a run that was read back.
        stopped: Why the work ended early, if it did.
        progress: The final progress.
        subject: The selected subject, if the run holds several.
    """

    journal: OpenJournal
    record: RunRecord
    problems: tuple[RowProblem, ...] = ()
    wrong_rows: int = 0
    warnings: tuple[str, ...] = ()
    stopped: str | None = None
    progress: Progress = field(default_factory=Progress)
    subject: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that commands take."""
        return self.record.name

    @property
    def status(self) -> str:
        """``running``, ``stopped``, ``incomplete`` or ``finished``."""
        return self.record.status.value

    @property
    def plan(self) -> Mapping[str, Any]:
        """Everything that makes two commands the same run."""
        return self.record.plan

    @property
    def imported(self) -> bool:
        """Whether some of its results were imported, or came with an adopted journal."""
        return self.record.imported

    @property
    def asked(self) -> int:
        """How many judgements were asked for."""
        return self.report().summary.asked

    @property
    def judged(self) -> int:
        """How many of them are verdicts."""
        return self.report().summary.judged

    @cached_property
    def judgements(self) -> tuple[Judgement, ...]:
        """All judgements, in the order of the input; iterate over the run to read them one by one."""
        return tuple(self)

    def __iter__(self) -> Iterator[Judgement]:
        from iamhumans.runs.withheld import withheld

        facts = self.journal.core.case_facts(self.record)
        held_out = {case_id for case_id, case in facts.items() if case.held_out}
        for judgement in self.raw_judgements(texts=True):
            yield withheld(judgement) if judgement.case_id in held_out else judgement

    def raw_judgements(
        self, facts: Mapping[str, CaseFacts] | None = None, *, texts: bool = False
    ) -> Iterator[Judgement]:
        """All judgements with the texts of held-out cases, for code that logs why it shows them.

        With ``texts`` they have the reply and the conversation as well, which takes longer.
        """
        found = self.journal.core.judgements(self.record, facts, texts=texts)
        return (judgement for judgement in found if self.subject in (None, judgement.subject))

    @cached_property
    def rubric(self) -> Rubric:
        """The rubric that it was judged by, as it was then."""
        return self.journal.core.rubric(self.record)

    @property
    def figures(self) -> RunSummary:
        """Its figures by subject and judge, and what its calls cost."""
        return self.journal.core.summary(self.record)

    def replies(self, *, holdout_reason: str | None = None) -> list[JudgedReply]:
        """Its replies, each once; those to held-out cases only with a reason, which is logged."""
        self.disclose("replies", holdout_reason)
        found = [one for one in self.journal.core.replies(self.record) if self.subject in (None, one.subject)]
        return [one for one in found if holdout_reason or not one.case.holdout]

    def report(self, *, texts: bool = True, holdout_reason: str | None = None) -> RunReport:
        """The report.

        Args:
            texts: Whether conversations, replies, quotes and notes are in it. Without them there are hashes.
            holdout_reason: Why texts of held-out cases are shown, and not their hashes. The reason is logged.
        """
        from iamhumans.api.reporting import report_of

        return report_of(self, texts=texts, holdout_reason=holdout_reason)

    def case(self, case_id: str, *, raw: bool = False, holdout_reason: str | None = None) -> CaseView:
        """One case: the conversation, the replies with quotes marked, every vote.

        Args:
            case_id: The case.
            raw: Whether outputs hold every prompt and raw answer, and the reasoning that was taken off.
            holdout_reason: Why texts of a held-out case are shown, and not their hashes. The reason is logged.

        Raises:
            CommandError: The run has no such case.
        """
        from iamhumans.api.case_view import case_view

        return case_view(self, case_id, raw=raw, holdout_reason=holdout_reason)

    def calibrated(self) -> RunCalibration:
        """What people's labels say of its judge, if a calibration fits."""
        from iamhumans.trust.run_calibration import calibration_of_run

        return calibration_of_run(self.journal.core, self.record)

    def draw(self, n: int, *, targeted: float = 0.5, seed: str = "", holdout_reason: str | None = None) -> Draw:
        """Draw replies for people to label.

        Args:
            n: How many.
            targeted: The share of doubtful replies in the draw, 0 to 1; the others are drawn at random.
            seed: Random seed of the draw.
            holdout_reason: Why held-out replies may be drawn, which is logged.
        """
        from iamhumans.trust.drawing import candidates_of, draw

        check_number("n", n, 1, whole=True)
        check_number("targeted", targeted, 0, 1)
        self.disclose("draw", holdout_reason)
        core, subject = self.journal.core, self.subject
        found = candidates_of(core, self.record, self.rubric, subject=subject, holdout_reason=holdout_reason)
        return draw(found, n, seed=seed, targeted=targeted)

    def labels(self, *, holdout_reason: str | None = None) -> RunLabels:
        """People's labels of its replies. ``holdout_reason`` says why held-out ones are shown too, and is logged."""
        from iamhumans.trust.labels import RunLabels

        self.disclose("label", holdout_reason)
        return RunLabels.of(self.journal.core, self.record, subject=self.subject, holdout_reason=holdout_reason)

    def label(self, labels: Iterable[Label]) -> int:
        """Store what people say about its replies; ``calibrate`` uses it. Returns the number of labels.

        An answer replaces the earlier one of the same rater about the same reply. All labels are stored, or none.

        Raises:
            InputError: A label names a reply that the run does not have, or an unknown hard fail or axis.
        """
        from iamhumans.trust.labels import RunLabels

        return RunLabels.of(self.journal.core, self.record, subject=self.subject).add(labels)

    def all_warnings(self) -> list[str]:
        """``warnings``, and what follows from the journal: models that changed, a judge of the subject's family."""
        from iamhumans.decisions.answering import model_warnings
        from iamhumans.decisions.families import kinships

        subjects = [] if "subjects" in self.plan else [group.subject for group in self.figures.groups]
        return [*self.warnings, *model_warnings(self.answering_models), *map(str, kinships(self.plan, subjects))]

    @property
    def answering_models(self) -> tuple[AnsweringModel, ...]:
        """Every model that answered, as its server names it."""
        return self.journal.core.answering_models(self.record)

    def disclose(self, output: str, reason: str | None) -> None:
        """Log that an output shows texts of held-out cases; nothing happens without a reason or held-out cases."""
        from iamhumans.api.holdout import log_disclosure

        if reason is not None:
            log_disclosure(self, output, reason)

    def blocks(self) -> Blocks:
        """The report."""
        return self.report().blocks()

    def to_dict(self) -> dict[str, Any]:
        """``{"run", "summary", "judgements"}`` and the state, of JSON's types only."""
        return self.report().to_dict()

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each judgement, ready for ``pandas.DataFrame``."""
        return self.report().to_rows()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        a, b = ((one.plan, one.status, one.record.asked, one.subject, one.judgements) for one in (self, other))
        return a == b

    def __hash__(self) -> int:
        return hash(self.record.name)

    def __repr__(self) -> str:
        judges = ", ".join(judge["name"] for judge in self.plan.get("judges", ()))
        return f"<Run {self.name}: {self.status}, {self.record.asked} judgements by {judges}>"
