"""What differs between POSIX systems and Windows. Windows has no such file owners: checks answer ``None``, unknown."""

import os
import shlex
import signal
import stat
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

WINDOWS = os.name == "nt"
_READ_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_ATTEMPTS, _PAUSE = 40, 0.05


def current_user() -> int | None:
    """The user who runs this process; ``None`` where that is unknown."""
    geteuid = getattr(os, "geteuid", None)
    return None if geteuid is None else int(geteuid())


def belongs_to_others(*statuses: os.stat_result, user: int | None = None) -> bool | None:
    """Whether one of these files belongs to neither this user nor root; ``None`` where that is unknown."""
    user = current_user() if user is None else user
    return None if user is None else any(status.st_uid not in (user, 0) for status in statuses)


def others_may_write(status: os.stat_result) -> bool | None:
    """Whether group or others may write this file or folder; ``None`` where that is unknown."""
    return None if current_user() is None else bool(status.st_mode & 0o022)


def read_regular(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """At most ``limit`` bytes of a regular file, and its status, both from one open file.

    Raises OSError if it cannot be read, and ValueError for a folder, a pipe, a device or a path that cannot exist.
    """
    if path.is_dir():  # Windows cannot open a folder
        raise ValueError("it is not a regular file")
    descriptor = os.open(path, _READ_FLAGS)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a regular file")
        return file.read(limit), status


def replace_file(source: Path, target: Path) -> None:
    """Put a file in the place of another. Windows refuses while another program reads the target, so it is retried."""
    for attempt in range(_ATTEMPTS):
        try:
            source.replace(target)
        except PermissionError:
            if not WINDOWS or attempt == _ATTEMPTS - 1:
                raise
            time.sleep(_PAUSE)
        else:
            return


def user_config_folder(environ: Mapping[str, str]) -> Path:
    """The user's folder for configuration: ``$XDG_CONFIG_HOME``, else ``~/.config`` (``%APPDATA%`` on Windows)."""
    # The specification says to ignore a relative path, which could be inside of any project.
    if Path(given := environ.get("XDG_CONFIG_HOME", "")).is_absolute():
        return Path(given)
    if WINDOWS:
        return Path(environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    return Path(environ.get("HOME") or Path.home()) / ".config"


def split_words(words: str, *, windows: bool = WINDOWS) -> list[str]:
    """The words of a command, as the system's shell splits them. On Windows a backslash is part of a path."""
    if not windows:
        return shlex.split(words)
    lexer = shlex.shlex(words, posix=True)
    lexer.whitespace_split, lexer.commenters, lexer.escape, lexer.quotes = True, "", "", '"'
    return list(lexer)


def kill_group(pid: int) -> None:
    """Kill the process group of a program, so that its children die too. Windows can only kill the program itself."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)  # which ends a process at once there


def shell_quoted(path: Path | str) -> str:
    """A path as one word of a command that a person can paste into a shell."""
    return subprocess.list2cmdline([str(path)]) if WINDOWS else shlex.quote(str(path))
