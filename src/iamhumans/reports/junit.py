"""A gate as JUnit XML: a test a case, and one for each criterion. No character that XML forbids gets in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from iamhumans.decisions.gate import Decision, GateResult
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.reports.decisions import worst_of
from iamhumans.text import one_line

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_CHARACTERS = 2_000


def gate_junit(result: GateResult) -> str:
    """The XML of a gate.

    A case fails as a test where one of its replies fails, and is an error where one is unjudged. Its failing decides
    nothing: what does are the tests of the criteria.
    """
    suites = Element("testsuites", name="iamhumans")
    gate = SubElement(suites, "testsuite", name=_clean(f"gate of run {result.run.name}: {result.decision.value}"))
    for one in result.criteria:
        test = SubElement(gate, "testcase", classname="gate", name=_clean(one.name))
        if one.settled != "met":
            broken = one.settled == "open" or result.decision is Decision.BROKEN
            SubElement(test, "error" if broken else "failure", message=_clean(one.sentence), type=one.settled)
    cases = SubElement(suites, "testsuite", name=_clean(f"cases of run {result.run.name}"))
    by_case: dict[str, list[PanelReply]] = {}
    for reply in result.run.replies:
        by_case.setdefault(reply.case_id, []).append(reply)
    for case_id, replies in by_case.items():
        _add_case(cases, case_id, replies)
    for suite in (gate, cases):
        tests = list(suite)
        suite.set("tests", str(len(tests)))
        suite.set("failures", str(sum(test.find("failure") is not None for test in tests)))
        suite.set("errors", str(sum(test.find("error") is not None for test in tests)))
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _add_case(suite: Element, case_id: str, replies: Sequence[PanelReply]) -> None:
    test = SubElement(suite, "testcase", classname=_clean(replies[0].subject or "replies"), name=_clean(case_id))
    failed, unjudged = [], []
    for reply in replies:
        combined = reply.combined
        of = f"reply {reply.number}: " if len(replies) > 1 else ""
        if not isinstance(combined, Combined):
            unjudged.append(f"{of}{combined.reason.value}: {combined.detail}")
        elif combined.worst_outcome == "FAIL":
            failed.append(f"{of}{worst_of(combined) or f'total {combined.total}'}")
    if failed:
        SubElement(test, "failure", message=_clean("; ".join(failed + unjudged)), type="FAIL")
    elif unjudged:
        SubElement(test, "error", message=_clean("; ".join(unjudged)), type="unjudged")


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", one_line(text, _MOST_CHARACTERS))
