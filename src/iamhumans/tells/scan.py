"""From a reply to its tells."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from iamhumans.cases import Case, Turn
from iamhumans.errors import InputError
from iamhumans.tells.checks import SENTENCE, ReplyText
from iamhumans.tells.english import RULES
from iamhumans.tells.folded import fold_in_place
from iamhumans.tells.moment import moment_of
from iamhumans.tells.rule import Rule, search_set
from iamhumans.tells.tell import Tell


@lru_cache(maxsize=1)
def rule_set() -> tuple[Any, Sequence[Sequence[Rule]], Sequence[Rule]]:
    """The rules for English: one search for all patterns, the rules of each pattern, and those without a pattern."""
    by_pattern: Mapping[str, list[Rule]] = {rule.pattern: [] for rule in RULES if rule.pattern is not None}
    for rule in RULES:
        if rule.pattern is not None:
            by_pattern[rule.pattern].append(rule)
    return search_set(by_pattern), list(by_pattern.values()), [rule for rule in RULES if rule.pattern is None]


def find_tells(
    reply: str,
    *,
    input: str = "",  # noqa: A002 - the name that the whole API has for it
    case: Case | None = None,
    persona: str | None = None,
) -> tuple[Tell, ...]:
    """Find all tells in a reply, sorted by place, by rules alone and without a model. English only.

    The reply answers ``input`` or ``case``, not both (InputError). With neither, only faults of every moment are found.
    A claim of a life that the ``persona`` covers is no fault.

    >>> [tell.rule for tell in find_tells("Great question! I hope this helps.")]
    ['sycophancy.question', 'naturalness.closer']
    """
    if input:
        if case is not None:
            raise InputError("Both `input` and `case` are given.", fix="Give one of them.")
        case = Case("", (Turn("user", input),))
    first_look, by_pattern, always = rule_set()
    moment, folded = moment_of(case), fold_in_place(reply)
    sentences = [match.span() for match in SENTENCE.finditer(folded)]
    text = ReplyText(folded, sentences, moment, fold_in_place(persona or ""))
    matching = [rule for index in first_look.Match(folded) or () for rule in by_pattern[index]]
    tells = [
        Tell(rule.id, rule.axis_or_hard_fail, start, end, reply[start:end], rule.meaning)
        for rule in (*matching, *always)
        if moment.facts.issuperset(rule.when) and moment.facts.isdisjoint(rule.unless)
        for start, end in text.findings(rule)
    ]
    return tuple(sorted(tells, key=lambda tell: (tell.start, tell.end, tell.rule)))
