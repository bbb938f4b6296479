"""Calibrations and corrected figures, printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from tests.decisions.made_up import run_of
from tests.trust.compared import RUBRIC, a_calibration, a_run, learned, said

from iamhumans.reports.calibration import calibrated_blocks, calibrated_document, calibration_blocks
from iamhumans.reports.markdown import blocks_markdown
from iamhumans.reports.terminal import blocks_text
from iamhumans.trust.calibration import Calibration
from iamhumans.trust.calibration_files import calibration_document
from iamhumans.trust.corrections import Corrections, corrections
from iamhumans.trust.judge_identity import calibration_status
from iamhumans.trust.run_calibration import RunCalibration


class Beside(RunCalibration):
    """A run that is nothing but what a judge said."""

    def by_subject(self, *, apply_map: bool = False) -> Mapping[str, Corrections]:
        assert self.calibration is not None
        return {"s": corrections(a_run()[1], self.calibration, RUBRIC, apply_map=apply_map)}


def beside(calibration: Calibration) -> RunCalibration:
    status = calibration_status("calibrated", replies=60, cases=60)
    return Beside(run_of("abc", {}, by=RUBRIC), status, calibration)


def text_of(calibration: Calibration) -> str:
    return blocks_text(calibration_blocks(calibration), width=200)


def text_beside(found: RunCalibration, *, apply_map: bool = False) -> str:
    return blocks_text(calibrated_blocks(found, apply_map=apply_map), width=80)


def test_criteria_stand_in_tables_with_intervals_and_pooled_ones_last() -> None:
    lines = text_of(a_calibration()).splitlines()
    flags = next(n for n, line in enumerate(lines) if line.startswith("judge against people: hard fails"))
    assert [line.split()[0] for line in lines[flags + 2 : flags + 6]] == ["pity", "lecturing", "zeroed", "all"]
    assert " to " in lines[flags + 2]


def test_one_rater_has_no_table_of_people_with_each_other() -> None:
    labels, judgements = a_run()
    alone = learned([label for label in labels if label.rater == "ann"], judgements)
    text = text_of(alone)
    assert "between people" not in text
    assert "Only one person labelled" in text


def test_where_people_are_split_is_said() -> None:
    labels = [said(f"r{n}", rater=name, pity=name == "ann") for n in range(8) for name in ("ann", "bob")]
    text = text_of(learned(labels, a_run()[1]))
    assert "are left out of the comparison with the judge: pity 8." in " ".join(text.split())


def test_corrected_figures_stand_beside_raw_ones_with_the_reason_where_there_is_none() -> None:
    lines = text_beside(beside(a_calibration())).splitlines()
    assert lines[1].startswith("The judge is calibrated against people")
    (row,) = [line for line in lines if line.startswith("cases zeroed")]
    assert row.count("%") == 3
    assert any("Based on labels of these very replies" in line for line in lines)


def test_mapped_means_are_shown_only_where_asked_for() -> None:
    found = beside(a_calibration())
    assert "mapped" not in text_beside(found)
    assert "mapped" in text_beside(found, apply_map=True)


def test_hostile_names_act_in_no_report() -> None:
    found = a_calibration()
    hostile = replace(found, identity=replace(found.identity, judge="a|<b>\x1b[31m"), run="x\x1b[2J")
    assert "\x1b" not in text_of(hostile)
    markdown = blocks_markdown(calibration_blocks(hostile))
    assert "<b>" not in markdown
    assert "\x1b" not in markdown


def test_markdown_has_the_same_tables() -> None:
    markdown = blocks_markdown([*calibration_blocks(a_calibration()), *calibrated_blocks(beside(a_calibration()))])
    assert sum(line.startswith("| --- |") for line in markdown.splitlines()) == 6
    assert "corrected by people" in markdown


def test_documents_hold_every_figure() -> None:
    document = json.loads(json.dumps(calibration_document(a_calibration())))
    assert document["criteria"][0]["against_people"]["sensitivity"]["low"] is not None
    corrected = json.loads(json.dumps(calibrated_document(beside(a_calibration()))))["corrected"]["s"]
    assert corrected["zero_rate"]["powered"]["state"] == "given"
    assert corrected["axes"]["naturalness"]["raw"]["value"] is not None
