"""A calibration as a JSON file. Reading is strict: nothing is accepted that the program would not have written."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.text import one_line, read_text
from iamhumans.trust.calibration import Calibration

FORMAT = "iamhumans calibration 1"  # its number goes up when an older reader would misread the file
_MOST_BYTES = 100_000_000
_FIX = "Write the file with `iamhumans calibrate RUN -o FILE`."
_FLAG_FIGURES = (
    *("prevalence", "agreement", "kappa", "alpha_nominal", "sensitivity", "specificity"),
    *("prevalence_index", "bias_index"),
)
_AXIS_FIGURES = ("agreement", "weighted_kappa", "alpha_ordinal", "alpha_interval", "spearman", "bias", "absolute_error")
"""What reports show."""


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """A calibration as a JSON object."""
    return {"format": FORMAT, **asdict(calibration)}


def calibration_text(calibration: Calibration) -> str:
    """The text of a calibration file, in ASCII with one value a line."""
    return json.dumps(calibration_document(calibration), ensure_ascii=True, indent=1, allow_nan=False) + "\n"


def read_calibration(path: Path) -> Calibration:
    """The calibration of a file. Raises InputError where it has another format, or holds what no calibration can."""
    return parse_calibration(read_text(path, limit=_MOST_BYTES), path)


def parse_calibration(text: str, path: Path | None = None) -> Calibration:
    """The calibration of a text; ``path`` is for errors, like those of :func:`read_calibration`."""
    from pydantic import TypeAdapter, ValidationError

    document, line, problem = _document(text)
    if not problem:
        try:
            calibration = TypeAdapter(Calibration).validate_json(json.dumps(document), strict=True)
            problem = next(_problems(calibration, document), "")
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where, message = ".".join(map(str, first["loc"])), first["msg"]
            problem = f"`{one_line(where, 120)}`: {message[:1].lower()}{message[1:]}."
        except ValueError:
            problem = "A value in the file is not a finite number."
    if problem:
        raise InputError(problem, fix=_FIX, where=Place(path, line))
    return calibration


def _document(text: str) -> tuple[Any, int | None, str]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        return None, error.lineno if isinstance(error, json.JSONDecodeError) else None, "The file is not JSON."
    found = document.get("format") if isinstance(document, dict) else None
    named = f"`{one_line(str(found), 60)}`" if found is not None else "no format"
    return document, None, "" if found == FORMAT else f"The file has {named}, not `{FORMAT}`."


def _problems(calibration: Calibration, document: object) -> Iterator[str]:
    if json.loads(calibration_text(calibration)) != document:
        yield "The file has an unknown key."
    if not calibration.pairs or not calibration.criteria:
        yield "`pairs`: there is no reply that both sides judged, or no figure."
    if len({pair.reply for pair in calibration.pairs}) < len(calibration.pairs):
        yield "`pairs`: a reply is there twice."
    for index, one in enumerate(calibration.criteria):
        for name in _AXIS_FIGURES if one.kind in ("axis", "pooled_axes") else _FLAG_FIGURES:
            if name not in one.between_people and name not in one.against_people:
                yield f"`criteria.{index}`: there is no `{name}`."
    for index, pair in enumerate(calibration.pairs):
        for said in (pair.judge, pair.people):
            top, total = 0 if said.zeroed else 10 * AXIS_MAXIMUM, said.total or 0.0
            axes_fit = all(0 <= value <= AXIS_MAXIMUM for value in said.axes.values())
            if pair.weight <= 0 or not axes_fit or not 0 <= total <= top:
                yield (
                    f"`pairs.{index}`: a weight is above 0, an axis 0 to {AXIS_MAXIMUM}, and a total 0 to"
                    f" {10 * AXIS_MAXIMUM}, or 0 for a zeroed reply."
                )
