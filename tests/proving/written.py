"""Everything that ships and that one could be tested by, or written after, as passages to compare.

That is: the cases, the proving set, the sample replies, the rubrics with their examples, the rules with their patterns
and the examples of their docstrings, and the examples of the docs.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from importlib.resources import files as package_files
from pathlib import Path

from tests.proving.overlap import Passage
from tests.proving.pattern_words import pattern_words

from iamhumans.cases import Suite
from iamhumans.errors import Place
from iamhumans.text import read_text

_LARGEST = 20_000_000
_FEWEST_BLANKS = 3
"""What has fewer is too short to be compared, and most readings of a pattern are."""
_HEADING = re.compile(r"^#.*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


class Written(StrEnum):
    """What kind of text a passage is."""

    CASE = "case"
    PROVING = "proving reply"
    SAMPLE = "sample reply"
    RUBRIC = "rubric"
    RULE = "rule"
    DOCUMENT = "document"


_FREE = frozenset({Written.RUBRIC, Written.RULE, Written.DOCUMENT, Written.SAMPLE})


def kept_apart(first: str, second: str) -> bool:
    """Whether texts of two kinds may share no words: where one of them at least is a case or of the proving set.

    That a rule knows the examples of the rubric, and that the docs tell of both, is as it should be. Sample replies
    only show the program at work and nothing is measured on them, so rules may know the stock phrases in them.
    """
    return not (first in _FREE and second in _FREE)


def passages_of_cases(suite: Suite) -> Iterator[Passage]:
    """What a judge or a subject is shown of a suite's cases: title, turns, rubric and failure modes, but no notes."""
    for case in suite.cases:
        for text in (case.title, *case.texts, *case.rubric, *case.failure_modes):
            yield Passage(text, Place(case.path), Written.CASE, case.id)


def passages_of_replies(paths: Iterable[Path], kind: Written) -> Iterator[Passage]:
    """The replies of replies files.

    Replies to one case are variants of each other and may share words. A sample reply may also share words with its
    case, since a letter is written from its draft. A reply of the proving set may not.
    """
    for path in paths:
        for number, line in enumerate(read_text(path, limit=_LARGEST).split("\n"), start=1):
            if line.strip():
                row = json.loads(line)
                owner = row["case_id"] if kind is Written.SAMPLE else f"replies to {row['case_id']}"
                # A reply is one line of its file, whatever lines it has itself.
                yield Passage(" ".join(row["reply"].split("\n")), Place(path, number), kind, owner)


def passages_of_rubrics() -> Iterator[Passage]:
    """The rubrics that ship."""
    folder = Path(str(package_files("iamhumans.rubrics").joinpath("data")))
    for path in sorted(folder.glob("*.yaml")):
        yield from _paragraphs(read_text(path), path, Written.RUBRIC, "rubrics")


def passages_of_rules(folder: Path | None = None) -> Iterator[Passage]:
    """The docstrings of the rules, and every text in their code, patterns in each of the ways that they can be read.

    Args:
        folder: Where the rules are; without one, the rules that ship.
    """
    folder = folder or Path(str(package_files("iamhumans.tells")))
    for path in sorted(folder.rglob("*.py")):
        for text, line in _texts_of_code(read_text(path, limit=_LARGEST)):
            for words in pattern_words(text):
                if words.count(" ") >= _FEWEST_BLANKS:
                    yield Passage(words, Place(path, line), Written.RULE, "rules")


def passages_of_documents(folder: Path) -> Iterator[Passage]:
    """The Markdown files of a folder, by paragraphs, without their headings."""
    for path in sorted(folder.rglob("*.md")):
        yield from _paragraphs(_HEADING.sub("", read_text(path, limit=_LARGEST)), path, Written.DOCUMENT, "documents")


def _paragraphs(text: str, path: Path, kind: Written, owner: str) -> Iterator[Passage]:
    start = 0
    while start < len(text):
        end = _PARAGRAPH.search(text, start)
        stop = end.start() if end else len(text)
        place = Place(path, text.count("\n", 0, start) + 1)
        if text[start:stop].strip():
            yield Passage(text[start:stop], place, kind, owner)
        start = end.end() if end else len(text)


def _texts_of_code(code: str) -> Iterator[tuple[str, int]]:
    """Every text in Python code with its line; what an f-string fills in is a gap."""
    tree = ast.parse(code)
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "[^ ]" for part in node.values]
            inside.update(id(part) for part in node.values)
            yield "".join(map(str, parts)), node.lineno
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value, node.lineno
