"""The rows that a program or a person gives to be judged, as one source whatever they are."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iamhumans.api.chosen import Chosen
from iamhumans.cases import Suite
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.runs.plan import digest_of
from iamhumans.subjects import Reading, ReplyRow, RowProblem, Rows, open_replies, read_rows
from iamhumans.subjects.decoding.holders import inner_rows, is_holder
from iamhumans.text import one_line

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
    chosen: Chosen = field(default_factory=Chosen)
    reading: Reading = field(default_factory=Reading)
    any_case: bool = False
    """Whether replies to cases of an unknown suite are used, without their conversation."""
    problems: list[RowProblem] = field(default_factory=list)
    wrong: int = 0
    count: int = 0
    """Usable rows of the last pass."""
    shape: str = ""
    """The shape of the rows in words; empty if it is our own or not known."""
    _remarks: dict[str, tuple[int, str]] = field(default_factory=dict)
    """What a user should know of rows: how many there are of each kind, and the first."""
    _known: list[ReplyRow] = field(default_factory=list)
    """The rows of the first pass, if they are few."""

    @property
    def is_one_shot(self) -> bool:
        """Whether the rows can be gone through only once."""
        if isinstance(self.given, str | Path):
            return str(self.given) == "-" and not sys.stdin.buffer.seekable()
        return isinstance(self.given, Iterator)

    def rows(self, reasons: Counter[str] | None = None) -> Iterator[ReplyRow]:
        """The rows that can be judged, one by one. ``reasons`` counts why the others cannot."""
        if self._known:
            yield from self._known
            return
        self.count = self.wrong = 0
        self.problems, self._remarks = [], {}
        read = self._read()
        for row in self.chosen.rows(self.suite)(read):
            if isinstance(row, ReplyRow):
                self.count += 1
                self._note(row)
                yield row
            else:
                self.wrong += 1
                if reasons is not None and (row.problem in reasons or len(reasons) < MOST_PROBLEMS):
                    reasons[row.problem] += 1
                if len(self.problems) < MOST_PROBLEMS:
                    self.problems.append(row)
        if isinstance(read, Rows) and read.shape is not None and read.shape.name != "rows":
            self.shape = f"{read.shape.name} ({read.shape.about})"

    @property
    def shape_note(self) -> str | None:
        """As what the rows were read; ``None`` for our own."""
        return f"{self._name()} read as {self.shape}" if self.shape else None

    def notes(self) -> tuple[str, ...]:
        """What a user should know of how the rows were read."""
        found = []
        for count, first in self._remarks.values():
            found.append(f"{first} (so it is in {count - 1:,} more rows)" if count > 1 else first)
        return (*([self.shape_note] if self.shape_note else []), *found)

    def _note(self, row: ReplyRow) -> None:
        for remark in row.remarks:
            count, first = self._remarks.get(remark.kind, (0, ""))
            self._remarks[remark.kind] = (count + 1, first or f"{self._name()} row {row.row}: {remark.text}")

    def _name(self) -> str:
        return f"{one_line(str(self.given), 200)}:" if isinstance(self.given, str | Path) else "The rows:"

    def require_rows(self) -> None:
        """Raises InputError if the last pass found no row that can be judged."""
        if self.count:
            return
        place = Place(Path(self.given)) if isinstance(self.given, str | Path) else Place()
        if not self.problems:
            none = "There is no reply in it." if self.chosen.all else "No reply in it answers one of these cases."
            raise InputError(none, where=place)
        first = self.problems[0]
        others = f"The other {self.wrong - 1:,} rows" if self.wrong > 2 else "The other row"
        more = f" {others} cannot be used either." if self.wrong > 1 else ""
        fix = self._how_to_convert() if first.is_of_form else ""
        raise InputError(f"{first.problem}{more}", fix=fix, where=first.place)

    def _how_to_convert(self) -> str:
        name = one_line(str(self.given), 200) if isinstance(self.given, str | Path) else "FILE"
        return (
            "If the replies are under other keys, name the keys (`columns=` in Python):"
            f" `iamhumans convert {name} --columns input=NAME,reply=NAME -o rows.jsonl`."
        )

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

    def _read(self) -> Iterable[ReplyRow | RowProblem]:
        how: dict[str, Any] = {"holdout": self.holdout, "reading": self.reading, "any_case": self.any_case}
        if isinstance(self.given, str | Path):
            return open_replies(Path(self.given), self.suite, **how)
        return read_rows(_mappings(self.given), self.suite, **how)


def row_text(row: ReplyRow) -> str:
    """What tells one row from another."""
    failed = f" {row.failure.reason}" if row.failure else ""
    place = f"{row.case.hash} {row.reply.number} {len(row.reply.subject)} {row.reply.subject}"
    return f"{place} {row.id} {row.cluster} {row.reply.text}{failed}"


def _mappings(given: Any) -> Iterable[Any]:
    """The rows of a list, an iterator, or a data frame. Neither pandas nor polars nor pyarrow is imported."""
    found: Iterable[Any] = given
    if hasattr(given, "to_batches") and hasattr(given, "schema"):  # pyarrow
        return (row for batch in given.to_batches() for row in batch.to_pylist())
    if isinstance(given, Mapping) and is_holder(given):  # what a whole file of JSON may be
        return (row for row, _ in inner_rows(given))
    if hasattr(given, "iter_rows"):  # polars
        found = given.iter_rows(named=True)
    elif hasattr(given, "itertuples") and hasattr(given, "columns"):  # pandas
        names = [name if isinstance(name, str) else str(name) for name in given.columns]
        found = (dict(zip(names, values, strict=True)) for values in given.itertuples(index=False, name=None))
    elif not isinstance(given, Iterable) or isinstance(given, Mapping):
        fix = "Pass a path, a list of mappings, a data frame, or an iterator."
        raise CommandError(f"Rows cannot be read from {type(given).__name__}.", fix=fix)
    return found
