"""Export and import: a run goes to another journal and back without a change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT, SEED, case, verdict_of

import iamhumans as ih
from iamhumans.cases import Suite
from iamhumans.errors import CommandError, InputError
from iamhumans.runs.journal.entries import answers_of

HELD_OUT = ih.Case("HELD-1", case().conversation, title="A secret title", holdout=True, rubric=("Stays",))
LIVE = ih.Case("LIVE-1", case("hello", "", "and now?").conversation)
SUITE = Suite("mine", Path(), (case(case_id="A-1"), LIVE))


def friend(messages: list[dict[str, str]]) -> str:
    text = messages[-1]["content"]
    if "Check token" not in text:
        return f"I know how you feel: {len(messages)} 🥖\n\u2028oh"
    token, name = (text.split(f"{label}: `")[1].split("`")[0] for label in ("Check token", "ID"))
    return verdict_of(case_id=name, check=token, yes={"pity": ["how you feel"]}, notes="A «note».")


def broken(messages: list[dict[str, str]]) -> str:
    return ""


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[ih.open_journal]:  # type: ignore[valid-type]
    with ih.open_journal(tmp_path / "a.db") as journal:
        yield journal


def drawn(journal: Any) -> ih.Run:
    """Judgements, a reply that failed, live turns, a skill, a persona, and two judges."""
    judges: list[Any] = [ih.CallableModel(friend, name="judge", version="1"), "rules"]
    subjects: list[Any] = [ih.CallableModel(one, version="1") for one in (friend, broken)]
    skill = ih.Skill("Be warm.", "warm")
    return ih.run(SUITE, subject=subjects, skill=skill, judge=judges, persona="Ada, a baker.", journal=journal)


def exported(journal: Any, run: ih.Run, path: Path, **options: Any) -> bytes:
    journal.export(run, path, **options)
    return path.read_bytes()


@pytest.mark.parametrize("texts", [True, False])
def test_a_round_trip_is_the_same_to_the_byte(journal: Any, tmp_path: Path, texts: bool) -> None:
    run = drawn(journal)
    first = exported(journal, run, tmp_path / "1.jsonl", texts=texts)
    assert first.count(b"\n") == 1 + run.asked == 9
    for number in (2, 3):
        with ih.open_journal(tmp_path / f"{number}.db") as other:
            there = other.import_(tmp_path / f"{number - 1}.jsonl")
            assert exported(other, there, tmp_path / f"{number}.jsonl", texts=texts) == first
            assert there.imported
            # A second import changes nothing.
            assert other.import_(tmp_path / "1.jsonl").name == there.name == run.name
            assert len(other.runs()) == 1
            if texts:
                assert list(there) == list(run)
                assert [reply.text for reply in there.replies()] == [reply.text for reply in run.replies()]


def test_an_import_beside_results_of_the_same_keys_keeps_them_and_its_texts(journal: Any, tmp_path: Path) -> None:
    run = drawn(journal)
    before = list(run)
    exported(journal, run, tmp_path / "1.jsonl", texts=False)
    with ih.open_journal(tmp_path / "b.db") as other:
        own = drawn(other)
        assert [one.total for one in own] == [one.total for one in before]
        other.delete(own)
        there = other.import_(tmp_path / "1.jsonl")
        assert there.judged == run.judged


def test_held_out_texts_are_hashes_without_a_reason(journal: Any, tmp_path: Path) -> None:
    reply = "I know how you feel, poor thing."
    with ih.open_journal(tmp_path / "h.db") as journal:
        from iamhumans.cases import Reply
        from iamhumans.judges import open_judge
        from iamhumans.runs.engine import work_directly
        from iamhumans.runs.plan import Judging, Planner, Seat
        from iamhumans.subjects import ReplyRow

        core = journal.core
        judging = Judging(SEED, (Seat(open_judge("rules")),))
        record = core.begin_run({"suite": {"name": "mine"}, **judging.described()}, asked=1)
        rows = [ReplyRow(1, HELD_OUT, Reply("HELD-1", reply, "s"))]
        list(work_directly(core, Planner(core.secret, judging, run=record.id).for_replies(rows)))
        core.end_run(record, asked=1)
        run = journal.run()
        hidden = exported(journal, run, tmp_path / "hidden.jsonl").decode()
        shown = exported(journal, run, tmp_path / "shown.jsonl", holdout_reason="we publish the case").decode()
    for text in (reply, "how you feel", HELD_OUT.title, HELD_OUT.conversation[0].text, "Stays"):
        assert text in shown
        assert text not in hidden
    line = json.loads(hidden.splitlines()[1])
    assert line["reply"].startswith("sha256:")
    with ih.open_journal(tmp_path / "i.db") as other:
        again = exported(other, other.import_(tmp_path / "hidden.jsonl"), tmp_path / "again.jsonl").decode()
    assert again == hidden


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: ["garbage"],
        lambda lines: [],
        lambda lines: [{**lines[0], "iamhumans_run": 99}, *lines[1:]],
        lambda lines: [{"iamhumans_run": 1}, *lines[1:]],
        lambda lines: [{**lines[0], "texts": [{"kind": 1}]}, *lines[1:]],
        lambda lines: [{**lines[0], "plan": []}, *lines[1:]],
        lambda lines: [{**lines[0], "status": "great"}, *lines[1:]],
        lambda lines: [*lines[:-1], "garbage"],
        lambda lines: [*lines[:-1], {}],
        lambda lines: [*lines[:-1], {**lines[-1], "status": "unjudged", "reason": "because"}],
        lambda lines: [lines[0], {**lines[1], "axes": 3}],
        lambda lines: [lines[0], {**lines[1], "total": "many"}],
        lambda lines: [lines[0], {**lines[1], "axes": {"naturalness": "ten"}}],
        lambda lines: [
            lines[0],
            {**lines[1], "hard_fails": {"pity": {"present": "maybe", "quotes": [], "confirmed": None}}},
        ],
        lambda lines: [lines[0], {**lines[1], "status": "great"}],
        lambda lines: [*lines[:-1], {**lines[-1], "key": None}],
        lambda lines: [*lines[:-1], {**lines[-1], "conversation": [3]}],
        lambda lines: [*lines[:-1], {**lines[-1], "number": 1e400}],
        lambda lines: [*lines[:-1], {**lines[-1], "number": 10**30}],
    ],
)
def test_garbage_is_refused_and_leaves_nothing_behind(journal: Any, tmp_path: Path, spoil: Any) -> None:
    path = tmp_path / "1.jsonl"
    exported(journal, drawn(journal), path)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in spoil(_lines(path))]
    path.write_text("\n".join(lines) + "\n")
    with ih.open_journal(tmp_path / "b.db") as other:
        with pytest.raises(InputError, match=r"1\.jsonl:\d"):
            other.import_(path)
        with other.core.reading() as connection:
            for table in ("runs", "replies", "judgements", "texts", "run_rows"):
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_an_export_replaces_a_file_and_follows_no_link(journal: Any, tmp_path: Path) -> None:
    run = drawn(journal)
    (tmp_path / "theirs").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    exported(journal, run, tmp_path / "link")
    assert (tmp_path / "theirs").read_text() == "mine"
    with pytest.raises(CommandError, match="cannot be written"):
        journal.export(run, tmp_path / "no" / "x.jsonl")


@FEW
@given(
    replies=st.lists(HOSTILE_TEXT.map(lambda text: f"{text}x"), min_size=1, max_size=3),
    said=HOSTILE_TEXT,
    notes=HOSTILE_TEXT,
)
def test_any_texts_make_the_round_trip_to_the_byte(replies: list[str], said: str, notes: str) -> None:
    def judge(messages: list[dict[str, str]]) -> str:
        text = messages[-1]["content"]
        token, name = (text.split(f"{label}: `")[1].split("`")[0] for label in ("Check token", "ID"))
        return verdict_of(case_id=name, check=token, yes={"pity": [said]}, notes=notes)

    rows = [{"input": said or "x", "reply": reply} for reply in replies]
    with TemporaryDirectory() as folder, ih.open_journal(Path(folder, "a.db")) as journal:
        model = ih.CallableModel(judge, name="judge", version="1")
        run = ih.judge_all(rows, judge=[model, "rules"], journal=journal)
        first = exported(journal, run, Path(folder, "1.jsonl"))
        with ih.open_journal(Path(folder, "b.db")) as other:
            there = other.import_(Path(folder, "1.jsonl"))
            assert exported(other, there, Path(folder, "2.jsonl")) == first
            assert [(one, one.reply, one.conversation) for one in there] == [
                (one, one.reply, one.conversation) for one in run
            ]


def test_calls_and_their_cost_come_along_and_are_not_used_to_resume(journal: Any, tmp_path: Path) -> None:
    run = drawn(journal)
    exported(journal, run, tmp_path / "1.jsonl")
    with ih.open_journal(tmp_path / "b.db") as other:
        there = other.import_(tmp_path / "1.jsonl")
        assert there.figures.paid == run.figures.paid
        assert there.report().found.spent == run.report().found.spent
        with other.core.reading() as connection:
            ((key,),) = connection.execute("SELECT job FROM attempts WHERE answer IS NOT NULL LIMIT 1").fetchall()
            assert answers_of(connection, key, imported=True)
            assert not answers_of(connection, key)


def test_without_texts_no_word_is_written(journal: Any, tmp_path: Path) -> None:
    text = exported(journal, drawn(journal), tmp_path / "1.jsonl", texts=False).decode()
    for word in ("how you feel", "«note»", "Be warm.", "Ada, a baker.", "hello"):
        assert word not in text
