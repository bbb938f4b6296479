"""One case of a run: the conversation, the replies with quotes marked, every vote, and the calls on demand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.builders import verdict_of

import iamhumans as ih
from iamhumans.cases import Suite
from iamhumans.errors import CommandError
from iamhumans.reports.blocks import MARKS

CASE = ih.Case("BAK-1", (ih.Turn("user", "the bakery closed"),), title="The bakery", rubric=("Stays with it",))
OTHER = ih.Case("BAK-2", (ih.Turn("user", "the harbour closed"),))
HELD = ih.Case("HELD-1", (ih.Turn("user", "a secret input"),), title="A secret title", holdout=True)
SUITE = Suite("mine", Path(), (CASE, OTHER, HELD))
REPLY = "Oh no.\nI know “how\tyou  feel”, poor thing."


def friend(messages: list[dict[str, str]]) -> str:
    return f"<think>What would they want?</think>{REPLY}"


class Judge:
    """Its first answer cannot be read; asked again, it finds pity."""

    def __call__(self, messages: list[dict[str, str]]) -> str:
        asked = messages[1]["content"]
        if len(messages) < 4:
            return "Well, it is not bad."
        token, name = (asked.split(f"{label}: `")[1].split("`")[0] for label in ("Check token", "ID"))
        return verdict_of(case_id=name, check=token, yes={"pity": ['"how you feel", poor thing']}, notes="A note.")


@pytest.fixture
def run() -> ih.Run:
    judges: list[Any] = [ih.CallableModel(Judge(), name="judge", version="1"), "rules"]
    return ih.run(SUITE, subject=ih.CallableModel(friend, name="friend", version="1"), judge=judges, repeats=2)


def text_of(view: Any) -> str:
    return " ".join(view.to_text(width=300).split())


def test_it_has_the_conversation_the_reply_and_every_vote(run: ih.Run) -> None:
    view = run.case("BAK-1")
    (reply,) = view.replies
    assert (view.case.title, view.case.rubric) == ("The bakery", ("Stays with it",))
    assert (reply.text, [turn.text for turn in reply.conversation]) == (REPLY, ["the bakery closed"])
    votes = [(vote.judgement.judge, vote.judgement.repeat) for vote in reply.votes]
    assert votes == [("judge", 1), ("judge", 2), ("rules", 1), ("rules", 2)]


def test_quotes_are_marked_where_they_are_in_the_reply(run: ih.Run) -> None:
    view = run.case("BAK-1")
    assert f"I know {MARKS[0]}“how you feel”, poor thing{MARKS[1]}." in text_of(view)
    assert "<mark" in view.to_html()


def test_prompts_raw_answers_and_reasoning_are_there_on_demand(run: ih.Run) -> None:
    plain, raw = run.case("BAK-1"), run.case("BAK-1", raw=True)
    assert "What would they want?" not in text_of(plain) + plain.to_json()
    for shown in (text_of(raw), raw.to_json()):
        assert "What would they want?" in shown
        assert "Well, it is not bad." in shown
        assert "Print the whole answer again" in shown
    (reply,) = raw.replies
    first, second = reply.votes[0].calls
    assert first.prompt is not None
    assert second.prompt is not None
    assert [message.role for message in second.prompt][-2:] == ["assistant", "user"]
    assert reply.calls[0].prompt == (ih.Message("user", "the bakery closed"),)


def test_its_json_is_plain(run: ih.Run) -> None:
    document = json.loads(run.case("BAK-1", raw=True).to_json())
    (reply,) = document["replies"]
    assert reply["conversation"] == [{"role": "user", "content": "the bakery closed"}]
    assert [vote["judge"] for vote in reply["votes"]] == ["judge", "judge", "rules", "rules"]
    assert reply["votes"][0]["calls"][0]["answer"] == "Well, it is not bad."


def test_a_case_that_is_not_there_is_an_error_that_names_the_nearest(run: ih.Run) -> None:
    with pytest.raises(CommandError, match="Its cases are BAK-1, BAK-2"):
        run.case("BAK-11")


def test_texts_of_a_held_out_case_are_hashes_without_a_reason(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    front = "---\nid: HELD-1\ntitle: A secret title\nholdout: true\n---\n"
    text = f"{front}\n## input\n\na secret input\n\n## rubric\n\n- a secret rule\n"
    (folder / "HELD-1.md").write_text(text)
    judge: Any = ih.CallableModel(Judge(), name="judge", version="1")
    subject = ih.CallableModel(friend, name="friend", version="1")
    ih.load_suite(folder).seal("first seal")
    held = ih.run(folder, subject=subject, judge=judge, holdout_reason="release 1.2")
    hidden, shown = held.case("HELD-1", raw=True), held.case("HELD-1", raw=True, holdout_reason="we look at it")
    for output in (text_of(hidden), hidden.to_json(), hidden.to_html(), hidden.to_markdown()):
        for secret in ("secret", "how", "poor thing", "A note", "What would they want"):
            assert secret not in output.replace("so it is not shown", "")
        assert "sha256:" in output
    assert all(secret in text_of(shown) for secret in ("A secret title", "a secret rule", "poor thing", "A note."))
    with held.journal.core.reading() as connection:
        reasons = connection.execute("SELECT output, reason FROM disclosures").fetchall()
    assert ("case", "we look at it") in reasons


def test_a_failed_reply_says_why() -> None:
    def broken(messages: object) -> str:
        return ""

    run = ih.run(SUITE, subject=ih.CallableModel(broken, name="broken", version="1"))
    (reply,) = run.case("BAK-2").replies
    assert reply.text is None
    assert "There is no reply: no_reply" in text_of(run.case("BAK-2"))
