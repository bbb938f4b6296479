"""The manifest of a suite: ``suite.yaml``, and what a suite declares where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from iamhumans.cases.findings import Code
from iamhumans.cases.front import flow_list
from iamhumans.cases.model import DIMENSIONS, Finding
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import DEFAULT_RUBRIC, load_rubric
from iamhumans.text import YamlProblem, YamlReading, read_text, read_yaml
from iamhumans.text.checked import checked

MANIFEST_NAME = "suite.yaml"


def _words(value: Any) -> Any:
    problem = _problem_with_words(value)
    if problem:
        raise ValueError(problem)
    return tuple(" ".join(word.split()) for word in value)


def _problem_with_words(value: Any) -> str:
    if isinstance(value, str):
        words = [word.strip() for word in value.split(",") if word.strip()]
        return f"must be a list, such as `{flow_list(words or ['one', 'another'])}`."
    if isinstance(value, dict) or not all(isinstance(word, str) and word.strip() for word in value):
        return "must be a list of words, such as `[one, another]`."
    return ""


_Words = Annotated[tuple[str, ...], BeforeValidator(_words)]


class _ManifestFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Annotated[str, Field(min_length=1)] | None = None
    version: str = ""
    rubric: Annotated[str, Field(min_length=1)] = DEFAULT_RUBRIC
    dimensions: _Words = DIMENSIONS
    hard_fails: _Words = ()
    languages: _Words = ()
    license: str = ""


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
    asked = load_rubric(DEFAULT_RUBRIC).hard_fail_ids
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
    written = checked(_ManifestFile, reading, path)
    asked = _asked_hard_fails(written.rubric, folder, Place(path, reading.line_of(("rubric",))))
    declared = written.hard_fails if "hard_fails" in written.model_fields_set else asked
    return Manifest(
        name=written.name or folder.resolve().name,
        path=path,
        version=written.version,
        rubric=written.rubric,
        dimensions=written.dimensions,
        hard_fails=declared,
        asked=asked,
        languages=written.languages,
        license=written.license,
        findings=tuple(_unasked(declared, asked, written.rubric, path, reading)),
    )


def _asked_hard_fails(rubric: str, folder: Path, place: Place) -> tuple[str, ...]:
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
