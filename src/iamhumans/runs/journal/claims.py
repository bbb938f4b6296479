"""Which process works on which job, so that two processes on one journal do not pay for the same job.

A process claims a job before it asks a model, and releases the job with its outcome. A claim is valid while its process
shows signs of life: it must have renewed them within the last minute. A process that was suspended may have lost its
claims, so it renews them before it pays for anything (:func:`renew`). In doubt a call is paid twice rather than never
made.
"""

import json
import os
import platform
import sqlite3
import time
from pathlib import Path

RENEW_EVERY = 10.0  # seconds between two signs of life
LEASE = 30.0  # seconds after which a process no longer relies on its own last sign of life
SILENT = 60.0  # seconds after which other processes take over the jobs of one that shows no sign of life
_HOLDER = """
SELECT worker, host, process, born, seen FROM claims LEFT JOIN workers ON workers.id = worker WHERE key = ?
"""


def clock() -> float:
    """Seconds on a clock that goes on while the machine sleeps or the process is suspended, and never jumps back."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(boot) if boot is not None else time.time()


def holder() -> str:
    """How this process is found again, for a run that it works on."""
    return json.dumps(_signs()[:3])


def has_ended(held_by: str | None) -> bool:
    """Whether the process that worked on a run is gone. Of another machine that is not known, and taken for no."""
    try:
        host, process, born = json.loads(held_by or "")
    except ValueError:
        return True
    return bool(host == _host() and _born(process) != born)


def register(connection: sqlite3.Connection) -> int:
    """Enter this process as a worker, and remove workers that are gone. Returns its number."""
    for worker, *signs in connection.execute("SELECT id, host, process, born, seen FROM workers").fetchall():
        if not _alive(*signs):
            leave(connection, worker)
    # The number must not be given to another process while this one may still use it.
    number = int.from_bytes(os.urandom(6))
    renew(connection, number)
    return number


def renew(connection: sqlite3.Connection, worker: int) -> None:
    """Give a sign of life."""
    sql = "INSERT OR REPLACE INTO workers (id, host, process, born, seen) VALUES (?, ?, ?, ?, ?)"
    connection.execute(sql, (worker, *_signs()))


def leave(connection: sqlite3.Connection, worker: int) -> None:
    """Release all claims of a worker, and remove it."""
    connection.execute("DELETE FROM claims WHERE worker = ?", (worker,))
    connection.execute("DELETE FROM workers WHERE id = ?", (worker,))


def claim(connection: sqlite3.Connection, key: str, worker: int) -> bool:
    """Claim a job, or confirm an own claim. False if another living process works on it."""
    insert = "INSERT INTO claims (key, worker) VALUES (?, ?) ON CONFLICT DO NOTHING"
    if connection.execute(insert, (key, worker)).rowcount == 1:
        return True
    holder = connection.execute(_HOLDER, (key,)).fetchone()
    if holder[0] != worker and holder[1] is not None and _alive(*holder[1:]):
        return False
    connection.execute("UPDATE claims SET worker = ? WHERE key = ?", (worker, key))
    return True


def release(connection: sqlite3.Connection, key: str, worker: int) -> None:
    """Release a job."""
    connection.execute("DELETE FROM claims WHERE key = ? AND worker = ?", (key, worker))


def _signs() -> tuple[str, int, str, float]:
    """How this process is recognised: its machine, number and time of birth, and when it was last seen."""
    return _host(), os.getpid(), _born(os.getpid()) or "", time.time()


def _alive(host: str, process: int, born: str, seen: float) -> bool:
    # After a jump of the clock, a sign of life from the future means no more than an old one.
    if abs(time.time() - seen) > SILENT:
        return False
    return host != _host() or _born(process) == born


def _host() -> str:
    """The machine and its space of process numbers: two containers may have the same name."""
    try:
        space = Path("/proc/self/ns/pid").readlink().name
    except OSError:
        space = ""
    return f"{platform.node()} {space}".strip()


def _born(process: int) -> str | None:
    """When a process of this machine began; empty where the system does not say; ``None`` if the process is gone.

    Process numbers are used again. A process that ended but was not waited for keeps its number, and is gone.
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _exists(process)
    except OSError:
        return _exists(process)
    state, *facts = stat.rpartition(")")[2].split()
    return None if state in "ZX" else facts[18]


def _exists(process: int) -> str | None:
    if os.name != "posix":
        return ""  # os.kill would end the process there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return ""
