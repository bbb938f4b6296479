"""The journal: every call that was paid for, and what came of it, in one SQLite file or in memory."""

import contextlib
import hashlib
import json
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from iamhumans.cases import Case
from iamhumans.errors import CannotRunError, CommandError
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal import queries
from iamhumans.runs.journal.claims import holder
from iamhumans.runs.journal.database import connect, id_of, in_memory, open_to_read, open_to_write
from iamhumans.runs.journal.entries import (
    ATTEMPTS_OF_JOB,
    Answers,
    Attempt,
    Entry,
    Found,
    Replied,
    Text,
    answers_of,
    compact_json,
    now,
)
from iamhumans.runs.journal.errors import UNREADABLE, DamagedRowError, explaining
from iamhumans.runs.journal.location import mark_as_ours
from iamhumans.runs.journal.queries import (
    CaseFacts,
    CaseRow,
    JudgedReply,
    ListFigures,
    ReplyText,
    RunRecord,
    RunStatus,
    RunSummary,
    run_where,
)
from iamhumans.runs.journal.spent import Spent, spent_of
from iamhumans.runs.journal.writer import Writer
from iamhumans.runs.keys import canonical_json
from iamhumans.verdicts import Judgement, Unjudged

NEWEST = "last"  # the name that stands for the newest run; no name of a run has an `l` in it
_NAME_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # no letter that looks like another
_NAME_LENGTH = 7
_PATIENCE = 30.0
_DAYS_OF_HABITS = 30  # servers change
_NEW_RUN = """
INSERT INTO runs (name, plan_hash, plan, salt, status, asked, created, folder, holder)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COUNT_FINAL = "SELECT count(*) FROM run_rows JOIN judgements ON judgements.id = judgement WHERE run = ? AND final = 1"
_SHARED = """
SELECT 1 FROM run_rows a JOIN judgements x ON x.id = a.judgement
JOIN judgements y ON y.reply = x.reply JOIN run_rows b ON b.judgement = y.id
WHERE a.run = ? AND b.run = ? LIMIT 1
"""
_DELETIONS = (
    # Only what this run used and nothing else uses. Replies that `reply` drew belong to no run.
    "CREATE TEMP TABLE gone AS SELECT DISTINCT judgement AS id FROM run_rows WHERE run = ?",
    "DELETE FROM run_rows WHERE run = ?",
    "DELETE FROM runs WHERE id = ?",
    "DELETE FROM gone WHERE id IN (SELECT judgement FROM run_rows)",
    "CREATE TEMP TABLE unused AS SELECT DISTINCT reply AS id FROM judgements WHERE id IN (SELECT id FROM gone)",
    "DELETE FROM attempts WHERE job IN (SELECT key FROM judgements WHERE id IN (SELECT id FROM gone))",
    "DELETE FROM judgements WHERE id IN (SELECT id FROM gone)",
    "DELETE FROM unused WHERE id IN (SELECT reply FROM judgements WHERE second_reply IS NULL)",
    # People's labels cannot be bought again.
    "DELETE FROM unused WHERE id IN (SELECT reply FROM labels)",
    "DELETE FROM attempts WHERE job IN (SELECT key FROM replies WHERE id IN (SELECT id FROM unused))",
    "DELETE FROM attempts WHERE job IN (SELECT key FROM judgements"
    " WHERE reply IN (SELECT id FROM unused) OR second_reply IN (SELECT id FROM unused))",
    "DELETE FROM replies WHERE id IN (SELECT id FROM unused)",
    *("DROP TABLE gone", "DROP TABLE unused"),
)


class Journal:
    """An open journal, to be used as a context manager, by several threads if need be. The engine has a writer."""

    def __init__(
        self, path: Path | None, connection: sqlite3.Connection, *, alone: bool = False, patience: float = _PATIENCE
    ) -> None:
        self.path = path
        self._connection = connection
        self._alone = alone
        self._patience = patience
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path | None, *, write: bool = True, trusted: bool = False, patience: float = _PATIENCE) -> Self:
        """Open the journal in a file, or one in memory. Raises JournalRefusedError, JournalError.

        With ``write`` a missing file is created; without, a read-only disk will do. ``trusted`` adopts an earlier
        version or somebody else's journal. ``patience`` is how many seconds to wait for locks of other programs.
        """
        if path is None:
            return cls(None, in_memory(), alone=True)
        if write or trusted:
            return cls(path, open_to_write(path, patience=patience, trusted=trusted), patience=patience)
        connection, alone = open_to_read(path, patience=patience)
        return cls(path, connection, alone=alone, patience=patience)

    def close(self) -> None:
        """Close it. A journal in memory is gone then."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def secret(self) -> bytes:
        """The secret that check tokens are made with. It is random, made once, and never leaves the machine."""
        return bytes.fromhex(self._meta("secret"))

    @property
    def created(self) -> str:
        """When the journal was created, in UTC."""
        return self._meta("created")

    def adopt(self) -> None:
        """Make this journal the user's own. Everything in it stays marked as imported."""
        with self.transaction() as connection:
            for table in ("runs", "replies", "judgements", "attempts", "looks"):
                connection.execute(f"UPDATE {table} SET imported = 1")  # noqa: S608 - constants
            connection.execute("DELETE FROM habits")  # what a foreign journal claims of a server decides nothing
            if self.path is not None:
                mark_as_ours(self.path, id_of(connection))

    # --- runs ---

    def begin_run(
        self,
        plan: Mapping[str, Any],
        *,
        asked: int | None = None,
        fresh: bool = False,
        salt: str | None = None,
        folder: Path | None = None,
    ) -> RunRecord:
        """The newest run with the same plan, to be resumed if it is not finished, or a new one.

        A ``fresh`` one is new in any case, and shares no results with earlier ones. With a ``salt`` it is the run that
        shares results with those of the same salt. ``folder`` is that of the suite.
        """
        text, plan_hash = _planned(plan)
        with self.transaction() as connection:
            found = None if fresh else run_where(connection, "plan_hash", plan_hash)
            if found is not None and salt is not None and found.salt != salt:
                found = queries.run_with_salt(connection, plan_hash, salt)
            if found is None:
                salt = secrets.token_hex(8) if fresh else salt or ""
                name = _name_of(f"{plan_hash}{salt}", connection)
                where = None if folder is None else str(folder.absolute())
                values = (name, plan_hash, text, salt, RunStatus.RUNNING.value, asked, now(), where, holder())
                connection.execute(_NEW_RUN, values)
                return _existing(connection, "name", name)
            if found.status is not RunStatus.FINISHED:
                sql = "UPDATE runs SET status = 'running', ended = NULL, holder = ? WHERE id = ?"
                connection.execute(sql, (holder(), found.id))
            return _existing(connection, "id", found.id)

    def salt_of(self, plan: Mapping[str, Any]) -> str:
        """The salt of the run that :meth:`begin_run` would resume; empty if it would begin one."""
        with self.reading() as connection:
            found = run_where(connection, "plan_hash", _planned(plan)[1])
            return "" if found is None else found.salt

    def end_run(self, run: RunRecord, *, asked: int, stopped: bool = False) -> RunRecord:
        """Note that work on a run ended. It is finished if all ``asked`` judgements are final."""
        with self.transaction() as connection:
            status = RunStatus.STOPPED if stopped else RunStatus.INCOMPLETE
            if connection.execute(_COUNT_FINAL, (run.id,)).fetchone()[0] >= asked:
                status = RunStatus.FINISHED
            imported = connection.execute(queries.HAS_IMPORTED, (run.id,)).fetchone()[0]
            sql = "UPDATE runs SET status = ?, asked = ?, ended = ?, imported = ? WHERE id = ?"
            connection.execute(sql, (status.value, asked, now(), imported, run.id))
            return _existing(connection, "id", run.id)

    def set_plan(self, run: RunRecord, plan: Mapping[str, Any]) -> RunRecord:
        """Replace the plan of a run that was begun before its input was known.

        If there is a finished run with the same plan, that is returned, and this one is removed.
        """
        text, plan_hash = _planned(plan)
        with self.transaction() as connection:
            same = run_where(connection, "plan_hash", plan_hash)
            if same is not None and same.status is RunStatus.FINISHED:
                connection.execute("DELETE FROM run_rows WHERE run = ?", (run.id,))
                connection.execute("DELETE FROM runs WHERE id = ?", (run.id,))
                return same
            values = (_name_of(f"{plan_hash}{run.salt}", connection), plan_hash, text, run.id)
            connection.execute("UPDATE runs SET name = ?, plan_hash = ?, plan = ? WHERE id = ?", values)
            return _existing(connection, "id", run.id)

    def runs(self) -> list[RunRecord]:
        """All runs, the newest first."""
        with self.reading() as connection:
            return queries.runs_in(connection)

    def list_figures(self) -> dict[int, ListFigures]:
        """Cases, judged and zero rate of all runs, by the numbers of their records."""
        with self.reading() as connection:
            return queries.list_figures(connection)

    def run(self, name: str) -> RunRecord:
        """A run by its name, by a beginning of it that no other has, or the newest by ``last``. Raises CommandError."""
        runs = self.runs()
        if name == NEWEST:
            if not runs:
                raise CommandError("There is no run yet.", fix="`iamhumans run` creates one.")
            return runs[0]
        found = [run for run in runs if run.name == name] or [run for run in runs if name and run.name.startswith(name)]
        if len(found) == 1:
            return found[0]
        nowhere = f"There is no run `{name}` in {self.path or 'this journal'}."
        problem = f"Several run names begin with `{name}`." if found else nowhere
        raise CommandError(problem, fix="`iamhumans runs list` shows all runs.")

    def share_anything(self, one: RunRecord, other: RunRecord) -> bool:
        """Whether two runs have a reply or a judgement in common."""
        with self.reading() as connection:
            return connection.execute(_SHARED, (one.id, other.id)).fetchone() is not None

    def delete_run(self, run: RunRecord) -> None:
        """Delete a run, and everything that nothing else refers to."""
        with self.transaction() as connection:
            for statement in _DELETIONS:
                connection.execute(statement, (run.id,) if "?" in statement else ())

    # --- what a run holds ---

    def summary(self, run: RunRecord) -> RunSummary:
        """The figures of a run; 100,000 rows take a fraction of a second."""
        with self.reading() as connection:
            return queries.summary_of(connection, run)

    def answering_models(self, run: RunRecord) -> tuple[queries.AnsweringModel, ...]:
        """Every model that answered in a run, in the order in which they began to."""
        with self.reading() as connection:
            return queries.answering_models_of(connection, run)

    def spent(self, run: RunRecord) -> tuple[Spent, ...]:
        """Tokens, cost and time of the calls of a run, for each subject and each judge."""
        with self.reading() as connection:
            return spent_of(connection, run)

    def judgements(
        self, run: RunRecord, facts: Mapping[str, CaseFacts] | None = None, *, texts: bool = False
    ) -> Iterator[Judgement]:
        """The judgements of a run in the order of the input, streamed; with ``texts``, what was judged as well.

        ``facts`` spare a call of :meth:`case_facts`.
        """
        facts = self.case_facts(run) if facts is None else facts
        with self.second_connection() as connection:
            yield from queries.judgements_of(connection, run, facts, texts=texts)

    def case_facts(self, run: RunRecord) -> dict[str, CaseFacts]:
        """Title, dimensions and the like of each case of a run, as it was when it was judged."""
        with self.reading() as connection:
            return queries.case_facts_of(connection, run)

    def replies(self, run: RunRecord) -> list[JudgedReply]:
        """The replies of a run, each once, in the order of the input, without those that failed."""
        with self.reading() as connection:
            return list(queries.replies_of(connection, run))

    def reply(self, key: str) -> Replied | Unjudged | None:
        """The reply with a key."""
        with self.reading() as connection:
            return queries.reply_where(connection, key)

    def case_rows(self, run: RunRecord, case_id: str) -> list[CaseRow]:
        """The judgements of one case of a run, with everything that was behind them."""
        with self.reading() as connection:
            return list(queries.case_rows_of(connection, run, case_id))

    def answers(self, key: str) -> Answers:
        """The answers that were given for a reply or a judgement, by step and request, imported ones too."""
        with self.reading() as connection:
            return answers_of(connection, key, imported=True)

    def reply_text(self, key: str) -> ReplyText | None:
        """The text of the reply with a key, and the conversation that it answers."""
        with self.reading() as connection:
            return queries.reply_text_of(connection, key)

    def case(self, case_hash: str) -> Case | None:
        """The case with a hash, as it was judged."""
        text = self.text("case", case_hash)
        return None if text is None else queries.case_from_json(text)

    def rubric(self, run: RunRecord) -> Rubric:
        """The rubric that a run was judged by, as it was then. Raises CannotRunError, JournalError."""
        with explaining(self.path):
            try:
                rubric_hash = run.plan["rubric"]["hash"]
            except UNREADABLE:
                raise DamagedRowError("runs", run.id) from None
        text = self.text("rubric", rubric_hash)
        if text is None:
            raise CannotRunError(f"The rubric of run {run.name} is not in the journal.")
        found = Rubric.model_validate_json(text)
        # Rubrics of one content share a text, so the name is that of the plan.
        return found.model_copy(update={"name": run.plan["rubric"].get("name", found.name)})

    def text(self, kind: str, text_hash: str) -> str | None:
        """A text that results refer to, if the journal holds it."""
        with self.reading() as connection:
            sql = "SELECT text FROM texts WHERE kind = ? AND hash = ?"
            return next((str(text) for (text,) in connection.execute(sql, (kind, text_hash))), None)

    def attempts(self, key: str) -> list[Attempt]:
        """Every call that was made for a reply or a judgement, with the raw answers."""
        with self.reading() as connection:
            return [Attempt(*row) for row in connection.execute(ATTEMPTS_OF_JOB, (key,))]

    def problems(self) -> list[str]:
        """What SQLite finds wrong with the whole file; empty for a sound one. It reads all of the file."""
        with self.reading() as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
        return [] if found == ["ok"] else found

    # --- writing ---

    def find(self, entry: Entry[Any]) -> Found | None:
        """The final outcome of a job, if there is one."""
        with self.reading() as connection:
            return entry.find(connection)

    def store_texts(self, texts: Iterable[Text]) -> None:
        """Store texts that results refer to: rubric, prompt, persona, skill."""
        with self.transaction() as connection:
            for text in texts:
                text.store(connection)

    def record_disclosure(self, run: str, output: str, reason: str) -> None:
        """Note that an output shows the texts of held-out cases, and why."""
        with self.transaction() as connection:
            sql = "INSERT INTO disclosures (run, output, reason, at) VALUES (?, ?, ?, ?)"
            connection.execute(sql, (run, output, reason, now()))

    def habits(self, server: str) -> Mapping[str, Any]:
        """What runs of the last 30 days have learned of a server; empty if nothing."""
        with self.reading() as connection:
            sql = "SELECT habits FROM habits WHERE server = ? AND learned > ?"
            row = connection.execute(sql, (server, now(days_ago=_DAYS_OF_HABITS))).fetchone()
            return {} if row is None else dict(json.loads(row[0]))

    def store_habits(self, server: str, habits: Mapping[str, Any]) -> None:
        """Note what was learned of a server, so that the next run need not learn it again."""
        with self.transaction() as connection:
            sql = "INSERT OR REPLACE INTO habits (server, habits, learned) VALUES (?, ?, ?)"
            connection.execute(sql, (server, compact_json(dict(habits)), now()))

    def writer(self, on_failure: Callable[[BaseException], None]) -> Writer:
        """A writer for the running event loop. Close it when everything is handed over."""
        return Writer(self, on_failure)

    # --- connections ---

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The journal's connection, for reading."""
        with self._lock, explaining(self.path):
            yield self._connection

    @contextlib.contextmanager
    def second_connection(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own for streaming. A journal in memory, or on a read-only disk, has only one."""
        with explaining(self.path):
            if self.path is None or self._alone:
                yield self._connection
                return
            with contextlib.closing(connect(self.path, patience=self._patience)) as connection:
                yield connection

    @contextlib.contextmanager
    def transaction(self, connection: sqlite3.Connection | None = None) -> Iterator[sqlite3.Connection]:
        """One transaction; it is undone if the block raises."""
        used = connection or self._connection
        # Only a connection that threads share needs the lock.
        lock = self._lock if used is self._connection else contextlib.nullcontext()
        with lock, explaining(self.path):
            used.execute("BEGIN IMMEDIATE")
            try:
                yield used
                used.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                with contextlib.suppress(sqlite3.Error):
                    if used.in_transaction:
                        used.execute("ROLLBACK")
                raise

    def _meta(self, name: str) -> str:
        with self.reading() as connection:
            return str(connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()[0])


def _planned(plan: Mapping[str, Any]) -> tuple[str, str]:
    """A plan as it is stored, and its hash."""
    text = canonical_json(dict(plan))
    return text, hashlib.sha256(text.encode()).hexdigest()


def _name_of(content: str, connection: sqlite3.Connection) -> str:
    """A short name that follows from the plan, so that the same command prints the same on every machine."""
    number = int.from_bytes(hashlib.sha256(content.encode()).digest())
    letters = ""
    while len(letters) < _NAME_LENGTH or run_where(connection, "name", letters) is not None:
        number, letter = divmod(number, len(_NAME_LETTERS))
        letters += _NAME_LETTERS[letter]
    return letters


def _existing(connection: sqlite3.Connection, column: str, value: object) -> RunRecord:
    run = run_where(connection, column, value)
    if run is None:
        raise RuntimeError("a run that was just written is not there")
    return run
