"""A server that chooses between two replies, and two runs for it to choose from."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing

from tests.judging_server import Bench, Question, question_in
from tests.servers import Behaviour, Received, say

WARM, STIFF = "Oh no. The one with the poppy rolls?", "That must be a difficult moment."
_REPLY = re.compile(r"# The (first|second) reply\n\n(?:.*\n)*?> (.*)")


def shown(question: Question) -> tuple[str, str]:
    """Both replies, as they were shown."""
    found: dict[str, str] = dict(_REPLY.findall(question.text))
    return found["first"], found["second"]


def answer(question: Question, choice: str) -> Behaviour:
    """An answer in the form that is asked for."""
    said = {
        "case_id": question.case_id,
        "check": question.token,
        "first_quote": shown(question)[0],
        "second_quote": shown(question)[1],
        "choice": choice,
        "reason": "It asks.",
    }
    return say(json.dumps(said))


def prefers_warm(question: Question) -> Behaviour:
    """The warm reply, whichever place it has."""
    first, second = shown(question)
    return answer(question, "first" if "poppy" in first else "second" if "poppy" in second else "neither")


def prefers_the_first(question: Question) -> Behaviour:
    """The first, whatever it is."""
    return answer(question, "first")


def chooser(choose: Callable[[Question], Behaviour]) -> Callable[[Received], Behaviour]:
    """The script of a server."""

    def script(received: Received) -> Behaviour:
        question = question_in(received)
        assert question is not None
        return choose(question)

    return script


def judged(bench: Bench, text: str, *options: str, cases: int = 4, numbers: Sequence[int] = (1,)) -> str:
    """A run of these replies by rules; its name."""
    rows = [
        {"case_id": f"C-{n:03}", "reply": f"{text} {n}.{k}", "subject": "s", "number": k}
        for n in range(1, cases + 1)
        for k in numbers
    ]
    bench.write("replies.jsonl", "\n".join(map(json.dumps, rows)))
    printed = bench.run("judge", "replies.jsonl", "--suite", "suite", *options)
    assert printed.code == 0, printed.err
    return str(bench.sql("SELECT name FROM runs ORDER BY id DESC")[0][0])


def hold_out(bench: Bench) -> None:
    """Make every case in the journal a held-out one."""
    with closing(sqlite3.connect(bench.db)) as connection, connection:
        connection.execute("UPDATE texts SET text = json_set(text, '$.holdout', json('true')) WHERE kind = 'case'")
