"""Packages whose modules are loaded when something of theirs is first asked for: no command waits for the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from sys import modules


def loaded_later(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The ``__getattr__`` of a package (PEP 562).

    Args:
        package: Its ``__name__``.
        names: For each of its modules the names that it gives to the package.
    """
    homes = {name: module for module, given in names.items() for name in given}

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(modules[package], name, found)
        return found

    return find
