"""The hash of code, which changes with what the code does and not with its comments."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path


@cache
def hash_of_code(*paths: Path) -> str:
    """SHA-256 of what Python files do: the structure, names and constants of their code, on any Python version."""
    parts: list[str] = []
    for path in paths:
        _collect(ast.parse(path.read_bytes()), parts)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _collect(node: ast.AST, parts: list[str]) -> None:
    parts.append(type(node).__name__)
    for name, value in ast.iter_fields(node):
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, ast.AST):
                if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)):  # a docstring
                    parts.append(name)
                    _collect(item, parts)
            elif item is not None:
                parts.append(f"{name}={item!r}")
    parts.append("end")
