"""What ``iamhumans`` offers: listed, documented, and with examples that run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import Any

import pytest
from tests.api.test_run import a_suite, friend, named, stock

import iamhumans as ih

FUNCTIONS = {name for name in ih.__all__ if inspect.isfunction(getattr(ih, name))}
TWINS = {name for name in FUNCTIONS if name.startswith("a") and name[1:] in FUNCTIONS}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    suite, journal = a_suite(tmp_path / "suite"), ih.open_journal(tmp_path / "examples.db")
    run_a, run_b = (ih.run(suite, subject=named(one, one.__name__), journal=journal) for one in (friend, stock))
    drawn = run_b.draw(4).drawn
    labels = [
        ih.Label(one.reply_key, one.case_id, one.subject, one.number, "ann", {"empty_validation": True}, {})
        for one in drawn
    ]
    return {"ih": ih, "run_a": run_a, "run_b": run_b, "run": run_b, "labels": labels}


def test_the_list_of_names_is_sorted_and_each_name_is_there() -> None:
    *names, version = ih.__all__
    assert version == "__version__"
    assert names == sorted(names)
    assert all(hasattr(ih, name) for name in ih.__all__)
    assert set(ih.__all__) <= set(dir(ih))


def test_the_stub_for_type_checkers_has_the_same_names() -> None:
    stub = Path(ih.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert sorted(line.rpartition(" ")[2] for line in stub.splitlines() if " as " in line) == ih.__all__[:-1]


def test_there_are_about_twenty_functions() -> None:
    assert len(FUNCTIONS - TWINS) <= 22


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(ih, "no_such_name")  # noqa: B009 - a type checker knows that it is not there


@pytest.mark.parametrize("name", sorted(FUNCTIONS - TWINS))
def test_each_function_has_an_example_that_runs(name: str, names: dict[str, Any]) -> None:
    function = getattr(ih, name)
    found = doctest.DocTestFinder(recurse=False).find(function, name, globs={**names, name: function})
    examples = [example for test in found for example in test.examples]
    assert examples, f"{name} has no example"
    assert not any(doctest.SKIP in example.options for example in examples)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for test in found:
        assert runner.run(test).failed == 0, name


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_each_function_is_typed_and_documented(name: str) -> None:
    signature = inspect.signature(getattr(ih, name))
    assert inspect.getdoc(getattr(ih, name))
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())


@pytest.mark.parametrize("name", sorted(set(ih.__all__) - FUNCTIONS - {"__version__"}))
def test_each_type_is_documented(name: str) -> None:
    assert getattr(ih, name).__doc__
