"""The marks of files that the user trusts: where they are stored, and when they say nothing."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from iamhumans.errors import InputError
from iamhumans.trusted import Kind, is_marked, mark, marked_hash, marks_path


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    return {"HOME": str(tmp_path / "home")}


def test_a_mark_is_for_one_content_at_one_place(tmp_path: Path, environ: Mapping[str, str]) -> None:
    here, there = tmp_path / "a.toml", tmp_path / "b.toml"
    mark("config", here, "hash-1", environ)
    assert is_marked("config", here, "hash-1", environ)
    assert not is_marked("config", here, "hash-2", environ)
    assert not is_marked("config", there, "hash-1", environ)
    assert not is_marked("config", there, "", environ)
    assert marked_hash("config", here, environ) == "hash-1"
    assert marked_hash("config", there, environ) is None


def test_a_mark_is_for_one_kind_of_file(tmp_path: Path, environ: Mapping[str, str]) -> None:
    mark("journal", tmp_path / "journal.db", "hash", environ)
    assert is_marked("journal", tmp_path / "journal.db", "hash", environ)
    assert not is_marked("config", tmp_path / "journal.db", "hash", environ)


def test_nothing_is_marked_and_nothing_is_written_by_asking(tmp_path: Path, environ: Mapping[str, str]) -> None:
    assert not is_marked("config", tmp_path / "a.toml", "hash", environ)
    assert not (tmp_path / "home").exists()


def test_the_marks_are_readable_by_their_owner_alone(tmp_path: Path, environ: Mapping[str, str]) -> None:
    path = mark("config", tmp_path / "a.toml", "hash", environ)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path == tmp_path / "home" / ".config" / "iamhumans" / "allowed.json"
    assert [entry.name for entry in path.parent.iterdir()] == ["allowed.json"]


def test_a_list_of_an_earlier_version_is_still_used(tmp_path: Path, environ: Mapping[str, str]) -> None:
    path = marks_path(environ)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"version": 1, "allowed": {str(tmp_path / "a.toml"): "hash"}}))
    assert is_marked("config", tmp_path / "a.toml", "hash", environ)
    assert not is_marked("journal", tmp_path / "a.toml", "hash", environ)


@pytest.mark.parametrize("mode", [0o666, 0o620])
@pytest.mark.parametrize("whose", ["file", "folder"])
def test_marks_that_others_can_write_say_nothing_and_the_advice_works(
    tmp_path: Path, environ: Mapping[str, str], mode: int, whose: str
) -> None:
    path = mark("config", tmp_path / "a.toml", "hash", environ)
    loose = path if whose == "file" else path.parent
    loose.chmod(mode | (0o711 if whose == "folder" else 0))
    with pytest.raises(InputError, match="Others can write") as caught:
        is_marked("config", tmp_path / "a.toml", "hash", environ)
    advice = caught.value.fix.partition(": ")[2]
    assert advice.startswith("chmod go-w ")
    assert os.system(advice) == 0
    assert is_marked("config", tmp_path / "a.toml", "hash", environ)


def test_marks_of_another_user_say_nothing(tmp_path: Path, environ: Mapping[str, str]) -> None:
    path = mark("config", tmp_path / "a.toml", "hash", environ)
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, 54_321, -1)
    with pytest.raises(InputError, match="Others can write"):
        is_marked("config", tmp_path / "a.toml", "hash", environ)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 2, "allowed": {}}', '{"version": 1, "allowed": {"a": 1}}', "[" * 9999]
)
def test_a_damaged_list_marks_nothing_and_is_not_overwritten(
    tmp_path: Path, environ: Mapping[str, str], text: str
) -> None:
    path = mark("config", tmp_path / "a.toml", "hash", environ)
    path.write_text(text)
    with pytest.raises(InputError, match="damaged"):
        is_marked("config", tmp_path / "a.toml", "hash", environ)
    with pytest.raises(InputError, match="damaged"):
        mark("config", tmp_path / "a.toml", "hash", environ)
    assert path.read_text() == text


def test_a_config_folder_that_is_relative_is_ignored(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "evil"}
    assert marks_path(environ) == tmp_path / ".config" / "iamhumans" / "allowed.json"


def test_the_config_folder_of_the_user_is_used(tmp_path: Path) -> None:
    assert marks_path({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "iamhumans" / "allowed.json"


def _mark_many(folder: Path, kind: Kind, number: int) -> None:
    for index in range(20):
        mark(kind, folder / f"{number}-{index}", "hash", {"HOME": str(folder)})


def test_processes_that_mark_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    kinds: list[Kind] = ["config", "journal", "config"]
    processes = [context.Process(target=_mark_many, args=(tmp_path, kind, n)) for n, kind in enumerate(kinds)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    for number, kind in enumerate(kinds):
        for index in range(20):
            assert is_marked(kind, tmp_path / f"{number}-{index}", "hash", {"HOME": str(tmp_path)})


def test_the_lock_of_a_dead_process_does_not_block(tmp_path: Path, environ: Mapping[str, str]) -> None:
    lock = mark("config", tmp_path / "a.toml", "hash", environ).with_suffix(".lock")
    lock.write_text("")
    os.utime(lock, (time.time() - 60, time.time() - 60))
    mark("config", tmp_path / "b.toml", "hash", environ)
    assert not lock.exists()
