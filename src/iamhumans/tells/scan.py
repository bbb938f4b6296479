"""From a reply to its tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from iamhumans.cases import Case
from iamhumans.tells.context import moment_of
from iamhumans.tells.english import RULES
from iamhumans.tells.model import Rule, Tell
from iamhumans.tells.patterns import PatternSet, Span, spans
from iamhumans.tells.reply_text import ReplyText


class Pack:
    """The rules of a language, with one set over all their patterns as the first look."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self._always = [rule for rule in rules if rule.pattern is None]
        self._by_pattern: dict[str, list[Rule]] = {}
        for rule in rules:
            if rule.pattern is not None:
                self._by_pattern.setdefault(rule.pattern, []).append(rule)
        self._patterns = list(self._by_pattern)
        self._set = PatternSet(self._patterns)

    def first_look(self, folded: bytes) -> list[int]:
        """Which patterns match at all, by their index."""
        return self._set.matching(folded)

    def find(self, reply: ReplyText) -> Iterator[tuple[Rule, Span]]:
        """Every finding, rule by rule."""
        for index in self.first_look(reply.folded):
            pattern = self._patterns[index]
            rules = [rule for rule in self._by_pattern[pattern] if _applies(rule, reply)]
            found = list(spans(pattern, reply.folded)) if rules else []
            for rule in rules:
                yield from _findings(rule, reply, found)
        for rule in self._always:
            if _applies(rule, reply):
                yield from _findings(rule, reply, ())


def _findings(rule: Rule, reply: ReplyText, found: Sequence[Span]) -> Iterator[tuple[Rule, Span]]:
    return ((rule, span) for span in rule.find(reply, found))


def _applies(rule: Rule, reply: ReplyText) -> bool:
    return rule.applies is None or rule.applies(reply.moment)


@lru_cache(maxsize=1)
def english_pack() -> Pack:
    """The rules for English, compiled on first use."""
    return Pack(RULES)


def find_tells(reply_text: str, case: Case | None, persona: str | None = None) -> tuple[Tell, ...]:
    """All tells in a reply, sorted by where they stand.

    Args:
        reply_text: The reply, as the subject wrote it.
        case: What it answers. Without one, only what is a fault in every moment is found.
        persona: What is true of the speaker; a life claim that stands in it is no fabrication.
    """
    reply = ReplyText(reply_text, moment_of(case), persona)
    tells = [
        Tell(rule.id, rule.axis_or_hard_fail, start, end, reply_text[start:end])
        for rule, (start, end) in english_pack().find(reply)
    ]
    return tuple(sorted(tells, key=lambda tell: (tell.start, tell.end, tell.rule)))
