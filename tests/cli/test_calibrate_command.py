"""``iamhumans calibrate``, and what `report` and `gate` make of it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.judging_server import Bench, Printed, Roles
from tests.servers import ChatServer

STIFF = "I want to acknowledge how hard this is. You poor thing."
CASES = 12


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A run of twelve cases; the rules zero the first four."""
    bench = Bench(tmp_path)
    bench.suite(CASES)
    judged(bench, "Oh no.")
    return bench


def judged(bench: Bench, text: str, *options: str, stiff: int = 4) -> Printed:
    rows = [
        {"case_id": f"C-{n:03}", "reply": f"{STIFF if n <= stiff else text} Corner {n}?", "subject": "s"}
        for n in range(1, CASES + 1)
    ]
    bench.write("replies.jsonl", "\n".join(map(json.dumps, rows)))
    return bench.run("judge", "replies.jsonl", "--suite", "suite", *options)


def labels(bench: Bench, *more: dict[str, Any], name: str = "labels.jsonl") -> str:
    """People pity the first three and the last."""
    rows = [
        {
            "case_id": f"C-{n:03}",
            "rater": rater,
            "hard_fails": {"pity": "YES" if n <= 3 or n == CASES else "NO"},
            "axes": {"naturalness": 4 + n % 5},
        }
        for n in range(1, CASES + 1)
        for rater in ("ann", "bob")
    ]
    bench.write(name, "\n".join(map(json.dumps, [*rows, *more])))
    return name


def calibrated(bench: Bench, *options: str) -> Printed:
    return bench.run("calibrate", "last", "--labels", labels(bench), *options)


def test_it_says_how_judge_and_people_agree_and_what_people_would_say(bench: Bench) -> None:
    printed = calibrated(bench)
    assert (printed.code, printed.err) == (0, "")
    assert "24 labels by 2 people on 12 replies to 12 cases" in printed.out
    assert "judge against people: hard fails" in printed.out
    assert "corrected by people's labels" in printed.out


def test_json_holds_the_calibration_and_the_corrected_figures(bench: Bench) -> None:
    document = calibrated(bench, "--json").document
    pity = document["calibration"]["criteria"][0]
    assert (pity["name"], pity["against_people"]["sensitivity"]["value"]) == ("pity", 0.75)
    assert document["status"] == "calibrated"
    assert document["corrected"]["s"]["hard_fails"]["pity"]["powered"]["estimate"]["value"] == pytest.approx(1 / 3)


def test_labels_of_the_journal_are_used_where_no_file_is_named(bench: Bench) -> None:
    assert bench.run("label", "last", "--import", labels(bench)).code == 0
    assert "24 labels by 2 people" in bench.run("calibrate", "last").out


def test_without_labels_it_ends_with_2(bench: Bench) -> None:
    printed = bench.run("calibrate", "last")
    assert (printed.code, printed.out) == (2, "")
    assert "There is no label" in printed.err


def test_a_row_that_cannot_be_used_is_told_and_the_others_count(bench: Bench) -> None:
    name = labels(bench, {"case_id": "C-999", "rater": "ann", "hard_fails": {"pity": "NO"}})
    printed = bench.run("calibrate", "last", "--labels", name)
    assert printed.code == 2
    assert "labels.jsonl:25" in printed.err
    assert "24 labels by 2 people" in printed.out


def test_a_file_with_another_scale_is_read_by_a_table(bench: Bench) -> None:
    rows = [{"scenario": f"C-{n:03}", "who": "ann", "warm": n % 2} for n in range(1, CASES + 1)]
    bench.write("scale.jsonl", "\n".join(map(json.dumps, rows)))
    bench.write(
        "map.yaml",
        "case_id: scenario\nrater: who\naxes:\n  naturalness: {from: warm, range: [0, 1]}\n",
    )
    printed = bench.run("calibrate", "last", "--labels", "scale.jsonl", "--map", "map.yaml", "--json")
    assert printed.document["calibration"]["pairs"][0]["people"]["axes"] == {"naturalness": 10.0}


def test_report_says_whether_the_judge_is_calibrated(bench: Bench) -> None:
    assert "not calibrated against people" in bench.run("report", "last").out
    calibrated(bench)
    for options, words in (((), "calibrated against people on"), (("--format", "md"), "corrected by people")):
        assert words in bench.run("report", "last", *options).out
    document = bench.run("report", "last", "--json").document
    assert document["calibration"]["status"] == "calibrated"


def test_gate_says_whether_the_judge_is_calibrated_and_checks_corrected_figures(bench: Bench) -> None:
    calibrated(bench)
    printed = bench.run("gate", "last", "--max-flagged-rate", "0.9")
    assert "The judge is calibrated against people" in printed.out
    corrected = bench.run("gate", "last", "--max-zero-rate", "0.9", "--corrected", "--json").document
    # People were asked about one hard fail of ten, so nothing tells what they would zero.
    assert (corrected["decision"], corrected["exit_code"]) == ("inconclusive", 3)
    assert "takes an answer on every hard fail" in corrected["reasons"][0]


def test_another_run_of_the_same_judge_is_calibrated_and_another_rubric_is_not(bench: Bench) -> None:
    calibrated(bench)
    judged(bench, "Well.", stiff=2)
    assert "Based on labels of other replies" in bench.run("report", "last").out
    judged(bench, "Hm.", "--rubric", "iamhumans-extended")
    assert "calibrated for another rubric" in bench.run("report", "last").out


def test_a_calibration_goes_from_one_journal_to_another(bench: Bench, tmp_path: Path) -> None:
    calibrated(bench, "-o", "calibration.json")
    there = Bench(tmp_path / "there")
    there.suite(CASES)
    judged(there, "Oh no.")
    printed = there.run("calibrate", "last", "--import", str(tmp_path / "calibration.json"))
    assert (printed.code, printed.err) == (0, "")
    shown = there.run("calibrate", "last", "--show")
    assert "24 labels by 2 people" in shown.out


def test_a_damaged_stored_calibration_is_replaced_by_calibrating_again(bench: Bench) -> None:
    calibrated(bench)
    with contextlib.closing(sqlite3.connect(bench.db)) as journal:
        journal.execute("UPDATE calibrations SET document = '{}'")
        journal.commit()
    printed = bench.run("report", "last")
    assert printed.code == 4
    assert "Run `iamhumans calibrate` again" in printed.err
    assert calibrated(bench).code == 0
    assert bench.run("report", "last").code == 0


def test_sample_draws_what_label_can_read(bench: Bench) -> None:
    printed = bench.run("calibrate", "last", "--sample", "6", "-o", "draw.jsonl")
    assert (printed.code, printed.err) == (0, "")
    assert "6 of 12 replies drawn" in printed.out
    rows = [json.loads(line) for line in (bench.folder / "draw.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({row["reply_key"] for row in rows}) == 6
    assert all(row["weight"] >= 1 for row in rows)


@pytest.mark.parametrize(
    "options",
    [
        ("--sample", "3", "--show"),
        ("--labels", "labels.jsonl", "--import", "x.json"),
        ("--map", "map.yaml"),
        ("--targeted", "0.5"),
        ("--judge", "nobody"),
        ("--sample", "0"),
    ],
)
def test_options_that_do_not_go_together_end_with_2(bench: Bench, options: tuple[str, ...]) -> None:
    bench.run("label", "last", "--import", labels(bench))
    printed = bench.run("calibrate", "last", *options)
    assert (printed.code, printed.out) == (2, "")


def test_a_run_that_is_deleted_leaves_what_was_learned(bench: Bench) -> None:
    calibrated(bench)
    name = str(bench.sql("SELECT name FROM runs")[0][0])
    judged(bench, "Well.")
    assert bench.run("runs", "delete", name, "--yes").code == 0
    assert "The judge is calibrated against people" in bench.run("report", "last").out


def test_a_calibration_is_bound_to_settings_and_prompt(bench: Bench) -> None:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        bench.models(server.openai_url, "temperature = 0.5", name="warm")
        judged(bench, "Well.", "--judge", "loop")
        calibrated(bench)
        assert "calibrated against people" in bench.run("report", "last").out
        judged(bench, "Well.", "--judge", "warm")
        assert "not calibrated against people" in bench.run("report", "last").out
        judged(bench, "Well.", "--judge", "loop", "--repeats", "2")
        assert "calibrated for other settings" in bench.run("report", "last").out
        bench.write("own.md", "Judge {{CASE_ID}}, {{USER_INPUT}}: {{SKILL_RESPONSE}}")
        judged(bench, "Well.", "--judge", "loop", "--template", "own.md")
        assert "calibrated for another prompt" in bench.run("report", "last").out


def test_a_panel_is_calibrated_as_one_and_each_judge_by_itself(bench: Bench) -> None:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        judged(bench, "Well.", "--judge", "rules", "--judge", "loop")
    panel = calibrated(bench, "--json").document
    assert panel["calibration"]["identity"]["judge"] == "rules + loop"
    alone = calibrated(bench, "--judge", "rules", "--json").document
    assert alone["calibration"]["identity"]["judge"] == "rules"
    # Two judges of which one says YES are tied: no majority, so the panel's answer on the flag is NO.
    compared = [found["calibration"]["criteria"][0]["compared"] for found in (panel, alone)]
    assert compared == [12, 12]
    judged(bench, "Hm.")
    assert "The judge is calibrated against people" in bench.run("report", "last").out


def test_a_calibration_by_fewer_labels_says_what_it_takes_the_place_of(bench: Bench) -> None:
    calibrated(bench)
    few = {"case_id": "C-001", "rater": "cy", "hard_fails": {"pity": "YES"}}
    bench.write("few.jsonl", json.dumps(few))
    printed = bench.run("calibrate", "last", "--labels", "few.jsonl")
    assert printed.code == 0
    assert "replaces a calibration by labels of 12 replies" in printed.err
    assert "replaces" not in calibrated(bench).err
