"""Tells in files: as lines, as rows, as SARIF, and as annotations of GitHub."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from iamhumans.tells import RULES, Rule, Tell
from iamhumans.text import one_line

Found: TypeAlias = Iterable[tuple[Path, str, tuple[Tell, ...]]]
"""Files with their texts and tells."""
_WIDTH = 120
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def rule_row(rule: Rule) -> dict[str, Any]:
    """A rule for programs."""
    names = {"rule": rule.id, "meaning": rule.meaning, "axis_or_hard_fail": rule.axis_or_hard_fail}
    return {**names, "when": list(rule.when), "unless": list(rule.unless), "at_least": rule.at_least}


def tell_rows(found: Found) -> list[dict[str, Any]]:
    """A row for each tell, with its file, line and column, from 1."""
    return [
        {"file": str(path), "line": line, "column": column, **tell.to_dict()}
        for path, tell, line, column in _placed(found)
    ]


def text_lines(found: Found) -> Iterator[str]:
    """``FILE:LINE:COLUMN: rule: meaning: “words”``."""
    for path, tell, line, column in _placed(found):
        words = one_line(tell.text, _WIDTH)
        yield f"{one_line(str(path))}:{line}:{column}: {tell.rule}: {tell.meaning} “{words}”"


def github_lines(found: Found) -> Iterator[str]:
    """A warning for each tell, as workflows of GitHub read it."""
    for path, tell, line, column in _placed(found):
        name = _escaped(one_line(str(path))).replace(":", "%3A").replace(",", "%2C")
        message = _escaped(f"{tell.meaning} “{one_line(tell.text, _WIDTH)}”")
        yield f"::warning file={name},line={line},col={column},title={tell.rule}::{message}"


def tells_sarif(found: Found) -> dict[str, Any]:
    """The tells as a SARIF log."""
    rules = [{"id": rule.id, "shortDescription": {"text": rule.meaning}} for rule in RULES]
    results = [
        {
            "ruleId": tell.rule,
            "level": "warning",
            "message": {"text": tell.meaning},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": path.as_posix()},
                        "region": {"startLine": line, "startColumn": column, "snippet": {"text": tell.text}},
                    }
                }
            ],
        }
        for path, tell, line, column in _placed(found)
    ]
    driver = {"name": "iamhumans", "rules": rules}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _placed(found: Found) -> Iterator[tuple[Path, Tell, int, int]]:
    for path, text, tells in found:
        starts = [0, *(index + 1 for index, character in enumerate(text) if character == "\n")]
        for tell in tells:
            start = tell.start + len(tell.text) - len(tell.text.lstrip())
            line = bisect_right(starts, start)
            yield path, tell, line, start - starts[line - 1] + 1


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
