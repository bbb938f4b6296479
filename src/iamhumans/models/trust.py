"""A config that came with somebody's files gets no say over keys and programs until its user has allowed it.

1. What needs it: naming a variable with a key (``api_key_env``), ``command/`` and ``python/``. A table of the name of a
   built-in provider is refused outright, allowed or not.
2. What is allowed is a content at a place: the SHA-256 of the file's bytes, under its real path. Any change, and any
   other place, is asked for again.
3. What was allowed is kept in the user's own config folder, readable and writable by that user alone.
4. A file that was found and not named, and that belongs to another user, is not used at all until it is allowed.
"""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.errors import InputError, Place
from iamhumans.models.addresses import Address, read_address
from iamhumans.models.config import Config, ModelTable, find_config, read_config
from iamhumans.models.names import COMMAND, FUNCTION
from iamhumans.models.providers import PROVIDERS
from iamhumans.text import one_line, read_text

_VERSION = 1
_OTHER_SECRETS = (
    "AWS_",
    "AZURE_STORAGE",
    "DATABASE",
    "GH_",
    "GITHUB_",
    "GITLAB_",
    "GOOGLE_APPLICATION",
    "NPM_",
    "SSH_",
)


@dataclass(frozen=True, slots=True)
class Power:
    """Something that a table would do once its config is allowed."""

    model: str
    """The table's name."""
    kind: str
    """``key``, ``program`` or ``function``."""
    subject: str
    """The variable, the program with its arguments, or ``module:function``."""
    target: str
    """Where the key goes, or the folder that the program or module is looked for in."""
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line, safe for a terminal and never cut: what is cut off could be what matters."""
        match self.kind:
            case "key":
                what = f"sends the key in {self.subject} to {self.target}"
            case "program":
                what = f"runs the program `{self.subject}` in {self.target}"
            case _:
                what = f"imports and calls `{self.subject}`, which it may find in {self.target}"
        return one_line(f"{self.model}: {what}")


def load_config(given: Path | None, folder: Path, environ: Mapping[str, str], *, user: int | None = None) -> Config:
    """The config of a command: the one that was named, else the nearest one upwards, else an empty one.

    Args:
        given: What ``--config`` said.
        folder: The working folder.
        environ: The environment; says where allowed configs are remembered.
        user: Who runs this; the one who runs this process if not given.

    Raises:
        InputError: The file cannot be used, or it was found, belongs to another user and is not allowed.
    """
    path = given or find_config(folder)
    if path is None:
        return Config()
    config = read_config(path, user=user)
    if given is None and config.foreign and not is_allowed(config, environ):
        raise InputError(
            "This config was found here, but it or its folder belongs to another user; it is not used.",
            fix=f"If you trust it, read it and type: iamhumans allow {shlex.quote(str(path))}",
            place=Place(path),
        )
    return config


def powers(config: Config) -> tuple[Power, ...]:
    """All that a config would do with keys and programs."""
    return tuple(power for name, table in config.models.items() for power in _powers(config, name, table))


def require_allowed(config: Config, name: str, environ: Mapping[str, str]) -> None:
    """Pass if a table asks for nothing, or its config is allowed.

    Raises:
        InputError: It asks for something and its config is not allowed, or was changed since.
    """
    asked = _powers(config, name, config.models[name])
    if not asked or is_allowed(config, environ):
        return
    key = "api_key_env" if asked[0].kind == "key" else "model"
    changed = " The file was changed since it was allowed." if _recorded(config, environ) else ""
    raise InputError(
        f"`{name}` is not allowed yet ({one_line(str(asked[0]))}).{changed}",
        fix=f"If you trust this file, read it and type: iamhumans allow {shlex.quote(str(config.path))}",
        place=config.place("models", name, key),
    )


def is_allowed(config: Config, environ: Mapping[str, str]) -> bool:
    """Whether exactly this content at this place was allowed.

    Raises:
        InputError: What was allowed cannot be read, or others can write it.
    """
    return bool(config.sha256) and _recorded(config, environ) == config.sha256


def allow(config: Config, environ: Mapping[str, str]) -> Path:
    """Remember that this content at this place is allowed. Returns the file that remembers it.

    Raises:
        InputError: The file cannot be read or written.
    """
    path = allowed_path(environ)
    entries = {**_entries(path), str(config.real_path): config.sha256}
    document = json.dumps({"version": _VERSION, "allowed": entries}, indent=2, sort_keys=True)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(path, document.encode() + b"\n")
    except OSError as error:
        raise InputError(f"It cannot be written: {error.strerror}.", place=Place(path)) from None
    return path


def allowed_path(environ: Mapping[str, str]) -> Path:
    """Where allowed configs are remembered: ``iamhumans/allowed.json`` in the user's config folder."""
    folder = environ.get("XDG_CONFIG_HOME", "")
    # A relative one is to be ignored, says its specification; here it would also lie in somebody's project.
    base = Path(folder) if folder.startswith("/") else Path(environ.get("HOME") or Path.home()) / ".config"
    return base / "iamhumans" / "allowed.json"


def _powers(config: Config, name: str, table: ModelTable) -> list[Power]:
    found = []
    folder = str(config_folder(config))
    kind, _, rest = table.model.partition("/")
    if table.base_url is None and kind == COMMAND:
        found.append(Power(name, "program", rest, folder))
    if table.base_url is None and kind == FUNCTION:
        found.append(Power(name, "function", rest, folder))
    if table.api_key_env is not None:
        address = _target(table)
        target = table.model if address is None else address.url
        found.append(Power(name, "key", table.api_key_env, target, _warnings(table.api_key_env, address)))
    return found


def config_folder(config: Config) -> Path:
    """The folder that relative paths in a config start from: where its content really lies.

    Not the working folder: a link to an allowed config must not make it run another folder's programs.
    """
    return Path.cwd() if config.real_path is None else config.real_path.parent


def _target(table: ModelTable) -> Address | None:
    if table.base_url is not None:
        return read_address(table.base_url)
    provider = PROVIDERS.get(table.model.partition("/")[0])
    return None if provider is None else read_address(provider.base_url)


def _warnings(variable: str, address: Address | None) -> tuple[str, ...]:
    warnings = []
    owner = next((provider for provider in PROVIDERS.values() if provider.key_variable == variable), None)
    if owner is not None and address is not None and address.host != read_address(owner.base_url).host:
        warnings.append(f"{variable} is the key of {owner.name}, and {address.host} is not {owner.name}.")
    if variable.upper().startswith(_OTHER_SECRETS):
        warnings.append(f"{variable} does not sound like the key of a model.")
    if address is not None and not address.encrypted and not address.local:
        warnings.append(f"The key would travel to {address.host} unencrypted (http).")
    return tuple(warnings)


def _recorded(config: Config, environ: Mapping[str, str]) -> str | None:
    return _entries(allowed_path(environ)).get(str(config.real_path))


def _entries(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    status = path.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise InputError(
            "Others can write this list of allowed configs, so it says nothing.",
            fix="Look through it, make it yours alone (chmod 600), or delete it and allow again.",
            place=Place(path),
        )
    try:
        data: Any = json.loads(read_text(path))
    except (ValueError, RecursionError):
        data = None
    entries = data.get("allowed") if isinstance(data, dict) and data.get("version") == _VERSION else None
    if not isinstance(entries, dict) or not all(isinstance(value, str) for value in entries.values()):
        raise InputError(
            "This list of allowed configs is damaged, or of a newer version.",
            fix="Delete it and allow your configs again.",
            place=Place(path),
        )
    return entries


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; ``mkstemp`` makes it readable by its owner alone."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".allowed-")
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
