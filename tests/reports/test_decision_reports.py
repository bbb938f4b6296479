"""Gates and comparisons as they are printed: nothing foreign acts, everything fits, and the documentation is true."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from tests.builders import FEW, HOSTILE_TEXT
from tests.commands import run
from tests.decisions.made_up import FLAG, TIMEOUT, Made, many, run_of, vote

from iamhumans.decisions.compare import Comparison, compare
from iamhumans.decisions.gate import GateResult, Thresholds, gate
from iamhumans.decisions.panel import Vote
from iamhumans.reports.comparison import comparison_blocks, comparison_document
from iamhumans.reports.gate import gate_blocks, gate_document
from iamhumans.reports.junit import gate_junit
from iamhumans.reports.markdown import MOST_CHARACTERS, blocks_markdown
from iamhumans.reports.terminal import blocks_text
from iamhumans.runs.journal.queries import CaseFacts
from iamhumans.subjects import bundled_replies_path
from iamhumans.text import for_terminal
from iamhumans.verdicts import Unjudged

DOCUMENT = Path(__file__).parents[2] / "docs" / "decisions.md"
LIMITS = Thresholds(max_zero_rate=0.1, min_dimensions={"each": 80})
ZEROED = vote(9, FLAG)


def gate_lines(result: GateResult, width: int = 1_000) -> list[str]:
    return blocks_text(gate_blocks(result), width=width, color=False).splitlines()


def comparison_lines(found: Comparison, width: int = 1_000) -> list[str]:
    return blocks_text(comparison_blocks(found), width=width, color=False).splitlines()


def gate_markdown(result: GateResult) -> str:
    return blocks_markdown(gate_blocks(result), limit=MOST_CHARACTERS)


def comparison_markdown(found: Comparison) -> str:
    return blocks_markdown(comparison_blocks(found), limit=MOST_CHARACTERS)


def gated(name: str = "C0", *, dimension: str = "feeling", count: int = 6) -> GateResult:
    cases = many(count, **{name: ZEROED})
    return gate(run_of("abc", cases, dimensions=[dimension]), LIMITS)


def compared(name: str = "C0", text: str = "Oh no.", dimension: str = "feeling") -> Comparison:
    def made(axis: int, *flags: str) -> Made:
        return Made([vote(axis, *flags)], CaseFacts(name, text, (dimension,)))

    found = compare(run_of("abc", many(6, **{name: made(9)})), run_of("def", many(6, **{name: made(9, FLAG)})))
    shown = tuple(
        replace(moved, reply_a=replace(moved.reply_a, text=text), reply_b=replace(moved.reply_b, text=text))
        for moved in found.moved
    )
    return replace(found, moved=shown)


def cases_of_xml(result: GateResult) -> dict[str, Element]:
    return {test.get("name", ""): test for test in fromstring(gate_junit(result)).iter("testcase")}


def test_terminal_says_decision_and_why() -> None:
    lines = list(gate_lines(gated()))
    assert lines[0] == "Gate of run abc: INCONCLUSIVE"
    assert any(" ".join(line.split()).startswith("open zero rate") and "It takes at least" in line for line in lines)


def test_markdown_puts_what_decided_first() -> None:
    rows = [line for line in gate_markdown(gated(count=40)).splitlines() if line.startswith("| ")][2:]
    states = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert states == sorted(states, key=("MISSED", "open", "met").index)


def test_zeroed_replies_are_named_and_a_total_of_nought_is_not_taken_for_one() -> None:
    text = gate_markdown(gate(run_of("r", {"LOW": vote(0), "BAD": ZEROED}), Thresholds(min_mean=1)))
    assert "- BAD: lecturing" in text
    assert "LOW" not in text


def test_markdown_of_very_much_fits_a_comment() -> None:
    cases = {f"C{n}{'<' * 200}": Made([ZEROED], CaseFacts("h", "t", (f"d{n}{'@' * 300}",))) for n in range(300)}
    assert len(gate_markdown(gate(run_of("r", cases), LIMITS))) <= MOST_CHARACTERS
    other = {name: Made([vote(5)], made.facts) for name, made in cases.items()}
    assert len(comparison_markdown(compare(run_of("a", other), run_of("b", cases)))) <= MOST_CHARACTERS


@FEW
@given(HOSTILE_TEXT)
def test_foreign_text_cannot_act_as_markup(text: str) -> None:
    name = f"C{text}|<img>@you"
    for markdown in (gate_markdown(gated(name, dimension=text or "d")), comparison_markdown(compared(name, name))):
        assert "<img>" not in markdown
        assert "@you" not in markdown
        assert all(
            len(re.findall(r"(?<!\\)\|", line)) in (4, 5, 6, 7) for line in markdown.splitlines() if line[:1] == "|"
        )


@FEW
@given(HOSTILE_TEXT)
def test_foreign_text_never_steers_a_terminal(text: str) -> None:
    lines = [*gate_lines(gated(f"C{text}", dimension=text or "d")), *comparison_lines(compared(f"C{text}", text))]
    assert [line for line in lines if for_terminal(line) != line or "\n" in line] == []


@pytest.mark.parametrize("width", [40, 80])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    lines = [*gate_lines(gated(dimension="d" * 90), width), *comparison_lines(compared("C" * 200), width)]
    assert [line for line in lines if len(line) > width] == []


@FEW
@given(HOSTILE_TEXT)
def test_foreign_text_never_breaks_the_xml(text: str) -> None:
    assert len(cases_of_xml(gated(f"C{text}", dimension=text or "d"))) >= 8


def test_junit_has_a_test_a_case_whatever_the_number_of_replies() -> None:
    cases: dict[str, Vote | Unjudged | Made] = {
        "GOOD": vote(9),
        "BAD": Made([vote(9), ZEROED, TIMEOUT]),
        "NONE": TIMEOUT,
    }
    tests = cases_of_xml(gate(run_of("r", cases), Thresholds(min_mean=1)))
    assert {name for name, test in tests.items() if test.get("classname") == "s"} == set(cases)
    assert [list(test) for test in (tests["GOOD"],)] == [[]]
    assert tests["BAD"].findtext("system-out") == "reply 2: FAIL: lecturing; reply 3: timeout: no answer"
    skipped = tests["NONE"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "timeout: no answer"


def test_junit_fails_a_missed_criterion_and_calls_an_open_one_an_error() -> None:
    tests = cases_of_xml(gate(run_of("r", many(4, ZEROED)), Thresholds(max_hard_fails=0, min_mean=1)))
    assert tests["hard fails"].find("failure") is not None
    assert tests["mean"].find("error") is not None
    assert list(tests["judged"]) == []


def test_junit_counts_what_it_holds() -> None:
    for suite in fromstring(gate_junit(gated())):
        counts = [suite.get(name) for name in ("tests", "failures", "errors")]
        found = [len(list(suite)), len(list(suite.iter("failure"))), len(list(suite.iter("error")))]
        assert counts == list(map(str, found))


def test_a_gate_that_passes_has_no_failure_in_junit_whatever_its_replies_are() -> None:
    cases = many(60, C0=ZEROED, C1=TIMEOUT)
    result = gate(run_of("r", cases), Thresholds(max_zero_rate=0.2, min_judged=0.9))
    assert result.decision == "pass"
    assert "<failure" not in gate_junit(result)
    assert "<error" not in gate_junit(result)


def test_junit_of_a_held_out_case_has_no_text_of_it() -> None:
    facts = CaseFacts("h", "A secret title", held_out=True)
    secret = Unjudged(TIMEOUT.reason, "secret words")
    result = gate(run_of("r", many(6, H=Made([secret], facts))), Thresholds(min_mean=1))
    assert "secret" not in gate_junit(result)
    assert "sha256:" in gate_junit(result)
    assert "secret words" in gate_junit(result, holdout_reason="release 2")


def test_documents_are_json_without_a_text_of_a_held_out_case() -> None:
    a, b = (
        run_of(name, {"H": Made([vote(axis)], CaseFacts("h", "A secret title", held_out=True))})
        for name, axis in (("a", 9), ("b", 1))
    )
    for document in (gate_document(gated()), comparison_document(compare(a, b))):
        assert "secret" not in json.dumps(document, allow_nan=False)


# --- docs/decisions.md ------------------------------------------------------------------------------------------------


def examples() -> list[tuple[str, str]]:
    """The commands of the document with what it shows of each, in order."""
    blocks = re.findall(r"^```(?:console|text)\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S)
    found = []
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown.strip("\n")))
    return found


def test_the_figures_of_the_document_are_what_comes_out(tmp_path: Path) -> None:
    (tmp_path / "demo.jsonl").write_bytes(bundled_replies_path("core").read_bytes())
    shown = 0
    for command, expected in examples():
        program, *arguments = shlex.split(command)
        if program != "iamhumans":
            continue
        printed = run(*arguments, folder=tmp_path).out
        lines = [re.sub(r"\b[a-km-np-z2-9]{7}(?=:)", "f6bcsan", line.rstrip()) for line in printed.splitlines()]
        for line in expected.splitlines():
            if line.strip() and line.strip() != "...":
                assert line.rstrip() in lines, f"{command}: {line}"
                shown += 1
    assert shown >= 10


@pytest.mark.parametrize("word", ["interval", "withheld", "inconclusive", "independent votes", "--across"])
def test_the_document_explains_what_is_printed(word: str) -> None:
    assert word in DOCUMENT.read_text(encoding="utf-8")
