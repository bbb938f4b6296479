"""A calibration as a file: as strict to read as to write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.trust.compared import a_calibration

from iamhumans.errors import InputError
from iamhumans.trust.calibration_files import calibration_text, parse_calibration, read_calibration


def changed(change: Callable[[dict[str, Any]], Any]) -> str:
    document = json.loads(calibration_text(a_calibration()))
    change(document)
    return json.dumps(document, indent=1)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(calibration_text(a_calibration()), encoding="utf-8")
    assert read_calibration(path) == a_calibration()


def test_it_is_the_same_bytes_every_time() -> None:
    text = calibration_text(a_calibration())
    assert calibration_text(parse_calibration(text)) == text
    assert text.isascii()


BAD: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "another version": (lambda d: d.update(format="iamhumans calibration 9"), "not `iamhumans calibration 1`"),
    "no format": (lambda d: d.pop("format"), "no format"),
    "a key missing": (lambda d: d.pop("pairs"), "`pairs`"),
    "a key too many": (lambda d: d["labels"].update(colour="red"), "an unknown key"),
    "a text for a number": (lambda d: d["pairs"][0].update(weight="1"), "weight"),
    "a number for a flag": (lambda d: d["pairs"][0]["people"]["flags"].update(pity=1), "pity"),
    "a weight of nothing": (lambda d: d["pairs"][0].update(weight=0), "a weight is above 0"),
    "an axis of eleven": (lambda d: d["pairs"][0]["judge"]["axes"].update(naturalness=11), "an axis 0 to 10"),
    "a total beyond": (lambda d: d["pairs"][0]["judge"].update(total=101, zeroed=False), "a total 0 to 100"),
    "a zeroed reply with a total": (
        lambda d: d["pairs"][0]["judge"].update(total=50, zeroed=True),
        "0 for a zeroed reply",
    ),
    "a reply twice": (lambda d: d["pairs"].append(d["pairs"][0]), "a reply is there twice"),
    "no pair": (lambda d: d.update(pairs=[]), "no reply that both"),
    "a figure missing": (
        lambda d: d["criteria"][0]["against_people"].pop("sensitivity"),
        "criteria.0`: there is no `sensitivity`",
    ),
    "a hard fail for an axis": (lambda d: d["criteria"][0].update(kind="axis"), "there is no `weighted_kappa`"),
    "no criterion": (lambda d: d.update(criteria=[]), "no figure"),
    "no number": (lambda d: d["pairs"][0].update(weight=float("nan")), "not a finite number"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_impossible_calibration_is_refused(name: str, tmp_path: Path) -> None:
    change, words = BAD[name]
    path = tmp_path / "bad.json"
    path.write_text(changed(change), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_calibration(path)
    assert words in error.value.what
    assert error.value.where.path == path


def test_a_number_too_large_for_any_is_refused() -> None:
    text = changed(lambda document: None).replace('"weight": 2.0', '"weight": 1e999', 1)
    with pytest.raises(InputError, match="not a finite number"):
        parse_calibration(text)


@pytest.mark.parametrize(("text", "line"), [('{"format": "x"', 1), ('{"a": 1,\n"b": }', 2), ("[]", None)])
def test_anything_but_a_json_object_is_refused_with_its_line(text: str, line: int | None) -> None:
    with pytest.raises(InputError) as error:
        parse_calibration(text, Path("c.json"))
    assert error.value.where.line == line
