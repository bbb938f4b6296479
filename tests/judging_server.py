"""One model that is subject and judge at once, a place to work in, and the command line.

A request whose messages hold a check token is a judge's: it gets a verdict with the case id and the token that stand in
it. Any other is a subject's: it gets a reply that follows from the conversation. So everything that comes of a run
follows from what was asked, and two runs can be compared byte for byte.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.builders import verdict_of
from tests.servers import Behaviour, ChatServer, Received, refuse, say

from iamhumans.cli.main import main

KEY = "sk-loopback-7Hq2Zr9LwXc4"
"""The key that is set wherever a test sets one."""

_ID = re.compile(r"^ID: `([^`\n]+)`$", re.MULTILINE)
_TOKEN = re.compile(r"^Check token: `([^`\n]+)`$", re.MULTILINE)

Answering = Callable[["Question"], Behaviour]


@dataclass(frozen=True)
class Question:
    """What a judge is asked."""

    case_id: str
    token: str
    text: str
    """The message with the case and the reply."""
    again: bool
    """Whether it is the re-ask."""
    structured: bool
    """Whether the answer is held to a schema."""

    def verdict(self, *, yes: Mapping[str, Sequence[str]] | None = None, **changes: Any) -> str:
        """A verdict whose first axis follows from what is judged."""
        naturalness = 6 + _number(self.text.replace(self.token, "")) % 5
        said = {"case_id": self.case_id, "check": self.token, "yes": yes, **changes}
        return verdict_of(**{"axes": {"naturalness": naturalness}, **said})


def question_in(received: Received) -> Question | None:
    """The question of a judge; ``None`` where a subject is asked."""
    for message in received.messages:
        token = _TOKEN.search(message["content"])
        case_id = _ID.search(message["content"])
        if token and case_id and message["role"] == "user":
            again = sum(message["role"] == "assistant" for message in received.messages) > 0
            structured = "response_format" in received.body or "tools" in received.body
            return Question(case_id[1], token[1], message["content"], again, structured)
    return None


def judges_well(question: Question) -> Behaviour:
    """A verdict."""
    return say(question.verdict())


def judges_after_a_re_ask(question: Question) -> Behaviour:
    """Prose at first, and a verdict when asked again."""
    return judges_well(question) if question.again else say("It reads well, I would say.")


def never_judges(question: Question) -> Behaviour:
    """Prose, both times."""
    return say("It reads well, I would say.")


def refuses_to_judge(question: Question) -> Behaviour:
    """A refusal."""
    return say("I'm sorry, but I can't help with judging this message.")


def makes_up_a_token(question: Question) -> Behaviour:
    """A verdict with another check token."""
    return say(question.verdict(check="aaaaaaaaaa"))


def replies(received: Received) -> str:
    """What the subject says: it follows from all that it was sent."""
    said = json.dumps(received.messages, sort_keys=True)
    return f"Oh, that one. ({_number(said) % 9973})"


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6])


@dataclass
class Roles:
    """The script of a server that answers in both roles.

    Attributes:
        judges: How it judges.
        cases: How it judges particular cases.
        subject: How it replies.
        delay: Seconds that each answer takes.
    """

    judges: Answering = judges_well
    cases: Mapping[str, Answering] = field(default_factory=dict)
    subject: Callable[[Received], Behaviour] = lambda received: say(replies(received))
    delay: float = 0.0

    def __call__(self, received: Received) -> Behaviour:
        question = question_in(received)
        if question is None:
            behaviour = self.subject(received)
        else:
            behaviour = self.cases.get(question.case_id, self.judges)(question)
        return behaviour if not self.delay else _later(behaviour, self.delay)


def _later(behaviour: Behaviour, delay: float) -> Behaviour:
    return Behaviour(
        behaviour.kind,
        behaviour.delay + delay,
        behaviour.text,
        behaviour.status,
        behaviour.headers,
        behaviour.body,
        behaviour.changes,
    )


def first_refused(count: int, status: int = 429, retry_after: str | None = None) -> Callable[[Received], Behaviour]:
    """Refuse so many requests, whoever asks, and answer in both roles from then on."""
    roles, seen = Roles(), [0]

    def answer(received: Received) -> Behaviour:
        seen[0] += 1
        return refuse(status, "slow down", retry_after=retry_after) if seen[0] <= count else roles(received)

    return answer


def judge_requests(server: ChatServer) -> list[Received]:
    """What judges asked."""
    return [received for received in server.requests if question_in(received) is not None]


def subject_requests(server: ChatServer) -> list[Received]:
    """What subjects were asked."""
    return [received for received in server.requests if question_in(received) is None]


@dataclass(frozen=True)
class Printed:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document that it printed."""
        return json.loads(self.out)

    @property
    def judgements(self) -> list[dict[str, Any]]:
        """The judgements of the document."""
        return list(self.document["judgements"])


@dataclass(frozen=True)
class Bench:
    """A folder to work in, with the command line at hand."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def db(self) -> Path:
        """Its journal."""
        return self.folder / "journal.db"

    def write(self, name: str, text: str) -> Path:
        """A file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def case(self, case_id: str, *turns: str, suite: str = "suite", **front: str) -> Path:
        """A case file. Turns are the user's and the assistant's in turn; an empty one is answered live."""
        return self.write(f"{suite}/cases/{case_id}.md", case_file(case_id, *turns, **front))

    def suite(self, count: int, suite: str = "suite") -> None:
        """So many cases of one turn: ``C-001`` and so on."""
        for number in range(1, count + 1):
            self.case(f"C-{number:03}", f"the bakery on corner {number} closed today", suite=suite)

    def models(self, url: str, *lines: str, name: str = "loop", mode: str = "a") -> None:
        """A table of the config for a server."""
        text = "\n".join([f"[models.{name}]", f'base_url = "{url}"', 'model = "tiny"', *lines, ""])
        with (self.folder / "iamhumans.toml").open(mode, encoding="utf-8") as file:
            file.write(text)

    def begin(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
        """A command as a process of its own."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        return subprocess.Popen(self._line(*arguments), cwd=self.folder, env=self._environ(), text=True, **options)

    def run(self, *arguments: str | Path) -> Printed:
        """A command, to its end, by the program's own entry, in this process."""
        out, err = io.StringIO(), io.StringIO()
        argv, environ, folder = sys.argv, dict(os.environ), Path.cwd()
        try:
            sys.argv = self._line(*arguments)[2:]
            os.environ.clear()
            os.environ.update(self._environ())
            os.chdir(self.folder)
            with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
                main()
        finally:
            sys.argv = argv
            os.environ.clear()
            os.environ.update(environ)
            os.chdir(folder)
        code = ended.value.code
        return Printed(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())

    def process(self, *arguments: str | Path, timeout: float = 60) -> Printed:
        """A command, to its end, as a process of its own."""
        process = self.begin(*arguments)
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
        return Printed(process.returncode, out, err)

    def killed(self, seconds: float, *arguments: str | Path, by: int = signal.SIGKILL) -> Printed:
        """A command that gets a signal after a while, unless it ended before."""
        process = self.begin(*arguments)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(by)
            out, err = process.communicate(timeout=60)
        return Printed(process.returncode, out, err)

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the journal."""
        connection = sqlite3.connect(self.db)
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def bytes_of_the_journal(self) -> bytes:
        """All that the journal's files hold."""
        return b"".join(path.read_bytes() for path in sorted(self.folder.glob("journal.db*")))

    def _line(self, *arguments: str | Path) -> list[str]:
        line = [sys.executable, "-m", "iamhumans", *map(str, arguments)]
        return line if "--db" in line else [*line, "--db", str(self.db)]

    def _environ(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
        return {**kept, "XDG_CONFIG_HOME": str(self.folder / "config"), **self.environ}


def case_file(case_id: str, *turns: str, title: str = "The bakery", notes: str = "", **front: str) -> str:
    """The text of a case file."""
    head = [f"id: {case_id}", f"title: {title}", *(f"{key}: {value}" for key, value in front.items())]
    if len(turns) == 1:
        body = f"## input\n\n{turns[0]}\n"
    else:
        speakers = ["user" if index % 2 == 0 else "assistant" for index in range(len(turns))]
        body = "## conversation\n\n" + "\n".join(
            f"### {speaker}\n\n{text}\n" for speaker, text in zip(speakers, turns, strict=True)
        )
    parts = ["## rubric\n\n- Stays with the bakery\n", "## failure_modes\n\n- Recommends another\n"]
    if notes:
        parts.append(f"## notes\n\n{notes}\n")
    return "\n".join(["---", *head, "---", "", body, *parts])
