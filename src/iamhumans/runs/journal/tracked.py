"""Whether git tracks a file, found by reading the index and running nothing.

A repository may be somebody else's, and its configuration can name programs that git runs. Its index is only data. The
comparison ignores case, since some file systems do: in doubt a file counts as tracked.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER = struct.Struct(">4sII")
_FIXED = 62
"""Bytes of an entry before its name: times, device, mode, owner, size, object id, flags. With SHA-256 ids, 12 more."""
_EXTENDED = 0x4000
_MAX_INDEX_BYTES = 512 * 1024 * 1024


def tracked_by_git(path: Path) -> bool:
    """Whether an index of a repository around ``path`` lists it, or lists a link or a folder on the way to it."""
    path = path.absolute()
    return any(
        _lists(index, path.relative_to(root).as_posix().encode("utf-8", "surrogateescape").lower(), wide=wide)
        for root in path.parents
        for index, wide in _indexes(root / ".git")
    )


def _indexes(dot_git: Path) -> Iterator[tuple[bytes, bool]]:
    """The indexes of a work tree, and whether their ids are SHA-256. In a linked one ``.git`` is a file with a path."""
    git = dot_git
    if dot_git.is_file():
        with dot_git.open(encoding="utf-8", errors="surrogateescape") as file:
            git = dot_git.parent / file.read(8192).strip().removeprefix("gitdir:").strip()
    config = git / "config"
    wide = config.is_file() and b"sha256" in config.read_bytes()[:1_000_000].lower()
    for index in (git / "index", *git.glob("sharedindex.*")):
        if index.is_file():
            with index.open("rb") as opened:
                yield opened.read(_MAX_INDEX_BYTES), wide


def _lists(data: bytes, path: bytes, *, wide: bool) -> bool:
    if len(data) < _HEADER.size or not data.startswith(b"DIRC"):
        return False
    _, version, count = _HEADER.unpack_from(data)
    if version not in (2, 3, 4):
        return True  # nothing can be said about it
    parts = path.split(b"/")
    covering = {b"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
    if version < 4:  # a search is 50 times as fast as a walk
        small = data.lower()
        if not any(name + end in small for name in covering for end in (b"\0", b"/\0")):
            return False
    return any(name.rstrip(b"/") in covering for name in _names(data, version, count, _FIXED + 12 * wide))


def _names(data: bytes, version: int, count: int, fixed: int) -> Iterator[bytes]:
    """The names in an index. In version 4 a name says how it differs from the one before it."""
    at, name = _HEADER.size, b""
    for _ in range(count):
        start = at
        if at + fixed > len(data):
            return
        at += fixed + (2 if struct.unpack_from(">H", data, at + fixed - 2)[0] & _EXTENDED else 0)
        if version == 4:
            dropped, at = _number(data, at)
            name = name[: len(name) - dropped]
        else:
            name = b""
        end = data.find(b"\0", at)
        if end < 0:
            return
        name += data[at:end]
        yield name.lower()
        at = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number in git's variable-length coding, and where it ends."""
    value = data[at] & 0x7F if at < len(data) else 0
    while at + 1 < len(data) and data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1
