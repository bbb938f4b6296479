"""A calibration as a JSON file. Reading is strict: nothing is accepted that the program would not have written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.stats import Estimate
from iamhumans.text import one_line, read_text
from iamhumans.trust.agreement import AxisMap, Criterion
from iamhumans.trust.calibration import Answers, Calibration

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = "iamhumans calibration 1"
"""Its number goes up when an older reader would misread the file."""
_MOST_BYTES = 100_000_000
_FIX = "Write the file with `iamhumans calibrate RUN -o FILE`."
_ROUNDING = 1e-9
_OF_FLAGS = ("prevalence", "agreement", "kappa", "alpha_nominal"), ("agreement", "kappa", "sensitivity", "specificity")
_OF_AXES = (
    ("agreement", "weighted_kappa", "alpha_ordinal", "alpha_interval"),
    ("agreement", "weighted_kappa", "spearman", "bias", "absolute_error"),
)
_RATES = frozenset({"prevalence", "agreement", "sensitivity", "specificity", "precision", "f1", "judge_rate", "auc"})
_UNBOUNDED = frozenset({"mean", "bias", "slope", "slope_on_truth", "intercept", "absolute_error"})


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """A calibration as a JSON object."""
    return {"format": FORMAT, **asdict(calibration)}


def calibration_text(calibration: Calibration) -> str:
    """The text of a calibration file, in ASCII with one value a line."""
    return json.dumps(calibration_document(calibration), ensure_ascii=True, indent=1, allow_nan=False) + "\n"


def read_calibration(path: Path) -> Calibration:
    """The calibration of a file.

    Raises:
        InputError: The file cannot be read, has another format, or holds what no calibration can.
    """
    return parse_calibration(read_text(path, limit=_MOST_BYTES), path)


def parse_calibration(text: str, path: Path | None = None) -> Calibration:
    """The calibration of a text; ``path`` is for errors. Raises InputError like :func:`read_calibration`."""
    document = _json(text, path)
    found = document.pop("format", None)
    if found != FORMAT:
        named = f"`{one_line(str(found), 60)}`" if found is not None else "no format"
        raise InputError(f"The file has {named}, not `{FORMAT}`.", fix=_FIX, place=Place(path))
    from pydantic import ValidationError

    try:
        calibration = _adapter().validate_json(json.dumps(document), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        message = first["msg"]
        raise _refused(first["loc"], f"{message[:1].lower()}{message[1:]}.", path, text) from None
    for where in _unknown(document, json.loads(json.dumps(asdict(calibration)))):
        raise _refused(where, "not a key of a calibration.", path, text)
    for place, problem in _impossible(calibration):
        raise _refused((place,), problem, path, text)
    return calibration


@cache
def _adapter() -> TypeAdapter[Calibration]:
    from pydantic import TypeAdapter

    return TypeAdapter(Calibration)


def _refused(where: tuple[int | str, ...], problem: str, path: Path | None, text: str) -> InputError:
    """An error about a place in the document, with its line where the last key is on one line only."""
    named = f'"{where[-1]}":' if where else ""
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if named and named in line]
    shown = one_line(".".join(map(str, where)), 120)
    place = Place(path, lines[0] if len(lines) == 1 else None)
    return InputError(f"`{shown}`: {problem}", fix=_FIX, place=place)


def _json(text: str, path: Path | None) -> dict[str, Any]:
    try:
        document = json.loads(text, parse_constant=_not_a_number, parse_float=_finite, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise InputError(f"The file is not JSON: {error.msg}.", fix=_FIX, place=Place(path, error.lineno)) from None
    except (RecursionError, ValueError) as error:
        problem = str(error) if isinstance(error, ValueError) else "The file is nested too deeply."
        raise InputError(problem, fix=_FIX, place=Place(path)) from None
    if not isinstance(document, dict):
        raise InputError("The file is not a JSON object.", fix=_FIX, place=Place(path, 1))
    return document


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"`{one_line(name, 40)}` is not a number.")


def _finite(written: str) -> float:
    value = float(written)
    return value if isfinite(value) else _not_a_number(written)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("The file has a key twice in one object.")
    return found


def _unknown(given: Any, known: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places of keys that were ignored."""
    if isinstance(given, dict) and isinstance(known, dict):
        for key, value in given.items():
            yield from _unknown(value, known[key], (*at, key)) if key in known else [(*at, key)]
    elif isinstance(given, list) and isinstance(known, list):
        for index, (one, other) in enumerate(zip(given, known, strict=False)):
            yield from _unknown(one, other, (*at, str(index)))


def _impossible(calibration: Calibration) -> Iterator[tuple[str, str]]:
    """What no calibration can say, though each value has the right type: a place and a problem."""
    if not calibration.pairs:
        yield "pairs", "there is no reply that both sides judged."
    if not calibration.criteria:
        yield "criteria", "there is none."
    if min(astuple(calibration.labels)[1:]) < 0:
        yield "labels", "a count is below 0."
    for index, one in enumerate(calibration.criteria):
        yield from _impossible_figures(f"criteria.{index}", one)
    if len({pair.reply for pair in calibration.pairs}) < len(calibration.pairs):
        yield "pairs", "a reply is there twice."
    for index, pair in enumerate(calibration.pairs):
        if not pair.weight > 0:
            yield f"pairs.{index}", f"a weight is above 0, not {pair.weight:g}."
        for side, said in (("judge", pair.judge), ("people", pair.people)):
            yield from _impossible_answers(f"pairs.{index}.{side}", said)
    yield from _impossible_maps(calibration.maps)


def _impossible_maps(maps: Mapping[str, AxisMap]) -> Iterator[tuple[str, str]]:
    for name, found in maps.items():
        levels, values = list(found.map.judge), list(found.map.people)
        if len(levels) != len(values) or levels != sorted(set(levels)) or values != sorted(values):
            yield f"maps.{name}", "the map does not rise from point to point."
        elif not all(0 <= one <= AXIS_MAXIMUM for one in (*levels, *values)):
            yield f"maps.{name}", f"an axis goes from 0 to {AXIS_MAXIMUM}."


def _impossible_figures(place: str, one: Criterion) -> Iterator[tuple[str, str]]:
    needed = _OF_AXES if one.kind in ("axis", "pooled_axes") else _OF_FLAGS
    sides: tuple[tuple[str, Mapping[str, Estimate]], ...] = (
        ("between_people", one.between_people),
        ("against_people", one.against_people),
    )
    for (side, figures), names in zip(sides, needed, strict=True):
        for missing in (name for name in names if name not in figures):
            yield f"{place}.{side}", f"there is no `{missing}`."
        for name, estimate in figures.items():
            given = [end for end in (estimate.low, estimate.value, estimate.high) if end is not None]
            top = float("inf") if name in _UNBOUNDED else 1 + _ROUNDING
            bottom = -_ROUNDING if name in _RATES else float("-inf")
            if given != sorted(given) or not all(bottom <= end <= top for end in given):
                yield f"{place}.{side}.{name}", "such a figure cannot have this value or interval."


def _impossible_answers(place: str, said: Answers) -> Iterator[tuple[str, str]]:
    if not all(0 <= value <= AXIS_MAXIMUM for value in said.axes.values()):
        yield place, f"an axis goes from 0 to {AXIS_MAXIMUM}."
    if said.total is not None and not 0 <= said.total <= 10 * AXIS_MAXIMUM:
        yield place, "a total goes from 0 to 100."
    if said.zeroed and said.total:
        yield place, "a zeroed reply has a total of 0."
