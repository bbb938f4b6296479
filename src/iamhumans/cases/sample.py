"""A part of a suite in which every dimension and every hard fail has its place: stratified, seeded, always the same.

The cases are put into an order, and a sample of N is the first N of them; so the sample of N is part of that of N+1,
and a run on the larger one finds most of its answers in the journal. The order has two parts:

1. Cover. Until every dimension is represented: of the dimension whose turn it is, a case that shows most of what is not
   shown yet, or all but one as many. Then the same for hard fails. So as many cases as there are dimensions show every
   dimension, and as many as there are dimensions and hard fails show all; mostly far fewer do.
2. Proportion. From then on a case that brings the shares of dimensions and hard fails nearer to those of the suite: as
   near as can be, or at least half as far.

Chance decides whose turn it is and which of these cases it is: always the very best one would leave some cases out of
nearly every sample. It comes from SHA-256 of the seed and of a name, so neither the order of files nor the machine nor
Python's version has a part in it, and all counting is in whole numbers.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from math import lcm
from pathlib import Path

from iamhumans.cases.folder import CASES_FOLDER, natural_key
from iamhumans.cases.ledger import LEDGER_NAME
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.cases.model import Case, Suite
from iamhumans.cases.seal import refuse_link
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import BUNDLED as BUNDLED_RUBRICS
from iamhumans.text import read_text, read_yaml

_DIMENSION = "dimension"
_HARD_FAIL = "hard_fail"
_MOST_RUBRICS = 16

Facet = tuple[str, str]
"""A kind, and a dimension or a hard fail; the empty name stands for none at all."""
Chance = tuple[bytes, str]
"""A hash, and what it is of."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Cases that were drawn, in the order in which people count, and how many there were to draw from."""

    cases: tuple[Case, ...]
    available: tuple[Case, ...]

    def dimensions(self) -> Mapping[str, tuple[int, int]]:
        """For each dimension how many cases of the sample have it, and how many of all."""
        return self._shares(_DIMENSION)

    def hard_fails(self) -> Mapping[str, tuple[int, int]]:
        """For each hard fail how many cases of the sample name it, and how many of all."""
        return self._shares(_HARD_FAIL)

    def _shares(self, kind: str) -> dict[str, tuple[int, int]]:
        drawn = Counter(name for case in self.cases for _, name in _named(case, kind))
        there = Counter(name for case in self.available for _, name in _named(case, kind))
        return {name: (drawn[name], there[name]) for name in sorted(there, key=natural_key)}


def sample_suite(suite: Suite, size: int, *, seed: int = 0, holdout: bool = False) -> Sample:
    """A sample of the cases of a suite; all of them where there are no more than ``size``.

    Args:
        suite: The suite.
        size: How many cases to draw.
        seed: Another seed is another sample.
        holdout: Draw from the held-out cases as well, which are otherwise left out.

    Raises:
        CommandError: The size is not positive, or there is no case to draw from.
    """
    if size < 1:
        raise CommandError("A sample has at least one case.", fix="Give a size of 1 or more.")
    available = suite.cases if holdout else suite.without_holdout().cases
    if not available:
        fix = "Add --holdout to draw from held-out cases." if suite.cases else "Is every case refused?"
        raise CommandError(f"There is no case to draw from in {suite.name}.", fix=fix)
    drawn = islice(sampling_order(available, seed), size) if size < len(available) else available
    return Sample(tuple(sorted(drawn, key=lambda case: natural_key(case.id))), tuple(available))


def sampling_order(cases: Iterable[Case], seed: int = 0) -> Iterator[Case]:
    """All cases in the order in which a sample takes them, whatever order they come in.

    Args:
        cases: Cases with different ids.
        seed: Another seed is another order.
    """
    return _Drawing(cases, seed).run()


def write_sample(suite: Suite, sample: Sample, folder: Path) -> None:
    """Write a sample as a suite of its own: case files and manifest byte for byte, and the rubric that it names.

    Where held-out cases are among them, the ledger of their uses goes with them; the copy is to be sealed anew.

    Args:
        suite: The suite that the sample is from.
        sample: What was drawn.
        folder: A folder that does not exist, or is empty.

    Raises:
        CommandError: The folder has something in it, lies among the suite's own cases, or cannot be written.
        InputError: The suite's rubric is a file outside of its folder, to which the copy would have no way.
    """
    _refuse_folder(suite, folder)
    files = dict(_files(suite, sample))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside its place first, so that nobody finds half a suite.
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
        try:
            suite_folder = made / "suite"
            for name, source in files.items():
                target = suite_folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read_bytes())
            if folder.exists():
                folder.rmdir()
            suite_folder.replace(folder)
        finally:
            with suppress(OSError):
                shutil.rmtree(made)
    except OSError as error:
        fix = "Check the permissions, and that there is room."
        problem = f"The sample cannot be written: {error.strerror or error}."
        raise CommandError(problem, fix=fix, place=Place(folder)) from None


class _Drawing:
    """Takes cases one after the other.

    Cases with the same dimensions and hard fails are as good as each other, so they are gone through as groups, each in
    the order that chance gives.
    """

    def __init__(self, cases: Iterable[Case], seed: int) -> None:
        self.seed = seed
        self.groups: dict[frozenset[Facet], list[tuple[Chance, Case]]] = {}
        by_chance = {self._chance("case", case.id): case for case in cases}
        for chance in sorted(by_chance, reverse=True):
            case = by_chance[chance]
            self.groups.setdefault(_facets(case), []).append((chance, case))
        self.total = len(by_chance)
        self.there: Counter[Facet] = Counter(facet for case in by_chance.values() for facet in _facets(case))
        self.drawn: Counter[Facet] = Counter()
        self.taken = 0
        self.common = lcm(*self.there.values())

    def run(self) -> Iterator[Case]:
        for kind in (_DIMENSION, _HARD_FAIL):
            names = [facet for facet in self.there if facet[0] == kind and facet[1]]
            for facet in sorted(names, key=lambda facet: self._chance(*facet)):
                if not self.drawn[facet]:
                    yield self._take(self._showing(facet))
        while self.groups:
            yield self._take(self._nearing())

    def _showing(self, facet: Facet) -> frozenset[Facet]:
        """A group with a facet that shows most of what is not shown yet, or all but one as many."""
        new = {
            group: sum(bool(one[1]) and not self.drawn[one] for one in group) for group in self.groups if facet in group
        }
        enough = max(new.values()) - 1
        return min((group for group, shown in new.items() if shown >= enough), key=self._first)

    def _nearing(self) -> frozenset[Facet]:
        """A group of which a case brings the shares nearer to those of all cases.

        What is made small is the sum over facets of (drawn - expected)² / there, as in a chi-squared statistic. Taking
        a case changes it only for the facets that the case has; times common factors, by the whole number that is
        summed here.
        """
        weight = {
            facet: (2 * (self.drawn[facet] * self.total - (self.taken + 1) * there) + self.total)
            * (self.common // there)
            for facet, there in self.there.items()
        }
        change = {group: sum(weight[facet] for facet in group) for group in self.groups}
        best = min(change.values())
        return min((group for group, by in change.items() if by == best or 2 * by <= best < 0), key=self._first)

    def _first(self, group: frozenset[Facet]) -> Chance:
        return self.groups[group][-1][0]

    def _take(self, group: frozenset[Facet]) -> Case:
        _, case = self.groups[group].pop()
        if not self.groups[group]:
            del self.groups[group]
        self.drawn.update(group)
        self.taken += 1
        return case

    def _chance(self, kind: str, name: str) -> Chance:
        return hashlib.sha256(f"{self.seed}\n{kind}\n{name}".encode()).digest(), name


def _facets(case: Case) -> frozenset[Facet]:
    """What a case shows. To have no dimension is a share of the suite like any other."""
    dimensions = _named(case, _DIMENSION) or [(_DIMENSION, "")]
    hard_fails = _named(case, _HARD_FAIL) or [(_HARD_FAIL, "")]
    return frozenset((*dimensions, *hard_fails))


def _named(case: Case, kind: str) -> Sequence[Facet]:
    return [(kind, name) for name in dict.fromkeys(case.dimensions if kind == _DIMENSION else case.hard_fails)]


def _refuse_folder(suite: Suite, folder: Path) -> None:
    try:
        taken = folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir())))
    except OSError as error:
        raise CommandError(f"The folder cannot be read: {error.strerror}.", place=Place(folder)) from None
    if taken:
        problem = "There is something here already, and nothing is written over."
        raise CommandError(problem, fix="Name a folder that does not exist yet.", place=Place(folder))
    has_manifest = (suite.path / MANIFEST_NAME).is_file()
    searched = suite.path / CASES_FOLDER if has_manifest else suite.path
    if folder.resolve().is_relative_to(searched.resolve()):
        problem = f"This lies in {searched}, so the copies would be cases of the suite that they are from."
        raise CommandError(problem, fix="Name a folder elsewhere.", place=Place(folder))


def _files(suite: Suite, sample: Sample) -> Iterator[tuple[str, Path]]:
    """What belongs into the copy, by its place there: a path with slashes, below the suite's folder."""
    manifest = suite.path / MANIFEST_NAME
    if manifest.is_file():
        yield MANIFEST_NAME, manifest
        yield from _rubric_files(suite)
    ledger = suite.path / LEDGER_NAME
    if any(case.holdout for case in sample.cases) and ledger.exists():
        refuse_link(ledger)
        yield LEDGER_NAME, ledger
    for case in sample.cases:
        if case.path is not None:
            yield _inside(case.path, suite.path) or case.path.name, case.path


def _rubric_files(suite: Suite) -> Iterator[tuple[str, Path]]:
    """The suite's rubric and those that it extends, where they are files of the suite."""
    rubric = suite.rubric
    folder = suite.path
    for _ in range(_MOST_RUBRICS):  # more generations than a rubric can have
        if rubric in BUNDLED_RUBRICS or Path(rubric).is_absolute():
            return
        path = folder / rubric
        name = _inside(path, suite.path)
        if name is None:
            raise InputError(
                f"The rubric `{rubric}` lies outside of the suite's folder, so a copy of the suite would not find it.",
                fix="Put the rubric into the suite's folder.",
                place=Place(suite.path / MANIFEST_NAME),
            )
        yield name, path
        written = read_yaml(read_text(path)).value
        base = written.get("extends") if isinstance(written, dict) else None
        if not isinstance(base, str):
            return
        rubric, folder = base, path.parent


def _inside(path: Path, folder: Path) -> str | None:
    """The way from a folder to a path below it, links left as they are; ``None`` for a path elsewhere."""
    way = Path(os.path.relpath(path, folder))
    return None if os.pardir in way.parts[:1] else way.as_posix()
