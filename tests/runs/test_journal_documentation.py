"""What docs/journal.md says is true."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from iamhumans.runs.journal.database import in_memory
from iamhumans.runs.journal.schema import VERSION

PAGE = (Path(__file__).parents[2] / "docs" / "journal.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = in_memory()
    yield connection
    connection.close()


@pytest.mark.parametrize("query", QUERIES)
def test_its_queries_run(connection: sqlite3.Connection, query: str) -> None:
    connection.execute(query).fetchall()


def test_it_names_every_table_and_column(connection: sqlite3.Connection) -> None:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    columns = {row[1] for name in tables for row in connection.execute(f"PRAGMA table_info({name})")}
    internal = {"id", "value", "plan_hash", "salt", "host", "process", "born", "seen", "worker"}
    assert [name for name in (*tables, *(columns - internal)) if not re.search(rf"`{name}\b", PAGE)] == []


def test_it_names_the_version() -> None:
    assert f"`PRAGMA user_version` is {VERSION}" in PAGE
