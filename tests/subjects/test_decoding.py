"""Files in every format, compression and encoding, read record by record."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import iamhumans as ih
from iamhumans.errors import InputError
from iamhumans.subjects import ReplyRow, open_replies
from iamhumans.subjects.decoding import Record, read_records

ROWS = [
    {"id": "a", "input": "es regnet schon wieder, größer denn je", "reply": 'Und du ohne Schirm? "Typisch", sagt sie.'},
    {"id": "b", "input": "two\nlines", "reply": "One; two, three\tfour."},
]
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1).filter(str.strip)


def lines(rows: list[dict[str, str]] = ROWS) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def table(separator: str, rows: list[dict[str, str]] = ROWS) -> str:
    cells = [list(ROWS[0]), *([row[name] for name in ROWS[0]] for row in rows)]
    quoted = [separator.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in cells]
    return "\n".join(quoted) + "\n"


def packed(text: str) -> dict[str, bytes]:
    data = text.encode()
    return {"gz": gzip.compress(data), "bz2": bz2.compress(data), "xz": lzma.compress(data)}


def values(path: Path) -> list[Any]:
    return [record.value for record in read_records(path)]


FILES: dict[str, bytes] = {
    "rows.jsonl": lines().encode(),
    "rows.ndjson": lines().encode(),
    "rows.json": json.dumps(ROWS).encode(),
    "indented.json": json.dumps(ROWS, indent=2).encode(),
    "array.jsonl": json.dumps(ROWS, indent=2).encode(),
    "lines.json": lines().encode(),
    "lines.log": lines().encode(),
    "held.json": json.dumps({"object": "list", "data": ROWS}).encode(),
    "held-deeper.json": json.dumps({"results": {"version": 3, "results": ROWS}}, indent=1).encode(),
    "objects.json": "\n".join(json.dumps(row, indent=2) for row in ROWS).encode(),
    "rows.csv": table(",").encode(),
    "semicolons.csv": table(";").encode(),
    "excel.csv": ("sep=;\n" + table(";")).encode("utf-8-sig"),
    "rows.tsv": table("\t").encode(),
    "rows.TAB": table("\t").encode(),
    "no-suffix": table(",").encode(),
    "dos.csv": table(",").replace('"\n"', '"\r\n"').encode(),
    "marked.jsonl": lines().encode("utf-8-sig"),
    "utf-16.jsonl": lines().encode("utf-16"),
    "utf-16-be.csv": b"\xfe\xff" + table(",").encode("utf-16-be"),
    "utf-16-le.tsv": b"\xff\xfe" + table("\t").encode("utf-16-le"),
    "unmarked.jsonl": lines().encode("utf-16-le"),
    "utf-32.json": json.dumps(ROWS).encode("utf-32"),
    **{f"rows.jsonl.{name}": data for name, data in packed(lines()).items()},
    **{f"rows.csv.{name}": data for name, data in packed(table(",")).items()},
    "packed-without-saying-so.json": gzip.compress(json.dumps(ROWS).encode("utf-16")),
}


@pytest.mark.parametrize("name", FILES)
def test_the_same_rows_come_from_every_kind_of_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    assert values(path) == ROWS


def _split(frame: pandas.DataFrame) -> Any:
    return json.loads(frame.to_json(orient="split"))


@pytest.mark.parametrize(
    "whole",
    [
        lambda frame: json.loads(frame.to_json()),
        _split,
        lambda frame: json.loads(frame.to_json(orient="index")),
        lambda frame: frame.to_dict(orient="list"),
        lambda frame: {"rows": [{"row_idx": at, "row": row, "truncated_cells": []} for at, row in enumerate(ROWS)]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_table_in_one_object_is_its_rows(tmp_path: Path, whole: Callable[[Any], Any], indent: int | None) -> None:
    table_ = whole(pandas.DataFrame(ROWS))
    (tmp_path / "rows.json").write_text(json.dumps(table_, indent=indent))
    assert values(tmp_path / "rows.json") == ROWS
    assert ih.convert(table_).rows == tuple(ROWS)


@pytest.mark.parametrize("row", [{"input": [], "output": []}, {"a": {"0": 1}, "b": {"1": 1}}, {"a": ["x"], "b": []}])
def test_an_object_that_is_no_table_is_one_row(tmp_path: Path, row: Any) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(row))
    assert values(tmp_path / "rows.json") == [row]


def test_parquet_is_read(tmp_path: Path) -> None:
    polars.DataFrame(ROWS).write_parquet(tmp_path / "rows.parquet")
    assert values(tmp_path / "rows.parquet") == ROWS


def test_parquet_keeps_lists_of_messages(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hi."}]
    polars.DataFrame({"conversation": [said], "conversation_hash": ["h"]}).write_parquet(tmp_path / "rows.parquet")
    (row,) = open_replies(tmp_path / "rows.parquet")
    assert isinstance(row, ReplyRow)
    assert (row.case.id, row.reply.text) == ("h", "Hi.")


def test_without_pyarrow_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    polars.DataFrame(ROWS).write_parquet(tmp_path / "rows.parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'iamhumans\[parquet\]'"):
        values(tmp_path / "rows.parquet")


@pytest.mark.parametrize(
    "make", [pandas.DataFrame, polars.DataFrame, iter, lambda rows: polars.DataFrame(rows).to_arrow()]
)
def test_rows_of_a_program_have_the_same_shapes(make: Callable[[Any], Any]) -> None:
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hi."}]
    run = ih.judge_all(make([{"conversation_id": "c", "conversation": said, "model": "m"}] * 2))
    assert [(judgement.case_id, judgement.subject) for judgement in run] == [("c", "m")] * 2


def test_missing_values_of_every_kind_of_frame_are_absent() -> None:
    frame = pandas.DataFrame({"input": ["a", "b"], "reply": ["x", "y"], "id": pandas.array([1, None], dtype="Int64")})
    assert [one.case_id for one in ih.judge_all(frame)] == ["1", "row-2"]


def test_samples_in_an_archive_of_inspect(tmp_path: Path) -> None:
    sample = {
        "id": "s",
        "epoch": 2,
        "target": "",
        "input": "hello",
        "output": {"choices": [{"message": {"content": "Hi."}}]},
    }
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m-1"}}))
        archive.writestr("samples/s_epoch_2.json", json.dumps(sample))
    (row,) = open_replies(tmp_path / "log.eval")
    assert isinstance(row, ReplyRow)
    assert (row.case.id, row.reply.text, row.reply.subject, row.reply.number) == ("s", "Hi.", "m-1", 2)


# What is wrong with a file, and what is not lost for it.


def test_lines_may_end_as_on_an_old_mac(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"input,reply\rhi,hello\rbye,see you\r")
    assert values(tmp_path / "rows.csv") == [{"input": "hi", "reply": "hello"}, {"input": "bye", "reply": "see you"}]


def test_lines_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('id,reply\n1,"a\nb"\n\n2,c\n')
    assert [(record.number, record.line) for record in read_records(tmp_path / "rows.csv")] == [(1, 2), (2, 5)]


def test_a_wrong_byte_of_a_table_costs_one_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"id,reply\n1,caf\xe9\n2,cafe\n")
    first, second = values(tmp_path / "rows.csv")
    assert isinstance(first, InputError)
    assert second == {"id": "2", "reply": "cafe"}


def test_a_row_with_too_many_cells_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("input,reply\nhello,well, well\n")
    (value,) = values(tmp_path / "rows.csv")
    assert "3 cells" in str(value)


def test_rows_before_a_fault_in_an_array_are_read(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(f"[{json.dumps(ROWS[0])},\n{json.dumps(ROWS[1])},\n{{'id': 3}}]")
    *good, wrong = read_records(tmp_path / "rows.json")
    assert [record.value for record in good] == ROWS
    assert (wrong.line, isinstance(wrong.value, InputError)) == (3, True)


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_an_archive_that_breaks_off_costs_what_comes_after(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.jsonl.{suffix}"
    path.write_bytes(packed(lines(ROWS * 2000))[suffix][:-20])
    found = values(path)
    assert isinstance(found[-1], InputError)


def test_all_rows_before_the_end_of_a_short_archive_are_read(tmp_path: Path) -> None:
    rows = [{"id": str(at), "input": f"{at * 7919}", "reply": f"{at * 104729}"} for at in range(900)]
    data = gzip.compress(lines(rows).encode())
    (tmp_path / "rows.jsonl.gz").write_bytes(data[: len(data) * 2 // 3])
    *found, wrong = values(tmp_path / "rows.jsonl.gz")
    assert isinstance(wrong, InputError)
    assert len(found) > 400
    assert found == rows[: len(found)]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("book.xlsx", b"PK\x03\x04rest", "spreadsheet"),
        ("rows.db", b"SQLite format 3\0", "a database"),
        ("rows.parquet", b"PAR1 and no more", "not Parquet that can be read"),
        ("rows.parquet", b"id,reply", "not Parquet"),
        ("rows.jsonl.zst", b"\x28\xb5\x2f\xfd", "zstd -d"),
        ("other.zip", b"PK\x03\x04", "cannot be read"),
    ],
)
def test_a_file_that_holds_no_rows_says_what_to_do(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message):
        values(tmp_path / name)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), st.sampled_from([",", ";", "\t"]))
def test_any_cells_come_back_from_a_table(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]], separator: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "cells.csv"
    rows = [{"id": "1", "input": one, "reply": two} for one, two in cells]
    path.write_bytes(table(separator, rows).encode())
    assert values(path) == rows


@given(
    st.lists(st.recursive(st.one_of(st.none(), st.integers(), st.text()), st.lists, max_leaves=5), max_size=5),
    st.integers(0, 4),
)
def test_any_array_is_read_as_json_reads_it(
    tmp_path_factory: pytest.TempPathFactory, given_: list[Any], indent: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "values.json"
    path.write_text(json.dumps([{"x": value} for value in given_], indent=indent or None))
    assert values(path) == [{"x": value} for value in given_]


@given(
    st.binary(max_size=300),
    st.sampled_from(["rows", "rows.json", "rows.csv", "rows.jsonl", "rows.tsv", "rows.parquet", "rows.gz"]),
)
def test_any_bytes_are_records_or_one_error(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    try:
        found = list(read_records(path))
    except InputError:
        return
    assert all(isinstance(record, Record) for record in found)


def test_a_long_array_is_read_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    with path.open("w") as file:
        file.write("[" + ",".join(json.dumps({"id": at, "text": "x" * 300}) for at in range(5_000)) + "]")
    records = read_records(path)
    assert [next(records).value["id"], sum(1 for _ in records)] == [0, 4_999]


def test_what_is_read_is_closed(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(lines())
    file = io.BytesIO((tmp_path / "rows.jsonl").read_bytes())
    assert not file.closed
    assert len(values(tmp_path / "rows.jsonl")) == 2
