"""The report of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from iamhumans.api.results import Result
from iamhumans.api.run import Run
from iamhumans.decisions.checks import checks_of
from iamhumans.decisions.outcomes import outcomes_of
from iamhumans.decisions.panel import Asked
from iamhumans.decisions.subjects import SubjectChanges, subject_changes
from iamhumans.reports.answering import answering_blocks
from iamhumans.reports.blocks import Blocks
from iamhumans.reports.calibration import calibrated_blocks, calibrated_document
from iamhumans.reports.csv import csv_report
from iamhumans.reports.headline import headline_sentence
from iamhumans.reports.json import report_json
from iamhumans.reports.junit import report_junit
from iamhumans.reports.report import Report
from iamhumans.reports.report_blocks import report_blocks
from iamhumans.reports.run_overview import suite_asked
from iamhumans.reports.subjects import subjects_blocks, subjects_document
from iamhumans.runs.journal.queries import AnsweringModel, CaseFacts, RunRecord
from iamhumans.stats import Summary
from iamhumans.trust.run_calibration import RunCalibration
from iamhumans.verdicts import Judgement

_MOST_GROUPED = 300_000


class _Judgements:
    """The judgements of a run, read anew each time."""

    def __init__(self, run: Run, facts: Mapping[str, CaseFacts], *, texts: bool) -> None:
        self._run, self._facts, self._texts = run, facts, texts

    def __iter__(self) -> Iterator[Judgement]:
        return self._run.raw_judgements(self._facts, texts=self._texts)


@dataclass(frozen=True)
class RunReport(Result):
    """The report of a run.

    ``found`` holds the figures, ``calibrated`` what people's labels say of the judge, and ``subjects`` how the others
    differ from the first.
    """

    found: Report
    calibrated: RunCalibration | None = None
    answering: tuple[AnsweringModel, ...] = ()
    subjects: SubjectChanges | None = None

    @property
    def summary(self) -> Summary:
        """The figures over all judgements."""
        return self.found.summary

    @property
    def replies(self) -> Iterator[Judgement]:
        """What the votes on each reply come to, where they are several; the judgement itself where there is one."""
        return (reply.combined for reply in self.found.replies())

    @property
    def headline(self) -> str:
        """The headline in one sentence, as every output has it."""
        return headline_sentence(self.found)

    def blocks(self) -> Blocks:
        """Headings, paragraphs and tables."""
        calibrated = () if self.calibrated is None else calibrated_blocks(self.calibrated)
        subjects = () if self.subjects is None else subjects_blocks(self.subjects)
        return [*report_blocks(self.found), *subjects, *answering_blocks(self.answering), *calibrated]

    def to_dict(self) -> dict[str, Any]:
        """``{"run", "summary", "groups", "judgements"}``, of JSON's types only."""
        return json.loads("".join(self.json_pieces()))  # type: ignore[no-any-return]

    def json_pieces(self) -> Iterator[str]:
        """The JSON document, piece by piece."""
        more: dict[str, Any] = {"models": [asdict(one) for one in self.answering]}
        if self.subjects is not None:
            more["subjects"] = subjects_document(self.subjects)
        if self.calibrated is not None:
            more["calibration"] = calibrated_document(self.calibrated)
        return report_json(self.found, more)

    def csv_pieces(self) -> Iterator[str]:
        """The judgements as CSV, line by line. No cell can be taken for a formula."""
        return csv_report(self.found)

    def to_junit(self) -> str:
        """The judgements as JUnit XML, for CI systems."""
        return report_junit(self.found)

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each judgement, ready for ``pandas.DataFrame``."""
        return self.found.to_rows()

    def __repr__(self) -> str:
        return repr(self.found)


def report_of(run: Run, *, texts: bool = True, holdout_reason: str | None = None) -> RunReport:
    """The report of a run; a use of held-out texts is logged first."""
    run.disclose("report", holdout_reason)
    core = run.journal.core
    facts = core.case_facts(run.record)
    found = Report(
        title_of(run),
        run.rubric,
        _Judgements(run, facts, texts=False),
        run.name,
        stored=run.journal.path is not None,
        with_texts=_Judgements(run, facts, texts=True) if texts else None,
        texts=texts,
        text_of=core.reply_text,
        spent=[one for one in core.spent(run.record) if one.role == "judge" or run.subject in (None, one.name)],
        grouped=_may_group(run.record),
        asked=Asked.by(run.plan),
        held_out=frozenset(case_id for case_id, case in facts.items() if case.held_out),
        holdout_reason=holdout_reason,
        checks=checks_of(core, run.record, subject=run.subject),
    )
    grid = run.subject is None and len(run.plan.get("subjects", ())) > 1
    subjects = subject_changes(outcomes_of(core, run.record)) if grid else None
    return RunReport(found, run.calibrated(), run.answering_models, subjects)


def title_of(run: Run) -> str:
    """A line for people: what was judged."""
    plan = run.plan
    names = [one["name"] for one in plan.get("subjects", ())]
    suite = suite_asked(plan)
    what = f"{suite} answered by {', '.join(names)}" if names else f"Replies to {suite}" if suite else "Replies"
    state = "" if run.status == "finished" else f", {run.status}"
    named = "" if run.journal.path is None else f", run {run.name}"
    return f"{what}{named}{state}"


def _may_group(record: RunRecord) -> bool:
    """Whether cases may have several judgements. Logs judged once have one each, which needs less memory."""
    return record.plan.get("suite") is not None or record.judgements_a_reply > 1 or (record.asked or 0) < _MOST_GROUPED
