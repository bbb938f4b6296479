"""The examples of README.md and docs/ run in the order of their page, and print what the page shows."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.builders import SEED, verdict_of
from tests.commands import run

from iamhumans.cases import load_suite
from iamhumans.rubrics import load_rubric
from iamhumans.subjects import bundled_replies_path
from iamhumans.text import read_yaml
from iamhumans.trust.label_maps import read_label_map
from iamhumans.trust.labels import bundled_labels_path
from iamhumans.verdicts import Verdict, read_verdict

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NOT_RUN = {
    r"iamhumans (run|reply|judge|prompt) .*(openai|anthropic|openrouter|ollama)/.*": "needs a model",
    r"iamhumans doctor.*": "asks servers",
    r"iamhumans cases seal .* --check": "shows a seal that is broken",
    r"iamhumans allow.*": "asks on a terminal; see tests/models/test_allow_command.py",
    r"(pip|make|export|sqlite3|python -m) .*": "is not this program",
}
"""Commands that are not run here, and why. All others are."""

REPLY = "Oh no. The one with the poppy rolls?"


def blocks(language: str) -> list[tuple[str, str]]:
    """The document and the text of each block in a language."""
    found = [(path.name, block) for path in DOCUMENTS for block in BLOCK.finditer(path.read_text(encoding="utf-8"))]
    return [(name, block[2]) for name, block in found if block[1] == language]


def commands_of(path: Path) -> list[str]:
    """The commands of a document, in its order."""
    found = [block[2] for block in BLOCK.finditer(path.read_text(encoding="utf-8")) if block[1] in ("console", "sh")]
    lines = re.sub(r"\\\n\s*", "", "\n".join(found)).splitlines()
    return [line.removeprefix("$ ").split("  #")[0].strip() for line in lines if line.startswith(("$ ", "iamhumans "))]


def prepare(folder: Path, document: Path) -> None:
    """The reader's own files that the commands name. What a command makes is not among them."""
    text = document.read_text(encoding="utf-8")
    (folder / "reply.txt").write_text(REPLY)
    (folder / "answer.yaml").write_text(verdict_of(case_id="GRF-003"))
    (folder / "skill.md").write_text("Be warm.")
    (folder / "chats.jsonl").write_text(json.dumps({"prompt": "my bus left", "response": REPLY}) + "\n")
    (folder / "table.csv").write_text(f'nr,frage,antwort,model\n1,my bus left,"{REPLY}",m\n')
    (folder / "mine.yaml").write_text(next(text for _, text in blocks("yaml") if "extends" in text))
    labels = next(text for name, text in blocks("json") if name == "people.md")
    (folder / "labels.jsonl").write_text(json.dumps(json.loads(labels)) + "\n")
    tables = [block[2] for block in BLOCK.finditer(text) if block[1] == "toml"]
    named = "".join(f'[models.{name}]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n' for name in ("bot", "judge"))
    (folder / "iamhumans.toml").write_text(tables[0] if tables else named)
    for case_id in ("A-1", "A-2"):
        verdict = verdict_of(case_id=case_id)
        write(folder / "verdicts" / f"{case_id}.yaml", yaml.safe_dump({"reply": REPLY}) + verdict)
        write(folder / "replies" / case_id / "first-judge.yaml", verdict)
        write(folder / "replies" / case_id / "reply.md", REPLY)
    if "$ iamhumans init mine" not in text:
        run("init", "mine", folder=folder)
        case = folder / "mine" / "suite" / "cases" / "FIRST-001.md"
        held_out = case.read_text(encoding="utf-8").replace("FIRST-001", "LATER-001")
        write(case.with_name("LATER-001.md"), held_out.replace("holdout: false", "holdout: true"))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_runs_in_the_order_of_the_page(tmp_path: Path, document: Path) -> None:
    prepare(tmp_path, document)
    for command in commands_of(document):
        if any(re.fullmatch(pattern, command) for pattern in NOT_RUN):
            continue
        program, *arguments = shlex.split(command)
        if program == "python":
            subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True)
            continue
        assert program == "iamhumans", f"{command}: neither ours nor listed in NOT_RUN"
        done = run(*arguments, folder=tmp_path)
        assert done.code == 0, f"{command}: {done.code} {done.err}"


def test_commands_are_found() -> None:
    assert "iamhumans demo" in commands_of(ROOT / "README.md")


@pytest.mark.parametrize(("name", "text"), blocks("yaml"))
def test_yaml_is_what_it_says_it_is(tmp_path: Path, name: str, text: str) -> None:
    value = read_yaml(text).value
    assert isinstance(value, dict), name
    if "extends" in value:
        (tmp_path / "mine.yaml").write_text(text)
        assert load_rubric(str(tmp_path / "mine.yaml")).name == value["name"]
    if "raters" in value:
        (tmp_path / "table.yaml").write_text(text)
        assert read_label_map(tmp_path / "table.yaml", SEED).raters == value["raters"]
    elif isinstance(value.get("axes"), dict):
        judgement = read_verdict(text, SEED)
        assert isinstance(judgement, Verdict), judgement
        assert judgement.repairs == (), judgement.repairs


@pytest.mark.parametrize(("name", "text"), blocks("json"))
def test_json_can_be_read(name: str, text: str) -> None:
    assert json.loads(text), name


@pytest.mark.parametrize(("name", "text"), blocks("toml"))
def test_toml_can_be_read(name: str, text: str) -> None:
    assert tomllib.loads(text), name


@pytest.mark.parametrize(("name", "text"), [block for block in blocks("markdown") if block[1].startswith("---\n")])
def test_a_case_loads_without_a_finding(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "case.md").write_text(text)
    suite = load_suite(tmp_path)
    assert (len(suite.cases), suite.findings) == (1, ()), name


@pytest.mark.parametrize(("name", "text"), [block for block in blocks("markdown") if block[1].startswith("## con")])
def test_a_conversation_loads_without_a_finding(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "case.md").write_text(
        f"---\nid: A-1\ntitle: Six for dinner\n---\n\n{text}\n## rubric\n\n- Says what to cook\n"
    )
    suite = load_suite(tmp_path)
    assert len(suite.cases) == 1, name
    assert suite.errors == ()


def within(part: Any, whole: Any) -> bool:
    """Whether all that a part says, the whole says too."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and within(value, whole[key]) for key, value in part.items())
    return bool(part == whole)


def test_the_judgement_in_the_readme_is_what_is_printed(tmp_path: Path) -> None:
    shown = [json.loads(text) for name, text in blocks("json") if name == "README.md"]
    run("init", "mine", folder=tmp_path)
    judging = ("judge", "mine/replies.jsonl", "--suite", "mine/suite", "--json")
    lines = run(*judging, folder=tmp_path).document["judgements"]
    assert [example for example in shown if not any(within(example, line) for line in lines)] == []


def test_the_calibration_on_the_page_is_what_is_printed(tmp_path: Path) -> None:
    shutil.copy(bundled_replies_path("core"), tmp_path / "demo.jsonl")
    run("judge", "demo.jsonl", "--suite", "core", folder=tmp_path)
    printed = run("calibrate", "last", "--labels", str(bundled_labels_path()), folder=tmp_path).out
    # The screen of a labelling session is tested with the session.
    shown = [text for name, text in blocks("text") if name == "people.md" and "to be labelled" not in text]
    table = [line for text in shown for line in text.splitlines() if line.startswith(("cases zeroed", "joy_undercut "))]
    assert [line for line in table if line not in printed.splitlines()] == []
    assert " ".join(shown[0].split()) in " ".join(printed.split())


def test_links_between_documents_lead_somewhere() -> None:
    missing = [
        f"{path.name}: {target}"
        for path in DOCUMENTS
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert missing == []
