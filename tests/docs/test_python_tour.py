"""Every Python block of README.md and docs/python.md runs in its order, and has the values that the page shows."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from tests.builders import verdict_of

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"# -> (.*)$")


def ask_a_model(messages: list[dict[str, str]]) -> str:
    """The model of the tour: a judge that finds nothing wrong."""
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
@pytest.mark.parametrize(("page", "values"), [("README.md", 1), ("docs/python.md", 21)])
def test_the_blocks_of_a_page_run_in_order(
    page: str, values: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    compared = []

    def check(found: object, shown: str) -> None:
        assert repr(found) == shown
        compared.append(shown)

    names: dict[str, Any] = {"ask_a_model": ask_a_model, "check": check}
    for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        tree = ast.fix_missing_locations(Checking(block.splitlines()).visit(ast.parse(block)))
        exec(compile(tree, page, "exec"), names)
    assert len(compared) >= values
