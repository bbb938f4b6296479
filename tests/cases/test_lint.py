"""Lint: what authors should know about their files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases.written import FRONT, lint_paths, written

from iamhumans.cases import Finding
from iamhumans.cases.lint import lint
from iamhumans.cases.suite_files import bundled_suite_path


def write(path: Path, text: str | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(front=FRONT.replace("BAK-001", path.stem)) if text is None else text, encoding="utf-8")
    return path


def codes(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def lint_text(tmp_path: Path, text: str, name: str = "BAK-001.md") -> list[tuple[int, str]]:
    return [(finding.line, finding.code) for finding in lint_paths([write(tmp_path / name, text)])]


def test_good_files_and_the_bundled_suite_have_no_findings(tmp_path: Path) -> None:
    assert lint_text(tmp_path, written()) == []
    assert [str(finding) for finding in lint_paths([bundled_suite_path()])] == []


def test_what_loading_finds_is_found_in_the_order_of_lines(tmp_path: Path) -> None:
    text = written(front="id: BAK-001\ntitle: x\nmode: B\ndimensions: [odd]\nhard_fails: [pity]\n", rubric="")
    expected = [(4, "unknown-key"), (5, "undeclared-dimension"), (9, "missing-section")]
    assert lint_text(tmp_path, text) == expected


def test_a_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write(tmp_path / "A.md", "no case")
    (tmp_path / "B.md").write_bytes(b"\xff\xfe")
    write(tmp_path / "C.md", written(front="id: C\n"))
    found = lint_paths([tmp_path, tmp_path / "no.md", tmp_path / "D.txt"])
    assert codes(found) == [
        *("unreadable", "unreadable"),
        *("missing-front-matter", "unreadable"),
        *("missing-title", "no-dimensions", "no-hard-fails"),
    ]


def test_a_manifest_that_cannot_be_used_does_not_stop_the_cases(tmp_path: Path) -> None:
    write(tmp_path / "suite.yaml", "nam: x\n")
    write(tmp_path / "cases/A.md", written(front="title: x\n"))
    found = lint_paths([tmp_path])
    assert codes(found) == ["manifest", "missing-id"]
    assert found[0].path == tmp_path / "suite.yaml"
    assert found[0].fix == "Did you mean `name`?"


def test_where_the_rubric_cannot_be_read_nothing_is_said_to_be_undeclared(tmp_path: Path) -> None:
    write(tmp_path / "suite.yaml", "dimensions: [tact]\nrubric: rubric.yaml\n")
    write(tmp_path / "rubric.yaml", "extends: nothing\n")
    write(tmp_path / "cases/A.md", written(front="id: A\ntitle: x\ndimensions: [tact]\nhard_fails: [gossip]\n"))
    assert codes(lint_paths([tmp_path])) == ["manifest"]


def test_a_folder_without_cases_or_with_a_misnamed_manifest_is_an_error(tmp_path: Path) -> None:
    assert codes(lint_paths([tmp_path])) == ["no-cases"]
    write(tmp_path / "A.md")
    write(tmp_path / "suite.yml", "name: x\n")
    assert codes(lint_paths([tmp_path])) == ["manifest"]


def test_suites_inside_a_folder_are_each_checked_as_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name / "suite.yaml", f"dimensions: [{name}]\n")
        text = written(front=f"id: A\ntitle: x\ndimensions: [{name}]\nhard_fails: [pity]\n")
        write(tmp_path / name / "cases/A.md", text)
    result = lint([tmp_path])
    assert (result.findings, result.files) == ((), 2)


def test_a_file_that_is_named_twice_is_read_once_and_a_readme_is_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "A.md")
    result = lint([path, tmp_path, str(path), write(tmp_path / "README.md", "# About")])
    assert (result.findings, result.files) == ((), 1)


def test_an_id_that_two_named_files_share_is_found(tmp_path: Path) -> None:
    first = write(tmp_path / "A.md")
    second = write(tmp_path / "copy.md", first.read_text())
    assert codes(lint_paths([first, second])) == ["duplicate-id"]


def test_a_missing_title_is_a_warning(tmp_path: Path) -> None:
    front = "id: BAK-001\ndimensions: [feeling]\nhard_fails: [pity]\n"
    assert lint_text(tmp_path, written(front=front)) == [(2, "missing-title")]


def test_missing_dimensions_and_hard_fails_are_warnings_that_name_the_known_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "BAK-001.md", written(front="id: BAK-001\ntitle: x\nhard_fails: []\n"))
    dimensions, hard_fails = lint_paths([path])
    assert (dimensions.line, dimensions.code) == (2, "no-dimensions")
    assert (hard_fails.line, hard_fails.code) == (4, "no-hard-fails")
    assert "feeling, memory" in dimensions.fix
    assert "fabricated_biography" in hard_fails.fix


@pytest.mark.parametrize("name", ["BAK-002.md", "TC1.md", "a_9.md"])
def test_a_file_name_that_is_another_id_is_a_warning(tmp_path: Path, name: str) -> None:
    assert lint_text(tmp_path, written(), name) == [(2, "id-file-name")]


@pytest.mark.parametrize("name", ["bak-001.md", "bakery.md", "BAK-001-bakery.md", "2024.md", "the bakery.md"])
def test_a_file_name_that_says_no_other_id_is_no_finding(tmp_path: Path, name: str) -> None:
    assert lint_text(tmp_path, written(), name) == []


def test_an_id_that_replies_without_a_case_get_is_a_warning(tmp_path: Path) -> None:
    assert lint_text(tmp_path, written(front=FRONT.replace("BAK-001", "row-3")), "x.md") == [(2, "reserved-id")]


@pytest.mark.parametrize(
    ("languages", "lang", "expected"),
    [
        ("[en]", "vi", [(6, "undeclared-language")]),
        ("[en-GB]", "en", [(6, "undeclared-language")]),
        ("[en]", "eng", [(6, "undeclared-language")]),
        ("[EN, vi]", "en-GB", []),
        ("[]", "vi", []),
    ],
)
def test_a_language_that_the_suite_does_not_declare_is_a_warning(
    tmp_path: Path, languages: str, lang: str, expected: list[tuple[int, str]]
) -> None:
    write(tmp_path / "suite.yaml", f"languages: {languages}\n")
    assert lint_text(tmp_path / "cases", written(front=FRONT + f"lang: {lang}\n")) == expected


@pytest.mark.parametrize("message", ["Tiệm bánh ở góc phố đóng cửa rồi.", "Пекарня закрылась.", "角のパン屋が閉まった"])
def test_a_message_that_is_not_in_english_and_states_no_language_is_a_warning(tmp_path: Path, message: str) -> None:
    text = written(message=f"\n## input\n\n{message}\n")
    assert lint_text(tmp_path, text) == [(2, "lang-unstated")]
    for english in ("the café closed 😭😭😭 £3 — “why”", "…", "12:30"):
        assert lint_text(tmp_path, written(message=f"\n## input\n\n{english}\n")) == []
    stated = written(front=FRONT + "lang: vi\n", message=f"\n## input\n\n{message}\n")
    assert lint_text(tmp_path, stated) == []


def test_placeholders_are_warnings_where_they_stand(tmp_path: Path) -> None:
    text = written(
        front=FRONT.replace("The bakery closes", "'TODO: title'"),
        message="\n## input\n\nTODO: message\n",
        rubric="\n## rubric\n\n- good\n- TODO: more\n",
    )
    placeholder = "placeholder"
    assert lint_text(tmp_path, text) == [(3, placeholder), (8, placeholder), (15, placeholder)]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("hi <!-- she means the corner shop -->", "comment-in-message"),
        *((f"hi{character} there", "hidden-character") for character in ("\u200b", "\u202e", "\u2066", "\U000e0041")),
    ],
)
def test_what_a_reader_does_not_see_in_a_message_is_a_warning(tmp_path: Path, message: str, code: str) -> None:
    assert lint_text(tmp_path, written(message=f"\n## input\n\n{message}\n")) == [(8, code)]
