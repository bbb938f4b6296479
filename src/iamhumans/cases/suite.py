"""A suite: a folder of case files with or without a manifest, a single case file, or a bundled suite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iamhumans.cases import suite_files
from iamhumans.cases.case import DIMENSIONS, Case
from iamhumans.cases.findings import Finding
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.errors import CommandError
from iamhumans.text import one_line, read_text

if TYPE_CHECKING:
    from iamhumans.cases.seal import Sealing
_DECLARED = ("version", "rubric", "dimensions", "hard_fails", "languages", "license")


@dataclass(frozen=True, repr=False)
class Suite:
    """The cases of a folder, by id, with what its manifest declares; ``findings`` is what is wrong with the files."""

    name: str
    path: Path
    cases: tuple[Case, ...]
    version: str = ""
    rubric: str = "iamhumans"
    dimensions: tuple[str, ...] = DIMENSIONS
    hard_fails: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    license: str = ""
    findings: tuple[Finding, ...] = ()
    source: Path | None = field(default=None, compare=False)  # what was loaded: the folder, or a part of it
    whole: Suite | None = field(default=None, compare=False, repr=False)  # the suite that this is a part of

    def __repr__(self) -> str:
        held_out = sum(case.holdout for case in self.cases)
        return f"<Suite {self.name}: {len(self.cases)} cases, {held_out} of them held out, in {self.path}>"

    @cached_property
    def by_id(self) -> Mapping[str, Case]:
        """The cases by their id."""
        return {case.id: case for case in self.cases}

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings for which a file was left out."""
        return tuple(finding for finding in self.findings if finding.error)

    @property
    def shown_findings(self) -> tuple[Finding, ...]:
        """The findings, without quotes from held-out cases."""
        from iamhumans.cases.holdout import without_quotes

        return tuple(without_quotes(self.findings))

    def find(self, case_id: str) -> Case:
        """The case of an id; an unknown one is a CommandError."""
        if case_id not in self.by_id:
            problem = f"The suite `{one_line(self.name)}` has no case `{one_line(case_id, 100)}`."
            fix = f"`iamhumans cases list {one_line(str(self.path))}` shows all."
            if self.errors:
                fix += " Files with errors are left out; `iamhumans cases lint` lists them."
            raise CommandError(problem, fix=fix)
        return self.by_id[case_id]

    def select(self, *, case: str | None = None, dimension: str | None = None, limit: int | None = None) -> Suite:
        """The suite with some of its cases: of one dimension, with ids that fit a glob, and of these the first ones."""
        cases = self.cases
        if dimension is not None:
            known = dict.fromkeys(name for one in cases for name in one.dimensions)
            cases = tuple(one for one in cases if dimension in one.dimensions)
            self._require_some(cases, f"the dimension `{one_line(dimension, 100)}`", known)
        if case is not None:
            known = dict.fromkeys(one.id for one in cases)
            cases = tuple(one for one in cases if fnmatchcase(one.id, case))
            self._require_some(cases, f"an id that fits `{one_line(case, 100)}`", known)
        if limit is not None and limit < 1:
            raise CommandError(f"A limit of {limit} leaves no case.", fix="Give a limit of 1 or more.")
        return self._of(cases[:limit])

    def _of(self, cases: tuple[Case, ...]) -> Suite:
        return replace(self, cases=cases, whole=self.whole or self)

    def _require_some(self, cases: Sequence[Case], what: str, known: Iterable[str]) -> None:
        if not cases:
            names = list(known)
            more = f" and {len(names) - 20} more" if len(names) > 20 else ""
            problem = f"No case of the suite `{one_line(self.name)}` has {what}."
            raise CommandError(problem, fix=one_line(f"There is {', '.join(names[:20]) or 'none'}{more}."))

    def to_dict(self) -> dict[str, Any]:
        """The suite with a line for each case, ready for JSON; of held-out cases only ids and dimensions."""
        return {
            "cases": [self._row(case) for case in self.cases],
            "findings": [finding.to_dict() for finding in self.shown_findings],
            "suite": {name: getattr(self, name) for name in ("name", *_DECLARED)},
        }

    def _row(self, case: Case) -> dict[str, Any]:
        row = {name: getattr(case, name) for name in ("dimensions", "holdout", "id")}
        if case.holdout:
            return row
        inside = case.path is not None and case.path.is_relative_to(self.path)
        path = case.path.relative_to(self.path) if inside and case.path else case.path
        more = {name: getattr(case, name) for name in ("hard_fails", "lang", "repair", "title")}
        return {**row, **more, "file": path and path.as_posix(), "turns": len(case.conversation)}

    def without_holdout(self) -> Suite:
        """The suite without its held-out cases, as everyday runs use it."""
        return self._of(tuple(case for case in self.cases if not case.holdout))

    def only_held_out(self) -> Suite:
        """The suite with its held-out cases alone. They stay held out: no output shows their texts without a reason."""
        return self._of(tuple(case for case in self.cases if case.holdout))

    def lint(self, style: bool = False, *, holdout_reason: str | None = None) -> list[Finding]:
        """Everything that is wrong or odd about the files of the suite; with ``style``, how they are written too.

        Findings quote held-out cases only with a ``holdout_reason``, which goes into the ledger.
        """
        from iamhumans.cases.lint import lint

        return list(lint([self.source or self.path], style=style, holdout_reason=holdout_reason).findings)

    def sample(self, n: int, seed: int = 0, holdout: bool = False) -> Suite:
        """The suite with ``n`` of its cases, or all if there are not more; each dimension and hard fail is represented.

        The same ``seed`` gives the same sample on every machine, and a larger sample contains the smaller one.
        Held-out cases are drawn only with ``holdout``, and stay held out. No case to draw from is a CommandError.
        """
        from iamhumans.cases.sample import SamplingOrder

        if n < 1:
            raise CommandError("A sample has at least one case.", fix="Give a size of 1 or more.")
        available = self.cases if holdout else self.without_holdout().cases
        if not available:
            fix = f"Add --holdout to draw from held-out cases, or see `iamhumans cases lint {self.path}`."
            raise CommandError(f"There is no case to draw from in {self.name}.", fix=fix)
        drawn = islice(SamplingOrder(available, seed), n) if n < len(available) else available
        return self._of(tuple(sorted(drawn, key=lambda case: suite_files.natural_key(case.id))))

    def seal(self, reason: str = "") -> Sealing:
        """Seal the held-out cases and the rubric, so that later changes show. After a change a ``reason`` is needed.

        Raises CommandError if no case is held out, or for a bundled suite or a part of one.
        """
        from iamhumans.cases.seal import seal_suite

        return seal_suite(self, reason)


def load_suite(path: str | Path) -> Suite:
    """All cases of a suite, held-out ones too. A file that is not a case is an error in ``findings``.

    ``path`` is a folder with ``suite.yaml`` and ``cases/``, a folder of case files, one case file, or the name of a
    bundled suite. Raises InputError where there is no case file or ``suite.yaml`` cannot be used.

    >>> len(load_suite("core").cases)
    102
    """
    start = suite_files.locate(path)
    home = suite_files.find_home(start)
    manifest, found = home.manifest(), suite_files.files_below(start, home)
    if not found.files and not found.findings:
        raise suite_files.no_cases(start, home, found)
    readings = suite_files.read_cases(found.files, manifest)
    cases = [reading.case for reading in readings if reading.case is not None]
    problem, fix = "This folder is a suite itself. Its cases were left out.", "Load it separately."
    nested = (Finding(path / MANIFEST_NAME, 1, "nested-suite", problem, fix) for path in found.nested)
    of_files = (finding for reading in readings for finding in reading.findings)
    return Suite(
        **{name: getattr(manifest, name) for name in _DECLARED},
        name=manifest.name if start.is_dir() or home.has_manifest else start.stem,
        path=home.folder,
        cases=tuple(sorted(cases, key=lambda case: suite_files.natural_key(case.id))),
        findings=(*manifest.findings, *found.findings, *nested, *of_files),
        source=start,
    )


def bundled_suite(name: str = "core") -> Suite:
    """A suite that ships with the package; an unknown name is a CommandError."""
    return load_suite(suite_files.bundled_suite_path(name))


def bundled_slice(name: str = "core") -> Suite:
    """The cases of a bundled suite that have bundled sample replies."""
    replies = read_text(suite_files.bundled_suite_path(name).with_name(f"{name}-replies.jsonl"))
    answered = {json.loads(line)["case_id"] for line in replies.split("\n") if line}
    suite = bundled_suite(name)
    return replace(suite, cases=tuple(case for case in suite.cases if case.id in answered))
