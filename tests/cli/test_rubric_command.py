"""``iamhumans rubric`` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import assert_one_paragraph, run

from iamhumans.rubrics import load_rubric

MINE = "name: mine\nextends: iamhumans\nwithout: [pity]\n"


@pytest.mark.parametrize("name", ["iamhumans", "iamhumans-extended"])
def test_show_has_all_of_a_bundled_rubric(name: str) -> None:
    rubric = load_rubric(name)
    done = run("rubric", "show", name)
    assert (done.code, done.err) == (0, "")
    shown = [*(axis.question for axis in rubric.axes), *(part.meaning for part in rubric.hard_fails), rubric.hash]
    shown += [meaning for axis in rubric.axes for _, meaning in axis.anchors.items()]
    shown += [example for part in rubric.hard_fails for example in part.examples]
    assert [text for text in shown if text not in done.out] == []


def test_show_shows_the_default_rubric_where_none_is_named() -> None:
    assert run("rubric", "show").out == run("rubric", "show", "iamhumans").out


def test_show_as_json_is_one_document_with_the_hash() -> None:
    document = run("rubric", "show", "--json").document
    assert document["hash"] == load_rubric("iamhumans").hash
    assert (len(document["axes"]), len(document["hard_fails"])) == (6, 10)


def test_check_says_what_a_rubric_comes_to(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(MINE)
    done = run("rubric", "check", "mine.yaml", folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("mine is a valid rubric: 6 axes, 9 hard fails, PASS from 80, hash ")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", None),
        ("name: mine\n  extends: iamhumans\n", 2),
        ("name: mine\nextends: nobody\n", None),
        ("name: mine\nextends: iamhumans\nwithout: [nothing]\n", 3),
        ("name: mine\nextends: iamhumans\nwithuot: [pity]\n", 3),
        ("name: mine\nextends: iamhumans\nscoring: {pass_mark: many}\n", 3),
        ("name: mine\nextends: mine.yaml\n", None),
    ],
)
def test_check_tells_what_is_wrong_and_where(tmp_path: Path, text: str, line: int | None) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    done = run("rubric", "check", "mine.yaml", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert f"mine.yaml:{line}: " in done.err if line else "mine.yaml" in done.err


@pytest.mark.parametrize("command", ["show", "check"])
@pytest.mark.parametrize("name", ["nobody", "no.yaml", "folder"])
def test_a_rubric_that_is_not_there_ends_with_2(tmp_path: Path, command: str, name: str) -> None:
    (tmp_path / "folder").mkdir()
    done = run("rubric", command, name, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)


@pytest.mark.parametrize("arguments", [("show",), ("check", "mine.yaml")])
def test_quiet_silences_no_result(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "mine.yaml").write_text(MINE)
    quiet = run("rubric", *arguments, "--quiet", folder=tmp_path)
    assert quiet == run("rubric", *arguments, folder=tmp_path)
    assert quiet.out


def test_a_hostile_rubric_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f'{MINE}description: "a\\x1b[31m\\x9bb [red]c[/]"\n')
    done = run("rubric", "show", "mine.yaml", folder=tmp_path)
    assert done.code == 0
    assert "a\\x1b[31m\\x9bb [red]c[/]" in done.out
