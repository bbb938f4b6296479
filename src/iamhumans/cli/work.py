"""Work that a person waits for: the journal that it is stored in, its progress, and how it is stopped."""

from __future__ import annotations

import io
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iamhumans.cli.options import is_quiet
from iamhumans.cli.output import tell

if TYPE_CHECKING:
    from iamhumans.api.run import OpenJournal
    from iamhumans.runs.engine import Progress


@contextmanager
def journal_at(db: Path | None, *, write: bool = False) -> Iterator[OpenJournal]:
    """The journal that ``--db`` names, or the nearest one. It is created only to be written."""
    from iamhumans.api.run import open_journal

    with open_journal(db, write=write) as journal:
        yield journal


def journal_path(db: Path | None) -> Path:
    """Where that journal is, for a command that creates it only when nothing else is wrong."""
    from iamhumans.runs.journal.location import find_journal

    return find_journal(db)


def read_standard_input() -> None:
    """Read all of a pipe or terminal, so that Ctrl-C ends the wait and the rows can be read twice."""
    if sys.stdin.buffer.seekable():
        return
    file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
    shutil.copyfileobj(sys.stdin.buffer, file)
    file.seek(0)
    sys.stdin = io.TextIOWrapper(file, encoding="utf-8")


@contextmanager
def watched(work: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Options of the work with progress on a terminal, and with Ctrl-C and SIGTERM as a clean stop."""
    from iamhumans.runs.halt import Stopping, StopRequest

    status, stop = _Status(), StopRequest()

    def handle(*_: object) -> None:
        status.clear()
        if stop.stop() is Stopping.FINISHING:
            tell("Finishing the calls in flight; press Ctrl-C again to cancel them.")
        else:
            tell("Cancelling the calls in flight.")

    numbers = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield {**work, "progress": status.show, "stop": stop}
    finally:
        status.clear()
        for number, handler in before.items():
            signal.signal(number, handler)


class Heard:
    """Options of the work, with the messages that its progress brought."""

    def __init__(self, watching: dict[str, Any]) -> None:
        self.messages: set[str] = set()
        show = watching["progress"]

        def hear(progress: Progress) -> None:
            if progress.message:
                self.messages.add(progress.message)
            show(progress)

        self.options = {**watching, "progress": hear}


class _Status:
    """One line on a terminal that shows how far the work is."""

    def __init__(self) -> None:
        # It may be called where no command is known, such as in another thread.
        self._quiet = is_quiet()
        self._visible = sys.stderr.isatty() and not self._quiet
        self._shown = False

    def show(self, progress: Progress) -> None:
        if progress.message:
            self.clear()
            if not self._quiet:
                tell(progress.message)
        if not self._visible:
            return
        rate = progress.ended / progress.seconds if progress.seconds > 0 else 0.0
        parts = [progress.waiting] if progress.waiting else []
        parts += [f"{progress.ended} done", f"{rate:.1f}/s", f"{progress.in_flight} in flight"]
        if progress.from_journal:
            parts.append(f"{progress.from_journal} from the journal")
        if progress.failed_calls:
            parts.append(f"{progress.failed_calls} failed calls")
        parts.append(f"{progress.tokens:,} tokens")
        parts.append(f"cost {progress.cost_in_words}")
        self._write("  ".join(parts))

    def clear(self) -> None:
        if self._shown:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()
        self._shown = bool(text)
