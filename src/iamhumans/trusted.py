"""Which files the user has marked as trusted. The marks are in the user's own config folder, outside of any project.

A mark is for one content at one place: a hash under the real path of the file. After a change, or in another place, the
file is not marked. The caller resolves the path when it reads the content, so a link swapped later has no effect.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from iamhumans.errors import InputError, Place
from iamhumans.platforms import belongs_to_others, others_may_write, read_regular, replace_file, user_config_folder

Kind = Literal["config", "journal"]
_SECTIONS: dict[Kind, str] = {"config": "allowed", "journal": "journals"}
_VERSION = 1
_LARGEST = 10_000_000
_LOCK_SECONDS = 10.0


def is_marked(kind: Kind, path: Path, content_hash: str, environ: Mapping[str, str] | None = None) -> bool:
    """Whether this content at this place is marked. Raises what :func:`marked_hash` raises."""
    return bool(content_hash) and marked_hash(kind, path, environ) == content_hash


def marked_hash(kind: Kind, path: Path, environ: Mapping[str, str] | None = None) -> str | None:
    """The hash that was marked for this place, if any. Raises InputError where the marks are damaged or not safe."""
    return _read(marks_path(environ))[_SECTIONS[kind]].get(str(path.absolute()))


def mark(kind: Kind, path: Path, content_hash: str, environ: Mapping[str, str] | None = None) -> Path:
    """Mark this content at this place as trusted. Returns the file of the marks; InputError where it cannot be used."""
    store = marks_path(environ)
    try:
        store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(store):
            marks = _read(store)
            marks[_SECTIONS[kind]][str(path.absolute())] = content_hash
            _write(store, json.dumps({"version": _VERSION, **marks}, indent=2, sort_keys=True).encode() + b"\n")
    except OSError as error:
        fix = "It lists the files and journals that you trust. Set XDG_CONFIG_HOME to a folder that you can write."
        raise InputError(f"The file cannot be written: {error.strerror}.", fix=fix, where=Place(store)) from None
    return store


def marks_path(environ: Mapping[str, str] | None = None) -> Path:
    """The file that stores the marks."""
    return user_config_folder(os.environ if environ is None else environ) / "iamhumans" / "allowed.json"


def _read(store: Path) -> dict[str, dict[str, str]]:
    try:
        data, status = read_regular(store, _LARGEST)
        folder = store.parent.stat()
    except FileNotFoundError:
        return {section: {} for section in _SECTIONS.values()}
    except (OSError, ValueError) as error:
        raise InputError(f"The list of trusted files cannot be read: {error}.", where=Place(store)) from None
    if belongs_to_others(status, folder) or others_may_write(status) or others_may_write(folder):
        problem = "Others can write this list of trusted files, or its folder, so it is not used."
        fix = f"Check the list, then remove their permission to write: chmod go-w {store.parent} {store}"
        raise InputError(problem, fix=fix, where=Place(store))
    return _parsed(data, store)


def _parsed(data: bytes, store: Path) -> dict[str, dict[str, str]]:
    try:
        document: Any = json.loads(data)
        sections = {section: dict(document.get(section, {})) for section in _SECTIONS.values()}
        hashes = [value for marks in sections.values() for value in marks.values()]
        if document["version"] == _VERSION and all(isinstance(value, str) for value in hashes):
            return sections
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    fix = "Delete it and run `iamhumans allow` again for the files that you trust."
    raise InputError("This list of trusted files is damaged, or a newer version wrote it.", fix=fix, where=Place(store))


def _write(store: Path, data: bytes) -> None:
    """Write the file whole or not at all. ``mkstemp`` makes it readable by its owner alone."""
    descriptor, name = tempfile.mkstemp(dir=store.parent, prefix=".allowed-")
    temporary = Path(name)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        replace_file(temporary, store)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def _locked(store: Path) -> Iterator[None]:
    """Keep other processes from writing the marks. A lock older than any write takes was left by a dead process."""
    lock = store.with_suffix(".lock")
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            break
        except (FileExistsError, PermissionError) as error:
            if isinstance(error, PermissionError) and not lock.exists():
                raise
            with suppress(OSError):
                if time.time() - lock.stat().st_mtime > _LOCK_SECONDS:
                    lock.unlink()
                    continue
            time.sleep(0.02)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
