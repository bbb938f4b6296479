"""ZIP files that programs write: logs of Inspect, exports of chats."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from iamhumans.errors import InputError, Place
from iamhumans.subjects.decoding.holders import model_beside
from iamhumans.subjects.decoding.json_values import values_of
from iamhumans.subjects.decoding.record import Record


def zip_rows(file: BinaryIO, path: Path) -> Iterator[Record]:
    """The samples of an Inspect log (``.eval``), or the ``conversations.json`` of an export. Raises InputError."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            samples = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
            chats = [name for name in names if PurePosixPath(name).name == "conversations.json"]
            model = _model(archive) if samples else ""
            number = 0
            for name in samples or chats:
                with archive.open(name) as member:
                    for record in values_of(cast("BinaryIO", io.BufferedReader(cast("io.RawIOBase", member)))):
                        number += 1
                        yield Record(number, None, record.value, record.model or model)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, OSError) as error:
        raise InputError(f"The ZIP file cannot be read: {error}.", fix="Unpack it.", where=Place(path)) from None
    if not samples and not chats:
        fix = "Unpack it and name the file that holds the conversations."
        raise InputError("The ZIP file holds no log of Inspect and no conversations.json.", fix=fix, where=Place(path))


def _model(archive: zipfile.ZipFile) -> str:
    try:
        header = json.loads(archive.read("header.json"))
    except (KeyError, ValueError, RecursionError):
        return ""
    return model_beside(header) if isinstance(header, dict) else ""
