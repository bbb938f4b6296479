"""The rows that a program or a person gives to be judged, as one source whatever they are."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iamhumans.cases import Suite
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.runs.plan import digest_of
from iamhumans.subjects import ReplyRow, RowProblem, open_replies, read_rows

MOST_PROBLEMS = 1_000
"""How many wrong rows are remembered one by one."""
_MOST_KNOWN = 20_000
"""Up to so many rows are held in memory rather than read twice."""


@dataclass
class Source:
    """Rows, to be gone through once or twice: a path, a list or an iterator of mappings, or a data frame.

    ``problems`` are the first rows that could not be used, ``wrong`` is how many there were.
    """

    given: Any
    suite: Suite | None = None
    holdout: bool = False
    problems: list[RowProblem] = field(default_factory=list)
    wrong: int = 0
    count: int = 0
    """Usable rows of the last pass."""
    _known: list[ReplyRow] = field(default_factory=list)
    """The rows of the first pass, if they are few."""

    @property
    def is_one_shot(self) -> bool:
        """Whether the rows can be gone through only once."""
        if isinstance(self.given, str | Path):
            return str(self.given) == "-" and not sys.stdin.buffer.seekable()
        return isinstance(self.given, Iterator)

    def rows(self) -> Iterator[ReplyRow]:
        """The rows that can be judged, one by one."""
        if self._known:
            yield from self._known
            return
        self.count = self.wrong = 0
        self.problems = []
        for row in self._read():
            if isinstance(row, ReplyRow):
                self.count += 1
                yield row
            else:
                self.wrong += 1
                if len(self.problems) < MOST_PROBLEMS:
                    self.problems.append(row)

    def require_rows(self) -> None:
        """Raises InputError if the last pass found no row that can be judged."""
        if self.count:
            return
        place = Place(Path(self.given)) if isinstance(self.given, str | Path) else Place()
        if not self.problems:
            raise InputError("There is no reply in it.", where=place)
        first = self.problems[0]
        more = f" The other {self.wrong - 1:,} rows cannot be used either." if self.wrong > 1 else ""
        raise InputError(f"{first.problem}{more}", where=first.place)

    def digest(self) -> str:
        """A hash of all rows that can be judged."""
        known: list[ReplyRow] = []

        def parts() -> Iterator[str]:
            for row in self.rows():
                if len(known) <= _MOST_KNOWN:
                    known.append(row)
                yield row_text(row)

        digest = digest_of(parts())
        self._known = known if len(known) <= _MOST_KNOWN else []
        return digest

    def _read(self) -> Iterator[ReplyRow | RowProblem]:
        if isinstance(self.given, str | Path):
            return open_replies(Path(self.given), self.suite, holdout=self.holdout)
        return read_rows(_mappings(self.given), self.suite, holdout=self.holdout)


def row_text(row: ReplyRow) -> str:
    """What tells one row from another."""
    return f"{row.case.hash} {row.reply.number} {len(row.reply.subject)} {row.reply.subject} {row.reply.text}"


def _mappings(given: Any) -> Iterable[Any]:
    """The rows of a list, an iterator, or a data frame. Neither pandas nor polars is imported."""
    found: Iterable[Any] = given
    if hasattr(given, "iter_rows"):  # polars
        found = given.iter_rows(named=True)
    elif hasattr(given, "itertuples") and hasattr(given, "columns"):  # pandas
        names = [str(name) for name in given.columns]
        found = (dict(zip(names, values, strict=True)) for values in given.itertuples(index=False, name=None))
    elif not isinstance(given, Iterable) or isinstance(given, Mapping):
        fix = "Pass a path, a list of mappings, a data frame, or an iterator."
        raise CommandError(f"Rows cannot be read from {type(given).__name__}.", fix=fix)
    return found
