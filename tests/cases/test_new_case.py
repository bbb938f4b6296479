"""Starters: new case files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases.written import case_of, reading_of, written

from iamhumans.cases import read_case_file, write_new_case
from iamhumans.cases.case import is_placeholder
from iamhumans.cases.new_case import new_case_text
from iamhumans.errors import CommandError, InputError


@pytest.mark.parametrize("conversation", [False, True])
def test_a_starter_loads_without_findings(conversation: bool) -> None:
    assert reading_of(new_case_text("BAK-001", conversation=conversation)).findings == ()


def test_a_starter_with_earlier_turns_has_them() -> None:
    case = case_of(new_case_text("BAK-001", conversation=True))
    assert [turn.speaker for turn in case.conversation] == ["user", "assistant", "user"]


def test_comments_of_a_starter_reach_neither_message_nor_lists_nor_notes() -> None:
    case = case_of(new_case_text("BAK-001"))
    texts = (case.conversation[-1].text, *case.rubric, *case.failure_modes)
    assert all(text.startswith("TODO:") and "\n" not in text for text in texts)
    assert case.notes == ""


def test_a_starter_names_what_the_suite_declares() -> None:
    text = new_case_text("A", known=(["loss", "two\nlines: x"], ["pity"]))
    assert "# What the case tests: some of loss, two lines: x." in text
    assert "some of pity." in text
    assert reading_of(text).findings == ()


def test_a_bare_folder_gets_the_file_itself(tmp_path: Path) -> None:
    path, findings = write_new_case("BAK-001", tmp_path, title="it's: x", dimensions=["feeling"])
    assert path == tmp_path / "BAK-001.md"
    case = read_case_file(path).case
    assert case is not None
    assert (case.id, case.title, case.dimensions) == ("BAK-001", "it's: x", ("feeling",))
    assert findings == ()


def test_a_suite_with_a_manifest_gets_it_below_cases(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text("dimensions: [loss]\n")
    assert write_new_case("A-1", tmp_path)[0] == tmp_path / "cases/A-1.md"
    assert write_new_case("A-2", tmp_path / "cases")[0] == tmp_path / "cases/A-2.md"
    assert "some of loss." in (tmp_path / "cases/A-2.md").read_text()


def test_a_dimension_that_the_suite_does_not_declare_is_told_at_once(tmp_path: Path) -> None:
    _, (finding,) = write_new_case("A", tmp_path, dimensions=["feelng"])
    assert (finding.code, finding.fix) == ("undeclared-dimension", "Did you mean `feeling`?")


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text("not to be lost")
    with pytest.raises(CommandError, match="already exists"):
        write_new_case("A", tmp_path)
    assert (tmp_path / "A.md").read_text() == "not to be lost"


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite/A.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(CommandError, match="already exists"):
        write_new_case("A", tmp_path / "suite")
    assert not (tmp_path / "elsewhere.md").exists()


def test_nothing_is_written_into_a_folder_outside_the_suite(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite/suite.yaml").write_text("name: a\n")
    (tmp_path / "suite/cases").symlink_to("../outside")
    with pytest.raises(CommandError, match="leads out of the suite"):
        write_new_case("A", tmp_path / "suite")
    assert list((tmp_path / "outside").iterdir()) == []


def test_an_id_that_another_file_has_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text(written())
    with pytest.raises(CommandError, match="already") as caught:
        write_new_case("BAK-001", tmp_path)
    assert str(caught.value.where) == f"{tmp_path / 'old.md'}:2"


@pytest.mark.parametrize("case_id", ["../A", "/A", "a/b", "..", ".", "", "a b", "-x", "a\\b", "a\0", "x" * 101])
def test_an_id_that_leaves_the_folder_or_is_none_is_refused(tmp_path: Path, case_id: str) -> None:
    with pytest.raises(CommandError):
        write_new_case(case_id, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_name_that_the_system_refuses_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        write_new_case("病" * 100, tmp_path)


def test_a_folder_or_a_manifest_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such folder"):
        write_new_case("A", tmp_path / "no")
    (tmp_path / "suite.yaml").write_text("nam: x\n")
    with pytest.raises(InputError, match="nam"):
        write_new_case("A", tmp_path)


def test_a_title_that_yaml_cannot_hold_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="would not be a case"):
        write_new_case("A", tmp_path, title="a\uffffb")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("conversation", [False, True])
def test_a_starter_is_unfinished_until_every_placeholder_is_replaced(conversation: bool) -> None:
    text = new_case_text("A", title="x", conversation=conversation)
    assert case_of(text).unfinished
    *most, last = text.split("TODO:")
    assert case_of("".join(most) + "TODO:" + last).unfinished
    assert not case_of("done".join((*most, last))).unfinished


def test_a_message_that_is_only_the_mark_is_unfinished() -> None:
    assert is_placeholder("TODO")
    assert not is_placeholder("TODO list of today, can you sort it?")
