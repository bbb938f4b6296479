"""Reading the user's text files."""

from __future__ import annotations

import io
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.errors import InputError, Place
from iamhumans.text import MAX_FILE_BYTES, decode_text, is_inside, open_regular, read_bytes, read_text


def test_the_first_byte_order_mark_is_dropped_and_line_ends_become_newlines() -> None:
    assert decode_text(b"\xef\xbb\xbf\xef\xbb\xbfx") == "\ufeffx"
    assert decode_text(b"a\r\nb\rc\n\rd") == "a\nb\nc\n\nd"


def test_a_wrong_byte_is_named_with_its_line() -> None:
    with pytest.raises(InputError) as caught:
        decode_text("one\ntwo\nthré".encode("latin-1"), Path("x.md"))
    assert str(caught.value.where) == "x.md:3"
    assert "Byte 12" in caught.value.what
    assert "UTF-8" in caught.value.fix


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused(encoding: str) -> None:
    with pytest.raises(InputError):
        decode_text("é".encode(encoding) + b"\xff")


def test_utf_16_is_called_by_its_name() -> None:
    with pytest.raises(InputError, match="UTF-16"):
        decode_text("hello".encode("utf-16"))


def test_a_surrogate_in_utf_8_is_refused() -> None:
    with pytest.raises(InputError):
        decode_text("\ud800".encode(errors="surrogatepass"))


@given(st.binary(max_size=60))
def test_any_bytes_give_a_text_or_an_input_error(data: bytes) -> None:
    try:
        text = decode_text(data)
    except InputError:
        return
    assert "\r" not in text
    text.encode()


@pytest.mark.parametrize(
    ("name", "problem"),
    [("no", "no such file"), (".", "folder"), ("a\x00b", "cannot be read"), ("a/b", "cannot be read")],
)
def test_what_cannot_be_read_is_an_error_with_its_place(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "a").write_text("x")
    with pytest.raises(InputError, match=problem) as caught:
        read_text(tmp_path / name)
    assert caught.value.where == Place(tmp_path / name)


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10)
    assert read_text(tmp_path / "a", limit=10) == "x" * 10
    (tmp_path / "a").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(InputError, match="1,000,000 bytes"):
        read_text(tmp_path / "a")


class _Input:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Input(b"\xef\xbb\xbfa\r\nb"))
    assert read_text(Path("-")) == "a\nb"
    monkeypatch.setattr(sys, "stdin", _Input(b"x" * 11))
    with pytest.raises(InputError, match="larger"):
        read_text(Path("-"), limit=10)


@pytest.fixture(params=["pipe", "link to a pipe", "device", "socket"])
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "a"
    with socket.socket(socket.AF_UNIX) as server:
        if request.param == "device":
            path = Path("/dev/zero")
        elif request.param == "socket":
            server.bind(str(path))
        elif request.param == "link to a pipe":
            os.mkfifo(tmp_path / "b")
            path.symlink_to("b")
        else:
            os.mkfifo(path)
        yield path


def test_what_is_not_a_regular_file_is_refused_at_once(no_file: Path) -> None:
    for read in (read_text, read_bytes, open_regular):
        with pytest.raises(InputError, match="not a regular file") as caught:
            read(no_file)
        assert "`-`" in caught.value.fix
        assert caught.value.where == Place(no_file)


def test_reading_works_where_files_cannot_be_opened_without_blocking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_NONBLOCK")
    (tmp_path / "a").write_text("x")
    os.mkfifo(tmp_path / "b")
    assert read_text(tmp_path / "a") == "x"
    with pytest.raises(InputError, match="not a regular file"):
        read_text(tmp_path / "b")


def test_an_opened_file_can_be_read_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    with open_regular(tmp_path / "a") as file:
        assert list(file) == [b"one\n", b"two\n"]


def test_a_path_is_inside_a_folder_once_links_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in-2").mkdir()
    (tmp_path / "in/link").symlink_to("../in-2")
    assert is_inside(tmp_path / "in/a/b", tmp_path / "in")
    assert not is_inside(tmp_path / "in/link/a", tmp_path / "in")
    assert not is_inside(tmp_path / "in-2", tmp_path / "in")
