"""The examples of README.md and docs/ run as they are written, and what they show is what comes out."""

from __future__ import annotations

import json
import re
import shlex
import shutil
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
    r"iamhumans (run|reply) .*--(subject|judge) server(?!.*--dry-run).*": "needs a model",
    r"iamhumans doctor.*": "asks servers",
    r"iamhumans cases seal .* --check": "shows a seal that is broken",
    r"iamhumans allow.*": "asks on a terminal; see tests/models/test_allow_command.py",
    r"(pip|make|export|git|curl|docker|python|sqlite3|\.venv/bin/python) .*": "is not this program",
}
"""Commands that are not run here, and why. All others are."""

REPLY = "Oh no. The one with the poppy rolls?"


def blocks(language: str) -> list[tuple[str, str]]:
    """The document and the text of each block in a language."""
    found = [(path.name, block) for path in DOCUMENTS for block in BLOCK.finditer(path.read_text(encoding="utf-8"))]
    return [(name, block[2]) for name, block in found if block[1] == language]


def commands_of(path: Path) -> list[str]:
    """What a document says to type, in its order."""
    found = [block[2] for block in BLOCK.finditer(path.read_text(encoding="utf-8")) if block[1] in ("console", "sh")]
    lines = re.sub(r"\\\n\s*", "", "\n".join(found)).splitlines()
    return [line.removeprefix("$ ").split("  #")[0].strip() for line in lines if line.startswith(("$ ", "iamhumans "))]


def prepare(folder: Path, document: Path) -> None:
    """The files that commands of the docs name."""
    run("init", folder=folder)
    text = document.read_text(encoding="utf-8")
    if "$ iamhumans init mine" not in text:
        run("init", "mine", folder=folder)
    (folder / "reply.txt").write_text(REPLY)
    (folder / "answer.yaml").write_text(verdict_of(case_id="GRF-003"))
    (folder / "mine.yaml").write_text(next(text for name, text in blocks("yaml") if name == "rubrics.md"))
    for case_id in ("A-1", "A-2"):
        verdict = verdict_of(case_id=case_id)
        for path, beside in (
            (f"verdicts/{case_id}.yaml", {"reply": REPLY}),
            (f"replies/{case_id}/first-judge.yaml", {}),
        ):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text((yaml.safe_dump(beside) if beside else "") + verdict)
        (folder / "replies" / case_id / "reply.md").write_text(REPLY)
    labels = [json.loads(text) for name, text in blocks("json") if name == "labels.md"]
    (folder / "labels.jsonl").write_text(json.dumps(labels[0]) + "\n")
    if "demo-labels.jsonl" in text:
        shutil.copy(bundled_replies_path("core"), folder / "demo.jsonl")
        shutil.copy(bundled_labels_path(), folder / "demo-labels.jsonl")
    tables = [block[2] for block in BLOCK.finditer(text) if block[1] == "toml"]
    named = "".join(f'[models.{name}]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n' for name in ("bot", "judge"))
    (folder / "iamhumans.toml").write_text(tables[0] if tables else named)
    if "iamhumans cases seal mine/suite" in text:
        case = folder / "mine" / "suite" / "cases" / "FIRST-001.md"
        held_out = (
            case.read_text(encoding="utf-8")
            .replace("FIRST-001", "LATER-001")
            .replace("holdout: false", "holdout: true")
        )
        case.with_name("LATER-001.md").write_text(held_out, encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_runs_as_it_is_written(tmp_path: Path, document: Path) -> None:
    prepare(tmp_path, document)
    for command in commands_of(document):
        if any(re.fullmatch(pattern, command) for pattern in NOT_RUN):
            continue
        program, *arguments = shlex.split(command)
        assert program == "iamhumans", f"{command}: neither ours nor listed in NOT_RUN"
        done = run(*(str(tmp_path) if part == "PATH" else part for part in arguments), folder=tmp_path)
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
        assert read_label_map(tmp_path / "table.yaml").raters == value["raters"]
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


def test_the_judgement_that_the_readme_shows_is_the_one_that_comes_out(tmp_path: Path) -> None:
    shown = [json.loads(text) for name, text in blocks("json") if name == "README.md"]
    run("init", folder=tmp_path)
    lines = run("judge", "replies.jsonl", "--suite", "suite", "--json", folder=tmp_path).document["judgements"]
    assert [example for example in shown if not any(within(example, line) for line in lines)] == []


def test_the_calibration_that_the_docs_show_is_the_one_that_comes_out(tmp_path: Path) -> None:
    prepare(tmp_path, ROOT / "docs" / "calibration.md")
    run("judge", "demo.jsonl", "--suite", "core", folder=tmp_path)
    printed = run("calibrate", "last", "--labels", "demo-labels.jsonl", folder=tmp_path).out.splitlines()
    shown = [line for name, text in blocks("text") if name == "calibration.md" for line in text.splitlines()]
    assert [line for line in shown if line not in printed] == []


def test_links_between_documents_lead_somewhere() -> None:
    missing = [
        f"{path.name}: {target}"
        for path in DOCUMENTS
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert missing == []
