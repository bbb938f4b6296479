"""The manifest of a suite, ``suite.yaml``, and what a suite declares without one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.cases.case import DIMENSIONS
from iamhumans.cases.findings import Finding, Findings
from iamhumans.cases.front_matter import flow_list
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import BUNDLED, DEFAULT_RUBRIC, bundled_hard_fail_ids
from iamhumans.text import YamlProblem, YamlReading, YamlValue, did_you_mean, is_inside, read_text, read_yaml

MANIFEST_NAME = "suite.yaml"
_TEXTS = ("name", "version", "rubric", "license")
_LISTS = ("dimensions", "hard_fails", "languages")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a suite declares; ``path`` is None for a bare folder's defaults, ``asked`` are its rubric's hard fails."""

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


def default_manifest(folder: Path) -> Manifest:
    """What a folder without a manifest declares: the bundled dimensions, and the default rubric's hard fails."""
    asked = bundled_hard_fail_ids(DEFAULT_RUBRIC)
    return Manifest(name=folder.resolve().name, hard_fails=asked, asked=asked)


def read_manifest(folder: Path) -> Manifest:
    """What the ``suite.yaml`` of a folder declares."""
    path = folder / MANIFEST_NAME
    if not is_inside(path, folder):
        fix = "Replace it with a copy of the file."
        raise InputError("The manifest is a link that leads out of the suite's folder.", fix=fix, where=Place(path))
    try:
        reading = read_yaml(read_text(path))
    except YamlProblem as problem:
        fix = "Write one key on each line, and put values with special characters in quotes."
        place = Place(path, problem.line)
        raise InputError(f"The manifest is not valid YAML: {problem.problem}.", fix=fix, where=place) from None
    values = _values(reading, path)
    rubric = values.setdefault("rubric", DEFAULT_RUBRIC)
    asked = _asked(rubric, folder, Place(path, reading.line_of(("rubric",))))
    findings = Findings(path)
    for index, name in enumerate(values.setdefault("hard_fails", asked)):
        if name not in asked:
            what = f"The rubric `{rubric}` has no hard fail `{name[:60]}`, so no judge is asked about it."
            fix = "Name a rubric that has it (`rubric: my-rubric.yaml`), or delete it."
            findings.warning(reading.line_of(("hard_fails", index)), "unasked-hard-fail", what, fix)
    return Manifest(**{"name": folder.resolve().name, **values}, path=path, asked=asked, findings=tuple(findings.all))


def _values(reading: YamlReading, path: Path) -> dict[str, Any]:
    found = reading.value or {}
    if not isinstance(found, dict):
        fix = "Write one key on each line, such as `name: my-suite`."
        raise InputError("The manifest has no keys.", fix=fix, where=Place(path, 1))
    for again in reading.repeated:
        problem = f"`{again.path[-1]}` is given twice."
        raise InputError(problem, fix="Keep one of the two.", where=Place(path, again.line))
    return {key: _value(key, value, Place(path, reading.line_of((key,)))) for key, value in found.items()}


def _value(key: str, value: YamlValue, place: Place) -> str | tuple[str, ...]:
    if key in _TEXTS:
        if not isinstance(value, str) or (not value and key in ("name", "rubric")):
            problem = f"`{key}` must be text, and not empty."
            raise InputError(problem, fix=f"Write `{key}: ...` on one line, or delete it.", where=place)
        return value
    if key not in _LISTS:
        fix = did_you_mean(key, (*_TEXTS, *_LISTS), f"Known keys: {', '.join((*_TEXTS, *_LISTS))}.")
        raise InputError(f"`{key[:60]}` is not a key of a manifest.", fix=fix, where=place)
    if not isinstance(value, list) or not all(isinstance(word, str) and word.strip() for word in value):
        likely = [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else []
        fix = f"Write it such as `{flow_list(likely or ['one', 'another'])}`."
        raise InputError(f"`{key}` must be a list of words.", fix=fix, where=place)
    return tuple(" ".join(str(word).split()) for word in value)


def _asked(rubric: str, folder: Path, place: Place) -> tuple[str, ...]:
    if rubric in BUNDLED:
        return bundled_hard_fail_ids(rubric)
    if not is_inside(folder / rubric, folder):
        fix = "Put a copy of the rubric into the suite's folder, and name that."
        raise InputError(f"The rubric `{rubric}` lies outside of the suite's folder.", fix=fix, where=place)
    from iamhumans.rubrics import load_rubric

    try:
        return load_rubric(rubric, relative_to=folder).hard_fail_ids
    except CommandError as error:
        raise InputError(error.what, fix=error.fix, where=place) from None
