"""The seal of a suite: what breaks it, what does not, and what is said about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.written import written

from iamhumans.cases import Case, Finding, Suite, Turn, check_seal, load_suite, read_ledger, seal_suite
from iamhumans.cases.seal import Sealing, read_seal, seal_of
from iamhumans.errors import CannotRunError, CommandError, InputError


def front(case_id: str, *, holdout: bool = True, extra: str = "") -> str:
    return f"id: {case_id}\ntitle: x\nholdout: {str(holdout).lower()}\n{extra}"


def write(folder: Path, case_id: str, text: str) -> Path:
    path = folder / f"cases/{case_id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite with one everyday case and two that are held out; not sealed yet."""
    suite = tmp_path / "suite"
    write(suite, "A-1", written(front=front("A-1", holdout=False)))
    write(suite, "H-2", written(front=front("H-2")))
    write(suite, "H-10", written(front=front("H-10")))
    (suite / "suite.yaml").write_text("name: grief\n")
    return suite


def seal(folder: Path, reason: str = "") -> Sealing:
    return seal_suite(load_suite(folder), reason)


def problems(folder: Path) -> list[tuple[str, str, int]]:
    """File, code and line of all that is wrong with the seal."""
    return [(finding.path.name, finding.code, finding.line) for finding in check_seal(load_suite(folder))]


def only_problem(folder: Path) -> Finding:
    (finding,) = check_seal(load_suite(folder))
    return finding


# What is written


def test_the_seal_has_one_line_for_each_held_out_case_in_natural_order(folder: Path) -> None:
    text = seal(folder).path.read_text()
    assert list(json.loads(text)["cases"]) == ["H-2", "H-10"]
    assert len([line for line in text.splitlines() if '"H-' in line]) == 2


def test_the_seal_holds_no_word_of_a_case_and_is_the_same_bytes_again(folder: Path) -> None:
    write(folder, "H-2", written(front=front("H-2", extra="hard_fails: [pity]\n")))
    text = seal(folder).path.read_text()
    (folder / "seal.json").unlink()
    assert not seal(folder).written
    assert (folder / "seal.json").read_text() == text
    assert problems(folder) == []
    assert not [word for word in ("pity", "bakery", "corner", "Sundays", "Recommends") if word in text]


def test_a_suite_that_holds_nothing_out_needs_no_seal(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text(written(front=front("A", holdout=False)))
    assert problems(tmp_path) == []


def test_a_suite_that_was_never_sealed_is_told_how(folder: Path) -> None:
    finding = only_problem(folder)
    assert finding.code == "not-sealed"
    assert f"iamhumans cases seal {folder}`" in finding.fix


# What breaks it


@pytest.mark.parametrize(
    "text",
    [
        written(front=front("H-2").replace("title: x", "title: y")),
        written(front=front("H-2"), message="\n## input\n\nanother\n"),
        written(front=front("H-2"), message="\n## conversation\n\n### user\n\na\n"),
        written(front=front("H-2"), rubric="\n## rubric\n\n- Another\n"),
        written(front=front("H-2"), failures="\n## failure_modes\n\n- Another\n"),
        written(front=front("H-2", extra="dimensions: [feeling]\n")),
        written(front=front("H-2", extra="hard_fails: [pity]\n")),
        written(front=front("H-2", extra="repair: true\n")),
        written(front=front("H-2", extra="lang: vi\n")),
    ],
)
def test_a_change_that_could_change_a_result_breaks_the_seal(folder: Path, text: str) -> None:
    seal(folder)
    write(folder, "H-2", text)
    finding = only_problem(folder)
    assert (finding.path.name, finding.line, finding.code) == ("H-2.md", 2, "changed-held-out-case")
    assert finding.problem == "The held-out case `H-2` has changed since it was sealed."
    assert "--reason" in finding.fix


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n## notes\n\nFor the author.\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("title: x", "title:   'x'"),
        lambda text: text.replace("- Stays", "*   Stays"),
    ],
    ids=["notes", "line ends", "quotes", "bullets"],
)
def test_a_change_that_can_change_no_result_leaves_the_seal_whole(folder: Path, change: Callable[[str], str]) -> None:
    seal(folder)
    path = folder / "cases/H-2.md"
    path.write_bytes(change(path.read_text()).encode())
    assert problems(folder) == []


def test_a_file_may_be_renamed_and_moved(folder: Path) -> None:
    seal(folder)
    (folder / "cases/later").mkdir()
    (folder / "cases/H-2.md").rename(folder / "cases/later/two.md")
    assert problems(folder) == []


def test_everyday_cases_are_nothing_to_the_seal(folder: Path) -> None:
    seal(folder)
    write(folder, "A-1", written(front=front("A-1", holdout=False), rubric="\n## rubric\n\n- Another\n"))
    assert problems(folder) == []


@pytest.mark.parametrize("scoring", ["", "scoring: {pass_mark: 60}\n"])
def test_another_rubric_or_other_content_of_it_breaks_the_seal(folder: Path, scoring: str) -> None:
    (folder / "suite.yaml").write_text("name: grief\nrubric: own.yaml\n")
    (folder / "own.yaml").write_text("name: own\nextends: iamhumans\n")
    seal(folder)
    if scoring:
        (folder / "own.yaml").write_text(f"name: own\nextends: iamhumans\n{scoring}")
    else:
        (folder / "suite.yaml").write_text("name: grief\nrubric: iamhumans-extended\n")
    assert problems(folder) == [("suite.yaml", "changed-rubric", 2)]


def test_all_changes_are_named_at_once_with_their_lines(folder: Path) -> None:
    write(folder, "H-4", written(front=front("H-4")))
    seal(folder)
    write(folder, "H-2", written(front=front("H-2"), rubric="\n## rubric\n\n- Another\n"))
    (folder / "cases/H-10.md").unlink()
    write(folder, "H-3", written(front=front("H-3")))
    write(folder, "H-4", written(front=front("H-4", holdout=False)))
    assert problems(folder) == [
        ("H-2.md", "changed-held-out-case", 2),
        ("H-3.md", "added-held-out-case", 4),
        ("H-4.md", "removed-held-out-case", 4),
        ("seal.json", "removed-held-out-case", 10),
    ]


def test_a_file_that_cannot_be_read_breaks_the_seal_since_it_may_be_a_held_out_case(folder: Path) -> None:
    seal(folder)
    write(folder, "X", "no front matter")
    assert only_problem(folder).path.name == "X.md"


def test_a_seal_that_was_edited_to_fit_is_told_from_the_one_in_the_ledger(folder: Path) -> None:
    path = seal(folder).path
    write(folder, "H-2", written(front=front("H-2"), rubric="\n## rubric\n\n- Another\n"))
    path.write_text(seal_of(load_suite(folder)).text())
    assert problems(folder) == [("seal.json", "seal-not-in-ledger", 1)]


def test_a_seal_whose_ledger_is_gone_does_not_hold(folder: Path) -> None:
    seal(folder)
    (folder / "holdout-ledger.jsonl").unlink()
    assert problems(folder) == [("seal.json", "seal-not-in-ledger", 1)]


def test_a_ledger_whose_seal_is_gone_does_not_pass_for_a_suite_that_needs_none(folder: Path) -> None:
    seal(folder)
    (folder / "seal.json").unlink()
    for name in ("H-2", "H-10"):
        (folder / f"cases/{name}.md").unlink()
    assert problems(folder) == [("seal.json", "not-sealed", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"cases": 1}',
        '{"format": 2, "cases": {}, "rubric": {"name": "a", "hash": "b"}}',
        '{"format": 2, "cases": [], "rubric": {"name": "a", "hash": "b"}}',
        f'{{"format": 3, "cases": {{}}, "rubric": {{"name": "a", "hash": "{"0" * 64}"}}}}',
        "9" * 9999,
    ],
)
def test_a_seal_that_cannot_be_read_is_an_error_with_its_file(folder: Path, text: str) -> None:
    seal(folder)
    (folder / "seal.json").write_text(text)
    assert problems(folder) == [("seal.json", "unreadable-seal", 1)]


def test_the_line_of_a_conflict_in_a_seal_is_named(folder: Path) -> None:
    path = seal(folder).path
    path.write_text(path.read_text().replace('  "H-10"', '<<<<<<< HEAD\n  "H-10"'))
    with pytest.raises(InputError) as caught:
        read_seal(folder)
    assert caught.value.where.line == 9


@given(st.binary(max_size=200))
def test_no_bytes_in_place_of_a_seal_get_past_its_errors(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "seal.json").write_bytes(data)
    with pytest.raises(InputError):
        read_seal(folder)


def test_a_seal_of_the_first_format_is_refused_and_the_advice_to_seal_again_works(folder: Path) -> None:
    path = seal(folder).path
    path.write_text(path.read_text().replace('"format": 2', '"format": 1'))
    assert f"`iamhumans cases seal {folder} --reason TEXT`" in only_problem(folder).fix
    seal(folder, "another version of the program")
    assert problems(folder) == []


# Sealing again


def test_sealing_again_after_a_change_needs_a_reason(folder: Path) -> None:
    seal(folder)
    write(folder, "H-3", written(front=front("H-3")))
    with pytest.raises(CommandError, match="has changed since") as caught:
        seal(folder)
    assert "--check" in caught.value.fix
    assert "--reason" in caught.value.fix
    assert seal(folder, "one  more\ncase").written
    assert (read_ledger(folder).sealed or {})["reason"] == "one more case"
    assert problems(folder) == []


@pytest.mark.parametrize("name", ["seal.json", "holdout-ledger.jsonl"])
def test_deleting_a_file_is_no_way_around_the_reason(folder: Path, name: str) -> None:
    seal(folder)
    (folder / name).unlink()
    write(folder, "H-3", written(front=front("H-3")))
    with pytest.raises(CommandError, match="sealed before"):
        seal(folder)


def test_a_seal_that_cannot_be_read_can_be_written_anew_for_a_reason(folder: Path) -> None:
    path = seal(folder).path
    write(folder, "H-3", written(front=front("H-3")))
    path.write_text("{")
    with pytest.raises(CommandError):
        seal(folder)
    seal(folder, "the file was damaged")
    assert problems(folder) == []


def test_the_last_held_out_case_can_be_given_up_for_a_reason(folder: Path) -> None:
    seal(folder)
    for name in ("H-2", "H-10"):
        write(folder, name, written(front=front(name, holdout=False)))
    seal(folder, "they are everyday cases now")
    assert problems(folder) == []


# What is refused


def test_a_suite_without_held_out_cases_cannot_be_sealed(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text(written(front=front("A", holdout=False)))
    with pytest.raises(CommandError, match="no held-out case") as caught:
        seal(tmp_path)
    assert "holdout: true" in caught.value.fix
    assert list(tmp_path.iterdir()) == [tmp_path / "A.md"]


def test_a_suite_with_a_file_that_cannot_be_read_cannot_be_sealed(folder: Path) -> None:
    path = write(folder, "X", "no front matter")
    with pytest.raises(InputError, match="may be a held-out case") as caught:
        seal(folder)
    assert caught.value.where.path == path


def test_part_of_a_suite_cannot_be_sealed(folder: Path) -> None:
    with pytest.raises(CommandError, match="only part of a suite"):
        seal_suite(load_suite(folder / "cases/H-2.md"))


def test_a_bundled_suite_cannot_be_sealed_and_can_be_copied() -> None:
    with pytest.raises(CommandError, match="ships with the package") as caught:
        seal_suite(load_suite("core"))
    assert "iamhumans cases sample core" in caught.value.fix


@pytest.mark.parametrize("name", ["seal.json", "holdout-ledger.jsonl"])
def test_a_link_in_place_of_a_file_that_is_written_is_refused(folder: Path, name: str) -> None:
    outside = folder.parent / "outside"
    outside.write_text("precious")
    (folder / name).symlink_to(outside)
    with pytest.raises((InputError, CannotRunError)):
        seal(folder, "why not")
    assert outside.read_text() == "precious"


@given(st.text(max_size=20), st.text(max_size=20))
def test_cases_with_different_texts_have_different_seals(one: str, another: str) -> None:
    seals = {
        seal_of(Suite("s", Path(), (Case("H", (Turn("user", text),), holdout=True),))).hash for text in (one, another)
    }
    assert len(seals) == len({one, another})
