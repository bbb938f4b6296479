"""A config may use no key and run no program until its user has allowed this content at this place."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from iamhumans.errors import InputError, Place
from iamhumans.models.config import Config, find_config, read_config
from iamhumans.models.names import COMMAND, FUNCTION
from iamhumans.models.providers import PROVIDERS, Address, read_address
from iamhumans.models.proxies import FROM_ENVIRONMENT
from iamhumans.platforms import shell_quoted
from iamhumans.text import one_line, read_env_file
from iamhumans.trusted import is_marked, mark, marked_hash

if TYPE_CHECKING:
    from iamhumans.models.tables import ModelTable

_OTHER_SECRETS = re.compile(r"AWS_|AZURE_STORAGE|DATABASE|GH_|GITHUB_|GITLAB_|GOOGLE_APPLICATION|NPM_|SSH_")

_KEYS = {"key": "api_key_env", "proxy": "proxy", "certificates": "ca_file", "program": "model", "function": "model"}


@dataclass(frozen=True, slots=True)
class Power:
    """Something that a table would do once its config is allowed."""

    model: str  # the table's name
    kind: Literal["key", "program", "function", "proxy", "certificates"]
    subject: str  # the variable, the program with its arguments, module:function, the proxy or the file
    target: str  # where the key goes, or the folder in which the program or module is searched for
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line, safe for a terminal and never cut: the end could be what matters."""
        what = {
            "key": f"sends the key in {self.subject} to {self.target}",
            "program": f"runs the program `{self.subject}` in {self.target}",
            "proxy": f"sends calls with a key to {self.target} through the proxy {self.subject}",
            "certificates": f"accepts the certificates in {self.subject} for calls with a key to {self.target}",
            "function": f"imports and calls `{self.subject}`, searching also in {self.target}",
        }
        return one_line(f"{self.model}: {what[self.kind]}")


def load_config(
    given: Path | None,
    folder: Path,
    environ: Mapping[str, str],
    *,
    beside: Path | None = None,
    user: int | None = None,
    env_file: Path | None = None,
) -> Config:
    """The given config, else the nearest from ``folder`` upwards, then ``beside`` the suite, else the empty one.

    Keys may also come from an ``env_file``, which is read only where it is named.
    """
    config = _found_config(given, folder, environ, beside, user)
    return config if env_file is None else replace(config, keys=read_keys(env_file))


def read_keys(env_file: Path) -> Mapping[str, str]:
    """The variables of a file that holds keys. Raises InputError where it also says where a key is sent."""
    found = read_env_file(env_file)
    redirected = next((name for name in found if name.startswith("IAMHUMANS_")), None)
    if redirected is not None:
        problem = f"`{redirected}` cannot be set by an env file, which is for keys alone."
        raise InputError(problem, fix=f"Set it in the shell: export {redirected}=...", where=Place(env_file))
    return found


def _found_config(
    given: Path | None, folder: Path, environ: Mapping[str, str], beside: Path | None, user: int | None
) -> Config:
    path = given or find_config(folder) or (None if beside is None else find_config(beside))
    if path is None:
        return Config()
    config = read_config(path, user=user)
    if given is None and config.foreign and not is_allowed(config, environ):
        problem = "This config was found here, but it or its folder belongs to another user, so it is not used."
        raise InputError(problem, fix=_how_to_allow(path), where=Place(path))
    return config


def powers(config: Config, only: str | None = None) -> tuple[Power, ...]:
    """Everything that a config, or only one of its tables, would do with keys and programs."""
    found = []
    for name, table in config.models.items() if only is None else [(only, config.models[only])]:
        kind, _, rest = table.model.partition("/")
        if table.base_url is None and kind in (COMMAND, FUNCTION):
            found.append(Power(name, "program" if kind == COMMAND else "function", rest, str(config.folder)))
        provider = PROVIDERS.get(kind) if table.base_url is None else None
        url = table.base_url or (provider.base_url if provider else None)
        address = None if url is None else read_address(url)
        target = table.model if address is None else address.url
        secrets = secret_variables(table)
        found += [Power(name, "key", each, target, tuple(_warnings(each, address))) for each in secrets]
        if secrets or (provider is not None and provider.key_variable):
            # Together these two could read the key on its way.
            if table.proxy is not None and table.proxy != FROM_ENVIRONMENT:
                found.append(Power(name, "proxy", table.proxy, target))
            if table.ca_file is not None:
                found.append(Power(name, "certificates", table.ca_file, target))
    return tuple(found)


def secret_variables(table: "ModelTable") -> list[str]:
    """The environment variables whose values a table sends: that of its key, and those of its headers."""
    headers = [value.env for value in (table.extra_headers or {}).values() if not isinstance(value, str)]
    return [variable for variable in (table.api_key_env, *headers) if variable]


def require_allowed(config: Config, name: str, environ: Mapping[str, str]) -> None:
    """Pass if a table asks for nothing, or its config is allowed. Raises InputError otherwise."""
    asked = powers(config, name)
    if not asked or is_allowed(config, environ):
        return
    before = config.real_path and marked_hash("config", config.real_path, environ)
    changed = " The file was changed since it was allowed." if before else ""
    problem = f"`{name}` is not allowed yet ({one_line(str(asked[0]))}).{changed}"
    place = config.place("models", name, _KEYS[asked[0].kind])
    raise InputError(problem, fix=_how_to_allow(config.path), where=place)


def _how_to_allow(path: Path | None) -> str:
    return f"If you trust this file, read it and type: iamhumans allow {shell_quoted(str(path))}"


def is_allowed(config: Config, environ: Mapping[str, str]) -> bool:
    """Whether exactly this content at this place is allowed. Raises InputError if the marks cannot be used."""
    return config.real_path is not None and is_marked("config", config.real_path, config.sha256, environ)


def allow(config: Config, environ: Mapping[str, str]) -> Path:
    """Allow this content at this place. Returns the file that stores it. Raises InputError if it cannot be written."""
    return mark("config", config.real_path or Path(), config.sha256, environ)


def _warnings(variable: str, address: Address | None) -> list[str]:
    warnings = []
    owner = next((provider for provider in PROVIDERS.values() if provider.key_variable == variable), None)
    if owner is not None and address is not None and address.host != read_address(owner.base_url).host:
        warnings.append(f"{variable} is the key of {owner.name}, and {address.host} is not {owner.name}.")
    if _OTHER_SECRETS.match(variable.upper()):
        warnings.append(f"{variable} does not sound like the key of a model.")
    if address is not None and not address.encrypted and not address.local:
        warnings.append(f"The key would travel to {address.host} unencrypted (http).")
    return warnings
