"""What a report makes of judgements: one pass, held-out texts hidden, a panel where there are several judges."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from tests.builders import SEED
from tests.reports.test_terminal_report import report, row, unjudged

from iamhumans.reports.csv import csv_report
from iamhumans.reports.html import blocks_html
from iamhumans.reports.json import report_json
from iamhumans.reports.markdown import blocks_markdown
from iamhumans.reports.report import Report
from iamhumans.reports.report_blocks import report_blocks
from iamhumans.reports.terminal import blocks_text
from iamhumans.verdicts import Flag, Judgement


class Counted:
    """Judgements that count how often they are gone through."""

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        self.judgements, self.passes = judgements, 0

    def __iter__(self) -> Iterator[Judgement]:
        self.passes += 1
        return iter(self.judgements)


def panel() -> list[Judgement]:
    return [
        row(n, case_id=f"C-{n}", judge=judge, yes={"pity": ["So sorry."]} if n % 2 and judge == "m" else None)
        for n in range(1, 9)
        for judge in ("m", "k")
    ]


def outputs(shown: Report) -> dict[str, str]:
    blocks = report_blocks(shown)
    return {
        "json": "".join(report_json(shown)),
        "csv": "".join(csv_report(shown)),
        "markdown": blocks_markdown(blocks).replace("\\", ""),
        "terminal": blocks_text(blocks, width=500, color=False),
        "html": blocks_html(blocks),
    }


@pytest.mark.parametrize("style", ["json", "csv", "blocks"])
def test_the_judgements_are_gone_through_once_for_one_report(style: str) -> None:
    judgements = Counted(panel())
    shown = Report("Replies", SEED, judgements, "abc")
    if style == "json":
        assert json.loads("".join(report_json(shown)))["panel"]["split"] == 4
    else:
        assert list(csv_report(shown)) if style == "csv" else report_blocks(shown)
    assert shown.summary.asked == 16
    assert shown.panel is not None
    assert judgements.passes == 1


def held_out(reason: str | None = None) -> Report:
    secret = row(1, case_id="H", title="secret title", notes="secret notes", yes={"pity": ["secret words"]}, judge="m")
    failed = replace(unjudged(2, detail="secret detail", judge="m"), case_id="H")
    plain = row(3, case_id="C", title="plain title", notes="plain notes", yes={"pity": ["plain words"]}, judge="m")
    return Report("Replies", SEED, [secret, failed, plain], held_out={"H"}, holdout_reason=reason)


@pytest.mark.parametrize("style", ["json", "csv", "markdown", "terminal", "html"])
def test_texts_of_held_out_cases_are_hashes_in_every_output(style: str) -> None:
    out = outputs(held_out())[style]
    assert "secret" not in out
    assert "sha256:" in out
    assert "plain notes" in out
    assert "secret notes" in outputs(held_out("release 2"))[style]


def test_figures_of_held_out_cases_are_the_same_without_their_texts() -> None:
    assert held_out().head() == held_out("release 2").head()


def test_rows_are_ready_for_a_data_frame() -> None:
    rows = report(row(yes={"pity": ["So sorry."]}), unjudged(2)).to_rows()
    assert [one["status"] for one in rows] == ["judged", "unjudged"]
    assert rows[0]["hard_fails"]["pity"]["present"] is True


def test_a_finding_that_does_not_count_is_listed() -> None:
    whole = row(judge="m")
    flags = {**(whole.hard_fails or {}), "pity": Flag(None, ("So sorry.",))}
    text = outputs(report(replace(whole, hard_fails=flags, total=None, verdict=None)))["terminal"]
    assert "no fault found" in text
    assert "pity (found, does not count)" in text


def test_a_judgement_with_gaps_and_no_yes_reads_no_fault_found() -> None:
    whole = row(judge="m")
    flags = {**(whole.hard_fails or {}), "pity": Flag(None)}
    gaps = replace(whole, axes=dict.fromkeys(SEED.axis_ids), hard_fails=flags, total=None, verdict=None)
    text = outputs(report(gaps, row(2, judge="m", yes={"lecturing": ["So sorry."]})))["terminal"]
    assert "no fault found" in text
    text = " ".join(text.split())
    assert "2 of 2 judged (1 case). Flagged: 1 of 2, by the criteria that this judge sees." in text
    assert "This judge cannot score naturalness" in text
    assert "pass rate not covered" in text
