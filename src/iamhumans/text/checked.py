"""From a YAML reading to a typed model, with errors that say where and what to do."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from iamhumans.errors import InputError, Place
from iamhumans.text.phrases import did_you_mean
from iamhumans.text.yaml import YamlReading

Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], reading: YamlReading, path: Path | None = None, *, first_line: int = 1) -> Model:
    """The value of a reading as a pydantic model. The first thing that does not fit is an InputError with its line."""
    if reading.repeated:
        again = reading.repeated[0]
        place = Place(path, again.line + first_line - 1)
        raise InputError(f"`{'.'.join(map(str, again.path))}` is given twice.", fix="Keep one of the two.", where=place)
    try:
        return model.model_validate(reading.value if reading.value != "" else {})
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        place = Place(path, reading.line_of(first["loc"]) + first_line - 1)
        more = f" ({len(others)} more in this file.)" if others else ""
        fix = ""
        if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
            known = model.model_fields
            fix = did_you_mean(str(first["loc"][0]), known, f"Known keys: {', '.join(known)}.")
        raise InputError(_problem(first) + more, fix=fix, where=place) from None


def _problem(detail: ErrorDetails) -> str:
    name = ".".join(map(str, detail["loc"]))
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
