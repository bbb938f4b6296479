"""The journal: everything that was paid for, and what came of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from iamhumans.errors import CommandError
from iamhumans.runs.journal.attempts import Attempt, attempts_of
from iamhumans.runs.journal.database import connect, open_database
from iamhumans.runs.journal.entries import Entry, Judged, Text, execute_all, now
from iamhumans.runs.journal.errors import explaining
from iamhumans.runs.journal.figures import FigureRow, figure_rows_of
from iamhumans.runs.journal.location import prepare
from iamhumans.runs.journal.records import (
    JudgementRecord,
    Run,
    RunStatus,
    RunSummary,
    row_of,
    rows_of,
    run_where,
    runs_in,
    summary_of,
)
from iamhumans.runs.journal.writer import Writer
from iamhumans.runs.keys import canonical_json
from iamhumans.verdicts import Judgement, judgement_of

O = TypeVar("O")  # noqa: E741 - the outcome

NEWEST = "last"
"""What stands for the newest run; no name of a run has an `l` in it."""

_NAME_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""No letter that is taken for another."""
_NAME_LENGTH = 7
_NEW_RUN = """
INSERT INTO runs (name, plan_hash, plan, salt, status, asked, created) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_COUNT_FINAL = """
SELECT count(*) FROM run_rows JOIN judgements ON judgements.id = judgement WHERE run = ? AND final = 1
"""
_TITLES = """
SELECT DISTINCT case_id, json_extract(texts.text, '$.title')
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply
JOIN texts ON texts.id = case_text
WHERE run = ? AND json_extract(texts.text, '$.title') <> ''
"""
_CASES = """
SELECT DISTINCT case_id, texts.text
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply
JOIN texts ON texts.id = case_text
WHERE run = ?
"""
_SHARED = """
SELECT 1 FROM run_rows a JOIN judgements x ON x.id = a.judgement
JOIN judgements y ON y.reply = x.reply JOIN run_rows b ON b.judgement = y.id
WHERE a.run = ? AND b.run = ? LIMIT 1
"""
_DELETIONS = (
    # Only what this run used, and only where nothing else uses it: replies drawn by `reply` belong to no run at all.
    "CREATE TEMP TABLE gone AS SELECT DISTINCT judgement AS id FROM run_rows WHERE run = ?",
    "DELETE FROM run_rows WHERE run = ?",
    "DELETE FROM runs WHERE id = ?",
    "DELETE FROM gone WHERE id IN (SELECT judgement FROM run_rows)",
    "CREATE TEMP TABLE left AS SELECT DISTINCT reply AS id FROM judgements WHERE id IN (SELECT id FROM gone)",
    "DELETE FROM attempts WHERE job IN (SELECT key FROM judgements WHERE id IN (SELECT id FROM gone))",
    "DELETE FROM judgements WHERE id IN (SELECT id FROM gone)",
    "DELETE FROM left WHERE id IN (SELECT reply FROM judgements)",
    # What people said of a reply cannot be bought again.
    "DELETE FROM left WHERE id IN (SELECT reply FROM labels)",
    "DELETE FROM attempts WHERE job IN (SELECT key FROM replies WHERE id IN (SELECT id FROM left))",
    "DELETE FROM attempts WHERE job IN (SELECT key FROM preferences"
    " WHERE first_reply IN (SELECT id FROM left) OR second_reply IN (SELECT id FROM left))",
    "DELETE FROM replies WHERE id IN (SELECT id FROM left)",
    "DROP TABLE gone",
    "DROP TABLE left",
)


class Journal:
    """An open journal. Use it as a context manager, in the thread that opened it.

    The engine writes through :meth:`writer`, which has a thread and a connection of its own; the methods here are for
    what comes before and after.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, patience: float) -> None:
        self.path = path
        self._connection = connection
        self._patience = patience

    @classmethod
    def open(cls, path: Path, *, patience: float = 30.0) -> Self:
        """Open a journal, or make one.

        Args:
            path: What :func:`find_journal` found.
            patience: Seconds to wait for other programs' locks.

        Raises:
            JournalRefusedError: It is no journal, of a newer version, another user's, or git tracks it.
            JournalError: It is damaged, locked for long, or cannot be made or written.
        """
        prepare(path)
        return cls(path, open_database(path, patience=patience), patience)

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def secret(self) -> bytes:
        """The secret that check tokens are made with; random, made once, and never leaves the machine."""
        with self._reading() as connection:
            return bytes.fromhex(connection.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0])

    def begin_run(self, plan: Mapping[str, Any], *, asked: int | None = None, fresh: bool = False) -> Run:
        """The run for a plan: the newest one that was begun with the same plan, or a new one.

        A run that comes back as finished is only to be printed; any other is to be gone on with.

        Args:
            plan: All that makes two commands the same run, as JSON can hold it; shown to whoever asks about the run.
            asked: How many rows it will have, if that is known.
            fresh: Make a new one in any case, which shares no results with earlier ones.
        """
        text = canonical_json(dict(plan))
        plan_hash = hashlib.sha256(text.encode()).hexdigest()
        with self.transaction() as connection:
            found = None if fresh else run_where(connection, "plan_hash", plan_hash)
            if found is None:
                salt = secrets.token_hex(8) if fresh else ""
                name = _name_of(f"{plan_hash}{salt}", connection)
                values = (name, plan_hash, text, salt, RunStatus.RUNNING.value, asked, now())
                connection.execute(_NEW_RUN, values)
                return _existing(run_where(connection, "name", name))
            if found.status is not RunStatus.FINISHED:
                connection.execute("UPDATE runs SET status = 'running', ended = NULL WHERE id = ?", (found.id,))
            return _existing(run_where(connection, "id", found.id))

    def end_run(self, run: Run, *, asked: int, stopped: bool = False) -> Run:
        """Note that work on a run ended.

        Args:
            run: The run.
            asked: How many rows it has.
            stopped: Whether the user or the budget ended it early.

        Returns:
            The run, finished if every row stands, and otherwise stopped or incomplete.
        """
        with self.transaction() as connection:
            final = connection.execute(_COUNT_FINAL, (run.id,)).fetchone()[0]
            status = RunStatus.STOPPED if stopped else RunStatus.INCOMPLETE
            if final >= asked:
                status = RunStatus.FINISHED
            connection.execute(
                "UPDATE runs SET status = ?, asked = ?, ended = ? WHERE id = ?", (status.value, asked, now(), run.id)
            )
            return _existing(run_where(connection, "id", run.id))

    def runs(self) -> list[Run]:
        """All runs, the newest first."""
        with self._reading() as connection:
            return list(runs_in(connection))

    def run(self, name: str) -> Run:
        """A run by its name, or by a beginning of it that no other has, or the newest by ``last``.

        Raises:
            CommandError: There is none, or several.
        """
        runs = self.runs()
        if name == NEWEST:
            if not runs:
                raise CommandError("There is no run yet.", fix="`iamhumans run` makes one.")
            return runs[0]
        found = [run for run in runs if run.name == name] or [run for run in runs if name and run.name.startswith(name)]
        if len(found) == 1:
            return found[0]
        problem = f"There is no run `{name}` in {self.path}." if not found else f"Several runs begin with `{name}`."
        raise CommandError(problem, fix="`iamhumans runs list` shows them all.")

    def summary(self, run: Run) -> RunSummary:
        """The figures of a run; 100,000 rows take a fraction of a second."""
        with self._reading() as connection:
            return summary_of(connection, run)

    def rows(self, run: Run) -> Iterator[JudgementRecord]:
        """The rows of a run in the order of the input, streamed over a connection of their own."""
        with explaining(self.path), contextlib.closing(connect(self.path, patience=self._patience)) as connection:
            yield from rows_of(connection, run)

    def judgements(self, run: Run) -> Iterator[Judgement]:
        """The judgements of a run in the order of the input, streamed. ``row`` counts replies, from 1."""
        judgements = max(1, len(run.plan.get("judges", ()))) * int(run.plan.get("repeats", 1))
        titles = self.titles(run)
        for record in self.rows(run):
            outcome = record.outcome
            said, score = (outcome.verdict, outcome.score) if isinstance(outcome, Judged) else (outcome, None)
            yield judgement_of(
                said,
                score,
                row=(record.row - 1) // judgements + 1,
                case_id=record.case_id,
                subject=record.subject,
                number=record.number,
                judge=record.judge,
                repeat=record.repeat,
                title=titles.get(record.case_id, ""),
                reply_key=record.reply_key,
            )

    def row(self, run: Run, number: int) -> JudgementRecord:
        """One row of a run, which must be there."""
        with self._reading() as connection:
            return row_of(connection, run, number)

    def figure_rows(self, run: Run) -> Iterator[FigureRow]:
        """What figures need of the rows of a run; several times as fast as :meth:`rows`."""
        with explaining(self.path), contextlib.closing(connect(self.path, patience=self._patience)) as connection:
            yield from figure_rows_of(connection, run)

    def text(self, kind: str, text_hash: str) -> str | None:
        """A text that results refer to, where the journal holds it."""
        with self._reading() as connection:
            sql = "SELECT text FROM texts WHERE kind = ? AND hash = ?"
            found = connection.execute(sql, (kind, text_hash)).fetchone()
            return None if found is None else str(found[0])

    def titles(self, run: Run) -> dict[str, str]:
        """The title of each case of a run that has one."""
        with self._reading() as connection:
            return dict(connection.execute(_TITLES, (run.id,)))

    def cases(self, run: Run) -> dict[str, dict[str, Any]]:
        """What is known of each case of a run: title, dimensions, conversation, as it was when it was judged."""
        with self._reading() as connection:
            return {case_id: json.loads(text) for case_id, text in connection.execute(_CASES, (run.id,))}

    def share_anything(self, one: Run, other: Run) -> bool:
        """Whether two runs have a reply or a judgement in common."""
        with self._reading() as connection:
            return connection.execute(_SHARED, (one.id, other.id)).fetchone() is not None

    def attempts(self, key: str) -> list[Attempt]:
        """Every call that was made for a reply or a judgement, with the raw answers."""
        with self._reading() as connection:
            return list(attempts_of(connection, key))

    def delete_run(self, run: Run) -> None:
        """Delete a run, and whatever no other run refers to."""
        with self.transaction() as connection:
            for statement in _DELETIONS:
                connection.execute(statement, (run.id,) if "?" in statement else ())

    def find(self, entry: Entry[O]) -> object | None:
        """The outcome of a job, if there is one that stands."""
        with self._reading() as connection:
            return entry.find(connection)

    def keep_texts(self, texts: Iterable[Text]) -> None:
        """Keep texts that results refer to: rubric, prompt, persona, skill."""
        with self.transaction() as connection:
            execute_all(connection, (text.kept() for text in texts))

    def keep(self, outcomes: Iterable[tuple[Entry[Any], Any]]) -> None:
        """Keep outcomes that were not asked for here, as of an import, in one transaction; they stand."""
        with self.transaction() as connection:
            for entry, outcome in outcomes:
                execute_all(connection, (*entry.kept(outcome, final=True), *entry.placed()))

    def problems(self) -> list[str]:
        """What SQLite finds wrong with the whole file; empty for a sound one. Reads all of it."""
        with self._reading() as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
        return [] if found == ["ok"] else found

    def writer(self, on_failure: Callable[[BaseException], None]) -> Writer:
        """A writer for the event loop that runs. Close it when all is handed over."""
        return Writer(self.path, patience=self._patience, on_failure=on_failure)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with explaining(self.path):
            yield self._connection

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction of this connection, for what has no method of its own; undone if the block raises."""
        with explaining(self.path):
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                raise


def _name_of(content: str, connection: sqlite3.Connection) -> str:
    """A short name that follows from the plan, so that the same command prints the same on every machine."""
    number = int.from_bytes(hashlib.sha256(content.encode()).digest())
    letters = ""
    while len(letters) < _NAME_LENGTH or run_where(connection, "name", letters) is not None:
        number, letter = divmod(number, len(_NAME_LETTERS))
        letters += _NAME_LETTERS[letter]
    return letters


def _existing(run: Run | None) -> Run:
    if run is None:
        raise RuntimeError("a run that was just written is not there")
    return run
