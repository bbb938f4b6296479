"""Suites: folders of case files, manifests, links, order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.cases.written import lint_paths, written

from iamhumans.cases import DIMENSIONS, Suite, bundled_suite, load_suite
from iamhumans.cases.suite_files import bundled_suite_path
from iamhumans.errors import CommandError, InputError
from iamhumans.rubrics import load_rubric


def write_case(path: Path, case_id: str, extra: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(front=f"id: {case_id}\ntitle: x\n{extra}"), encoding="utf-8")
    return path


def write_manifest(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "suite.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def ids(suite: Suite) -> list[str]:
    return [case.id for case in suite.cases]


def codes(suite: Suite) -> list[str]:
    return [finding.code for finding in suite.findings]


# What a path means


def test_a_bare_folder_is_a_suite_with_defaults(tmp_path: Path) -> None:
    write_case(tmp_path / "A.md", "A")
    write_case(tmp_path / "deeper/still/B.md", "B")
    suite = load_suite(tmp_path)
    assert ids(suite) == ["A", "B"]
    assert (suite.name, suite.path, suite.rubric) == (tmp_path.name, tmp_path, "iamhumans")
    assert suite.dimensions == DIMENSIONS
    assert suite.hard_fails == load_rubric("iamhumans").hard_fail_ids
    assert suite.findings == ()


def test_the_working_folder_gives_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_case(tmp_path / "A.md", "A")
    monkeypatch.chdir(tmp_path)
    suite = load_suite(".")
    assert suite.name == tmp_path.name
    assert suite.cases[0].path == Path("A.md")


def test_a_suite_with_a_manifest_has_its_cases_below_cases(tmp_path: Path) -> None:
    write_manifest(
        tmp_path,
        "name: grief\nversion: 1.10\nrubric: iamhumans-extended\ndimensions: [loss]\n"
        "hard_fails: [pity, unsolicited_advice]\nlanguages: [en, vi]\nlicense: MIT\n",
    )
    write_case(tmp_path / "cases/a/A.md", "A", "dimensions: [loss]\nhard_fails: [unsolicited_advice]\n")
    write_case(tmp_path / "B.md", "B")
    suite = load_suite(tmp_path)
    assert ids(suite) == ["A"]
    assert suite.findings == ()
    assert (suite.name, suite.version, suite.rubric) == ("grief", "1.10", "iamhumans-extended")
    assert (suite.dimensions, suite.hard_fails) == (("loss",), ("pity", "unsolicited_advice"))
    assert (suite.languages, suite.license) == (("en", "vi"), "MIT")


def test_naming_the_manifest_means_its_suite(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path, "name: grief\n")
    write_case(tmp_path / "cases/A.md", "A")
    assert load_suite(manifest) == load_suite(tmp_path)


def test_one_file_is_a_suite_of_one(tmp_path: Path) -> None:
    path = write_case(tmp_path / "A.md", "A")
    write_case(tmp_path / "B.md", "B")
    suite = load_suite(str(path))
    assert (ids(suite), suite.name, suite.path) == (["A"], "A", tmp_path)


@pytest.mark.parametrize("part", ["cases", "cases/deep", "cases/deep/A.md"])
def test_a_part_of_a_suite_is_read_with_what_the_suite_declares(tmp_path: Path, part: str) -> None:
    write_manifest(tmp_path, "name: grief\ndimensions: [loss]\n")
    write_case(tmp_path / "cases/deep/A.md", "A", "dimensions: [loss]\n")
    suite = load_suite(tmp_path / part)
    assert (ids(suite), suite.name, suite.path) == (["A"], "grief", tmp_path)
    assert suite.findings == ()


@pytest.mark.parametrize("name", ["no", "a\0b", "x" * 5000])
def test_a_path_that_is_not_there_is_an_error_with_the_bundled_names(name: str) -> None:
    with pytest.raises(InputError, match="no such file or folder") as caught:
        load_suite(name)
    assert "core" in caught.value.fix


def test_a_file_that_is_no_markdown_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match=r"end in `\.md`"):
        load_suite(tmp_path / "a.txt")


def test_an_empty_folder_is_an_error_that_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# About")
    (tmp_path / "replies.jsonl").write_text("{}")
    with pytest.raises(InputError, match=r"looked for `\*\*/\*\.md`"):
        load_suite(tmp_path)


def test_case_files_beside_a_manifest_are_told_where_they_belong(tmp_path: Path) -> None:
    write_manifest(tmp_path, "name: grief\n")
    write_case(tmp_path / "A.md", "A")
    with pytest.raises(InputError, match=r"looked for `cases/\*\*/\*\.md`") as caught:
        load_suite(tmp_path)
    assert "Move the case files into `cases/`" in caught.value.fix


def test_a_folder_of_suites_is_an_error_that_names_them(tmp_path: Path) -> None:
    write_manifest(tmp_path / "one", "name: one\n")
    write_case(tmp_path / "one/cases/A.md", "A")
    with pytest.raises(InputError, match="No cases found") as caught:
        load_suite(tmp_path)
    assert (tmp_path / "one").as_posix() in caught.value.fix


def test_a_suite_inside_a_bare_folder_is_left_out_with_a_warning(tmp_path: Path) -> None:
    write_manifest(tmp_path / "one", "name: one\n")
    write_case(tmp_path / "one/cases/A.md", "A")
    write_case(tmp_path / "B.md", "B")
    suite = load_suite(tmp_path)
    assert ids(suite) == ["B"]
    assert codes(suite) == ["nested-suite"]
    assert suite.errors == ()


def test_hidden_files_and_readmes_are_passed_over(tmp_path: Path) -> None:
    write_case(tmp_path / "A.md", "A")
    for name in (".B.md", ".git/C.md", "README.md", "deeper/readme.md", "notes.txt"):
        write_case(tmp_path / name, "A")
    write_case(tmp_path / "C.MD", "C")
    assert ids(load_suite(tmp_path)) == ["A", "C"]
    assert codes(load_suite(tmp_path)) == []


# Order and ids


def test_cases_are_sorted_by_id_as_people_count(tmp_path: Path) -> None:
    for number, case_id in enumerate(["TC-10", "TC-9", "tc-1", "TC-010", "B", "TC-100", "7", "TC"]):
        write_case(tmp_path / f"{number}.md", case_id)
    assert ids(load_suite(tmp_path)) == ["7", "B", "TC", "TC-9", "TC-010", "TC-10", "TC-100", "tc-1"]


def test_an_id_that_is_used_twice_is_an_error_in_the_later_file(tmp_path: Path) -> None:
    first = write_case(tmp_path / "1.md", "A")
    second = write_case(tmp_path / "2.md", "A", "holdout: true\n")
    suite = load_suite(tmp_path)
    assert ids(suite) == ["A"]
    assert suite.by_id["A"].path == first
    (finding,) = suite.errors
    assert (finding.code, finding.path, finding.line) == ("duplicate-id", second, 2)
    assert f"{first}:2" in finding.problem


def test_a_file_with_errors_is_left_out_and_the_others_load(tmp_path: Path) -> None:
    write_case(tmp_path / "A.md", "A")
    (tmp_path / "B.md").write_text("# no front matter")
    suite = load_suite(tmp_path)
    assert ids(suite) == ["A"]
    assert [finding.code for finding in suite.errors] == ["missing-front-matter"]


# What a suite declares


def test_dimensions_and_hard_fails_that_are_not_declared_are_warnings(tmp_path: Path) -> None:
    front = "dimensions:\n  - feeling\n  - feelng\nhard_fails: [pity, piety]\n"
    write_case(tmp_path / "A.md", "A", front)
    suite = load_suite(tmp_path)
    assert suite.cases[0].dimensions == ("feeling", "feelng")
    found = [(finding.line, finding.code, finding.fix) for finding in suite.findings]
    assert found == [
        (6, "undeclared-dimension", "Did you mean `feeling`?"),
        (7, "undeclared-hard-fail", "Did you mean `pity`?"),
    ]


def test_a_hard_fail_of_another_bundled_rubric_names_that_rubric(tmp_path: Path) -> None:
    write_case(tmp_path / "A.md", "A", "hard_fails: [hotline_reflex]\n")
    (finding,) = load_suite(tmp_path).findings
    assert "`rubric: iamhumans-extended`" in finding.fix


def test_a_hard_fail_that_only_the_rubric_has_is_to_be_added_to_the_manifest(tmp_path: Path) -> None:
    write_manifest(tmp_path, "hard_fails: [pity]\n")
    write_case(tmp_path / "cases/A.md", "A", "hard_fails: [sycophancy]\n")
    (finding,) = load_suite(tmp_path).findings
    assert finding.fix.startswith("Add it to `hard_fails`")


def test_a_dimension_that_is_not_declared_is_told_with_the_line_to_write(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path, "dimensions: [loss]\n")
    write_case(tmp_path / "cases/A.md", "A", "dimensions: [loss, weather, x1]\n")
    fixes = {finding.fix for finding in load_suite(tmp_path).findings}
    assert fixes == {f"Write `dimensions: [loss, weather, x1]` in {manifest}, or delete it here."}


def test_a_hard_fail_that_the_rubric_does_not_ask_for_is_a_warning_in_the_manifest(tmp_path: Path) -> None:
    write_manifest(tmp_path, "hard_fails:\n  - pity\n  - rambling\n")
    write_case(tmp_path / "cases/A.md", "A", "hard_fails: [rambling]\n")
    (finding,) = load_suite(tmp_path).findings
    assert (finding.path.name, finding.line, finding.code) == ("suite.yaml", 3, "unasked-hard-fail")


def test_a_rubric_of_the_suite_is_found_beside_its_manifest(tmp_path: Path) -> None:
    rubric = "name: own\nextends: iamhumans\nhard_fails:\n  - id: rambling\n    meaning: Goes on and on.\n"
    (tmp_path / "own.yaml").write_text(rubric)
    write_manifest(tmp_path, "rubric: own.yaml\n")
    write_case(tmp_path / "cases/A.md", "A", "hard_fails: [rambling]\n")
    suite = load_suite(tmp_path)
    assert suite.findings == ()
    assert suite.hard_fails[-1] == "rambling"


def test_an_empty_manifest_has_the_defaults_and_the_folder_s_name(tmp_path: Path) -> None:
    write_manifest(tmp_path, "# nothing yet\n")
    write_case(tmp_path / "cases/A.md", "A")
    suite = load_suite(tmp_path)
    assert (suite.name, suite.dimensions, suite.rubric) == (tmp_path.name, DIMENSIONS, "iamhumans")


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("name: a\nlicence: MIT\n", 2, "Did you mean `license`?"),
        ("name: a\nname: b\n", 2, "is given twice"),
        ("name: a: b\n", 1, "not valid YAML"),
        ("name: ''\n", 1, "name"),
        ("name: [a]\n", 1, "name"),
        ("- name\n", 1, "has no keys"),
        ("dimensions: feeling, memory\n", 1, "such as `[feeling, memory]`"),
        ("dimensions:\n", 1, "must be a list"),
        ("languages: [[en]]\n", 1, "must be a list of words"),
        ("languages: {en: yes}\n", 1, "must be a list of words"),
        ("name: a\nrubric: unheard-of\n", 2, "There is no rubric `unheard-of`"),
        ("rubric: missing.yaml\n", None, "no such file"),
        ("name: &a x\nversion: *a\n", 2, "alias"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_an_error(tmp_path: Path, text: str, line: int | None, told: str) -> None:
    write_manifest(tmp_path, text)
    write_case(tmp_path / "cases/A.md", "A")
    with pytest.raises(InputError) as caught:
        load_suite(tmp_path)
    assert told in caught.value.message
    assert caught.value.where.line == line


def test_a_manifest_under_another_name_is_an_error(tmp_path: Path) -> None:
    write_case(tmp_path / "cases/A.md", "A")
    (tmp_path / "suite.yml").write_text("name: a\n")
    with pytest.raises(InputError, match=r"named `suite\.yaml`"):
        load_suite(tmp_path)


# Links


@pytest.mark.parametrize(("link", "target"), [("S.md", "../suite-2/S.md"), ("more", "../suite-2"), ("deep/more", "/")])
def test_a_link_that_leads_out_of_the_suite_is_an_error_and_not_read(tmp_path: Path, link: str, target: str) -> None:
    write_case(tmp_path / "suite-2/S.md", "SECRET")
    write_case(tmp_path / "suite/deep/A.md", "A")
    (tmp_path / "suite" / link).symlink_to(target)
    suite = load_suite(tmp_path / "suite")
    assert ids(suite) == ["A"]
    assert [(finding.code, finding.path) for finding in suite.errors] == [("outside-suite", tmp_path / "suite" / link)]


def test_a_folder_cases_that_is_a_link_out_of_the_suite_is_an_error(tmp_path: Path) -> None:
    write_case(tmp_path / "outside/S.md", "SECRET")
    write_manifest(tmp_path / "suite", "name: a\n")
    (tmp_path / "suite/cases").symlink_to("../outside")
    suite = load_suite(tmp_path / "suite")
    assert (ids(suite), codes(suite)) == ([], ["outside-suite"])


def test_a_manifest_that_is_a_link_out_of_the_suite_is_an_error(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "outside", "name: a\n")
    write_case(tmp_path / "suite/cases/A.md", "A")
    (tmp_path / "suite/suite.yaml").symlink_to(manifest)
    with pytest.raises(InputError, match="leads out of the suite"):
        load_suite(tmp_path / "suite")


def test_a_link_inside_the_suite_adds_no_file_twice(tmp_path: Path) -> None:
    write_case(tmp_path / "z/B.md", "B")
    (tmp_path / "a").symlink_to("z")
    (tmp_path / "A.md").symlink_to("z/B.md")
    suite = load_suite(tmp_path)
    assert (ids(suite), codes(suite)) == (["B"], [])
    assert suite.cases[0].path == tmp_path / "z/B.md"


def test_a_link_to_another_part_of_the_suite_is_followed(tmp_path: Path) -> None:
    write_manifest(tmp_path, "name: a\n")
    write_case(tmp_path / "shared/A.md", "A")
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/shared").symlink_to("../shared")
    assert ids(load_suite(tmp_path)) == ["A"]


@pytest.mark.parametrize("target", [".", "..", "deeper", "../deeper"])
def test_links_in_a_circle_end(tmp_path: Path, target: str) -> None:
    write_case(tmp_path / "deeper/A.md", "A")
    (tmp_path / "deeper/round").symlink_to(target)
    (tmp_path / "itself").symlink_to("itself")
    suite = load_suite(tmp_path)
    assert ids(suite) == ["A"]


def test_a_link_to_the_whole_suite_brings_in_no_file_beside_its_cases(tmp_path: Path) -> None:
    write_manifest(tmp_path / "outer/suite", "name: a\n")
    write_case(tmp_path / "outer/suite/B.md", "B")
    write_case(tmp_path / "outer/suite/cases/A.md", "A")
    (tmp_path / "outer/suite/cases/round").symlink_to("..")
    suite = load_suite(tmp_path / "outer/suite")
    assert (ids(suite), codes(suite)) == (["A"], [])


def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    write_case(tmp_path / "A.md", "A")
    (tmp_path / "B.md").symlink_to("gone.md")
    assert codes(load_suite(tmp_path)) == ["broken-link"]


def test_a_suite_may_be_named_by_a_link(tmp_path: Path) -> None:
    write_case(tmp_path / "suite/A.md", "A")
    (tmp_path / "link").symlink_to("suite")
    assert ids(load_suite(tmp_path / "link")) == ["A"]


def test_a_case_file_that_is_a_link_out_of_its_suite_is_an_error_even_if_it_is_named(tmp_path: Path) -> None:
    secret = write_case(tmp_path / "outside/S.md", "SECRET")
    write_manifest(tmp_path / "suite", "name: a\n")
    (tmp_path / "suite/cases").mkdir()
    (tmp_path / "suite/cases/S.md").symlink_to(secret)
    suite = load_suite(tmp_path / "suite/cases/S.md")
    assert (ids(suite), codes(suite)) == ([], ["outside-suite"])


@pytest.mark.parametrize("name", ["suite.yaml", "own.yaml", "cases/A.md"])
def test_a_pipe_in_place_of_any_file_of_a_suite_is_refused_at_once(tmp_path: Path, name: str) -> None:
    write_manifest(tmp_path, "rubric: own.yaml\n")
    (tmp_path / "own.yaml").write_text("name: own\nextends: iamhumans\n")
    path = write_case(tmp_path / "cases/A.md", "A")
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    assert [finding for finding in lint_paths([tmp_path]) if "not a regular file" in finding.problem]
    if name == "cases/A.md":
        assert codes(load_suite(tmp_path)) == codes(load_suite(path)) == ["unreadable"]


@pytest.mark.parametrize("rubric", ["../own.yaml", "link.yaml", "link/own.yaml", "{outside}"])
def test_a_rubric_that_leads_out_of_the_suite_is_an_error_with_its_line(tmp_path: Path, rubric: str) -> None:
    (tmp_path / "own.yaml").write_text("name: own\nextends: iamhumans\n")
    suite = tmp_path / "suite"
    write_case(suite / "cases/A.md", "A")
    (suite / "link.yaml").symlink_to(tmp_path / "own.yaml")
    (suite / "link").symlink_to(tmp_path)
    manifest = write_manifest(suite, f"name: a\nrubric: {rubric.format(outside=tmp_path / 'own.yaml')}\n")
    with pytest.raises(InputError, match="lies outside") as caught:
        load_suite(suite)
    assert str(caught.value.where) == f"{manifest}:2"
    assert "Put a copy" in caught.value.fix


def test_a_rubric_that_extends_one_outside_of_the_suite_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("name: base\nextends: iamhumans\n")
    suite = tmp_path / "suite"
    write_case(suite / "cases/A.md", "A")
    write_manifest(suite, "rubric: own.yaml\n")
    (suite / "own.yaml").write_text("name: own\nextends: ../base.yaml\n")
    with pytest.raises(InputError, match="lies outside") as caught:
        load_suite(suite)
    assert str(caught.value.where) == f"{suite / 'own.yaml'}:2"
    assert load_rubric(suite / "own.yaml").name == "own"


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iamhumans.cases.suite_files.MOST_ENTRIES", 20)
    for number in range(21):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(InputError, match="more than 20 files and folders") as caught:
        load_suite(tmp_path)
    assert caught.value.where.path == tmp_path
    assert [finding.code for finding in lint_paths([tmp_path])] == ["manifest"]


# Bundled suites


def test_a_bundled_suite_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "core").write_text("a file is no folder")
    suite = load_suite("core")
    assert suite == bundled_suite()
    assert (suite.name, suite.path, suite.findings) == ("core", bundled_suite_path(), ())
    (tmp_path / "core").unlink()
    write_case(tmp_path / "core/A.md", "A")
    assert ids(load_suite("core")) == ["A"]
    with pytest.raises(CommandError, match="no bundled suite"):
        bundled_suite("../core")


# Selections


@pytest.fixture
def three(tmp_path: Path) -> Suite:
    """Three cases, the last one held out."""
    write_case(tmp_path / "1.md", "GRF-1", "dimensions: [feeling]\n")
    write_case(tmp_path / "2.md", "GRF-2", "dimensions: [memory, feeling]\n")
    write_case(tmp_path / "3.md", "joy-1", "dimensions: [skills]\nholdout: true\n")
    return load_suite(tmp_path)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["GRF-1", "GRF-2", "joy-1"]),
        ({"case": "GRF-*"}, ["GRF-1", "GRF-2"]),
        ({"case": "*-1"}, ["GRF-1", "joy-1"]),
        ({"case": "GRF-[2-9]"}, ["GRF-2"]),
        ({"dimension": "feeling"}, ["GRF-1", "GRF-2"]),
        ({"dimension": "feeling", "case": "*2"}, ["GRF-2"]),
        ({"dimension": "feeling", "limit": 1}, ["GRF-1"]),
        ({"limit": 2}, ["GRF-1", "GRF-2"]),
        ({"limit": 9}, ["GRF-1", "GRF-2", "joy-1"]),
    ],
)
def test_a_selection_has_the_cases_that_fit_in_the_order_of_the_suite(
    three: Suite, options: dict[str, Any], expected: list[str]
) -> None:
    selected = three.select(**options)
    assert ids(selected) == list(selected.by_id) == expected
    assert (selected.name, selected.path, selected.rubric) == (three.name, three.path, three.rubric)


@pytest.mark.parametrize(
    ("options", "problem", "there_is"),
    [
        ({"case": "grf-*"}, "an id that fits `grf-*`", "GRF-1, GRF-2, joy-1"),
        ({"case": "joy-1", "dimension": "feeling"}, "an id that fits `joy-1`", "GRF-1, GRF-2"),
        ({"dimension": "emotion"}, "the dimension `emotion`", "feeling, memory, skills"),
        ({"dimension": "\x1b[31m"}, "the dimension `\\x1b[31m`", "feeling"),
        ({"limit": 0}, "limit of 0", "1 or more"),
    ],
)
def test_a_selection_that_nothing_fits_is_an_error_that_names_what_there_is(
    three: Suite, options: dict[str, Any], problem: str, there_is: str
) -> None:
    with pytest.raises(CommandError) as caught:
        three.select(**options)
    assert problem in caught.value.what
    assert there_is in caught.value.fix


def test_of_many_ids_only_the_first_are_named() -> None:
    with pytest.raises(CommandError) as caught:
        bundled_suite().select(case="none")
    assert "COM-001, " in caught.value.fix
    assert caught.value.fix.endswith(" and 82 more.")
