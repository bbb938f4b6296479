"""The hash of code, which changes with what the code does and not with its comments."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path


@cache
def hash_of_code(*paths: Path) -> str:
    """SHA-256 of what Python files do: the structure, the names and the constants of their code."""
    parts: list[str] = []
    for path in paths:
        _collect(ast.parse(path.read_bytes()), parts)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _collect(node: object, parts: list[str]) -> None:
    if isinstance(node, ast.AST):
        parts.append(type(node).__name__)
        for name in node._fields:
            value = getattr(node, name, None)
            # Newer versions of Python have more fields, which are empty in our code.
            if value is not None and value != [] and name != "ctx":
                parts.append(name)
                _collect(value, parts)
        parts.append("end")
    elif isinstance(node, list):
        for item in node:
            # An expression that is only a constant is a docstring.
            if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)):
                _collect(item, parts)
    else:
        parts.append(repr(node))
