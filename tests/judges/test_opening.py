"""From the name of a judge to the judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.builders import verdict_of

from iamhumans.errors import CommandError
from iamhumans.judges import LlmJudge, RecordedJudge, RulesJudge, open_judge
from iamhumans.prompts import Template


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_rules() -> None:
    judge = open_judge("rules")

    assert isinstance(judge, RulesJudge)
    assert not judge.asks_model


@pytest.mark.parametrize("name", ["openai/gpt-5.1", "mine", "Rules", "rulez", "records/x", "locally/x"])
def test_any_other_name_is_a_model(name: str) -> None:
    template = Template("> {{SKILL_RESPONSE}}")

    assert open_judge(name, template=template) == LlmJudge(name, template)
    assert open_judge(name).asks_model


def test_recorded_file(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", verdict_of())
    judge = open_judge(f"recorded/{tmp_path}/a.yaml")

    assert isinstance(judge, RecordedJudge)
    assert [verdict.case_id for verdict in judge.verdicts] == ["BAK-001"]
    assert judge.name == f"recorded/{tmp_path}/a.yaml"
    assert not judge.asks_model


def test_recorded_path_is_relative_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "verdicts/a.yaml", verdict_of())
    monkeypatch.chdir(tmp_path)

    assert isinstance(open_judge("recorded/verdicts"), RecordedJudge)


@pytest.mark.parametrize("name", ["recorded", "recorded/"])
def test_recorded_without_a_path_does_not_read_the_working_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a.yaml", verdict_of())
    monkeypatch.chdir(tmp_path)

    with pytest.raises(CommandError, match="has no path") as caught:
        open_judge(name)
    assert "`recorded/verdicts`" in caught.value.fix


@pytest.mark.parametrize("name", ["rules/", "rules/x", "local", "local/x"])
def test_a_reserved_name_in_another_form_names_the_rules(name: str) -> None:
    with pytest.raises(CommandError, match=f"`{name.partition('/')[0]}") as caught:
        open_judge(name)
    assert "`rules`" in caught.value.fix


def test_recorded_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nowhere"):
        open_judge(f"recorded/{tmp_path}/nowhere")


def test_several_verdicts_of_one_case_need_repeats(tmp_path: Path) -> None:
    write(tmp_path / "one.yaml", verdict_of())
    write(tmp_path / "two.yaml", verdict_of())

    with pytest.raises(CommandError) as caught:
        open_judge(f"recorded/{tmp_path}")
    assert "BAK-001" in caught.value.what
    assert "two.yaml" in caught.value.what
    assert "--repeats" in caught.value.fix
    assert isinstance(open_judge(f"recorded/{tmp_path}", repeats=2), RecordedJudge)


def test_one_judge_of_several_is_named_by_a_pattern(tmp_path: Path) -> None:
    for name in ("A", "B"):
        for judge in ("first", "second"):
            write(tmp_path / name / f"{judge}.yaml", verdict_of(case_id=name))

    opened = open_judge(f"recorded/{tmp_path}/*/second.yaml")
    assert isinstance(opened, RecordedJudge)
    assert [verdict.case_id for verdict in opened.verdicts] == ["A", "B"]


def test_verdicts_of_several_replies_of_one_case_need_no_repeats(tmp_path: Path) -> None:
    rows = [{"case_id": "A", "reply": reply, "answer": verdict_of(case_id="A")} for reply in ("one", "two")]
    write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))

    assert isinstance(open_judge(f"recorded/{tmp_path}/a.jsonl"), RecordedJudge)


def test_several_lines_of_one_reply_need_repeats(tmp_path: Path) -> None:
    rows = [{"case_id": "A", "subject": "s", "number": 1, "answer": verdict_of(case_id="A")}] * 2
    write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))

    with pytest.raises(CommandError, match=r"a\.jsonl:2"):
        open_judge(f"recorded/{tmp_path}/a.jsonl")
