"""One case of a run in blocks: the conversation, the replies with quotes marked, every vote; raw answers too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Passage, Span
from iamhumans.reports.checks import results_blocks
from iamhumans.reports.figures import NOTHING, counted
from iamhumans.reports.passages import conversation_blocks, reply_blocks
from iamhumans.reports.report_blocks import together, vote_blocks
from iamhumans.text import one_line
from iamhumans.verdicts import Judgement

if TYPE_CHECKING:
    from iamhumans.api.case_view import Call, CaseView, ReplyView, Vote


def case_blocks(view: CaseView) -> list[Block]:
    """A case for people."""
    case = view.case
    title = (Span(f"  {one_line(case.title)}", "faint"),) if case.title else ()
    about = [f"run {view.run}", *(("held out; its texts are hashes",) if view.hidden else ())]
    about += [f"dimensions {', '.join(case.dimensions)}"] if case.dimensions else []
    blocks: list[Block] = [Heading((Span(case.id, "strong"), *title), 1), Paragraph(Span(", ".join(about), "faint"))]
    for name, texts in (("What a good reply does", case.rubric), ("How replies fail", case.failure_modes)):
        blocks += [Heading(name), Items(texts)] if texts else []
    before = None
    for reply in view.replies:
        if reply.conversation != before:
            blocks += [Heading("Conversation"), *conversation_blocks(reply.conversation)]
            before = reply.conversation
        blocks += _reply(reply, view)
    return blocks


def _reply(reply: ReplyView, view: CaseView) -> Iterator[Block]:
    name = f"Reply {reply.number}" + (f" of {reply.subject}" if reply.subject.strip() else "")
    yield Heading(name)
    if reply.text is None:
        yield Paragraph(Span(f"There is no reply: {reply.why}", "caution"), 1)
    else:
        votes = [] if view.hidden else [vote.judgement for vote in reply.votes]
        yield from reply_blocks(reply.text, votes)
    if reply.beside:
        yield Paragraph(Span(f"Beside it: {one_line(reply.beside)}", "faint"), 1)
    if reply.reasoning:
        if view.raw:
            yield Paragraph(Span("Reasoning, which was not judged:", "faint"), 1)
            yield Passage(Span(reply.reasoning, "faint"))
        else:
            yield Paragraph(
                Span(f"Reasoning of {len(reply.reasoning):,} characters was removed; use --raw to see it.", "faint"), 1
            )
    yield from results_blocks(reply.checks)
    yield from _calls(reply.calls)
    if reply.combined is not None:
        yield together(reply.combined)
    for vote in reply.votes:
        yield from _vote(vote)


def _vote(vote: Vote) -> Iterator[Block]:
    one = vote.judgement
    yield Heading(f"{one.judge}, repeat {one.repeat}" if one.repeat > 1 else one.judge, 3)
    yield from vote_blocks(one, limit=None)
    if axes := _axes(one):
        yield Paragraph(Span(f"axes: {axes}", "faint"), 1)
    if one.stated is not None and one.differences:
        said = " ".join(str(part) for part in (one.stated.total, one.stated.verdict) if part is not None)
        yield Paragraph(Span(f"the judge stated {said}", "caution"), 1)
    if one.repairs:
        yield Paragraph(Span(f"repairs to the form: {', '.join(one.repairs)}", "faint"), 1)
    yield from _calls(vote.calls)


def _axes(one: Judgement) -> str:
    defaulted = one.defaulted or ()
    scored = {name: value for name, value in (one.axes or {}).items() if value is not None}
    return ", ".join(f"{name} {value:g}{' (default)' if name in defaulted else ''}" for name, value in scored.items())


def _calls(calls: Sequence[Call]) -> Iterator[Block]:
    for call in calls:
        one = call.attempt
        tokens = f"{one.prompt_tokens or NOTHING} + {one.completion_tokens or NOTHING} tokens"
        cost = "cost unknown" if one.cost is None else f"cost {one.cost:.4g}"
        what = f"call {one.number} of step {one.step + 1} to {one.model}, {one.milliseconds:,} ms, {tokens}, {cost}"
        yield Paragraph(Span(what, "strong"), 1)
        for message in call.prompt or ():
            yield Paragraph(Span(f"sent as {message.role}:", "faint"), 1)
            yield Passage(message.content)
        if call.prompt is None:
            yield Paragraph(Span("The prompt cannot be rebuilt, so it is not shown.", "faint"), 1)
        if one.answer is None:
            yield Paragraph(Span(f"{one.error}: {one_line(one.error_text or '')}", "bad"), 1)
        else:
            yield Paragraph(
                Span(f"raw answer ({one.finish_reason}, {counted(len(one.answer), 'character')}):", "faint"), 1
            )
            yield Passage(one.answer)
        if one.reasoning:
            yield Paragraph(Span("reasoning:", "faint"), 1)
            yield Passage(Span(one.reasoning, "faint"))
