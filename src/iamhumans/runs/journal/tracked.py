"""Whether git tracks a file, found by reading the index and running nothing.

A repository's configuration can name programs that git runs (a file system monitor, a transport for missing objects),
and the repository may be somebody else's. Its index is only data. The comparison ignores case, since some file systems
do; a file that is wrongly held for tracked is refused, which harms nobody.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER = struct.Struct(">4sII")
_FIXED = 62
"""Bytes of an entry before its name: times, device, mode, owner, size, object id, flags. With SHA-256 ids, 12 more."""
_SHA256_MORE = 12
_EXTENDED = 0x4000
_NAME_LENGTH = 0x0FFF
_MAX_INDEX_BYTES = 512 * 1024 * 1024


def tracked_by_git(path: Path) -> bool:
    """Whether an index of a repository around ``path`` lists it, or lists a link or a folder on the way to it."""
    path = path.absolute()
    for root in path.parents:
        git = _git_folder(root / ".git")
        if git is not None and _listed(git, path.relative_to(root).as_posix()):
            return True
    return False


def _git_folder(dot_git: Path) -> Path | None:
    """The folder of a work tree's index. In a linked work tree or a submodule, ``.git`` is a file that names it."""
    if dot_git.is_dir():
        return dot_git
    if not dot_git.is_file():
        return None
    with dot_git.open(encoding="utf-8", errors="surrogateescape") as file:
        named = file.read(8192).strip().removeprefix("gitdir:").strip()
    return dot_git.parent / named


def _listed(git: Path, name: str) -> bool:
    wanted = name.encode("utf-8", "surrogateescape").lower()
    indexes = [git / "index", *git.glob("sharedindex.*")]
    wide = _has_sha256(git)
    return any(_lists(_read(index), wanted, wide=wide) for index in indexes if index.is_file())


def _read(index: Path) -> bytes:
    with index.open("rb") as file:
        return file.read(_MAX_INDEX_BYTES)


def _has_sha256(git: Path) -> bool:
    config = git / "config"
    return config.is_file() and b"sha256" in config.read_bytes()[:1_000_000].lower()


def _lists(data: bytes, wanted: bytes, *, wide: bool) -> bool:
    if len(data) < _HEADER.size:
        return False
    magic, version, count = _HEADER.unpack_from(data)
    if magic != b"DIRC":
        return False
    if version in (2, 3):  # names stand there whole; a search of bytes is 50 times as fast as a walk
        return _holds_name(data.lower(), wanted)
    # Of a version that is not known, nothing can be said; version 4 writes only how a name differs from the last.
    return version != 4 or any(_covers(name, wanted) for name in _names(data, count, wide=wide))


def _holds_name(data: bytes, wanted: bytes) -> bool:
    parts = wanted.split(b"/")
    prefixes = [b"/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    ways = [name + b"\0" for name in prefixes] + [name + b"/\0" for name in prefixes[:-1]]
    return any(_ends_an_entry(data, way) for way in ways)


def _ends_an_entry(data: bytes, name: bytes) -> bool:
    """Whether an entry has this name: the length of a name stands in the two bytes of flags before it."""
    at = data.find(name)
    while at >= 2:
        for flags_at in (at - 2, at - 4):
            length = struct.unpack_from(">H", data, flags_at)[0] & _NAME_LENGTH
            # The data was lowered, which can change a byte of the length by 0x20.
            if (length ^ (len(name) - 1)) & ~0x20 == 0:
                return True
        at = data.find(name, at + 1)
    return False


def _names(data: bytes, count: int, *, wide: bool) -> Iterator[bytes]:
    """The names in an index of version 4."""
    at, name = _HEADER.size, b""
    fixed = _FIXED + (_SHA256_MORE if wide else 0)
    for _ in range(count):
        if at + fixed > len(data):
            return
        flags = struct.unpack_from(">H", data, at + fixed - 2)[0]
        at += fixed + (2 if flags & _EXTENDED else 0)
        dropped, at = _number(data, at)
        end = data.find(b"\0", at)
        if end < 0:
            return
        name = name[: len(name) - dropped] + data[at:end]
        at = end + 1
        yield name.lower()


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number in git's variable-length coding, and where it ends."""
    byte = data[at]
    value = byte & 0x7F
    while byte & 0x80 and at + 1 < len(data):
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, at + 1


def _covers(name: bytes, wanted: bytes) -> bool:
    return name == wanted or wanted.startswith(name.rstrip(b"/") + b"/")
