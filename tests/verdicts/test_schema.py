"""The JSON schema of a verdict: what providers can be held to, and nothing that the reader would refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.builders import EXTENDED, FEW, SEED, axis, own_rubric

from iamhumans.rubrics import AxisDefault, Rubric
from iamhumans.verdicts import Asked, Verdict, read_verdict, score_verdict, verdict_schema

ONLY_SCORES = Rubric(
    name="own",
    axes=(axis("warmth", AxisDefault(value=10, when="always", instead_of=("10",), reason="x")), axis("clarity")),
)
RUBRICS = [SEED, EXTENDED, own_rubric(), own_rubric(hard_fails=["rudeness", "a"]), ONLY_SCORES]
EVERY_RUBRIC = pytest.mark.parametrize(
    "rubric", RUBRICS, ids=["seed", "extended", "no flags", "own flags", "only scores"]
)


def clean(rubric: Rubric) -> dict[str, Any]:
    return {
        "case_id": "A",
        "check": "t",
        "axes": dict.fromkeys(rubric.axis_ids, 8),
        "evidence": {name: [] for name in rubric.hard_fail_ids},
        "hard_fails": dict.fromkeys(rubric.hard_fail_ids, "NO"),
        "total": 80,
        "verdict": "PASS",
        "notes": "x",
    }


def is_valid(document: object, rubric: Rubric) -> bool:
    return bool(Draft202012Validator(verdict_schema(rubric)).is_valid(document))


def objects(schema: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@EVERY_RUBRIC
def test_it_is_a_schema(rubric: Rubric) -> None:
    Draft202012Validator.check_schema(verdict_schema(rubric))
    json.dumps(verdict_schema(rubric))


@EVERY_RUBRIC
def test_every_object_is_closed_and_whole(rubric: Rubric) -> None:
    found = list(objects(verdict_schema(rubric)))

    assert len(found) == 4
    assert all(part["additionalProperties"] is False and part["required"] == list(part["properties"]) for part in found)


@EVERY_RUBRIC
def test_clean_verdict_is_valid_and_read_without_repair(rubric: Rubric) -> None:
    document = clean(rubric)

    assert is_valid(document, rubric)
    verdict = read_verdict(json.dumps(document), rubric, Asked(case_id="A", token="t"))
    assert isinstance(verdict, Verdict)
    assert verdict.repairs == ()


@EVERY_RUBRIC
def test_scores_stand_before_flags(rubric: Rubric) -> None:
    assert list(verdict_schema(rubric)["properties"]) == list(clean(rubric))
    assert list(verdict_schema(rubric)["properties"]["axes"]["properties"]) == list(rubric.axis_ids)


@pytest.mark.parametrize("value", [11, -1, 8.5, "8", None, True, "N/A", [8]])
def test_wrong_scores_are_not_valid(value: object) -> None:
    document = clean(SEED)
    document["axes"]["naturalness"] = value

    assert not is_valid(document, SEED)


def test_not_applicable_is_valid_where_it_has_a_default() -> None:
    allowed = []
    for name in SEED.axis_ids:
        document = clean(SEED)
        document["axes"][name] = "N/A"
        allowed += [name] if is_valid(document, SEED) else []

    assert allowed == ["memory_coherence", "repair_quality"]


@pytest.mark.parametrize("value", ["no", "MAYBE", False, None, ""])
def test_wrong_flags_are_not_valid(value: object) -> None:
    document = clean(SEED)
    document["hard_fails"]["pity"] = value

    assert not is_valid(document, SEED)


@pytest.mark.parametrize("section", ["axes", "hard_fails", "evidence"])
def test_parts_may_neither_be_missing_nor_unknown(section: str) -> None:
    more, less = clean(SEED), clean(SEED)
    more[section]["unknown"] = next(iter(more[section].values()))
    less[section].popitem()

    assert not is_valid(more, SEED)
    assert not is_valid(less, SEED)


TEXT = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "}",
            '"',
            "\\",
            "```",
            "axes:",
            "</think>",
            "<think>",
            "case_id: X",
            '{"axes": {"naturalness": 1}}',
            "\x00",
            "\u2028",
            "\n---\n",
        ]
    ),
)


def of_schema(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.one_of([of_schema(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "string":
            return TEXT
        case "array":
            return st.lists(of_schema(schema["items"]), max_size=2)
    return st.fixed_dictionaries({name: of_schema(part) for name, part in schema["properties"].items()})


@EVERY_RUBRIC
@given(data=st.data(), indent=st.sampled_from([None, 2]), escaped=st.booleans())
@FEW
def test_every_verdict_that_it_admits_is_judged(
    data: st.DataObject, indent: int | None, escaped: bool, rubric: Rubric
) -> None:
    document = data.draw(of_schema(verdict_schema(rubric)))
    verdict = read_verdict(json.dumps(document, indent=indent, ensure_ascii=escaped), rubric)

    assert isinstance(verdict, Verdict)
    scores = {name: None if value == "N/A" else value for name, value in document["axes"].items()}
    assert dict(verdict.axes) == scores
    assert {name for name, flag in verdict.flags.items() if flag.present} == {
        name for name, answer in document["hard_fails"].items() if answer == "YES"
    }
    assert verdict.stated_total == document["total"]
    assert verdict.stated_verdict == document["verdict"]
    score_verdict(verdict, rubric)
