"""The version of the rules is part of the keys of their judgements, so it must change with their code and data."""

from __future__ import annotations

import ast
import hashlib
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from iamhumans.judges import rules, side_by_side

PACKAGE = Path(str(files("iamhumans")))
RULES = (
    *(PACKAGE / "judges" / name for name in ("rules.py", "rules_coverage.py", "rules_verdict.py")),
    *(PACKAGE / "text" / "phrases.py", PACKAGE / "verdicts" / "coverage.py"),
    *sorted(PACKAGE.joinpath("tells").rglob("*.py")),
)

on_3_11 = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other versions parse into another tree")


def hash_of_code(*sources: bytes) -> str:
    """The hash of what the code does: without comments, docstrings and the versions themselves."""
    parts: list[str] = []
    for source in sources:
        collect(ast.parse(source), parts)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def collect(node: object, parts: list[str]) -> None:
    if isinstance(node, ast.AST):
        parts.append(type(node).__name__)
        for name, value in ast.iter_fields(node):
            parts.append(name)
            collect(value, parts)
    elif isinstance(node, list):
        parts.append("[")
        for item in node:
            if not is_docstring(item) and not is_version(item):
                collect(item, parts)
        parts.append("]")
    else:
        parts.append(repr(node))


def is_docstring(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_version(node: object) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("version", "VERSION")


@on_3_11
def test_the_version_is_the_hash_of_all_the_rules() -> None:
    found = hash_of_code(*(path.read_bytes() for path in RULES))
    todo = f'The rules changed. Write into judges/rules.py: VERSION = "{found}"'
    assert found == rules.VERSION, f"{todo} Then run python -m benchmarks.rules_coverage."


@on_3_11
def test_the_version_of_choices_by_rules_is_the_hash_of_their_code() -> None:
    found = hash_of_code(PACKAGE.joinpath("judges", "side_by_side.py").read_bytes())
    assert found == side_by_side.VERSION, f'The code changed. Write into judges/side_by_side.py: VERSION = "{found}"'


def test_the_hash_changes_with_the_code_and_not_with_its_comments() -> None:
    code = b'"""What it finds."""\nPATTERN = r"\\bpoor (?:thing|you)\\b"\nif PATTERN:\n    x = 1\n    y = 2\n'
    same = b'# why\nPATTERN = r"\\bpoor " r"(?:thing|you)\\b"\nversion = "1"\nif PATTERN:\n    x = 1\n    y = 2\n'
    others = (code.replace(b"you", b"one"), code.replace(b"    y", b"y"), code.replace(b"2\n", b"2.0\n"))

    assert hash_of_code(code) == hash_of_code(same)
    assert len({hash_of_code(one) for one in (code, *others)}) == 4
