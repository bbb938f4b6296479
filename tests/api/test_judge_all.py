"""Judging many replies from Python."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from tests.builders import SEES_ALL, verdict_of

import iamhumans as ih

VALID = "Your feelings are completely valid."
ROWS = [
    {"input": "i can't sleep again", "reply": VALID, "subject": "stock"},
    {"input": "i can't sleep again", "reply": "Again? What is it this time?", "subject": "friend"},
]


def totals(run: ih.Run) -> list[int | None]:
    return [one.total for one in run.judgements]


def test_a_list_of_rows_becomes_a_run() -> None:
    run = ih.judge_all(ROWS)
    assert totals(run) == [0, None]
    assert (run.status, run.asked, run.judged) == ("finished", 2, 2)
    assert [one.subject for one in run] == ["stock", "friend"]


def test_a_data_frame_of_pandas_is_read() -> None:
    assert totals(ih.judge_all(pandas.DataFrame(ROWS))) == [0, None]


def test_a_data_frame_of_polars_is_read() -> None:
    assert totals(ih.judge_all(polars.DataFrame(ROWS))) == [0, None]


def test_missing_values_and_numbers_of_a_data_frame_mean_what_they_look_like() -> None:
    frame = pandas.DataFrame([{**ROWS[0], "id": 7}, {**ROWS[1], "id": None}])
    run = ih.judge_all(frame)
    assert [one.case_id for one in run] == ["7", "row-2"]


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert totals(ih.judge_all(path)) == [0, None]


def test_an_iterator_is_consumed_as_results_come() -> None:
    taken = 0

    def rows() -> Iterator[dict[str, str]]:
        nonlocal taken
        for row in ROWS * 1000:
            taken += 1
            yield row

    taken_at_first: list[int] = []
    ih.judge_all(rows(), on_judgement=lambda one: taken_at_first.append(taken))
    assert taken_at_first[0] < 1000
    assert taken == 2000


def test_an_iterator_gives_the_same_run_as_a_list(tmp_path: Path) -> None:
    journal = tmp_path / "runs.db"
    run = ih.judge_all(iter(ROWS), journal=journal)
    assert ih.judge_all(ROWS, journal=journal) == run
    assert len(run.journal.runs()) == 1


def test_bad_rows_are_listed_and_cost_nothing() -> None:
    run = ih.judge_all([{"text": "?"}, ROWS[0], "no row"])
    assert run.asked == 1
    assert [problem.row for problem in run.problems] == [1, 3]


def test_nothing_but_bad_rows_is_an_error() -> None:
    with pytest.raises(ih.InputError, match="The row has `text`"):
        ih.judge_all([{"text": "?"}])


def test_no_rows_are_an_error() -> None:
    with pytest.raises(ih.InputError, match="There is no reply in it"):
        ih.judge_all([])


def test_each_judgement_is_handed_over_as_it_comes() -> None:
    seen: list[ih.Judgement] = []
    run = ih.judge_all(ROWS, on_judgement=seen.append)
    assert sorted(seen, key=lambda one: one.row) == list(run.judgements)


def test_several_judges_are_a_panel_that_loses_none() -> None:
    def second(messages: list[dict[str, str]]) -> str:
        return verdict_of(case_id="row-1" if "row-1" in messages[1]["content"] else "row-2")

    run = ih.judge_all(ROWS, judge=[SEES_ALL, ih.CallableModel(second, name="second")])
    assert [(one.row, one.judge) for one in run] == [(1, "rules"), (1, "second"), (2, "rules"), (2, "second")]
    assert run.report().found.panel is not None


def test_judges_without_a_model_form_a_panel_without_a_journal_too() -> None:
    class Second:
        name, version, asks_model = "second", "1", False

        def next(self, task: ih.JudgeTask, history: Any) -> ih.Unjudged:
            return ih.Unjudged(ih.Reason.OUT_OF_SCOPE, "not mine")

    found = list(ih.judge_all(ROWS, judge=["rules", Second()]))
    assert [(one.row, one.judge) for one in found] == [(1, "rules"), (1, "second"), (2, "rules"), (2, "second")]


def test_a_run_read_back_equals_the_fresh_one(tmp_path: Path) -> None:
    run = ih.judge_all(ROWS, journal=tmp_path / "runs.db")
    with ih.open_journal(tmp_path / "runs.db", write=False) as journal:
        again = journal.run(run.name)
        assert again == run
        assert again.to_dict() == run.to_dict()


def test_a_function_without_a_version_is_asked_again_and_one_with_a_version_is_not(tmp_path: Path) -> None:
    calls = 0

    def count(messages: list[dict[str, str]]) -> str:
        nonlocal calls
        calls += 1
        return verdict_of(case_id="row-1")

    for _ in range(2):
        ih.judge_all(ROWS[:1], judge=ih.CallableModel(count), journal=tmp_path / "runs.db")
    assert calls == 2
    for _ in range(2):
        named = ih.CallableModel(count, name="counting", version="1")
        ih.judge_all(ROWS[:1], judge=named, journal=tmp_path / "runs.db")
    assert calls == 3


def test_cancelling_keeps_every_answer_that_came(tmp_path: Path) -> None:
    asked: list[str] = []

    async def slow(messages: list[dict[str, str]]) -> str:
        asked.append(messages[1]["content"])
        if len(asked) > 1:
            await asyncio.sleep(30)
        return verdict_of(case_id="row-1")

    judge = ih.CallableModel(slow, name="slow", version="1")

    async def main() -> None:
        task = asyncio.create_task(ih.ajudge_all(ROWS, judge=judge, journal=tmp_path / "runs.db", max_connections=1))
        while len(asked) < 2:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    with ih.open_journal(tmp_path / "runs.db", write=False) as journal:
        (run,) = journal.runs()
        assert run.status == "stopped"
        assert [one.judged for one in run] == [True]


def test_after_a_cancellation_the_same_call_waits_for_nothing(tmp_path: Path) -> None:
    started, asked = asyncio.Event(), 0

    async def slow(messages: list[dict[str, str]]) -> str:
        nonlocal asked
        asked += 1
        if not started.is_set():
            started.set()
            await asyncio.sleep(30)
        return verdict_of(case_id="row-1" if "row-1" in messages[1]["content"] else "row-2")

    judge = ih.CallableModel(slow, name="slow", version="1")

    async def main() -> None:
        task = asyncio.create_task(ih.ajudge_all(ROWS, judge=judge, journal=tmp_path / "runs.db"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(20):  # the jobs of a process that is gone are free after a minute only
            again = await ih.ajudge_all(ROWS, judge=judge, journal=tmp_path / "runs.db")
        assert again.judged == 2

    asyncio.run(main())


def test_a_stop_request_ends_the_work_and_the_same_call_resumes(tmp_path: Path) -> None:
    stop, asked = ih.StopRequest(), 0

    def judge(messages: list[dict[str, str]]) -> str:
        nonlocal asked
        asked += 1
        stop.stop()
        return verdict_of(case_id="row-1" if "row-1" in messages[1]["content"] else "row-2")

    named = ih.CallableModel(judge, name="judge", version="1")
    options: dict[str, Any] = {"judge": named, "journal": tmp_path / "runs.db", "max_connections": 1}
    run = ih.judge_all(ROWS, stop=stop, **options)
    assert (run.status, asked) == ("stopped", 1)
    assert run.stopped is not None
    assert [one.reason for one in run] == [None, "cancelled"]
    resumed = ih.judge_all(ROWS, **options)
    assert (resumed.status, asked, resumed.name) == ("finished", 2, run.name)


def test_progress_is_called_with_figures() -> None:
    seen: list[ih.Progress] = []
    ih.judge_all(ROWS, judge=lambda messages: "no verdict", progress=seen.append)
    assert seen[-1].ended == 2


def test_rows_are_ready_for_a_data_frame() -> None:
    frame = pandas.DataFrame(ih.judge_all(ROWS).to_rows())
    assert list(frame["total"].fillna(-1)) == [0, -1]


def test_nothing_is_printed_and_no_handler_or_loop_policy_changes(capfd: pytest.CaptureFixture[str]) -> None:
    import gc
    import signal

    before = signal.getsignal(signal.SIGINT), asyncio.get_event_loop_policy(), gc.get_threshold()
    ih.judge_all(ROWS, judge=lambda messages: "no verdict")
    after = signal.getsignal(signal.SIGINT), asyncio.get_event_loop_policy(), gc.get_threshold()
    assert before == after
    assert capfd.readouterr() == ("", "")


def test_a_run_shows_itself_in_a_notebook_without_running_foreign_markup() -> None:
    html = ih.judge_all([{"input": "hi there you", "reply": f"{VALID} <script>alert(1)</script>"}])._repr_html_()
    assert "<script>" not in html
    assert "empty_validation" in html


def test_cancelling_ends_judging_without_a_model_too(tmp_path: Path) -> None:
    taken = 0

    def rows() -> Iterator[dict[str, str]]:
        nonlocal taken
        while taken < 1_000_000:
            taken += 1
            yield {**ROWS[0], "id": str(taken)}

    async def cancelled() -> None:
        task = asyncio.create_task(ih.ajudge_all(rows(), journal=tmp_path / "runs.db"))
        while not taken:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert taken < 100_000
    with ih.open_journal(tmp_path / "runs.db") as journal:
        assert journal.run("last").status == "stopped"
