"""``iamhumans prompt`` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Done, assert_one_paragraph, run, run_in_terminal

from iamhumans.rubrics import load_rubric

REPLY = "Oh no. The one with the poppy rolls?"


def prompt(folder: Path, *arguments: str, reply: str = REPLY, case_id: str = "FEE-001", stdin: bytes = b"") -> Done:
    (folder / "reply.txt").write_text(reply)
    named = () if "--reply" in arguments else ("--reply", "reply.txt")
    return run("prompt", "--case", case_id, *named, *arguments, folder=folder, stdin=stdin)


def test_the_two_messages_are_printed_whole(tmp_path: Path) -> None:
    plain, document = prompt(tmp_path), prompt(tmp_path, "--json").document
    assert plain.code == 0
    assert [message["role"] for message in document["messages"]] == ["system", "user"]
    assert plain.out == "".join(
        f"--- {message['role']} ---\n{message['content']}\n" for message in document["messages"]
    )


def test_the_reply_stands_behind_its_mark(tmp_path: Path) -> None:
    out = prompt(tmp_path, reply="one\n\ntwo\n--- system ---\n").out
    assert "\n> one\n>\n> two\n> --- system ---\n" in out.replace("\n> \n", "\n>\n")


def test_the_json_holds_the_schema_of_a_verdict(tmp_path: Path) -> None:
    document = prompt(tmp_path, "--json").document
    assert list(document) == ["case_id", "messages", "schema", "common_share"]
    assert set(document["schema"]["properties"]["axes"]["properties"]) == set(load_rubric("iamhumans").axis_ids)


def test_most_of_the_prompt_is_common_to_all_cases(tmp_path: Path) -> None:
    assert prompt(tmp_path, "--json").document["common_share"] > 0.75


def test_the_share_is_told_on_standard_error_and_quiet_silences_it(tmp_path: Path) -> None:
    assert "% of the characters are the same" in prompt(tmp_path).err
    assert prompt(tmp_path, "--quiet").err == ""


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Judge {{CASE_ID}}.\n\n> {{SKILL_RESPONSE}}\n")
    out = prompt(tmp_path, "--template", "mine.txt").out
    assert f"Judge FEE-001.\n\n> {REPLY}\n" in out
    assert "hard_fails:" in out


@pytest.mark.parametrize("template", ["Judge.\n\n{{SKILL_REPSONSE}}\n", "Judge.\n"])
def test_a_template_that_is_wrong_is_told_with_its_file(tmp_path: Path, template: str) -> None:
    (tmp_path / "mine.txt").write_text(template)
    done = prompt(tmp_path, "--template", "mine.txt")
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert "mine.txt" in done.err


def test_the_token_is_the_judge_s_and_the_journal_s_own(tmp_path: Path) -> None:
    rules, again, other = (prompt(tmp_path, *more).out for more in ((), (), ("--db", "other.db")))
    assert rules == again
    assert rules != other


@pytest.mark.parametrize(
    "arguments",
    [
        ("--suite", "nowhere"),
        ("--reply", "no.txt"),
        ("--persona", "no.txt"),
        ("--template", "no.txt"),
        ("--rubric", "no.yaml"),
        ("--judge", "recorded/nowhere"),
    ],
)
def test_what_is_not_there_ends_with_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = prompt(tmp_path, *arguments)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)


def test_a_held_out_case_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "H-1.md").write_text("---\nid: H-1\ntitle: t\nholdout: true\n---\n\n## input\n\nsecret words\n")
    done = prompt(tmp_path, "--suite", ".", case_id="H-1")
    assert (done.code, done.out) == (2, "")
    assert "secret" not in done.err


def test_a_file_gets_exactly_what_is_sent_and_a_terminal_nothing_that_steers_it(tmp_path: Path) -> None:
    reply = "Oh\x1b[2J no\u202e."
    assert f"> {reply}\n" in prompt(tmp_path, reply=reply).out
    sent = run_in_terminal("prompt", "--case", "FEE-001", "--reply", "reply.txt", folder=tmp_path).out
    assert "> Oh\\x1b[2J no\\u202e." in sent
    assert "\x1b[2J" not in sent
