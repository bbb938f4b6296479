"""Errors for people: what is wrong, where, and what to do. Any other exception of this package is a bug."""

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0  # done (FAILs are results, not errors), or the gate passes
    GATE_FAILED = 1
    WRONG_INPUT = 2  # the command or an input is wrong
    INCONCLUSIVE = 3  # coverage is below the minimum, or the threshold is in the interval
    COULD_NOT_RUN = 4  # no model was reachable, the budget is spent, or nothing was judged


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the user's files; ``line`` counts from 1."""

    path: Path | None = None
    line: int | None = None

    def __str__(self) -> str:
        if self.path is None:
            return "" if self.line is None else f"line {self.line}"
        return str(self.path) if self.line is None else f"{self.path}:{self.line}"


NOWHERE = Place()


class IamhumansError(Exception):
    """An error that the user can fix."""

    exit_code = Exit.WRONG_INPUT  # what the command line ends with

    def __init__(self, what: str, *, fix: str = "", where: Place | None = None) -> None:
        self.what = what  # what is wrong, as a sentence
        self.where = where or Place()
        self.fix = fix  # what to do next, as a sentence; empty where there is no advice
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """One paragraph: where, what, fix."""
        return f"{self.where}: {self.what} {self.fix}".removeprefix(": ").rstrip()


class InputError(IamhumansError):
    """A file or a text that the user gave cannot be used."""


class CommandError(IamhumansError):
    """The command line asks for something that does not exist or does not fit together."""


class CannotRunError(IamhumansError):
    """All inputs are right, but the work cannot be done here and now."""

    exit_code = Exit.COULD_NOT_RUN


class JournalError(CannotRunError):
    """The journal cannot be read or written at the moment. Its content is unchanged."""


class JournalRefusedError(InputError):
    """The file must not be used as a journal."""
