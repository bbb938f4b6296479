"""From a YAML reading to a typed model, with errors that say where and what to do."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from iamhumans.errors import InputError, Place
from iamhumans.text.yaml import YamlPath, YamlReading

Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], reading: YamlReading, path: Path | None = None, *, first_line: int = 1) -> Model:
    """The value of a reading as a pydantic model; the YAML begins at ``first_line`` of the file.

    Raises:
        InputError: The first thing that does not fit, with its line, and the number of others.
    """
    if reading.repeated:
        again = reading.repeated[0]
        place = Place(path, again.line + first_line - 1)
        raise InputError(f"`{_dotted(again.path)}` is given twice.", fix="Keep one of the two.", place=place)
    try:
        return model.model_validate(reading.value if reading.value != "" else {})
    except ValidationError as error:
        details = error.errors(include_url=False)
        location = details[0]["loc"]
        place = Place(path, reading.line_of(location) + first_line - 1)
        more = f" ({len(details) - 1} more in this file.)" if len(details) > 1 else ""
        raise InputError(_problem(details[0]) + more, fix=_fix(model, details[0]), place=place) from None


def _problem(detail: ErrorDetails) -> str:
    name = _dotted(detail["loc"])
    match detail["type"]:
        case "missing":
            return f"`{name}` is missing."
        case "extra_forbidden":
            return f"`{name}` is not a known key."
        case "value_error":
            return f"`{name}`: {detail['msg'].removeprefix('Value error, ')}" if name else detail["msg"][13:]
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"{f'`{name}`' if name else 'The text'} should be a mapping of keys to values."
        case "tuple_type" | "list_type":
            return f"`{name}` should be a list."
        case "too_short":
            return f"`{name}` needs at least {detail['ctx']['min_length']}."
    given = detail.get("input")
    shown = f", not `{given[:60]}`" if isinstance(given, str) else ""
    return f"`{name}`: {detail['msg'][:1].lower()}{detail['msg'][1:]}{shown}."


def _fix(model: type[BaseModel], detail: ErrorDetails) -> str:
    if detail["type"] != "extra_forbidden" or len(detail["loc"]) != 1:
        return ""
    near = get_close_matches(str(detail["loc"][0]), model.model_fields, n=1)
    return f"Did you mean `{near[0]}`?" if near else f"Known keys: {', '.join(model.model_fields)}."


def _dotted(path: YamlPath) -> str:
    return ".".join(str(part) for part in path)
