"""A sample of a suite in which every dimension and every hard fail is represented: seeded, and always the same.

A sample of N is the first N of an order: cases until every dimension and hard fail is represented, then cases that
bring the shares nearer to those of the suite. A hash of the seed decides among nearly equal ones.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from math import lcm
from pathlib import Path

from iamhumans.cases.case import Case
from iamhumans.cases.holdout import is_bundled, record_use, require_reason
from iamhumans.cases.ledger import LEDGER_NAME, refuse_link
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.cases.suite import Suite
from iamhumans.cases.suite_files import CASES_FOLDER
from iamhumans.errors import CommandError, Place
from iamhumans.rubrics import BUNDLED as BUNDLED_RUBRICS
from iamhumans.text import is_inside, read_text, read_yaml

_Facet = tuple[str, str]  # a kind and one of its names; the empty name is for cases without any
_Chance = tuple[bytes, str]  # a hash, and the name it is of
_KINDS = ("dimensions", "hard_fails")


def write_sample(suite: Suite, sample: Suite, folder: Path, *, holdout_reason: str | None = None) -> None:
    """Write a sample as a suite: case files, manifest and rubric byte for byte, into a new or empty folder.

    With held-out cases, the ledger is copied and ``holdout_reason`` goes into it. The copy must be sealed.
    """
    held_out = list(sample.only_held_out().by_id)
    reason = require_reason(holdout_reason or "") if held_out else ""
    searched = suite.path / CASES_FOLDER if (suite.path / MANIFEST_NAME).is_file() else suite.path
    if is_inside(folder, searched):
        problem = f"This lies in {searched}, so the copies would be cases of the same suite."
        raise CommandError(problem, fix="Name a folder elsewhere.", where=Place(folder))
    try:
        if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
            problem = "There is something here already, and nothing is overwritten."
            raise CommandError(problem, fix="Name a folder that does not exist yet.", where=Place(folder))
        if held_out and not is_bundled(suite.path):
            record_use(suite, reason=reason, output="sample", run=None, cases=held_out)
        for source in dict.fromkeys(_files(suite, sample)):
            target = folder / _inside(source, suite.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    except OSError as error:
        problem = f"The sample cannot be written: {error.strerror or error}."
        raise CommandError(problem, fix="Check the permissions, and that there is room.", where=Place(folder)) from None
    if held_out and is_bundled(suite.path):
        record_use(folder, reason=reason, output="sample", run=None, cases=held_out)


class SamplingOrder:
    """All cases in the order in which a sample takes them. Cases with the same facets form a group."""

    def __init__(self, cases: Iterable[Case], seed: int) -> None:
        self.seed = seed
        self.groups: dict[frozenset[_Facet], list[tuple[_Chance, Case]]] = {}
        by_chance = {self._chance("case", case.id): case for case in cases}
        for chance in sorted(by_chance, reverse=True):
            self.groups.setdefault(_facets(by_chance[chance]), []).append((chance, by_chance[chance]))
        self.total = len(by_chance)
        self.there: Counter[_Facet] = Counter(facet for case in by_chance.values() for facet in _facets(case))
        self.drawn: Counter[_Facet] = Counter()
        self.taken = 0
        self.common = lcm(*self.there.values())

    def __iter__(self) -> Iterator[Case]:
        for kind in _KINDS:
            facets = [facet for facet in self.there if facet[0] == kind and facet[1]]
            # The names are those of the first version, so that its samples stay the same.
            for facet in sorted(facets, key=lambda facet: self._chance(facet[0].removesuffix("s"), facet[1])):
                if not self.drawn[facet]:
                    yield self._take(self._showing(facet))
        while self.groups:
            yield self._take(self._nearing())

    def _showing(self, facet: _Facet) -> frozenset[_Facet]:
        groups = (group for group in self.groups if facet in group)
        new = {group: sum(bool(one[1]) and not self.drawn[one] for one in group) for group in groups}
        enough = max(new.values()) - 1
        return min((group for group, shown in new.items() if shown >= enough), key=self._first)

    def _nearing(self) -> frozenset[_Facet]:
        # It lowers the sum over facets of (drawn - expected)² / there, as in a chi-squared statistic. A case changes it
        # only for its own facets; times common factors, by the whole number that is summed here.
        weight = {
            facet: (2 * (self.drawn[facet] * self.total - (self.taken + 1) * there) + self.total)
            * (self.common // there)
            for facet, there in self.there.items()
        }
        change = {group: sum(weight[facet] for facet in group) for group in self.groups}
        best = min(change.values())
        return min((group for group, by in change.items() if by == best or 2 * by <= best < 0), key=self._first)

    def _first(self, group: frozenset[_Facet]) -> _Chance:
        return self.groups[group][-1][0]

    def _take(self, group: frozenset[_Facet]) -> Case:
        _, case = self.groups[group].pop()
        if not self.groups[group]:
            del self.groups[group]
        self.drawn.update(group)
        self.taken += 1
        return case

    def _chance(self, kind: str, name: str) -> _Chance:
        return hashlib.sha256(f"{self.seed}\n{kind}\n{name}".encode()).digest(), name


def _facets(case: Case) -> frozenset[_Facet]:
    return frozenset((kind, name) for kind in _KINDS for name in getattr(case, kind) or ("",))


def _files(suite: Suite, sample: Suite) -> Iterator[Path]:
    manifest, ledger = suite.path / MANIFEST_NAME, suite.path / LEDGER_NAME
    if manifest.is_file():
        yield manifest
        rubric, folder = suite.rubric, suite.path
        while rubric not in BUNDLED_RUBRICS:  # loading the suite has shown that rubrics do not extend in a circle
            path = folder / rubric
            yield path
            value = read_yaml(read_text(path)).value
            base = value.get("extends") if isinstance(value, dict) else None
            rubric, folder = str(base or BUNDLED_RUBRICS[0]), path.parent
    if sample.only_held_out().cases and ledger.exists():
        refuse_link(ledger)
        yield ledger
    yield from (case.path for case in sample.cases if case.path is not None)


def _inside(path: Path, folder: Path) -> str:
    """The way from a folder to a path below it, links left as they are; the file's name for a path elsewhere."""
    way = Path(os.path.relpath(path, folder))
    return path.name if os.pardir in way.parts[:1] else way.as_posix()
