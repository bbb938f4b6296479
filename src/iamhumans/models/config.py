"""``iamhumans.toml``: tables of models. What a config may do is decided in :mod:`iamhumans.models.trust`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from iamhumans.errors import InputError, Place
from iamhumans.models.names import RESERVED, TABLE_NAME, WITHOUT_MODEL, is_provider_model, table_header
from iamhumans.platforms import belongs_to_others, read_regular
from iamhumans.text import MAX_FILE_BYTES, decode_text, one_line
from iamhumans.text.toml import line_of, read_toml

if TYPE_CHECKING:
    from iamhumans.models.tables import ModelTable

CONFIG_NAME = "iamhumans.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """A config as it was read; without a path, the empty one."""

    path: Path | None = None  # as it was found or named
    real_path: Path | None = None  # the same once links are followed
    sha256: str = ""  # of exactly the bytes that were read
    models: Mapping[str, ModelTable] = field(default_factory=dict)
    foreign: bool = False  # whether the file or its folder belongs to another user; False where that is unknown
    text: str = field(default="", repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)  # from a file that the user named; never exported
    keys_needed: bool = True  # False for an estimate, which sends nothing

    @property
    def folder(self) -> Path:
        """Where relative paths start from: the real folder, or a link could run another folder's programs."""
        return Path.cwd() if self.real_path is None else self.real_path.parent

    def place(self, *key: str) -> Place:
        """The line of a table or of one of its keys."""
        return Place(self.path, line_of(self.text, key)) if self.path else Place()

    def __str__(self) -> str:
        return CONFIG_NAME if self.path is None else one_line(str(self.path))


def find_config(folder: Path) -> Path | None:
    """The nearest ``iamhumans.toml``, from a folder upwards."""
    folder = folder.absolute()
    return next((path for level in (folder, *folder.parents) if os.path.lexists(path := level / CONFIG_NAME)), None)


def read_config(path: Path, *, user: int | None = None) -> Config:
    """The config in a file, read for a user (by default the one of this process). Raises InputError with the line."""
    from iamhumans.models.tables import check_tables  # pydantic takes a tenth of a second

    data, foreign = _read(path, user)
    text = decode_text(data, path)
    config = Config(path, path.resolve(), hashlib.sha256(data).hexdigest(), {}, foreign, text)
    document = read_toml(text, path)
    tables = document.get("models")
    for name in tables if isinstance(tables, dict) else ():
        _check_name(name, config.place("models", name))
    return replace(config, models=check_tables(document, config.place))


def _read(path: Path, user: int | None) -> tuple[bytes, bool]:
    try:
        data, status = read_regular(path, MAX_FILE_BYTES + 1)
        foreign = belongs_to_others(status, path.lstat(), path.absolute().parent.stat(), user=user)
    except FileNotFoundError:
        raise InputError("There is no such config.", fix="Check the path.", where=Place(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"The config cannot be read: {reason}.", where=Place(path)) from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"The config is larger than {MAX_FILE_BYTES:,} bytes.", where=Place(path))
    return data, bool(foreign)


def _check_name(name: str, place: Place) -> None:
    small = name.casefold()
    if small in RESERVED:
        new = "server" if small in WITHOUT_MODEL else f"my-{small}"
        fix = f"Rename the table, for example to {table_header(new)}, and use the name `{new}`."
        raise InputError(f"`{name}` is a reserved name; a table cannot have it.", fix=fix, where=place)
    if not TABLE_NAME.fullmatch(name) and not is_provider_model(name):
        fix = "Use at most 64 ASCII letters, digits, dots, _ and -, or the name of a model, such as openai/gpt-5.1."
        raise InputError(f"`{one_line(name, 80)}` ({name[:80]!a}) cannot name a model.", fix=fix, where=place)
