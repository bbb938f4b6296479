"""JUnit XML of a gate, with a test for each criterion and each case, and of a report, with one for each reply."""

import re
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from iamhumans.cases.holdout import shown
from iamhumans.decisions.gate import GateResult
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.reports.evidence import look_sentences
from iamhumans.reports.gate import criterion_sentence, hard_fails_of
from iamhumans.reports.headline import COUNTS, FIGURES, headline_document
from iamhumans.reports.report import Report
from iamhumans.text import one_line

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_CHARACTERS = 2_000


def gate_junit(result: GateResult, *, holdout_reason: str | None = None) -> str:
    """The XML of a gate. Failed replies are in the output of their case's test; a case without a verdict is skipped."""
    suites = Element("testsuites", name="iamhumans")
    gate = SubElement(suites, "testsuite", name=_clean(f"gate of run {result.run.name}: {result.decision.value}"))
    looks = look_sentences(result)
    if looks:
        properties = SubElement(gate, "properties")
        for sentence in looks:
            SubElement(properties, "property", name="look", value=_clean(sentence))
    for one in result.criteria:
        test = SubElement(gate, "testcase", classname="gate", name=_clean(one.name))
        if one.settled != "met":
            broken = one.settled == "open" or one.kind == "nothing_judged"
            message = _clean(criterion_sentence(one, result))
            SubElement(test, "error" if broken else "failure", message=message, type=one.settled)
    cases = SubElement(suites, "testsuite", name=_clean(f"cases of run {result.run.name}"))
    by_case: dict[str, list[PanelReply]] = {}
    for reply in result.run.replies:
        by_case.setdefault(reply.case_id, []).append(reply)
    for case_id, replies in by_case.items():
        _add_case(cases, replies, hidden=result.run.held_out(case_id) and not holdout_reason)
    return _xml(suites)


def report_junit(report: Report) -> str:
    """The XML of a report: a test for each reply. FAIL is a failure; a reply without a verdict is skipped."""
    suites = Element("testsuites", name="iamhumans")
    suite = SubElement(suites, "testsuite", name=_clean(report.title))
    properties = SubElement(suite, "properties")
    for one in (reply.combined for reply in report.replies()):
        name = f"{one.case_id} {one.number}/{one.repeat}" if one.number > 1 or one.repeat > 1 else one.case_id
        classname = ".".join(filter(None, (one.subject, one.judge)))
        test = SubElement(suite, "testcase", classname=_clean(classname), name=_clean(name or ""))
        if not one.judged:
            SubElement(test, "skipped", message=_clean(f"{one.reason}: {one.detail}"))
        elif one.verdict == "FAIL":
            quotes = (quote for name in one.against for quote in (one.hard_fails or {})[name].quotes)
            failure = SubElement(test, "failure", message=_clean(", ".join(one.against) or f"total {one.total}"))
            failure.text = _clean("; ".join((*quotes, one.notes or "")))
            if one.reply:
                SubElement(test, "system-out").text = _clean(one.reply)
    for name, value in _headline(report):
        SubElement(properties, "property", name=_clean(name), value=_clean(value))
    return _xml(suites)


def _headline(report: Report) -> Iterator[tuple[str, str]]:
    """The headline: its sentence, and each figure that is given, by subject and judge where there are several."""
    document = headline_document(report)
    yield "headline", document["sentence"]
    for group in document["groups"]:
        of = ".".join(filter(None, (group["subject"], group["judge"]))) + "." if len(document["groups"]) > 1 else ""
        for name in COUNTS:
            yield of + name, str(group[name])
        for name in FIGURES:
            if group[name] is not None and group[name]["value"] is not None:
                yield of + name, f"{group[name]['value']:.6g}"


def _xml(suites: Element) -> str:
    for suite in suites:
        suite.set("tests", str(len(suite.findall("testcase"))))
        for kind in ("failure", "error", "skipped"):
            suite.set(kind if kind == "skipped" else f"{kind}s", str(len(list(suite.iter(kind)))))
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _add_case(suite: Element, replies: Sequence[PanelReply], *, hidden: bool) -> None:
    first = replies[0]
    test = SubElement(suite, "testcase", classname=_clean(first.subject or "replies"), name=_clean(first.case_id))
    said, unjudged = [], 0
    for reply in replies:
        one = reply.combined
        of = f"reply {reply.number}: " if len(replies) > 1 else ""
        if not isinstance(one, Combined):
            unjudged += 1
            said.append(f"{of}{one.reason.value}: {shown(one.detail, held_out=hidden, reason=None)}")
        elif one.outcome == "FAIL":
            said.append(f"{of}FAIL: {hard_fails_of(one) or f'total {one.total}'}")
    if unjudged == len(replies):
        SubElement(test, "skipped", message=_clean("; ".join(said)))
    elif said:
        SubElement(test, "system-out").text = _clean("; ".join(said))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", one_line(text, _MOST_CHARACTERS))
