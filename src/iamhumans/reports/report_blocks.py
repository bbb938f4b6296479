"""A report in blocks: headline, axes, cost, a row for each judgement, the worst cases, contradictions, cautions."""

from collections.abc import Iterator, Sequence

from iamhumans.decisions.replies import JudgedReply
from iamhumans.reports.blocks import Block, Heading, Line, Paragraph, Span, Table
from iamhumans.reports.checks import checks_blocks
from iamhumans.reports.figures import NOTHING, counted, number
from iamhumans.reports.headline import Names, axes_blocks, headline_blocks, spent_blocks
from iamhumans.reports.panel import panel_blocks
from iamhumans.reports.passages import conversation_blocks, reply_blocks
from iamhumans.reports.report import MOST_ROWS, Report
from iamhumans.reports.spread import spread_blocks
from iamhumans.runs.journal.queries import ReplyText
from iamhumans.text import one_line
from iamhumans.verdicts import Judgement

RULES = "rules"
_MOST_REASONS = 12
_MOST_FAILED = 20
_QUOTE_WIDTH = 150
_NOTES_WIDTH = 230
_TEXT_WIDTH = 700
_LOW = 8
_MORE = "not shown; use --json to see all."


def report_blocks(report: Report) -> list[Block]:
    """The report for people."""
    names = Names(report)
    rubric = report.rubric
    about = [f"rubric {rubric.name} {rubric.hash[:12]}", f"PASS from {rubric.scoring.pass_mark}"]
    about += [f"judge {judge}" for judge in report.judges if len(report.judges) == 1]
    about += [f"subject {subject}" for subject in report.subjects if subject.strip() and len(report.subjects) == 1]
    blocks: list[Block] = [Heading(report.title, 1), Paragraph(Span(", ".join(about), "faint"))]
    blocks += [*headline_blocks(report, names), *axes_blocks(report, names)]
    if report.checks is not None:
        blocks += checks_blocks(report.checks, reason=report.holdout_reason, texts=report.texts)
    blocks += [*spread_blocks(report.spread), *spent_blocks(report.spent)]
    for part in (_rows, _worst, _contradictions):
        blocks += part(report, names)
    blocks += [Paragraph(Span(caution, "caution")) for caution in cautions(report)]
    return blocks + (panel_blocks(report.panel) if report.panel is not None else [])


def case_of(one: Judgement, *, repeat: bool = True) -> str:
    """The case, with the numbers of the reply and the repeat where there are several."""
    numbered = f" #{one.number}" if one.number > 1 else ""
    repeated = f" ({one.repeat})" if repeat and one.repeat > 1 else ""
    return one_line(f"{one.case_id or NOTHING}{numbered}{repeated}")


def _rows(report: Report, names: Names) -> Iterator[Block]:
    digest, count = report.digest, report.summary.replies_asked
    shown = digest.first if count <= MOST_ROWS else digest.failed[:_MOST_FAILED]
    # Where the judge sees few criteria, no reply has an applicable total.
    applicable = any(one.applicable_total is not None for one in shown)
    heads = ("case", *names.heads, *(("applicable",) if applicable else ()), "total", "", "why")
    if shown:
        rows = tuple(
            (case_of(one), *names.of(one), *([_applicable(one)] if applicable else []), *_result(one), _why(one))
            for one in shown
        )
        right = frozenset(range(1 + len(names.heads), len(heads) - 2))
        title = "Replies, by all votes" if digest.several else "Judgements"
        yield Table(heads, rows, title, right=right, note_column=len(heads) - 1, names=1 + len(names.heads))
    if count > len(shown):
        noun = "reply is", "replies are"
        if not digest.several:
            noun = "judgement is", "judgements are"
        more = counted(count - len(shown), *(f"more {one}" for one in noun))
        yield Paragraph(Span(f"{more} {_MORE}", "faint"))


def _applicable(one: Judgement) -> str:
    return NOTHING if one.applicable_total is None else str(one.applicable_total)


def _result(one: Judgement) -> tuple[Line, Line]:
    if not one.judged:
        return NOTHING, Span("unjudged", "caution")
    if one.verdict is None:
        return NOTHING, "no fault found"
    return str(one.total), Span(one.verdict, "good" if one.verdict == "PASS" else "bad")


def _why(one: Judgement) -> str:
    if not one.judged:
        return one_line(f"{one.reason}: {one.detail}" if one.detail else f"{one.reason}", _NOTES_WIDTH)
    unconfirmed = one.unconfirmed
    flags = [f"{name}{_votes(one, name)}{' (unconfirmed)' if name in unconfirmed else ''}" for name in one.against]
    if one.zeroed and not flags:
        flags = ["zeroed by votes for different hard fails"]
    flags += [f"{name} (found, does not count)" for name in one.not_counted]
    return ", ".join(flags) or _low_axes(one)


def _votes(one: Judgement, name: str) -> str:
    """How many votes of how many say YES, where there are several."""
    votes = (one.hard_fails or {})[name].votes
    return "" if votes is None else f" {votes[0]} of {votes[1]}"


def _low_axes(one: Judgement) -> str:
    """The axes that pull a total down, lowest first."""
    low = sorted((value, name) for name, value in (one.axes or {}).items() if value is not None and value < _LOW)
    return ", ".join(f"{name} {value:g}" for value, name in low)


def _worst(report: Report, names: Names) -> Iterator[Block]:
    """The worst cases with their texts: the last message, the reply with quotes marked, and what each vote said."""
    found = list(report.worst())
    if found:
        yield Heading("The worst case" if len(found) == 1 else f"The worst {len(found)} cases")
    for reply, text in found:
        yield from _bad_case(reply, text, names)
    if found and report.run and report.stored:
        more = f"`iamhumans report {report.run} --case ID` shows a whole case, with every vote."
        yield Paragraph(Span(more, "faint"))


def _bad_case(reply: JudgedReply, text: ReplyText | None, names: Names) -> Iterator[Block]:
    first, votes = reply.votes[0], reply.votes
    where = case_of(first, repeat=False) + (f" {first.subject}" if "subject" in names.heads else "")
    title = (Span(f"  {one_line(first.title, 80)}", "faint"),) if first.title else ()
    yield Heading((Span(where, "strong"), *title), 3)
    if text is not None and text.text is not None:
        yield from conversation_blocks(text.conversation[-1:], limit=_TEXT_WIDTH)
        yield from reply_blocks(text.text, votes, limit=_TEXT_WIDTH)
    several = reply.panel is not None
    if several:
        yield together(reply.combined)
    for one in votes:
        yield from vote_blocks(
            one, name=f"{one.judge}{f' ({one.repeat})' if one.repeat > 1 else ''}" if several else ""
        )


def together(one: Judgement) -> Paragraph:
    """What the votes on a reply come to, in a line."""
    if not one.judged:
        return Paragraph((Span("together: ", "strong"), Span(_why(one), "caution")), 1)
    total, verdict = _result(one)
    of = f" by {one.votes.judged} of {counted(one.votes.asked, 'vote')}" if one.votes else ""
    why = _why(one)
    head = Span(f"together{of}: ", "strong"), Span("" if one.total is None else f"total {total}  ")
    return Paragraph(
        (*head, verdict if isinstance(verdict, Span) else Span(str(verdict)), Span(f" {why}" if why else "")), 1
    )


def vote_blocks(one: Judgement, *, name: str = "", limit: int | None = _NOTES_WIDTH) -> Iterator[Block]:
    """What one vote says: its total, the quote for each YES, low axes, and the notes."""
    total, verdict = _result(one)
    head = [Span(f"{name}: ")] if name else []
    said = (
        Span(_why(one), "caution") if not one.judged else verdict if isinstance(verdict, Span) else Span(str(verdict))
    )
    if one.total is not None:
        beside = "" if one.applicable_total is None else f", applicable total {one.applicable_total}"
        head += [Span(f"total {total}{beside}  ")]
    yield Paragraph((*head, said), 1)
    for flag in one.present:
        answer = (one.hard_fails or {})[flag]
        quotes = ", ".join(f"“{one_line(quote, _QUOTE_WIDTH)}”" for quote in answer.quotes) or "no quote"
        missing = (Span(" (not in the reply)", "caution"),) if answer.quotes and answer.confirmed is False else ()
        yield Paragraph((Span(f"{flag}: ", "bad"), Span(quotes), *missing), 1)
    if low := _low_axes(one):
        yield Paragraph(f"low axes: {low}", 1)
    # The notes of the rules repeat the lines above.
    if one.notes and one.judge != RULES:
        yield Paragraph(Span(one_line(one.notes, limit), "faint"), 1)


def _contradictions(report: Report, names: Names) -> Iterator[Block]:
    digest = report.digest
    if digest.differences:
        yield Heading(f"Totals that do not follow from the judge's own answers: {digest.differences}")
    for one in digest.differing[:_MOST_REASONS]:
        stated: Sequence[object] = (one.stated.total, one.stated.verdict) if one.stated else ()
        said = " ".join(str(part) for part in stated if part is not None)
        judge = f" {one.judge}" if "judge" in names.heads else ""
        without_na = ", without N/A in the mean" if "total_without_na" in (one.differences or ()) else ""
        gives = f"its own answers give {one.total} {one.verdict}"
        yield Paragraph(f"{case_of(one)}{judge}: the judge said {said}{without_na}; {gives}", 1)
    if digest.differences > _MOST_REASONS:
        yield Paragraph(Span(f"and {digest.differences - _MOST_REASONS} more", "faint"), 1)


def cautions(report: Report) -> Iterator[str]:
    """What a reader must know before using the figures."""
    summary = report.summary
    if summary.unconfirmed:
        means = (number(mean, 1) for mean in (summary.mean_total_confirmed, summary.mean_total))
        without = "" if summary.unseen else "; without them the mean total is {} instead of {}".format(*means)
        count = counted(summary.unconfirmed, "YES has", "YES have")
        yield f"{count} no quote that is in the reply. They still count{without}."
    if summary.repaired:
        yield f"{counted(summary.repaired, 'verdict was', 'verdicts were')} read after repairs to the form."
    yield from (f"{count:,} unjudged: {reason}." for reason, count in summary.reasons.items())
    if RULES in report.judges:
        yield "The rules judge sees only words and layout. If it finds no fault, the reply may still be bad."
