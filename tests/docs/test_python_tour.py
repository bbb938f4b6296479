"""Every block of docs/python.md runs as it is written, in its order, and shows what it says."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from tests.builders import verdict_of

TOUR = Path(__file__).parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"# -> (.*)$")


def ask_a_model(messages: list[dict[str, str]]) -> str:
    """What the tour calls a model: a judge that finds nothing wrong."""
    prompt = messages[-1]["content"]
    case_id, check = (re.findall(rf"{label}: `(.+?)`", prompt)[-1] for label in ("ID", "Check token"))
    return verdict_of(case_id=case_id, check=check)


class Checking(ast.NodeTransformer):
    """Lets each expression whose line says ``# -> VALUE`` be compared with it."""

    def __init__(self, source: list[str]) -> None:
        self.source = source

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        shown = SHOWN.search(self.source[(node.end_lineno or node.lineno) - 1])
        if shown is None:
            return node
        check = ast.Call(ast.Name("check", ast.Load()), [node.value, ast.Constant(shown[1])], [])
        return ast.copy_location(ast.Expr(check), node)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_tour_runs_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    compared = []

    def check(found: object, shown: str) -> None:
        assert repr(found) == shown
        compared.append(shown)

    names: dict[str, Any] = {"ask_a_model": ask_a_model, "check": check}
    for block in BLOCK.findall(TOUR.read_text(encoding="utf-8")):
        tree = ast.fix_missing_locations(Checking(block.splitlines()).visit(ast.parse(block)))
        exec(compile(tree, str(TOUR), "exec"), names)
    assert len(compared) > 20
