"""Who works on what, so that two processes on one journal do not pay for the same job.

A process that asks for a job claims it, in the transaction that finds it free, and gives it back with its outcome. A
claim is good for as long as its process lives: on the same machine that is looked up; elsewhere it must have shown
itself within the last minute. In doubt a claim is broken, and a call is paid twice rather than never made.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import time
from pathlib import Path

SHOW_EVERY = 10.0
"""Seconds between two signs of life."""
_SILENT = 60.0
_HOLDER = """
SELECT worker, host, process, born, seen FROM claims LEFT JOIN workers ON workers.id = worker WHERE key = ?
"""


def register(connection: sqlite3.Connection) -> int:
    """Enter this process as a worker, and clear away those that are gone. Returns its number."""
    workers = connection.execute("SELECT id, host, process, born, seen FROM workers").fetchall()
    for worker, *signs in workers:
        if not _alive(*signs):
            leave(connection, worker)
    cursor = connection.execute("INSERT INTO workers (host, process, born, seen) VALUES (?, ?, ?, ?)", _signs())
    if cursor.lastrowid is None:
        raise RuntimeError("an insert gave no row number")
    return cursor.lastrowid


def show(connection: sqlite3.Connection, worker: int) -> None:
    """Give a sign of life. A worker that was held for gone is entered again."""
    sql = "INSERT OR REPLACE INTO workers (id, host, process, born, seen) VALUES (?, ?, ?, ?, ?)"
    connection.execute(sql, (worker, *_signs()))


def leave(connection: sqlite3.Connection, worker: int) -> None:
    """Give everything back."""
    connection.execute("DELETE FROM claims WHERE worker = ?", (worker,))
    connection.execute("DELETE FROM workers WHERE id = ?", (worker,))


def claim(connection: sqlite3.Connection, key: str, worker: int) -> bool:
    """Claim a job. False if another living process works on it."""
    insert = "INSERT INTO claims (key, worker) VALUES (?, ?) ON CONFLICT DO NOTHING"
    if connection.execute(insert, (key, worker)).rowcount == 1:
        return True
    holder = connection.execute(_HOLDER, (key,)).fetchone()
    if holder[0] != worker and holder[1] is not None and _alive(*holder[1:]):
        return False
    connection.execute("UPDATE claims SET worker = ? WHERE key = ?", (worker, key))
    return True


def release(connection: sqlite3.Connection, key: str, worker: int) -> None:
    """Give a job back."""
    connection.execute("DELETE FROM claims WHERE key = ? AND worker = ?", (key, worker))


def _signs() -> tuple[str, int, str, float]:
    """What this process is known by: where it runs, its number, when it was born, and when it was seen."""
    return _host(), os.getpid(), _born(os.getpid()) or "", time.time()


def _alive(host: str, process: int, born: str, seen: float) -> bool:
    # After a jump of the clock, a sign of life from the future is no better than an old one.
    if abs(time.time() - seen) > _SILENT:
        return False
    return host != _host() or _born(process) == born


def _host() -> str:
    """The machine, and within it the space of process numbers: two containers may bear the same name."""
    try:
        space = Path("/proc/self/ns/pid").readlink().name
    except OSError:
        space = ""
    return f"{platform.node()} {space}".strip()


def _born(process: int) -> str | None:
    """When a process of this machine began, or nothing where the system does not say; ``None`` if it is gone.

    Numbers are given again, after a restart of a container at once. A process that ended and that nobody asked about
    keeps its number, and is gone all the same.
    """
    try:
        state, *facts = (
            Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _answers(process)
    except OSError:
        return _answers(process)
    return None if state in "ZX" else facts[18]


def _answers(process: int) -> str | None:
    if os.name != "posix":
        return ""  # os.kill would end it there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return ""
    return ""
