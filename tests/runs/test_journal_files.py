"""The file of the journal: where it is, who may use it, and what is said when it cannot be used."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.commands import run_program
from tests.runs.old_versions import VERSIONS
from tests.runs.working import asking_job, local_model, work
from tests.servers import ChatServer

from iamhumans.errors import Exit, JournalError, JournalRefusedError
from iamhumans.runs.journal.calibrations import calibrations_of
from iamhumans.runs.journal.database import _checked_version, connect
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.labels import labels_of
from iamhumans.runs.journal.location import find_journal
from iamhumans.runs.journal.schema import APPLICATION_ID, create


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


def test_a_named_journal_is_used(tmp_path: Path) -> None:
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
    """A trigger could change what is written."""
    path = tmp_path / "a.db"
    filled(path, 1)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END")
    connection.close()
    with pytest.raises(JournalRefusedError, match="`t`"):
        Journal.open(path)


def test_a_journal_whose_tables_were_written_in_other_lines_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, 1)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ', ', ',\n  ')")
    connection.commit()
    connection.close()
    with Journal.open(path) as journal:
        assert len(journal.runs()) == 1


def test_a_view_of_the_users_own_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, 1)
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIEW mine AS SELECT name FROM runs")
    connection.close()
    with Journal.open(path) as journal:
        assert len(journal.runs()) == 1


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
    with pytest.raises(JournalRefusedError, match="regular file"):
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


def as_other_user(work: Callable[[], str], *paths: Path) -> str:
    """What a function says in a process that may not write everywhere; root gives the paths to another user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                for folder in (paths[0].parent, *paths[0].parent.parents[:3]):
                    folder.chmod(folder.stat().st_mode | 0o055)
                for path in (
                    *paths,
                    Path(os.environ["XDG_CONFIG_HOME"]),
                    *Path(os.environ["XDG_CONFIG_HOME"]).rglob("*"),
                ):
                    os.chown(path, 65534, 65534)
                os.setuid(65534)
            os.write(writer, work().encode())
        except BaseException as error:  # noqa: BLE001 - it is shown by the assertion
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    said = os.read(reader, 10_000).decode()
    os.close(reader)
    return said


@pytest.fixture
def own_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks of this test alone."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="root may write everywhere, so another user has to try")


@needs_fork
@pytest.mark.usefixtures("own_marks")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    (tmp_path / "config").mkdir()
    message = as_other_user(lambda: str(Journal.open(folder / "a.db")), folder)
    assert message.startswith("JournalError: ")
    assert "Permission denied" in message
    assert "--db" in message


@needs_fork
@pytest.mark.usefixtures("own_marks")
@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o444), (0o555, 0o600), (0o700, 0o444)])
def test_a_journal_on_a_read_only_disk_can_be_read(tmp_path: Path, folder_mode: int, file_mode: int) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    path = folder / "a.db"
    filled(path, 2)

    def read() -> str:
        path.chmod(file_mode)
        folder.chmod(folder_mode)
        with Journal.open(path, write=False) as journal:
            return f"{len(journal.runs())} runs"

    assert as_other_user(read, folder, path) == "2 runs"
    folder.chmod(0o700)


@needs_fork
@pytest.mark.usefixtures("own_marks")
def test_a_log_that_a_read_only_disk_hides_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    path = folder / "a.db"
    filled(path, 1)
    log = path.with_name("a.db-wal")
    log.write_bytes(b"x" * 4096)
    log.chmod(0o600)
    folder.chmod(0o555)
    message = as_other_user(lambda: str(Journal.open(path, write=False)), folder, path, log)
    assert "latest changes" in message
    folder.chmod(0o700)


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

    def test_one_behind_a_linked_folder_is_refused(self, repository: Path, tmp_path: Path) -> None:
        self.git(repository, "add", "--force", ".iamhumans/journal.db")
        (tmp_path / "link").symlink_to(repository)
        with pytest.raises(JournalRefusedError, match="git tracks"):
            Journal.open(tmp_path / "link" / ".iamhumans" / "journal.db")

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


class TestOrigin:
    """A journal is used where it was made, by the user who made it. Any other has to be adopted."""

    @staticmethod
    def unpacked(path: Path) -> Path:
        archive = path.with_suffix(".tar")
        with tarfile.open(archive, "w") as tar:
            tar.add(path.parent, "project")
        with tarfile.open(archive) as tar:
            tar.extractall(path.parent / "elsewhere", filter="data")
        return path.parent / "elsewhere" / "project" / path.name

    @staticmethod
    def copied(path: Path) -> Path:
        return Path(shutil.copy(path, path.with_name("copy.db")))

    @staticmethod
    def moved(path: Path) -> Path:
        return path.rename(path.with_name("moved.db"))

    @staticmethod
    def overwritten(path: Path) -> Path:
        filled(path.with_name("other.db"), 1)
        return Path(shutil.copy(path, path.with_name("other.db")))

    @pytest.mark.parametrize("way", [unpacked, copied, moved, overwritten])
    @pytest.mark.parametrize("write", [True, False])
    def test_a_journal_from_elsewhere_is_refused_until_it_is_adopted(
        self, tmp_path: Path, way: Callable[[Path], Path], write: bool
    ) -> None:
        path = tmp_path / "a.db"
        filled(path, 3)
        there = way(path)
        with pytest.raises(JournalRefusedError, match=r"not made at this path .* `iamhumans allow "):
            Journal.open(there, write=write)
        with Journal.open(there, trusted=True) as journal:
            journal.adopt()
        with Journal.open(there, write=write) as journal:
            assert [run.imported for run in journal.runs()] == [True] * 3

    def test_a_journal_of_another_users_config_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filled(tmp_path / "a.db", 1)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        with pytest.raises(JournalRefusedError, match="not made at this path"):
            Journal.open(tmp_path / "a.db")

    @pytest.mark.parametrize("mode_", [0o620, 0o602])
    def test_a_journal_that_others_may_write_is_refused(self, tmp_path: Path, mode_: int) -> None:
        path = find_journal(start=tmp_path)
        filled(path, 1)
        path.chmod(mode_)
        with pytest.raises(JournalRefusedError, match=r"Other users may write.*chmod go-w"):
            Journal.open(path)
        path.chmod(0o600)
        path.parent.chmod(0o770)
        with pytest.raises(JournalRefusedError, match=r"Other users may write.*chmod go-w"):
            Journal.open(path)

    def test_a_folder_in_which_everybody_may_write_is_refused(self, tmp_path: Path) -> None:
        filled(tmp_path / "a.db", 1)
        tmp_path.chmod(0o777)
        with pytest.raises(JournalRefusedError, match="folder of this journal"):
            Journal.open(tmp_path / "a.db")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes with names")
    @pytest.mark.parametrize("write", [True, False])
    def test_a_pipe_a_device_or_a_link_is_refused_at_once(self, tmp_path: Path, write: bool) -> None:
        os.mkfifo(tmp_path / "pipe.db")
        filled(tmp_path / "a.db", 1)
        (tmp_path / "link.db").symlink_to(tmp_path / "a.db")
        for path in (tmp_path / "pipe.db", Path("/dev/zero"), tmp_path / "link.db"):
            with pytest.raises(JournalRefusedError, match=r"link|not a regular file"):
                Journal.open(path, write=write)
        assert run_program("allow", "pipe.db", "--yes", folder=tmp_path).code == Exit.WRONG_INPUT
        # Beside a journal as well.
        os.mkfifo(tmp_path / "a.db-journal")
        with pytest.raises(JournalRefusedError, match="not a regular file"):
            Journal.open(tmp_path / "a.db", write=write)


class TestEarlierVersions:
    VERDICT = (
        '{"axes":{"naturalness":7,"repair_quality":null},"hard_fails":{"pity":{"present":true,"quotes":["poor"],'
        '"confirmed":true},"lecturing":false},"notes":"Short.","defaults":{"repair_quality":5},"stated_total":70}'
    )

    def old_journal(self, path: Path, version: int) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript("".join(VERSIONS[:version]))
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {version}")
            connection.executescript(
                """INSERT INTO meta VALUES ('secret', '00ff'), ('created', '2026-01-01');
                INSERT INTO texts VALUES (1, 'case', 'h', '{"id": "C-1", "conversation": [], "title": "Bread"}');
                INSERT INTO runs VALUES (1, 'abcdefg', 'x', '{"judges": [{"name": "j"}]}', '', 'finished', 1, 'a', 'b');
                INSERT INTO replies VALUES (1, 'r', 'C-1', 1, 's', NULL, 1, 'replied', NULL, NULL, 1, 'a', NULL, 'oh');
                """
            )
            row = (1, "k", 1, "j", 1, None, None, None, "judged", None, None, 0, 0, 70, 100, "FAIL", 1, 1, "a")
            connection.execute(f"INSERT INTO judgements VALUES ({', '.join('?' * 20)})", (*row, self.VERDICT))
            connection.execute("INSERT INTO run_rows VALUES (1, 1, 1)")
            if version >= 3:
                answers = '{"hard_fails": {"pity": true}, "axes": {}, "words": {}}'
                connection.execute("INSERT INTO labels VALUES (1, 1, 'ann', NULL, ?, '', NULL, NULL, 'a')", (answers,))
            if version >= 4:
                connection.execute(
                    "INSERT INTO calibrations VALUES (1, 'c', 'j', '{}', 'r', NULL, 'l', 'n', 'a', '{}')"
                )
            connection.commit()
        path.chmod(0o600)

    @pytest.mark.parametrize("version", [1, 2, 3, 4])
    def test_one_is_refused_with_a_sentence_and_converted_on_request(self, tmp_path: Path, version: int) -> None:
        path = tmp_path / "a.db"
        self.old_journal(path, version)
        before = path.read_bytes()
        for write in (True, False):
            with pytest.raises(JournalRefusedError, match=r"earlier version .* `iamhumans allow .*kept beside it"):
                Journal.open(path, write=write)
        assert path.read_bytes() == before
        with Journal.open(path, trusted=True) as journal:
            journal.adopt()
        assert path.with_name(f"a.db.version-{version}").read_bytes() == before
        with Journal.open(path) as journal:
            (run,) = journal.runs()
            (one,) = journal.judgements(run)
            assert (one.total, one.verdict, one.title, one.notes) == (0, "FAIL", "Bread", "Short.")
            assert (one.axes, one.defaulted) == ({"naturalness": 7, "repair_quality": 5}, ("repair_quality",))
            assert (one.stated and one.stated.total, one.subject, one.judge) == (70, "s", "j")
            assert one.hard_fails is not None
            assert one.hard_fails["pity"].quotes == ("poor",)
            assert [reply.text for reply in journal.replies(run)] == ["oh"]
            assert run.imported
            assert [label.rater for label in labels_of(journal, run)] == (["ann"] if version >= 3 else [])
            assert len(calibrations_of(journal, "j")) == (version >= 4)
            assert journal.problems() == []

    def test_a_conversion_that_fails_leaves_the_old_file_and_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        self.old_journal(path, 4)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TABLE labels")
        before = path.read_bytes()
        with pytest.raises(JournalError):
            Journal.open(path, trusted=True)
        assert path.read_bytes() == before
        assert [one.name for one in tmp_path.iterdir()] == ["a.db"]

    def test_a_broken_verdict_is_converted_as_it_is_and_then_named(self, tmp_path: Path) -> None:
        path = tmp_path / "a.db"
        self.old_journal(path, 4)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE judgements SET verdict = '{'")
            connection.commit()
        with Journal.open(path, trusted=True) as journal, pytest.raises(JournalError, match="damaged: row 1 of run"):
            list(journal.judgements(journal.run("last")))


def test_a_journal_that_another_process_makes_meanwhile_is_used(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    mine, other = connect(path, patience=5), connect(path, patience=5)
    looks: list[str] = []

    def between_two_looks(statement: str) -> None:
        looks.append(statement)
        if len(looks) == 2:
            create(other)

    mine.set_trace_callback(between_two_looks)
    _checked_version(mine, path)

    assert len(looks) >= 2
    mine.close()
    other.close()
