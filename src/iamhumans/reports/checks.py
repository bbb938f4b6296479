"""The checks that need no judge, in blocks. They are shown beside the total and are never part of it."""

from collections.abc import Iterable, Iterator, Mapping

from iamhumans.cases.checks import CheckResult
from iamhumans.decisions.checks import RunChecks
from iamhumans.reports.blocks import Block, Paragraph, Span, Table
from iamhumans.reports.figures import NAME_WIDTH, counted
from iamhumans.text import one_line

_MOST_ROWS = 20
_WORDS = {
    "must_contain": "must contain",
    "must_not_contain": "must not contain",
    "max_words": "at most this many words",
    "language": "language",
}


def checks_sentence(found: RunChecks) -> str:
    """How many checks failed, of how many replies and cases."""
    return f"{checks_counted(found.counts)} They change no total."


def checks_counted(counts: Mapping[str, int]) -> str:
    """The counts of checks in a sentence."""
    of = f"{counted(counts['checks'], 'check')} of {counted(counts['replies'], 'reply', 'replies')} to"
    said = f"Checks without a judge: {counts['failed']:,} of {of} {counted(counts['cases'], 'case')} failed"
    unknown = f"; {counts['unknown']:,} replies are too short to tell their language" if counts["unknown"] else ""
    return f"{said}, in {counted(counts['failing_replies'], 'reply', 'replies')}{unknown}."


def checks_blocks(found: RunChecks, *, reason: str | None = None, texts: bool = True) -> Iterator[Block]:
    """The sentence, and a row for each check that some reply fails."""
    yield Paragraph(checks_sentence(found))
    failed = found.failed(reason=reason, texts=texts)
    rows = tuple(
        (one_line(one.case_id, NAME_WIDTH), f"{one.failed} of {one.replies}", check_words(one.check, one.expected))
        for one in failed[:_MOST_ROWS]
    )
    if rows:
        yield Table(("case", "replies", "failed check"), rows, right=frozenset((1,)), note_column=2)
    if len(failed) > _MOST_ROWS:
        yield Paragraph(Span(f"and {len(failed) - _MOST_ROWS} more", "faint"), 1)


def check_words(check: str, expected: str) -> str:
    """A check in words."""
    return f"{_WORDS[check]}: {one_line(expected, 200)}"


def results_blocks(results: Iterable[CheckResult]) -> Iterator[Block]:
    """The results of one reply."""
    for one in results:
        state = {True: Span("passed", "good"), False: Span("failed", "bad"), None: Span("too short to tell", "caution")}
        yield Paragraph((Span(f"check, {check_words(one.check, one.expected)}: "), state[one.passed]), 1)
