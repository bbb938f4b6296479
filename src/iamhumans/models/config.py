"""``iamhumans.toml``: tables of models, as a project or a person keeps them.

Reading one decides nothing; what it may do is decided in ``trust``.

```toml
[models.local]
base_url = "http://127.0.0.1:8080/v1"
model = "qwen3-8b"
temperature = 0
```
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from iamhumans.errors import InputError, Place
from iamhumans.models.addresses import read_address
from iamhumans.models.model import Prices
from iamhumans.models.names import RESERVED, TABLE_NAME
from iamhumans.models.providers import Wire
from iamhumans.text import MAX_FILE_BYTES, decode_text, one_line

CONFIG_NAME = "iamhumans.toml"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_LIKE_A_KEY = re.compile(r"(?:sk|pk|gsk|xai|hf)_|[A-Za-z0-9]{40,}")


def _plain(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("it must be printable text on one line")
    return text


def _variable(name: str) -> str:
    # The value is not repeated: a key that was written here by mistake must not reach a log.
    if not _VARIABLE.fullmatch(name) or _LIKE_A_KEY.match(name):
        raise ValueError("write the NAME of an environment variable (letters, digits, _), not the key itself")
    return name


def _base_url(url: str) -> str:
    return read_address(url).url


PlainText = Annotated[str, Field(max_length=2000), AfterValidator(_plain)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
PerMinute = Annotated[int, Field(ge=1)]


class _Table(BaseModel):
    # Strict, so that "0.5" in quotes or `true` for a number is a mistake that is told and not one that is guessed at.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PriceTable(_Table):
    """Prices per million tokens."""

    prompt: Price | None = None
    cached: Price | None = None
    completion: Price | None = None

    def prices(self) -> Prices:
        """The same, free of the file."""
        return Prices(self.prompt, self.cached, self.completion)


class ModelTable(_Table):
    """A ``[models.NAME]`` table."""

    model: PlainText
    base_url: Annotated[str, AfterValidator(_base_url)] | None = None
    api_key_env: Annotated[str, AfterValidator(_variable)] | None = None
    wire: Wire | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None
    structured: Literal["auto", "json_schema", "json_object", "grammar", "none"] | None = None
    prices: PriceTable = PriceTable()
    requests_per_minute: PerMinute | None = None
    tokens_per_minute: PerMinute | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class _ConfigFile(_Table):
    models: dict[str, ModelTable] = {}


@dataclass(frozen=True, slots=True)
class Config:
    """A config as it was read; without a path, the empty one."""

    path: Path | None = None
    """As it was found or named."""
    real_path: Path | None = None
    """Where its content lies once links are followed."""
    sha256: str = ""
    """Of exactly the bytes that were read."""
    models: Mapping[str, ModelTable] = field(default_factory=dict)
    foreign: bool = False
    """Whether the file, or the folder that it was found in, belongs to another user."""
    text: str = field(default="", repr=False)

    def place(self, *path: str) -> Place:
        """Where a table or a key of it stands."""
        return Place(self.path, line_of(self.text, path)) if self.path else Place()

    def __str__(self) -> str:
        return CONFIG_NAME if self.path is None else one_line(str(self.path))


def find_config(folder: Path) -> Path | None:
    """The nearest ``iamhumans.toml``, from a folder upwards."""
    folder = folder.absolute()
    return next((path for level in (folder, *folder.parents) if os.path.lexists(path := level / CONFIG_NAME)), None)


def read_config(path: Path, *, user: int | None = None) -> Config:
    """The config in a file.

    Args:
        path: The file.
        user: Who reads it; the one who runs this process if not given.

    Raises:
        InputError: No such file, no plain file, not TOML, an unknown key, a value that does not fit, or a table with
            the name of a provider. Names the line where it can be told.
    """
    data, foreign = _read(path, os.geteuid() if user is None else user)
    text = decode_text(data, path)
    return Config(
        path=path,
        real_path=path.resolve(),
        sha256=hashlib.sha256(data).hexdigest(),
        models=_checked(_parsed(text, path), text, path).models,
        foreign=foreign,
        text=text,
    )


def _read(path: Path, user: int) -> tuple[bytes, bool]:
    """The bytes of a file and whether somebody else owns it, all from one opening: no swap can come in between."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise InputError("There is no such config.", fix="Check the path.", place=Place(path)) from None
    except (OSError, ValueError) as error:
        raise _unreadable(error, path) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError("This is no plain file.", fix="A config is a TOML file.", place=Place(path))
        data = _read_all(descriptor)
        owners = {status.st_uid, path.lstat().st_uid, path.absolute().parent.stat().st_uid}
    except OSError as error:
        raise _unreadable(error, path) from None
    finally:
        os.close(descriptor)
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"The config is larger than {MAX_FILE_BYTES:,} bytes.", place=Place(path))
    return data, not owners <= {user, 0}


def _read_all(descriptor: int) -> bytes:
    """All that stands there, or a byte more than is allowed."""
    data = b""
    while len(data) <= MAX_FILE_BYTES and (more := os.read(descriptor, MAX_FILE_BYTES + 1 - len(data))):
        data += more
    return data


def _unreadable(error: Exception, path: Path) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return InputError(f"The config cannot be read: {reason}.", place=Place(path))


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        problem = str(error)[: found.start()] if found else str(error).removesuffix(" (at end of document)")
        line = int(found.group(1)) if found else text.count("\n") + 1
        raise InputError(
            f"This is not TOML: {one_line(problem, 200)}.", fix="Text goes in quotes.", place=Place(path, line)
        ) from None
    except RecursionError:
        raise InputError("This is not TOML that anybody wrote: it is nested too deeply.", place=Place(path)) from None


def _checked(data: dict[str, Any], text: str, path: Path) -> _ConfigFile:
    models = data.get("models")
    for name in models if isinstance(models, dict) else ():
        _check_name(name, Place(path, line_of(text, ("models", name))))
    try:
        return _ConfigFile.model_validate(data)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_context=False)[0]
        location = tuple(str(part) for part in detail["loc"])
        raise InputError(_problem(detail), fix=_fix(detail), place=Place(path, line_of(text, location))) from None


def _check_name(name: str, place: Place) -> None:
    if name.casefold() in RESERVED:
        raise InputError(
            f"A table may not be called `{name}`: the name is built in.",
            fix=f"Call it my-{name.casefold()}, say. The address of a built-in provider is changed by an environment "
            "variable only.",
            place=place,
        )
    if not TABLE_NAME.fullmatch(name):
        raise InputError(
            f"`{one_line(name, 80)}` cannot name a model: {name[:80]!a}.",
            fix="Use ASCII letters, digits, dots, _ and -, at most 64 of them.",
            place=place,
        )


def _problem(detail: ErrorDetails) -> str:
    name = one_line(".".join(str(part) for part in detail["loc"]), 100)
    match detail["type"]:
        case "missing":
            return f"`{name}` is missing."
        case "extra_forbidden":
            return f"`{name}` is not a key that is known here."
        case "value_error":
            return f"`{name}`: {detail['msg'].removeprefix('Value error, ')}."
    return f"`{name}`: {detail['msg'][:1].lower()}{detail['msg'][1:]}."


def _fix(detail: ErrorDetails) -> str:
    if detail["type"] != "extra_forbidden":
        return ""
    *around, key = (str(part) for part in detail["loc"])
    if "key" in key.casefold() and "env" not in key.casefold():
        return "A key never stands in a file: set an environment variable and name it as `api_key_env`."
    table: type[_Table] = PriceTable
    if len(around) < 3:
        table = ModelTable if around else _ConfigFile
    known = table.model_fields
    near = get_close_matches(key, known, n=1)
    return f"Did you mean `{near[0]}`?" if near else f"Known keys: {', '.join(known)}."


_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*[.=]")


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line of a key, or of the nearest table around it; 1 where neither is found."""
    header: tuple[str, ...] = ()
    best, known = 0, 1
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _HEADER.match(line):
            header = tuple(part.strip().strip("\"'") for part in found.group(1).split("."))
            here = header
        elif found := _KEY.match(line):
            here = (*header, found.group(1).strip("\"'"))
        else:
            continue
        if len(here) > best and here == path[: len(here)]:
            best, known = len(here), number
    return known
