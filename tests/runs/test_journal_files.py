"""The file of the journal: where it is, who may use it, and what is said when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest
from tests.runs.working import asking_job, local_model, work
from tests.servers import ChatServer

from iamhumans.errors import Exit
from iamhumans.runs import Journal, JournalError, JournalRefusedError, find_journal
from iamhumans.runs.journal.database import _check_kind, connect
from iamhumans.runs.journal.schema import MIGRATIONS, migrate


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def filled(path: Path, runs: int = 300) -> bytes:
    """The bytes of a journal with something in it."""
    with Journal.open(path) as journal:
        for number in range(runs):
            journal.begin_run({"number": number, "padding": "x" * 200})
    return path.read_bytes()


def test_the_folder_is_private_and_ignores_itself(tmp_path: Path) -> None:
    path = find_journal(start=tmp_path)
    with Journal.open(path):
        assert path == tmp_path / ".iamhumans" / "journal.db"
        assert mode(path.parent) == 0o700
        assert mode(path) == 0o600
        assert (path.parent / ".gitignore").read_text() == "*\n"


def test_the_journal_of_a_folder_above_is_found(tmp_path: Path) -> None:
    with Journal.open(find_journal(start=tmp_path)):
        pass
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find_journal(start=below) == tmp_path / ".iamhumans" / "journal.db"


def test_a_named_journal_is_taken(tmp_path: Path) -> None:
    assert find_journal(tmp_path / "mine.db", tmp_path) == tmp_path / "mine.db"


def test_the_secret_is_made_once(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "a.db") as journal:
        first = journal.secret
    with Journal.open(tmp_path / "a.db") as journal:
        assert journal.secret == first
    with Journal.open(tmp_path / "b.db") as journal:
        assert journal.secret != first
    assert len(first) == 32


def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary")
    with pytest.raises(JournalRefusedError, match="not a journal"):
        Journal.open(path)
    assert path.read_text() == "dear diary"


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalRefusedError, match="another program"):
        Journal.open(path)
    assert path.read_bytes() == before


def test_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalRefusedError, match=r"version 99.*Update"):
        Journal.open(path)
    assert path.read_bytes() == before


def test_a_journal_with_a_trigger_is_refused(tmp_path: Path) -> None:
    """Whoever can put a trigger into a journal could change what is written to it."""
    path = tmp_path / "a.db"
    filled(path, 1)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END")
    connection.close()
    with pytest.raises(JournalRefusedError, match="`t`"):
        Journal.open(path)


def test_a_journal_with_a_view_of_the_users_own_is_welcome(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, 1)
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIEW mine AS SELECT name FROM runs")
    connection.close()
    with Journal.open(path) as journal:
        assert len(journal.runs()) == 1


def test_an_older_version_is_brought_up_to_date_with_what_it_holds(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    migrate(connection)
    connection.execute("INSERT INTO texts (kind, hash, text) VALUES ('case', 'h', 'kept')")
    migrate(connection, (*MIGRATIONS, "CREATE TABLE more (a INTEGER) STRICT;\n"))
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
    assert connection.execute("SELECT text, (SELECT count(*) FROM more) FROM texts").fetchone() == ("kept", 0)
    connection.close()


def test_a_migration_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    migrate(connection)
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, (*MIGRATIONS, "CREATE TABLE more (a INTEGER) STRICT;\nCREATE NONSENSE;\n"))
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").fetchone() == (0,)
    connection.close()


def test_a_damaged_journal_says_so_and_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    data = bytearray(filled(path))
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(JournalError, match=r"damaged.*recover") as caught, Journal.open(path) as journal:
        journal.runs()
    assert caught.value.exit_code is Exit.COULD_NOT_RUN
    assert path.read_bytes() == data


def test_a_damaged_beginning_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    data = bytearray(filled(path))
    data[:64] = b"\0" * 64
    path.write_bytes(data)
    with pytest.raises(JournalRefusedError, match="damaged"):
        Journal.open(path)
    assert path.read_bytes() == data


def test_damage_deep_in_the_file_is_found_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    data = bytearray(filled(path))
    data[-4000:] = b"\xa5" * 4000
    path.write_bytes(data)
    with Journal.open(path) as journal:
        assert journal.problems() != []


def test_a_lock_that_is_held_for_long_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, 1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Journal.open(path, patience=0.05) as journal, pytest.raises(JournalError, match="locked"):
        journal.begin_run({})
    other.close()
    with Journal.open(path, patience=0.05) as journal:
        journal.begin_run({})


def test_a_lock_in_the_middle_of_a_run_ends_it_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    other = None
    with ChatServer() as server, Journal.open(path, patience=0.1) as journal:
        model = local_model(tmp_path, server.openai_url)

        def lock(*_: object) -> None:
            nonlocal other
            if other is None:
                other = sqlite3.connect(path, isolation_level=None)
                other.execute("BEGIN IMMEDIATE")

        with pytest.raises(JournalError, match="locked"):
            work(journal, (asking_job(model, f"J{n}") for n in range(1000)), model=model, watch=lock)
        assert server.count < 1000
    assert other is not None
    other.close()


def test_a_full_journal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Journal.open(path) as journal:
        with journal.transaction() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(JournalError, match="disk is full"):
            journal.begin_run({"padding": "x" * 100_000})
        assert journal.problems() == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="No such file"):
        Journal.open(tmp_path / "nowhere" / "a.db")


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalRefusedError, match="folder"):
        Journal.open(tmp_path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "elsewhere.db", 1)
    (tmp_path / ".iamhumans").mkdir()
    (tmp_path / ".iamhumans" / "journal.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(JournalRefusedError, match="link"):
        Journal.open(find_journal(start=tmp_path))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to give files away")
def test_a_journal_of_another_user_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, 1)
    os.chown(path, 65534, 65534)
    with pytest.raises(JournalRefusedError, match="Another user"):
        Journal.open(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs another user")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    """The administrator may write everywhere, so somebody else has to try."""
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            for parent in (tmp_path, *tmp_path.parents[:2]):
                parent.chmod(0o755)
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        try:
            Journal.open(folder / "a.db")
        except JournalError as error:
            os.write(writer, error.message.encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    message = os.read(reader, 10_000).decode()
    os.close(reader)
    assert "Permission denied" in message
    assert "--db" in message


class TestTrackedByGit:
    @pytest.fixture
    def repository(self, tmp_path: Path) -> Path:
        root = tmp_path / "repository"
        root.mkdir()
        try:
            self.git(root, "init", "--quiet")
        except FileNotFoundError:
            pytest.skip("git is not installed")
        with Journal.open(find_journal(start=root)):
            pass
        return root

    @staticmethod
    def git(root: Path, *arguments: str) -> None:
        clean = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, env=clean)

    def test_a_journal_that_git_ignores_is_used(self, repository: Path) -> None:
        (repository / "a.txt").write_text("x")
        self.git(repository, "add", "--all")
        with Journal.open(find_journal(start=repository)):
            pass

    @pytest.mark.parametrize("version", ["2", "4"])
    def test_one_that_git_tracks_is_refused(self, repository: Path, version: str) -> None:
        # In version 4 a name is written as what differs from the one before it, so here only "b" is.
        for name in ("journal.d", "journal"):
            (repository / ".iamhumans" / name).write_text("x")
        self.git(repository, "add", "--force", ".iamhumans")
        self.git(repository, "update-index", "--index-version", version)
        with pytest.raises(JournalRefusedError, match="git tracks"):
            Journal.open(find_journal(start=repository))

    def test_one_with_a_tracked_log_beside_it_is_refused(self, repository: Path) -> None:
        log = repository / ".iamhumans" / "journal.db-wal"
        log.write_bytes(b"")
        self.git(repository, "add", "--force", str(log))
        log.unlink()
        with pytest.raises(JournalRefusedError, match="git tracks"):
            Journal.open(find_journal(start=repository))

    def test_one_in_a_split_index_is_refused(self, repository: Path) -> None:
        self.git(repository, "add", "--force", ".iamhumans/journal.db")
        self.git(repository, "update-index", "--split-index")
        with pytest.raises(JournalRefusedError, match="git tracks"):
            Journal.open(find_journal(start=repository))

    def test_one_in_a_linked_work_tree_is_refused(self, repository: Path, tmp_path: Path) -> None:
        self.git(repository, "add", "--force", ".iamhumans/journal.db")
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        self.git(repository, *identity, "commit", "--quiet", "-m", "x")
        self.git(repository, "worktree", "add", "--quiet", str(tmp_path / "linked"))
        with pytest.raises(JournalRefusedError, match="git tracks"):
            Journal.open(find_journal(start=tmp_path / "linked"))

    def test_a_name_in_other_letters_is_refused(self, repository: Path) -> None:
        """On a file system that ignores case, this is the journal."""
        blob = repository / "x"
        blob.write_text("x")
        self.git(repository, "add", "x")
        self.git(
            repository,
            "update-index",
            "--add",
            "--cacheinfo",
            "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,.IAMHUMANS/Journal.DB",
        )
        with pytest.raises(JournalRefusedError, match="git tracks"):
            Journal.open(find_journal(start=repository))

    def test_no_program_of_the_repository_is_run(self, repository: Path) -> None:
        trace = repository / "ran"
        monitor = repository / "monitor.sh"
        monitor.write_text(f"#!/bin/sh\ntouch {trace}\n")
        monitor.chmod(0o755)
        self.git(repository, "config", "core.fsmonitor", str(monitor))
        with Journal.open(find_journal(start=repository)):
            pass
        assert not trace.exists()

    def test_a_broken_index_says_nothing(self, repository: Path) -> None:
        (repository / ".git" / "index").write_bytes(b"DIRC\0\0\0\4\0\0\0\7broken")
        with Journal.open(find_journal(start=repository)):
            pass


def test_a_journal_that_another_process_makes_meanwhile_is_no_strangers_file(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    mine, other = connect(path, patience=5), connect(path, patience=5)
    looks: list[str] = []

    def between_two_looks(statement: str) -> None:
        looks.append(statement)
        if len(looks) == 2:
            migrate(other)

    mine.set_trace_callback(between_two_looks)
    _check_kind(mine, path)

    assert len(looks) >= 2
    mine.close()
    other.close()
