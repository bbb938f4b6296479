"""A calibration as a file: one JSON document, read as strictly as it is written.

Whoever opens it finds the figures under their names; a program that reads it back takes nothing that it would not have
written itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.stats import Estimate
from iamhumans.text import one_line, read_text
from iamhumans.trust.agreement import AxisMap, Criterion, CriterionKind
from iamhumans.trust.calibration import Answers, Calibration, Pair

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = "iamhumans calibration 1"
"""The number goes up when a reader of before would misread it."""
MOST_BYTES = 100_000_000
_FIX = "Write it with `iamhumans calibrate RUN -o FILE`."
_TOP = 100.0
_ROUNDING = 1e-9
_FLAG_FIGURES = ("agreement", "kappa", "sensitivity", "specificity")
_AXIS_FIGURES = ("agreement", "weighted_kappa", "spearman", "bias", "absolute_error")
_NEEDED: Mapping[CriterionKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "hard_fail": (("prevalence", "agreement", "kappa", "alpha_nominal"), _FLAG_FIGURES),
    "axis": (("agreement", "weighted_kappa", "alpha_ordinal", "alpha_interval"), _AXIS_FIGURES),
}
"""What a criterion must say between people and against them."""
_RATES = frozenset({"prevalence", "agreement", "sensitivity", "specificity", "precision", "f1", "judge_rate", "auc"})
_UNBOUNDED = frozenset({"mean", "bias", "slope", "slope_on_truth", "intercept", "absolute_error"})


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """The document."""
    return {"format": FORMAT, **asdict(calibration)}


def calibration_text(calibration: Calibration) -> str:
    """The document as text, a line for each value, all of it ASCII."""
    return json.dumps(calibration_document(calibration), ensure_ascii=True, indent=1, allow_nan=False) + "\n"


def read_calibration(path: Path) -> Calibration:
    """The calibration of a file.

    Raises:
        InputError: It cannot be read, is of another version, or says something that no calibration says.
    """
    return parse_calibration(read_text(path, limit=MOST_BYTES), path)


def parse_calibration(text: str, path: Path | None = None) -> Calibration:
    """The calibration of a text; ``path`` is for the error.

    Raises:
        InputError: As :func:`read_calibration`.
    """
    document = _json(text, path)
    found = document.pop("format", None)
    if found != FORMAT:
        said = f"`{one_line(str(found), 60)}`" if found is not None else "no format"
        raise InputError(f"This is no calibration file: it names {said}, not `{FORMAT}`.", fix=_FIX, place=Place(path))
    from pydantic import ValidationError

    try:
        calibration = _adapter().validate_json(json.dumps(document), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"]
        _refuse(f"`{one_line(where, 120)}`: {message[:1].lower()}{message[1:]}.", path, text, first["loc"])
    where_unknown = next(_unknown(document, json.loads(json.dumps(asdict(calibration)))), None)
    if where_unknown is not None:
        _refuse(f"`{one_line('.'.join(where_unknown), 120)}` is not a key of a calibration.", path, text, where_unknown)
    for place, problem in _unsound(calibration):
        _refuse(f"`{place}`: {problem}", path, text, ())
    return calibration


@cache
def _adapter() -> TypeAdapter[Calibration]:
    from pydantic import TypeAdapter

    return TypeAdapter(Calibration)


def _json(text: str, path: Path | None) -> dict[str, Any]:
    try:
        document = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise InputError(f"The file is not JSON: {error.msg}.", fix=_FIX, place=Place(path, error.lineno)) from None
    except RecursionError:
        raise InputError("The file is nested too deeply.", fix=_FIX, place=Place(path)) from None
    except ValueError as error:
        raise InputError(str(error), fix=_FIX, place=Place(path)) from None
    if not isinstance(document, dict):
        raise InputError("The file is no JSON object.", fix=_FIX, place=Place(path, 1))
    return document


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is no number.")


def _finite(written: str) -> float:
    value = float(written)
    if not isfinite(value):
        _no_number(one_line(written, 40))
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"`{one_line(again, 60)}` stands twice in one object.")
    return found


def _unknown(given: Any, known: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Keys that were read over."""
    if isinstance(given, dict) and isinstance(known, dict):
        for key, value in given.items():
            if key not in known:
                yield (*at, key)
            else:
                yield from _unknown(value, known[key], (*at, key))
    elif isinstance(given, list) and isinstance(known, list):
        for index, (one, other) in enumerate(zip(given, known, strict=False)):
            yield from _unknown(one, other, (*at, str(index)))


def _unsound(calibration: Calibration) -> Iterator[tuple[str, str]]:
    """What cannot be, though each value is of the right kind."""
    if not calibration.pairs:
        yield "pairs", "there is no reply that both sides judged."
    if min(astuple(calibration.labels)[1:]) < 0:
        yield "labels", "a count is 0 or more."
    yield from _unsound_criteria(calibration.criteria)
    yield from _unsound_pairs(calibration.pairs)
    yield from _unsound_maps(calibration.maps)


def _unsound_criteria(criteria: Sequence[Criterion]) -> Iterator[tuple[str, str]]:
    if not criteria:
        yield "criteria", "there is none."
    for index, one in enumerate(criteria):
        kind: CriterionKind = "axis" if one.kind in ("axis", "pooled_axes") else "hard_fail"
        for where, figures, needed in zip(
            ("between_people", "against_people"), (one.between_people, one.against_people), _NEEDED[kind], strict=True
        ):
            place = f"criteria.{index}.{where}"
            for missing in (name for name in needed if name not in figures):
                yield place, f"there is no `{missing}`."
            for name, estimate in figures.items():
                if not _possible(name, estimate):
                    yield f"{place}.{one_line(name, 40)}", "no such figure can have this value or interval."


def _possible(name: str, estimate: Estimate) -> bool:
    """Whether the ends of a figure are in order and where they can be."""
    given = [one for one in (estimate.low, estimate.value, estimate.high) if one is not None]
    if given != sorted(given):
        return False
    top = float("inf") if name in _UNBOUNDED else 1 + _ROUNDING
    bottom = -_ROUNDING if name in _RATES else float("-inf")
    return all(bottom <= one <= top for one in given)


def _unsound_pairs(pairs: Sequence[Pair]) -> Iterator[tuple[str, str]]:
    seen = set()
    for index, pair in enumerate(pairs):
        where = f"pairs.{index}"
        if pair.reply in seen:
            yield where, "the reply stands there twice."
        seen.add(pair.reply)
        if not pair.weight > 0:
            yield where, f"a weight is above 0, not {pair.weight:g}."
        for side, said in (("judge", pair.judge), ("people", pair.people)):
            problem = _unsound_answers(said)
            if problem:
                yield f"{where}.{side}", problem


def _unsound_maps(maps: Mapping[str, AxisMap]) -> Iterator[tuple[str, str]]:
    for name, found in maps.items():
        levels, values = found.map.judge, found.map.people
        if len(levels) != len(values) or list(levels) != sorted(set(levels)) or list(values) != sorted(values):
            yield f"maps.{one_line(name, 60)}", "the map does not rise from point to point."
        elif any(not 0 <= one <= AXIS_MAXIMUM for one in (*levels, *values)):
            yield f"maps.{one_line(name, 60)}", f"an axis goes from 0 to {AXIS_MAXIMUM}."


def _unsound_answers(said: Answers) -> str | None:
    if any(not 0 <= value <= AXIS_MAXIMUM for value in said.axes.values()):
        return f"an axis goes from 0 to {AXIS_MAXIMUM}."
    if said.total is not None and not 0 <= said.total <= _TOP:
        return "a total goes from 0 to 100."
    if said.zeroed and said.total:
        return "a zeroed reply has a total of 0."
    return None


def _refuse(problem: str, path: Path | None, text: str, where: tuple[Any, ...]) -> NoReturn:
    raise InputError(problem, fix=_FIX, place=Place(path, _line_of(text, where)))


def _line_of(text: str, where: tuple[Any, ...]) -> int | None:
    """The line in which the last key of a place first stands, if it stands in one line only."""
    keys: list[str] = [part for part in where if isinstance(part, str) and not part.isdigit()]
    if not keys:
        return None
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if f'"{keys[-1]}":' in line]
    return lines[0] if len(lines) == 1 else None
