"""Keys and lines from a terminal, or lines from a pipe."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

_END = b"\x04"
_ESCAPE = b"\x1b"
_LONGEST_SEQUENCE = 0.02
"""Seconds in which the rest of what an arrow key sends arrives."""


class Keyboard(Protocol):
    """Where answers come from. Both methods raise ``EOFError`` when there is no more."""

    echoes: bool
    """Whether a line is seen by whoever types it."""

    def expect(self, *, line: bool) -> None:
        """Be ready for a key or for a line, before anybody is asked for one."""

    def key(self) -> str:
        """A key; the empty text for Enter. From a pipe: a line."""

    def line(self) -> str:
        """A line without its end."""


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Keys, where standard input is a terminal that can give them; else lines."""
    if not sys.stdin.isatty():
        yield _Pipe()
        return
    try:
        import termios
    except ImportError:  # Windows: every answer is a line there
        yield _Pipe()
        return
    descriptor = sys.stdin.fileno()
    usual = termios.tcgetattr(descriptor)
    try:
        yield _Terminal(descriptor, usual)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, usual)


class _Pipe:
    """Lines, whatever bytes they hold."""

    echoes = False

    def expect(self, *, line: bool) -> None:
        pass

    def key(self) -> str:
        return self.line()

    def line(self) -> str:
        data = sys.stdin.buffer.readline()
        if not data:
            raise EOFError
        return data.decode("utf-8", "replace").rstrip("\r\n")


class _Terminal:
    """A terminal whose keys are read as they are pressed; a line can be edited as anywhere.

    It is read byte by byte, past Python's buffers: what was typed ahead stays with the terminal until it is asked for.
    """

    echoes = True

    def __init__(self, descriptor: int, usual: list[Any]) -> None:
        self._descriptor = descriptor
        self._usual = usual

    def expect(self, *, line: bool) -> None:
        import termios

        wanted = self._usual if line else self._by_key()
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, wanted)

    def key(self) -> str:
        byte = self._byte()
        while byte == _ESCAPE:
            byte = self._after_escape()
        if byte in (b"\r", b"\n"):
            return ""
        if byte == _END:
            raise EOFError
        return self._character(byte)

    def line(self) -> str:
        data = b""
        # Ctrl-D that was typed ahead comes as the byte that it is.
        while (byte := os.read(self._descriptor, 1)) not in (b"", b"\n", b"\r", _END):
            data += byte
        if not data and byte in (b"", _END):
            raise EOFError
        return _edited(data.decode("utf-8", "replace"))

    def _by_key(self) -> list[Any]:
        """No waiting for Enter and no echo; Ctrl-C stays what it is."""
        import termios

        changed = termios.tcgetattr(self._descriptor)
        changed[3] &= ~(termios.ICANON | termios.ECHO)
        changed[6][termios.VMIN], changed[6][termios.VTIME] = 1, 0
        return changed

    def _byte(self) -> bytes:
        byte = os.read(self._descriptor, 1)
        if not byte:
            raise EOFError
        return byte

    def _character(self, first: bytes) -> str:
        """The character that begins with a byte; one of several bytes arrives as a whole."""
        more = 3 if first >= b"\xf0" else 2 if first >= b"\xe0" else 1 if first >= b"\xc0" else 0
        return (first + b"".join(self._byte() for _ in range(more))).decode("utf-8", "replace")

    def _after_escape(self) -> bytes:
        """The next byte that is no part of what an arrow key and its like send."""
        byte = self._byte()
        if byte not in (b"[", b"O"):
            return byte
        while self._waiting() and not b"@" <= self._byte() <= b"~":
            pass
        return self._byte()

    def _waiting(self) -> bool:
        return bool(select.select([self._descriptor], [], [], _LONGEST_SEQUENCE)[0])


def _edited(typed: str) -> str:
    """A line as it was meant: what was typed ahead of its prompt holds the backspaces themselves."""
    line: list[str] = []
    for character in typed:
        if character in "\x7f\b":
            del line[-1:]
        else:
            line.append(character)
    return "".join(line)
