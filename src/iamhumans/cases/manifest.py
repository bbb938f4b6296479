"""The manifest of a suite: ``suite.yaml``, and what a suite declares where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.cases.findings import Code
from iamhumans.cases.model import DIMENSIONS, Finding
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import BUNDLED, DEFAULT_RUBRIC, bundled_hard_fail_ids
from iamhumans.text import YamlProblem, YamlReading, read_text, read_yaml

MANIFEST_NAME = "suite.yaml"


@dataclass(frozen=True, slots=True)
class Written:
    """What a manifest says; ``None`` where it says nothing."""

    name: str | None = None
    version: str | None = None
    rubric: str | None = None
    dimensions: tuple[str, ...] | None = None
    hard_fails: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a suite declares. ``path`` is the file that says so, or None for a bare folder's defaults.

    ``hard_fails`` are those that its rubric asks for (``asked``) where the manifest names none; ``findings`` are
    warnings about the manifest.
    """

    name: str
    path: Path | None = None
    version: str = ""
    rubric: str = DEFAULT_RUBRIC
    dimensions: tuple[str, ...] = DIMENSIONS
    hard_fails: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    license: str = ""
    findings: tuple[Finding, ...] = ()


def default_manifest(name: str) -> Manifest:
    """What a bare folder of case files declares: the built-in dimensions and the hard fails of the default rubric."""
    asked = bundled_hard_fail_ids(DEFAULT_RUBRIC)
    return Manifest(name=name, hard_fails=asked, asked=asked)


def read_manifest(folder: Path) -> Manifest:
    """What the ``suite.yaml`` of a folder declares.

    Raises:
        InputError: It cannot be read, is a link that leads out of the folder, has a key that is not known, or names a
            rubric that cannot be used.
    """
    path = folder / MANIFEST_NAME
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        fix = "Put a copy of the file in its place."
        raise InputError("The manifest is a link that leads out of the suite's folder.", fix=fix, place=Place(path))
    try:
        reading = read_yaml(read_text(path))
    except YamlProblem as problem:
        place = Place(path, problem.line)
        fix = "Write one key a line, and put values with special characters in quotes."
        raise InputError(f"The manifest is not valid YAML: {problem.problem}.", fix=fix, place=place) from None
    if reading.value != "" and not isinstance(reading.value, dict):
        fix = "Write one key a line, such as `name: my-suite`."
        raise InputError("The manifest has no keys.", fix=fix, place=Place(path, 1))
    written = plainly_written(reading) or _checked(reading, path)
    rubric = written.rubric or DEFAULT_RUBRIC
    asked = _asked_hard_fails(rubric, folder, Place(path, reading.line_of(("rubric",))))
    declared = asked if written.hard_fails is None else written.hard_fails
    return Manifest(
        name=written.name or folder.resolve().name,
        path=path,
        version=written.version or "",
        rubric=rubric,
        dimensions=DIMENSIONS if written.dimensions is None else written.dimensions,
        hard_fails=declared,
        asked=asked,
        languages=written.languages or (),
        license=written.license or "",
        findings=tuple(_unasked(declared, asked, rubric, path, reading)),
    )


_TEXTS = frozenset({"name", "version", "rubric", "license"})
_LISTS = frozenset({"dimensions", "hard_fails", "languages"})
_NEVER_EMPTY = frozenset({"name", "rubric"})


def plainly_written(reading: YamlReading) -> Written | None:
    """What a manifest says in which nothing is wrong; ``None`` where something may be, for whoever checks closely.

    Nearly all manifests are right, and to check one closely takes longer than to read a hundred cases.
    """
    if reading.repeated or not isinstance(reading.value, dict):
        return None
    values: dict[str, Any] = {}
    for key, value in reading.value.items():
        if key in _TEXTS and isinstance(value, str) and (value or key not in _NEVER_EMPTY):
            values[key] = value
        elif key in _LISTS and isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value):
            values[key] = tuple(" ".join(str(one).split()) for one in value)
        else:
            return None
    return Written(**values)


def _checked(reading: YamlReading, path: Path) -> Written:
    from iamhumans.cases.manifest_file import ManifestFile
    from iamhumans.text.checked import checked

    written = checked(ManifestFile, reading, path)
    return Written(**{name: getattr(written, name) for name in written.model_fields_set})


def _asked_hard_fails(rubric: str, folder: Path, place: Place) -> tuple[str, ...]:
    if rubric in BUNDLED:
        return bundled_hard_fail_ids(rubric)
    from iamhumans.rubrics import load_rubric

    try:
        return load_rubric(rubric, relative_to=folder).hard_fail_ids
    except CommandError as error:
        raise InputError(error.problem, fix=error.fix, place=place) from None


def _unasked(
    declared: tuple[str, ...], asked: tuple[str, ...], rubric: str, path: Path, reading: YamlReading
) -> list[Finding]:
    return [
        Finding(
            path,
            reading.line_of(("hard_fails", index)),
            Code.UNASKED_HARD_FAIL.value,
            f"`{name[:60]}` is declared here, but the rubric `{rubric}` does not ask for it, so no judge will.",
            "Name a rubric that has it (`rubric: my-rubric.yaml`), or delete it.",
        )
        for index, name in enumerate(declared)
        if name not in asked
    ]
