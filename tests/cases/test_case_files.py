"""Case files as files: encodings, sizes, characters."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases.written import case_of, only_error, reading_of, warnings, written

from iamhumans.cases import Case, read_case_file
from iamhumans.text import MAX_FILE_BYTES


def file_with(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "BAK-001.md"
    path.write_bytes(data)
    return path


def load_case(path: Path) -> Case:
    case = read_case_file(path).case
    assert case is not None
    return case


def test_a_file_gives_the_case_that_its_text_gives(tmp_path: Path) -> None:
    path = file_with(tmp_path, written().encode())
    assert load_case(path) == case_of(written())
    assert load_case(path).path == path


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_change_nothing(tmp_path: Path, end: str) -> None:
    path = file_with(tmp_path, written().replace("\n", end).encode())
    assert load_case(path).hash == case_of(written()).hash


def test_a_byte_order_mark_changes_nothing(tmp_path: Path) -> None:
    path = file_with(tmp_path, b"\xef\xbb\xbf" + written().encode())
    assert read_case_file(path).findings == ()
    assert load_case(path).hash == case_of(written()).hash
    assert case_of("\ufeff" + written()).hash == case_of(written()).hash


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le"])
def test_a_file_that_is_not_utf8_cannot_be_used(tmp_path: Path, encoding: str) -> None:
    path = file_with(tmp_path, written(message="\n## input\n\ncafé\n").encode(encoding))
    (finding,) = read_case_file(path).findings
    assert finding.error
    assert finding.code in ("unreadable", "control-character")
    assert "UTF-8" in finding.fix


def test_the_line_of_the_first_byte_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    path = file_with(tmp_path, written(message="\n## input\n\ncafé\n").encode("latin-1"))
    assert read_case_file(path).findings[0].line == 10


def test_a_missing_file_and_one_over_the_limit_cannot_be_used(tmp_path: Path) -> None:
    path = file_with(tmp_path, written(rest="\n## notes\n\n" + "x" * MAX_FILE_BYTES).encode())
    assert [finding.code for finding in read_case_file(path).findings] == ["unreadable"]
    assert [finding.code for finding in read_case_file(tmp_path / "no.md").findings] == ["unreadable"]


@pytest.mark.parametrize("character", ["\x00", chr(0xD800), chr(0xDFFF)])
def test_nul_and_half_surrogates_are_errors_with_their_line(character: str) -> None:
    assert only_error(written(message=f"\n## input\n\nhi{character}\n")) == (10, "control-character")
    assert only_error(written(front=f"id: A{character}\n")) == (2, "control-character")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a\x1b[31mb", "a[31mb"), ("a\x07b", "ab"), ("a\x9bb", "ab"), ("a\x0cb", "a b"), ("a\x85b", "a b")],
)
def test_other_control_characters_are_taken_out_with_a_warning(given: str, kept: str) -> None:
    text = written(message=f"\n## input\n\n{given}\n")
    assert case_of(text).conversation[-1].text == kept
    assert warnings(text) == [(10, "control-character")]


def test_tabs_emoji_and_joiners_are_kept() -> None:
    message = "a\tb 👩\u200d👧 می\u200cروم"
    assert case_of(written(message=f"\n## input\n\n{message}\n")).conversation[-1].text == message


def test_lines_are_only_those_that_an_editor_counts() -> None:
    text = written(message="\n## input\n\none\u2028two\u2029three\n", rubric="")
    assert case_of(text).conversation[-1].text == "one\u2028two\u2029three"
    assert warnings(text) == [(8, "missing-section")]


def test_a_reading_tells_where_keys_items_and_sections_stand() -> None:
    reading = reading_of(written(front="id: A\ndimensions:\n  - feeling\n  - memory\n"))
    assert reading.line_of("id") == 2
    assert reading.line_of("dimensions", "memory") == 5
    assert reading.line_of("input") == 8
    assert [line for _, line in reading.turns] == [8]
    assert [line for _, line in reading.bullets] == [14, 18]
    assert reading.line_of("title") == 2
