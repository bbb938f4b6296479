"""Answers from a terminal, key by key, or from a pipe, line by line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_END, _ESCAPE = b"\x04", b"\x1b"
_LONGEST_SEQUENCE = 0.02
"""Seconds within which the rest of an arrow key's bytes arrives."""


@contextmanager
def keyboard() -> Iterator[_Lines | _Terminal]:
    """Keys where standard input is a terminal that can give them, else lines. Windows gives lines."""
    if not sys.stdin.isatty() or sys.platform == "win32":
        yield _Lines(echoes=sys.stdin.isatty())
        return
    import termios

    descriptor = sys.stdin.fileno()
    usual = termios.tcgetattr(descriptor)
    try:
        yield _Terminal(descriptor, usual)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, usual)


class _Lines:
    """Both readers raise ``EOFError`` at the end of the input. ``echoes_...``: whether raters see what they type."""

    def __init__(self, *, echoes: bool) -> None:
        self.echoes_keys = self.echoes_lines = echoes

    def expect(self, *, line: bool) -> None:
        """Get ready for a line or a key, before the question is shown."""

    def key(self) -> str:
        return self.line()

    def line(self) -> str:
        data = sys.stdin.buffer.readline()
        if not data:
            raise EOFError
        return data.decode("utf-8", "replace").rstrip("\r\n")


class _Terminal:
    """Reads byte by byte, past Python's buffers, so that what is typed ahead stays in the terminal."""

    echoes_keys = False
    echoes_lines = True

    def __init__(self, descriptor: int, usual: list[Any]) -> None:
        self._descriptor = descriptor
        self._usual = usual

    def expect(self, *, line: bool) -> None:
        import termios

        mode = self._usual
        if not line:
            # Keys arrive without Enter and without echo. Ctrl-C still interrupts.
            mode = termios.tcgetattr(self._descriptor)
            mode[3] &= ~(termios.ICANON | termios.ECHO)
            mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, mode)

    def key(self) -> str:
        byte = self._byte()
        while byte == _ESCAPE:
            byte = self._after_escape()
        if byte in (b"\r", b"\n"):
            return ""
        if byte == _END:
            raise EOFError
        more = 3 if byte >= b"\xf0" else 2 if byte >= b"\xe0" else 1 if byte >= b"\xc0" else 0
        return (byte + b"".join(self._byte() for _ in range(more))).decode("utf-8", "replace")

    def line(self) -> str:
        data = b""
        # Ctrl-D that was typed ahead arrives as a byte.
        while (byte := os.read(self._descriptor, 1)) not in (b"", b"\n", b"\r", _END):
            data += byte
        if not data and byte in (b"", _END):
            raise EOFError
        line: list[str] = []
        for character in data.decode("utf-8", "replace"):
            # Backspaces that were typed ahead arrive as characters.
            if character in "\x7f\b":
                del line[-1:]
            else:
                line.append(character)
        return "".join(line)

    def _byte(self) -> bytes:
        byte = os.read(self._descriptor, 1)
        if not byte:
            raise EOFError
        return byte

    def _after_escape(self) -> bytes:
        """The next byte that is not part of an arrow key or the like."""
        import select

        byte = self._byte()
        if byte not in (b"[", b"O"):
            return byte
        while select.select([self._descriptor], [], [], _LONGEST_SEQUENCE)[0] and not b"@" <= self._byte() <= b"~":
            pass
        return self._byte()
