"""Rubrics from files: the bundled ones by name, a user's own by path, ``extends`` and ``without`` resolved."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics.bundled import BUNDLED, bundled_text
from iamhumans.rubrics.model import Axis, HardFail, Rubric, Scoring
from iamhumans.text import YamlProblem, YamlReading, read_text, read_yaml
from iamhumans.text.checked import checked

_MAX_GENERATIONS = 8

Part = TypeVar("Part", Axis, HardFail)


class _ScoringFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    pass_mark: Annotated[int, Field(ge=0, le=100)] | None = None


class _RubricFile(BaseModel):
    """A rubric as it is written: whole, or as the difference from another."""

    model_config = ConfigDict(extra="forbid")
    name: str
    description: str = ""
    extends: str | None = None
    without: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    hard_fails: tuple[HardFail, ...] = ()
    scoring: _ScoringFile = _ScoringFile()


def load_rubric(name_or_path: str, *, relative_to: Path | None = None) -> Rubric:
    """The rubric of a bundled name, or of a YAML file.

    Args:
        name_or_path: ``iamhumans``, ``iamhumans-extended``, or a path that ends in ``.yaml`` or ``.yml``.
        relative_to: The folder that a relative path starts from; the working folder if not given.

    Raises:
        InputError: The file is no rubric; names the line.
        CommandError: No such bundled rubric.
    """
    if name_or_path in BUNDLED:
        return _bundled(name_or_path)
    if not name_or_path.endswith((".yaml", ".yml")):
        raise CommandError(
            f"There is no rubric `{name_or_path}`.",
            fix=f"Bundled are {' and '.join(BUNDLED)}; your own is named by its path, which ends in .yaml.",
        )
    path = Path(name_or_path) if relative_to is None else relative_to / name_or_path
    return _resolve(read_text(path), path, generation=0)


@lru_cache
def _bundled(name: str) -> Rubric:
    return _resolve(bundled_text(name), Path(f"{name}.yaml"), generation=0)


def _resolve(text: str, path: Path, *, generation: int) -> Rubric:
    try:
        reading = read_yaml(text)
    except YamlProblem as problem:
        raise InputError(f"This is not YAML: {problem.problem}.", place=Place(path, problem.line)) from None
    written = checked(_RubricFile, reading, path)
    base = _base(written, reading, path, generation)
    _refuse_shared_ids(written, base, reading, path)
    content = {
        "name": written.name,
        "description": written.description,
        "axes": _merged(base.axes if base else (), written.axes, written.without),
        "hard_fails": _merged(base.hard_fails if base else (), written.hard_fails, written.without),
        "scoring": _scoring(base, written),
    }
    whole = YamlReading(value=content, lines=reading.lines)  # type: ignore[arg-type]  # parts are models already
    return checked(Rubric, whole, path)


def _base(written: _RubricFile, reading: YamlReading, path: Path, generation: int) -> Rubric | None:
    if written.extends is None:
        if written.without:
            raise InputError(
                "`without` takes parts away from another rubric, but this one extends none.",
                fix="Add `extends: iamhumans`, or leave `without` out.",
                place=Place(path, reading.line_of(("without",))),
            )
        return None
    here = Place(path, reading.line_of(("extends",)))
    if generation >= _MAX_GENERATIONS:
        raise InputError("Rubrics extend each other in a circle, or too deep.", place=here)
    if written.extends in BUNDLED:
        base = _bundled(written.extends)
    else:
        parent = path.parent / written.extends
        if not parent.is_file():
            fix = f"Name one of {', '.join(BUNDLED)}, or a file beside this one."
            raise InputError(f"There is no rubric `{written.extends}` to extend.", fix=fix, place=here)
        base = _resolve(read_text(parent), parent, generation=generation + 1)
    for index, name in enumerate(written.without):
        if name not in {*base.axis_ids, *base.hard_fail_ids}:
            place = Place(path, reading.line_of(("without", index)))
            fix = f"It has: {', '.join((*base.axis_ids, *base.hard_fail_ids))}."
            raise InputError(f"`{base.name}` has no `{name}` to leave out.", fix=fix, place=place)
    return base


def _refuse_shared_ids(written: _RubricFile, base: Rubric | None, reading: YamlReading, path: Path) -> None:
    """Refuse an id that is added twice, or that is an axis here and a hard fail in the rubric below, or the reverse."""
    seen: set[str] = set()
    sections: tuple[tuple[str, tuple[Axis | HardFail, ...], tuple[str, ...]], ...] = (
        ("axes", written.axes, base.hard_fail_ids if base else ()),
        ("hard_fails", written.hard_fails, base.axis_ids if base else ()),
    )
    for section, parts, others in sections:
        for index, part in enumerate(parts):
            if part.id in seen or (part.id in others and part.id not in written.without):
                raise InputError(
                    f"The id `{part.id}` is used twice.",
                    fix="Each axis and each hard fail needs an id of its own.",
                    place=Place(path, reading.line_of((section, index, "id"))),
                )
            seen.add(part.id)


def _merged(base: tuple[Part, ...], added: tuple[Part, ...], without: tuple[str, ...]) -> tuple[Part, ...]:
    """Base parts less ``without``; an added part with the id of a base part takes its place, others follow."""
    own: dict[str, Part] = {part.id: part for part in added}
    kept: list[Part] = [own.get(part.id, part) for part in base if part.id not in without]
    placed = {part.id for part in kept}
    # Not out of `own`: an id that is added twice is to be seen as such.
    kept.extend(part for part in added if part.id not in placed)
    return tuple(kept)


def _scoring(base: Rubric | None, written: _RubricFile) -> Scoring:
    before = base.scoring if base else Scoring()
    mark = written.scoring.pass_mark
    return before if mark is None else Scoring(pass_mark=mark)
