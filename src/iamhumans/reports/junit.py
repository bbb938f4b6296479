"""A gate as JUnit XML: a test a case, and one for each criterion. No character that XML forbids gets in."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from iamhumans.decisions.gate import GateResult
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.reports.decisions import worst_of

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate_junit(result: GateResult) -> str:
    """The XML of a gate. A case fails as a test where its reply fails; an unjudged one is an error."""
    suites = Element("testsuites", name="iamhumans")
    gate = SubElement(suites, "testsuite", name=_clean(f"gate of run {result.run.name}"))
    for one in result.criteria:
        test = SubElement(gate, "testcase", classname="gate", name=_clean(one.name))
        if one.settled != "met":
            kind = "failure" if one.settled == "missed" else "error"
            SubElement(test, kind, message=_clean(one.sentence), type=one.settled)
    cases = SubElement(suites, "testsuite", name=_clean(f"cases of run {result.run.name}"))
    for reply in result.run.replies:
        _add_case(cases, reply)
    for suite in (gate, cases):
        tests = list(suite)
        suite.set("tests", str(len(tests)))
        suite.set("failures", str(sum(test.find("failure") is not None for test in tests)))
        suite.set("errors", str(sum(test.find("error") is not None for test in tests)))
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _add_case(suite: Element, reply: PanelReply) -> None:
    name = reply.case_id if reply.number == 1 else f"{reply.case_id} #{reply.number}"
    test = SubElement(suite, "testcase", classname=_clean(reply.subject or "reply"), name=_clean(name))
    combined = reply.combined
    if not isinstance(combined, Combined):
        SubElement(test, "error", message=_clean(combined.detail), type=combined.reason.value)
    elif combined.worst_outcome == "FAIL":
        message = worst_of(combined) or f"total {combined.total}"
        SubElement(test, "failure", message=_clean(message), type="FAIL")


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
