"""What the engine and the journal cost, beside a bare aiohttp loop that does only the calls.

    python -m benchmarks.engine            # about two minutes
    python -m benchmarks.engine --quick    # about 25 s, without the largest

Every figure is of a process of its own, against one loopback server that answers after 200 ms. The engine asks through
the real adapter; the answers are verdicts, read and scored, and everything is in a journal. A span is the time from
the first request to the last answer, as the server saw it, divided by the ideal: calls / connections * 200 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.loopback import DELAY, VERDICT, loopback

REPLY = "I want to acknowledge how hard this is. You kept the message for two years without playing it.\n\n" * 4


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one process. The span is measured by the server."""

    calls: int
    connections: int
    cpu: float
    """Seconds of processor time, imports included."""
    memory: float
    """Megabytes at the peak."""
    span: float = 0.0

    @property
    def ratio(self) -> float:
        return self.span / (self.calls / self.connections * DELAY)


async def bare(port: int, calls: int, connections: int) -> None:
    """Only the calls, with a body as long as the engine's."""
    import aiohttp

    text = {"role": "user", "content": "y" * 1500}
    body = json.dumps({"model": "bench", "messages": [{"role": "system", "content": "x" * 7000}, text]}).encode()
    numbers = iter(range(calls))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=connections)) as session:

        async def work() -> None:
            for _ in numbers:
                url = f"http://127.0.0.1:{port}/v1/chat/completions"
                async with session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
                    json.loads(await response.read())

        await asyncio.gather(*(work() for _ in range(connections)))


def engine(port: int, calls: int, connections: int) -> None:
    """The whole way, as the commands go it: prompt, call, journal, verdict, score, journal."""
    from iamhumans.cases import Case, Reply, Turn
    from iamhumans.judges import JudgeTask, LlmJudge
    from iamhumans.models import open_model, read_config
    from iamhumans.prompts import prompt_hash
    from iamhumans.rubrics import load_rubric
    from iamhumans.runs import (
        Budget,
        Ended,
        Job,
        Journal,
        Judged,
        JudgementEntry,
        Replied,
        ReplyEntry,
        Settings,
        Text,
        check_token,
        content_hash,
        given_reply_key,
        judgement_job,
        judgement_key,
        model_settings,
    )
    from iamhumans.runs.drive import Watch, drive

    rubric, judge = load_rubric("iamhumans"), LlmJudge("bench")
    prompt = prompt_hash(rubric)
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "iamhumans.toml")
        config.write_text(
            f'[models.bench]\nbase_url = "http://127.0.0.1:{port}/v1"\nmodel = "bench"\nstructured = "json_schema"\n'
        )
        model = open_model("bench", read_config(config), environ={})
        settings = model_settings(model.identity)
        with Journal.open(Path(folder, "journal.db")) as journal:
            secret = journal.secret
            run = journal.begin_run({"benchmark": calls})

            def jobs() -> Iterator[Job[Judged]]:
                for row in range(calls):
                    case = Case(f"BEN-{row}", (Turn("user", "i found a voicemail from my dad, he died in may"),))
                    reply = given_reply_key(subject="", case_hash=case.hash, number=1, text=REPLY)
                    key = judgement_key(
                        rubric_hash=rubric.hash,
                        prompt_hash=prompt,
                        persona_hash=None,
                        case_hash=case.hash,
                        reply_hash=content_hash(REPLY),
                        judge="bench",
                        settings=settings,
                        repeat=1,
                    )
                    text = Text(
                        "case", case.hash, json.dumps([[turn.speaker, turn.text] for turn in case.conversation])
                    )
                    given = ReplyEntry(reply, case.id, "", 1, case.hash, texts=(text,)), Replied(REPLY)
                    entry = JudgementEntry(key, reply, "bench", 1, rubric.hash, prompt, None, run.id, row, given)
                    task = JudgeTask(rubric, case, Reply(case.id, REPLY), token=check_token(secret, key))
                    yield judgement_job(judge, task, entry, model=model)

            judged = 0

            def count(ended: Ended[Any]) -> None:
                nonlocal judged
                judged += isinstance(ended.outcome, Judged)

            settings_ = Settings(max_connections=connections)
            drive(journal, run, jobs(), [model], settings=settings_, budget=Budget(), watch=Watch(on_ended=count))
            assert judged == calls, f"{judged} of {calls} judged"
            assert journal.end_run(run, asked=calls).status == "finished"


def fill(path: Path, rows: int) -> None:
    """A journal with one run of so many verdicts, each with its call."""
    from iamhumans.rubrics import load_rubric
    from iamhumans.runs import Attempt, Journal, Judged, JudgementEntry, Replied, ReplyEntry, Text
    from iamhumans.runs.journal.attempts import keep_attempt
    from iamhumans.runs.keys import content_hash
    from iamhumans.verdicts import Asked, Verdict, read_verdict, score_verdict

    rubric = load_rubric("iamhumans")
    judged = []
    for score in range(11):
        text = VERDICT.format(case_id="BEN-1", check="aaaaaaaaaa", score=score)
        verdict = read_verdict(text, rubric, Asked("BEN-1", "aaaaaaaaaa", REPLY, single_turn=True))
        assert isinstance(verdict, Verdict)
        judged.append(Judged(verdict, score_verdict(verdict, rubric, Asked(reply=REPLY, single_turn=True))))
    answer = VERDICT.format(case_id="BEN-1", check="aaaaaaaaaa", score=1)
    plan = {"rubric": {"name": rubric.name, "hash": rubric.hash}, "judges": [{"name": "bench", "settings": {}}]}
    with Journal.open(path) as journal:
        journal.keep_texts([Text("rubric", rubric.hash, rubric.model_dump_json(by_alias=True))])
        run = journal.begin_run({**plan, "repeats": 1, "prompt": None}, asked=rows)

        def outcomes() -> Iterator[tuple[Any, Any]]:
            for row in range(rows):
                key, reply = content_hash(f"judgement {row}"), content_hash(f"reply {row}")
                given = ReplyEntry(reply, f"BEN-{row}", "subject", 1, ""), Replied(REPLY)
                yield JudgementEntry(key, reply, "bench", 1, "", None, None, run.id, row, given), judged[row % 11]

        journal.keep(outcomes())
        with journal.transaction() as connection:
            for row in range(rows):
                keep_attempt(
                    connection,
                    Attempt(
                        job=content_hash(f"judgement {row}"),
                        run=run.id,
                        step=0,
                        number=1,
                        request="0" * 32,
                        provider="bench",
                        model="bench",
                        started="2026-01-01T00:00:00.000Z",
                        milliseconds=200,
                        prompt_tokens=2000,
                        completion_tokens=320,
                        finish_reason="stop",
                        answer=answer,
                    ),
                )
        journal.end_run(run, asked=rows)


def command_on(path: Path, *arguments: str) -> tuple[float, float]:
    """Seconds and megabytes at the peak of one command on a journal, in a process of its own."""
    start = perf_counter()
    command = [sys.executable, "-m", "benchmarks.engine", "--command", *arguments, "last", "--db", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=as_installed())
    return perf_counter() - start, float(done.stderr.split()[-1])


def run_command(arguments: list[str]) -> None:
    """As ``iamhumans ARGUMENTS``, and then the memory that it took."""
    from iamhumans.cli.main import main

    sys.argv = ["iamhumans", *arguments]
    try:
        main()
    finally:
        print(peak_memory(), file=sys.stderr)


def peak_memory() -> float:
    """Megabytes. Of /proc where there is one: what getrusage says starts with the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(kind: str, port: int, calls: int, connections: int) -> None:
    if kind == "bare":
        asyncio.run(bare(port, calls, connections))
    else:
        engine(port, calls, connections)
    print(json.dumps(asdict(Figures(calls, connections, process_time(), peak_memory()))))


def as_installed() -> dict[str, str]:
    """An environment in which modules are compiled once, as those of an installed package are."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir(), "iamhumans-benchmark-bytecode"))} | environment


def measured(kind: str, port: int, calls: int, connections: int) -> Figures:
    command = [sys.executable, "-m", "benchmarks.engine", "--child", kind, str(port), str(calls), str(connections)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=as_installed())
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as response:
        seen = json.load(response)
    assert seen["requests"] == calls, seen
    return Figures(**{**json.loads(done.stdout), "span": seen["span"]})


def compare(port: int, calls: int, connections: int, target: str) -> tuple[Figures, Figures]:
    alone, ours = (measured(kind, port, calls, connections) for kind in ("bare", "engine"))
    cpu = [figures.cpu / calls * 1e3 for figures in (alone, ours)]
    print(f"\n{f'{calls} judgements, {connections} at a time':<40}bare loop   engine   target")
    print(f"  {'span / ideal':<38}{alone.ratio:>9.2f}{ours.ratio:>9.2f}   {target}")
    print(f"  {'CPU a call, whole process, ms':<38}{cpu[0]:>9.2f}{cpu[1]:>9.2f}   2.5 at 1000")
    print(f"  {'peak memory, MB':<38}{alone.memory:>9.0f}{ours.memory:>9.0f}   100, flat")
    return alone, ours


def large(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal.db")
        fill(path, rows)
        size = path.stat().st_size / 1e6
        command_on(path, "runs", "show")  # so that everything is compiled
        shown, _ = command_on(path, "runs", "show")
        reported, memory = command_on(path, "report")
    print(f"\na journal of {rows:,} verdicts ({size:.0f} MB)                   target")
    print(f"  `runs show`, s                          {shown:>9.2f}   1")
    print(f"  `report`, s                             {reported:>9.2f}   3")
    print(f"  peak memory of `report`, MB             {memory:>9.0f}   300")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], *(int(value) for value in options.child[1:]))
    elif options.command:
        run_command(options.command)
    else:
        everything(quick=options.quick)


def everything(*, quick: bool) -> None:
    with loopback() as port:
        measured("engine", port, 10, 10)  # so that everything is compiled
        few = compare(port, 1000, 50, "1.15")
        wide = compare(port, 2000, 200, "1.4")
        if quick:
            return
        many = compare(port, 4000, 50, "")
        widest = compare(port, 8000, 200, "")
    print("\nmarginal CPU a call, ms                  bare loop   engine   target")
    for title, small, big in (
        ("from 1000 to 4000, 50 at a time", few, many),
        ("from 2000 to 8000, 200 at a time", wide, widest),
    ):
        bare_, ours = (
            (more.cpu - less.cpu) / (more.calls - less.calls) * 1e3 for less, more in zip(small, big, strict=True)
        )
        print(f"  {title:<38}{bare_:>9.2f}{ours:>9.2f}   1.2")
    large(100_000)


if __name__ == "__main__":
    main()
