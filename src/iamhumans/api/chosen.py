"""Which cases of a suite, or which rows of a log, are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice

from iamhumans.cases import Suite
from iamhumans.errors import CommandError
from iamhumans.subjects import ReplyRow, RowProblem


@dataclass(frozen=True, slots=True)
class Chosen:
    """Those whose ids match the glob ``case``, of a ``dimension``, and of these the first ones up to a ``limit``."""

    case: str | None = None
    dimension: str | None = None
    limit: int | None = None

    @property
    def all(self) -> bool:
        """Whether every case is used."""
        return self.case is None and self.dimension is None and self.limit is None

    def of(self, suite: Suite) -> Suite:
        """The suite with these cases. Raises CommandError where there is none."""
        return suite if self.all else suite.select(case=self.case, dimension=self.dimension, limit=self.limit)

    def refuse_held_out(self, reason: str | None) -> None:
        """Raise CommandError where held-out cases are used, since none of them may be picked."""
        if reason is not None and not self.all:
            problem = "Held-out cases are always used together: you cannot choose some of them."
            raise CommandError(problem, fix="Leave out the options that choose cases.")

    def rows(self, suite: Suite | None) -> Callable[[Iterable[ReplyRow | RowProblem]], Iterator[ReplyRow | RowProblem]]:
        """What picks the replies to these cases; without a suite each row is a case. Raises CommandError."""
        if suite is not None and not self.all:
            ids = self.of(suite.without_holdout()).by_id
            return lambda rows: (row for row in rows if isinstance(row, RowProblem) or row.case.id in ids)
        if self.dimension is not None:
            raise CommandError("Choosing a dimension needs a suite.", fix="Name the suite, or leave the dimension out.")
        return self._of_log

    def _of_log(self, rows: Iterable[ReplyRow | RowProblem]) -> Iterator[ReplyRow | RowProblem]:
        glob = self.case
        found = rows if glob is None else (row for row in rows if _fits(row, glob))
        return iter(found) if self.limit is None else islice(found, self.limit)


def _fits(row: ReplyRow | RowProblem, glob: str) -> bool:
    return isinstance(row, RowProblem) or fnmatchcase(row.case.id, glob)
