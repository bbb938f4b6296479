"""Held-out texts are in no output of a later command, unless that command itself is given a reason."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.commands import Done, run

MARKS = CASE, REPLY, NOTE = "marzipanclause", "poppyseedreply", "saffronnote"
HOLDOUT = ("--holdout", "--reason", "release 1.2")
SUITE_CASE = """\
---
id: {id}
title: The {word} closes
dimensions: [feeling]
holdout: {holdout}
---

## input

the {word} on my corner closed

## rubric

- Stays with the {word}

## failure_modes

- Recommends another {word}
"""
PROGRAM = """
import json, re, sys
text = "\\n".join(one["content"] for one in json.load(sys.stdin)["messages"])
case_id = re.search(r"^ID: `([^`]+)`$", text, re.M)[1]
token = re.search(r"^Check token: `([^`]+)`$", text, re.M)[1]
marks = "marzipanclause poppyseedreply saffronnote" if case_id.startswith("H") else "the bakery"
if "zzprose" in text:
    sys.exit(print("What can one say of " + marks))
word = "pity" if "zzworse" in text else ""
flags = "fabricated_biography manipulation sycophancy empty_validation refusal_when_engagement_warranted " \\
    "structured_output_in_emotional_moment performed_empathy joy_undercut pity lecturing"
axes = "naturalness empathy_fit calibrated_uncertainty memory_coherence no_fabrication repair_quality"
print(f"case_id: {case_id}\\ncheck: {token}\\naxes:")
print("\\n".join(f"  {name}: {4 if word else 9}" for name in axes.split()))
print(f"evidence:\\n  pity: [{json.dumps(marks)}]" if word else "evidence: {}")
print("hard_fails:")
print("\\n".join(f"  {name}: {'YES' if name == word else 'NO'}" for name in flags.split()))
print(f"notes: |\\n  A note on {marks}.")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs on a held-out case and one everyday case each, judged by a program and by rules; a label with words."""
    folder = tmp_path_factory.mktemp("holdout")
    cases = folder / "suite" / "cases"
    cases.mkdir(parents=True)
    (cases / "A-1.md").write_text(SUITE_CASE.format(id="A-1", word="bakery", holdout="false"))
    for number in range(1, 7):
        text = SUITE_CASE.format(id=f"H-{number}", word=f"{CASE}{number}", holdout="true")
        (cases / f"H-{number}.md").write_text(text)
    (folder / "judge.py").write_text(PROGRAM)
    ids = ["A-1", *(f"H-{number}" for number in range(1, 7))]
    for name, said in (("a", "better"), ("b", "zzworse")):
        texts = dict.fromkeys(ids, f"{REPLY}, poor you, this is {said}. Your feelings are completely valid.")
        if name == "a":
            texts = dict.fromkeys(ids, f"{REPLY}, this is better.")
        texts["A-1"] = f"Oh no, this is {said}."
        texts["H-6"] = f"{REPLY} zzprose" if name == "b" else texts["H-6"]
        rows = [{"case_id": one, "reply": text} for one, text in texts.items()]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("cases", "seal", "suite", folder=folder).code == 0
    judge = ("--judge", f"command/{shlex.quote(sys.executable)} ./judge.py", "--judge", "rules")
    first = run("judge", "a.jsonl", "--suite", "suite", *judge, *HOLDOUT, "--json", folder=folder)
    assert first.code == 0, first.err
    assert NOTE in first.out, first.out[:3000]
    second = run("judge", "b.jsonl", "--suite", "suite", *judge, *HOLDOUT, "--json", folder=folder)
    third = run("run", "suite", "--subject", "recorded/b.jsonl", *judge[:2], *HOLDOUT, "--json", folder=folder)
    assert (second.code, third.code) == (0, 0), second.err + third.err
    names = {name: done.document["run"] for name, done in (("A", first), ("B", second), ("C", third))}
    label = {"case_id": "H-1", "rater": "ann", "hard_fails": {"pity": True}, "words": {"pity": [REPLY]}, "notes": NOTE}
    (folder / "labels.jsonl").write_text(json.dumps(label) + "\n")
    imported = run("label", names["B"], "--import", "labels.jsonl", folder=folder)
    assert imported.code == 0, imported.err
    (folder / "names.json").write_text(json.dumps(names))
    return folder


def said(folder: Path, command: str, *more: str) -> Done:
    names = json.loads((folder / "names.json").read_text())
    return run(*(names.get(word, word) for word in command.split()), *more, folder=folder)


SHOWING = [
    "compare A B",
    "compare A B --format md",
    "compare A B --json",
    "compare A B --judge rules",
    "compare A B --judge rules --json",
    "report B",
    "report B --format md",
    "report B --format json",
    "report B --format csv",
    "report C",
    "report C --json",
    "report B --format junit",
    "report B --format html",
    "runs export B",
    "runs export C",
    "runs export B --format csv",
    "runs export B --json",
    "label B --export -",
    "gate C --min-mean 10 --min-judged 0.5 --format junit",
]
SILENT = [
    "runs list",
    "runs list --json",
    "runs show B",
    "runs show B --json",
    "runs export B --no-texts",
    "calibrate B --sample 3",
    "calibrate B --sample 3 --json",
    "calibrate B",
    "calibrate B --json",
    "calibrate B --format md",
    "calibrate B --show",
    "gate B --min-mean 10",
    "gate B --max-zero-rate 0.5 --baseline A",
    "gate B --max-hard-fails 3 --json",
    "gate B --min-pass-rate 0.5 --format md",
    "cases list suite",
    "cases lint suite",
    "cases holdout suite --json",
    "label B --sample 2",
    "judge a.jsonl --suite suite",
    "run suite --subject recorded/a.jsonl",
    "reply suite --subject recorded/a.jsonl",
]


@pytest.mark.parametrize("command", SHOWING + SILENT)
def test_no_output_has_a_held_out_text(folder: Path, command: str) -> None:
    done = said(folder, command)
    assert "bug in iamhumans" not in done.err
    assert "No such option" not in done.err
    assert [word for word in MARKS if word in (done.out + done.err).replace("\\", "")] == []


@pytest.mark.parametrize("command", SHOWING)
def test_a_reason_shows_the_texts_and_is_logged(folder: Path, command: str) -> None:
    before = len(said(folder, "cases holdout suite --json").document["uses"])
    done = said(folder, command, *HOLDOUT)
    text = (done.out + done.err).replace("\\", "")
    assert any(word in text for word in MARKS), done
    uses = said(folder, "cases holdout suite --json").document["uses"]
    assert len(uses) > before
    assert uses[-1]["reason"] == "release 1.2"


@pytest.mark.parametrize("command", [one for one in SHOWING if "html" not in one])
def test_hashes_are_shown_in_their_place(folder: Path, command: str) -> None:
    assert "sha256:" in said(folder, command).out.replace("\\", "")


@pytest.mark.parametrize("command", ["report B", "compare A B", "runs export B", "label B --export -", "gate B"])
@pytest.mark.parametrize("options", [("--holdout",), ("--reason", "the author asks"), ("--holdout", "--reason", "why")])
def test_a_reason_is_needed_and_has_two_words(folder: Path, command: str, options: tuple[str, ...]) -> None:
    done = said(folder, command, *options)
    assert (done.code, done.out) == (2, "")
