"""Texts of conversations and replies as blocks, with a judge's quotes marked where they are."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from iamhumans.cases import Turn
from iamhumans.reports.blocks import Block, Paragraph, Passage, Span
from iamhumans.verdicts import Judgement

_DOUBLE, _SINGLE = '"“”„‟«»″〝〞〟＂', "'‘’‚‛‹›′´`＇"
_PART = re.compile(
    rf"(?P<blank>\s+)|(?P<double>[{_DOUBLE}])|(?P<single>[{_SINGLE}])|(?P<words>[^\s{_DOUBLE}{_SINGLE}]+)"
)


def marked(text: str, quotes: Iterable[str]) -> tuple[Span, ...]:
    """The text in pieces, those that are quoted with the tone ``marked``. A quote that is not in it marks nothing."""
    text = unicodedata.normalize("NFC", text)
    covered = sorted(span for quote in quotes for span in _places(quote, text))
    pieces: list[Span] = []
    at = 0
    for start, end in _joined(covered):
        pieces += [Span(text[at:start]), Span(text[start:end], "marked")]
        at = end
    return tuple(piece for piece in (*pieces, Span(text[at:])) if piece.text)


def _places(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the words of a quote are, with any blanks and any kind of quote marks."""
    parts = []
    for match in _PART.finditer(unicodedata.normalize("NFC", quote).strip()):
        kinds = {"blank": r"\s+", "double": f"[{_DOUBLE}]", "single": f"[{_SINGLE}]"}
        parts.append(kinds.get(match.lastgroup or "", re.escape(match.group())))
    if parts:
        yield from (match.span() for match in re.finditer("".join(parts), text))


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def quotes_of(votes: Iterable[Judgement]) -> list[str]:
    """All words that the votes quote."""
    flags = (flag for one in votes for flag in (one.hard_fails or {}).values())
    return [quote for flag in flags for quote in flag.quotes]


def excerpt(text: str, limit: int) -> str:
    """The beginning of a text, cut after a whole word and marked where it is cut."""
    if len(text) <= limit:
        return text
    cut = text[:limit]
    end = max(cut.rfind(" "), cut.rfind("\n"))
    return f"{cut[: end if end > limit // 2 else limit].rstrip()} …"


def conversation_blocks(turns: Iterable[Turn], *, limit: int | None = None) -> Iterator[Block]:
    """The turns of a conversation under their speakers."""
    for turn in turns:
        yield Paragraph(Span(f"{turn.speaker.capitalize()}:", "faint"), 1)
        yield Passage(turn.text if limit is None else excerpt(turn.text, limit))


def reply_blocks(text: str, votes: Sequence[Judgement], *, limit: int | None = None) -> Iterator[Block]:
    """The reply, with the quotes of all votes marked in place."""
    shown = text if limit is None else excerpt(text, limit)
    yield Paragraph(Span("Reply:", "faint"), 1)
    yield Passage(marked(shown, quotes_of(votes)))
