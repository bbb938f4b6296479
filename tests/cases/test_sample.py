"""Samples of a suite: how many, which, always the same ones, and as a suite of their own."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.written import lint_paths, written

from iamhumans.cases import (
    Case,
    Suite,
    Turn,
    bundled_slice,
    bundled_suite,
    load_suite,
    read_ledger,
    record_use,
    seal_suite,
    write_sample,
)
from iamhumans.cases.sample import SamplingOrder
from iamhumans.errors import CommandError

PINNED = ["COM-001", "FEE-001", "FEE-002", "FEE-003", "INT-003", "MEM-001"]
"""What six of the bundled suite with the seed 1 are, on every machine and with every version of Python."""
DIMENSIONS = ("feeling", "memory", "skills")
HARD_FAILS = ("pity", "lecturing", "sycophancy", "manipulation")


def case(
    case_id: str, dimensions: tuple[str, ...] = (), hard_fails: tuple[str, ...] = (), *, holdout: bool = False
) -> Case:
    return Case(case_id, (Turn("user", "x"),), dimensions=dimensions, hard_fails=hard_fails, holdout=holdout)


def suite_of(cases: list[Case]) -> Suite:
    return Suite("s", Path("s"), tuple(cases))


def some_of(names: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(names), unique=True, max_size=3).map(tuple)


@st.composite
def many_cases(draw: st.DrawFn) -> list[Case]:
    """Cases with dimensions, hard fails, some held out."""
    parts = st.tuples(some_of(DIMENSIONS), some_of(HARD_FAILS), st.booleans())
    found = draw(st.lists(parts, min_size=1, max_size=25))
    return [
        case(f"C-{number}", dimensions, hard_fails, holdout=holdout and number > 0)
        for number, (dimensions, hard_fails, holdout) in enumerate(found)
    ]


seeds = st.integers(-3, 1 << 70)


def ids(cases: object) -> list[str]:
    assert isinstance(cases, (list, tuple))
    return [one.id for one in cases]


def named(cases: tuple[Case, ...] | list[Case], kind: str) -> set[str]:
    return {name for one in cases for name in getattr(one, kind)}


# Which ones


@given(many_cases(), seeds, st.integers(1, 30), st.booleans())
def test_a_sample_has_its_size_or_is_all_there_is(cases: list[Case], seed: int, size: int, holdout: bool) -> None:
    sample = suite_of(cases).sample(size, seed=seed, holdout=holdout)
    there = [one for one in cases if holdout or not one.holdout]
    assert len(sample.cases) == len(set(ids(sample.cases))) == min(size, len(there))
    assert set(ids(sample.cases)) <= set(ids(there))  # so no held-out case is drawn unless asked for


@given(many_cases(), seeds, st.integers(1, 30), st.randoms(use_true_random=False))
def test_the_order_of_the_files_is_nothing_to_a_sample(
    cases: list[Case], seed: int, size: int, chance: random.Random
) -> None:
    shuffled = list(cases)
    chance.shuffle(shuffled)
    first, second = (suite_of(some).sample(size, seed=seed) for some in (cases, shuffled))
    assert first.cases == second.cases


@given(many_cases(), seeds, st.integers(1, 30))
def test_a_larger_sample_holds_the_smaller_one(cases: list[Case], seed: int, size: int) -> None:
    smaller, larger = (suite_of(cases).sample(number, seed=seed) for number in (size, size + 1))
    assert set(ids(smaller.cases)) <= set(ids(larger.cases))


@given(many_cases(), seeds, st.booleans())
def test_as_many_cases_as_there_are_names_show_every_name(cases: list[Case], seed: int, both: bool) -> None:
    kinds = ("dimensions", "hard_fails") if both else ("dimensions",)
    names = {name for kind in kinds for name in named(cases, kind)}
    sample = suite_of(cases).sample(max(len(names), 1), seed=seed, holdout=True)
    assert {name for kind in kinds for name in named(sample.cases, kind)} == names


@given(many_cases(), seeds)
def test_the_order_is_one_of_all_cases(cases: list[Case], seed: int) -> None:
    assert Counter(ids(list(SamplingOrder(cases, seed)))) == Counter(ids(cases))


def test_a_sample_is_the_same_on_every_machine() -> None:
    assert ids(bundled_slice().sample(6, seed=1).cases) == PINNED
    assert ids(bundled_slice().sample(6, seed=2).cases) != PINNED


@pytest.mark.parametrize("seed", range(5))
def test_what_is_common_in_the_suite_is_common_in_the_sample(seed: int) -> None:
    common = [case(f"F-{number}", ("feeling",), ("pity",)) for number in range(60)]
    rare = [case(f"M-{number}", ("memory",), ("lecturing",)) for number in range(30)]
    rarest = [case(f"S-{number}", ("skills",)) for number in range(10)]
    suite = suite_of([*common, *rare, *rarest])
    sample = suite.sample(20, seed)
    assert Counter(one.dimensions[0] for one in sample.cases) == {"feeling": 12, "memory": 6, "skills": 2}
    assert Counter(name for one in sample.cases for name in one.hard_fails) == {"pity": 12, "lecturing": 6}


def test_cases_without_dimensions_have_their_share() -> None:
    plain = [case(f"P-{number}") for number in range(10)]
    others = [case(f"F-{number}", ("feeling",), ("pity",)) for number in range(10)]
    sample = suite_of([*plain, *others]).sample(10)
    assert Counter(one.id[0] for one in sample.cases) == {"P": 5, "F": 5}


@pytest.mark.parametrize("size", [0, -1])
def test_a_sample_of_nothing_is_refused(size: int) -> None:
    with pytest.raises(CommandError, match="at least one case"):
        bundled_suite().sample(size)


def test_a_suite_that_is_all_held_out_says_how_to_draw_from_it() -> None:
    with pytest.raises(CommandError, match="no case to draw from") as caught:
        suite_of([case("H", holdout=True)]).sample(1)
    assert "--holdout" in caught.value.fix


# As a suite of their own


def write(folder: Path, case_id: str, extra: str = "") -> Path:
    path = folder / f"{case_id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(written(front=f"id: {Path(case_id).name}\r\ntitle: x\n{extra}").encode())
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite with a manifest and cases in folders."""
    suite = tmp_path / "suite"
    write(suite / "cases", "one/A-1", "dimensions: [feeling]\nhard_fails: [pity]\n")
    write(suite / "cases", "two/A-2", "dimensions: [loss]\nhard_fails: [pity]\n")
    write(suite / "cases", "H-1", "dimensions: [loss]\nhard_fails: [pity]\nholdout: true\n")
    (suite / "suite.yaml").write_bytes(b"name: grief  # by us\r\ndimensions: [feeling, loss]\n")
    return suite


def copied(suite: Suite, target: Path, size: int = 9, *, holdout: bool = False) -> dict[str, bytes]:
    """What a sample writes, by its path."""
    write_sample(suite, suite.sample(size, holdout=holdout), target, holdout_reason="my copy" if holdout else None)
    return {
        path.relative_to(target).as_posix(): path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()
    }


def test_a_sample_is_copied_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    names = ("cases/one/A-1.md", "cases/two/A-2.md", "suite.yaml")
    (tmp_path / "new/copy").mkdir(parents=True)
    assert copied(load_suite(folder), tmp_path / "new/copy") == {name: (folder / name).read_bytes() for name in names}
    assert lint_paths([tmp_path / "new/copy"]) == []
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["copy"]


def test_the_bundled_suite_can_be_copied(tmp_path: Path) -> None:
    suite = bundled_suite()
    copied(suite, tmp_path / "copy", len(suite.cases), holdout=True)
    assert lint_paths([tmp_path / "copy"]) == []
    assert load_suite(tmp_path / "copy").cases == suite.cases


def test_a_bare_folder_gives_a_bare_folder(tmp_path: Path) -> None:
    write(tmp_path / "bare", "deep/A-1")
    assert list(copied(load_suite(tmp_path / "bare"), tmp_path / "copy")) == ["deep/A-1.md"]


def test_a_suite_named_by_one_of_its_folders_keeps_its_form(folder: Path, tmp_path: Path) -> None:
    assert list(copied(load_suite(folder / "cases/one"), tmp_path / "copy")) == ["cases/one/A-1.md", "suite.yaml"]


def test_the_rubrics_of_a_suite_go_with_it(folder: Path, tmp_path: Path) -> None:
    (folder / "suite.yaml").write_text("rubric: rubrics/own.yaml\ndimensions: [feeling, loss]\n")
    (folder / "rubrics").mkdir()
    (folder / "rubrics/own.yaml").write_text("name: own\nextends: ../base.yaml\n")
    (folder / "base.yaml").write_text("name: base\nextends: iamhumans\n")
    names = ["base.yaml", "cases/one/A-1.md", "cases/two/A-2.md", "rubrics/own.yaml", "suite.yaml"]
    assert list(copied(load_suite(folder), tmp_path / "copy")) == names
    assert lint_paths([tmp_path / "copy"]) == []


def test_nothing_is_written_over(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/mine.txt").write_text("precious")
    with pytest.raises(CommandError, match="nothing is overwritten"):
        copied(load_suite(folder), tmp_path / "copy")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["mine.txt"]


def test_a_copy_among_the_cases_of_its_suite_is_refused(folder: Path) -> None:
    with pytest.raises(CommandError, match="would be cases of the same suite"):
        copied(load_suite(folder), folder / "cases/copy")


def test_a_folder_that_cannot_be_made_is_an_error_and_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CommandError, match="cannot be"):
        copied(load_suite(folder), tmp_path / "file/copy")


def test_held_out_cases_take_the_ledger_of_their_uses_along(folder: Path, tmp_path: Path) -> None:
    suite = load_suite(folder)
    seal_suite(suite)
    record_use(suite, reason="release 1.2", output="run", run="run-a", cases=["H-1"])
    assert "holdout-ledger.jsonl" in copied(suite, tmp_path / "copy", holdout=True)
    assert [use.output for use in read_ledger(tmp_path / "copy").uses_of("H-1")] == ["run", "sample"]
    assert "holdout-ledger.jsonl" not in copied(suite, tmp_path / "everyday")


def test_a_copy_of_held_out_cases_of_a_bundled_suite_is_recorded_in_the_copy(tmp_path: Path) -> None:
    suite = bundled_suite()
    before = read_ledger(suite.path).lines
    copied(suite, tmp_path / "copy", len(suite.cases), holdout=True)
    assert [use.output for use in read_ledger(tmp_path / "copy").uses] == ["sample"]
    assert read_ledger(suite.path).lines == before


def test_held_out_cases_are_copied_for_a_reason_only(folder: Path, tmp_path: Path) -> None:
    suite = load_suite(folder)
    with pytest.raises(CommandError, match="at least two words"):
        write_sample(suite, suite.sample(9, holdout=True), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
