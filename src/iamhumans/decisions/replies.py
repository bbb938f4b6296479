"""A reply with several votes as one judgement: what outputs show and figures count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from iamhumans.decisions.panel import Asked, Combined, PanelReply, VoteReader
from iamhumans.rubrics import Rubric
from iamhumans.verdicts import Flag, Judgement, Unjudged
from iamhumans.verdicts.judgement import Votes

PANEL = "panel"
"""The judge of what the votes of several judges come to."""
_MOST_CACHED = 5_000


class JudgedReply(NamedTuple):
    """A reply with its votes. ``combined`` is what they come to: the judgement itself where there is only one.

    Attributes:
        by_judge: What the votes of each judge come to, by its name.
        panel: The same for decisions; ``None`` where there is one vote.
    """

    votes: Sequence[Judgement]
    combined: Judgement
    by_judge: Mapping[str, Judgement]
    panel: PanelReply | None = None


class ReplyReader:
    """Groups judgements by reply and combines the votes on each."""

    def __init__(self, rubric: Rubric, asked: Asked) -> None:
        self._rubric = rubric
        self._asked = asked
        self._votes = VoteReader(rubric, asked)
        # What votes come to depends on their contents alone, and most are alike.
        self._known: dict[tuple[object, ...], tuple[object, Judgement]] = {}

    def replies(self, judgements: Iterable[Judgement]) -> Iterator[JudgedReply]:
        """The replies, in the order of the judgements. Those of one reply have the same row and follow each other."""
        single = self._asked.each == 1
        for _, several in groupby(judgements, key=attrgetter("row")):
            own = list(several)
            if single and len(own) == 1:
                yield JudgedReply(own, own[0], {own[0].judge: own[0]})
            else:
                yield self._several(own)

    def _several(self, own: Sequence[Judgement]) -> JudgedReply:
        panel = self._votes.reply(own)
        names = tuple(panel.ballots)
        if not panel.judges:
            combined = self._as_judgement(panel.combined, own, names[0], asked=self._asked.repeats)
            return JudgedReply(own, combined, {names[0]: combined}, panel)
        by_judge = {}
        for name in names:
            votes = [one for one in own if one.judge == name]
            if len(votes) == 1 and self._asked.repeats == 1:
                by_judge[name] = votes[0]
            elif votes:
                by_judge[name] = self._as_judgement(panel.judges[name], votes, name, asked=self._asked.repeats)
        combined = self._as_judgement(panel.combined, own, PANEL, asked=len(names))
        return JudgedReply(own, combined, by_judge, panel)

    def _as_judgement(
        self, combined: Combined | Unjudged, votes: Sequence[Judgement], judge: str, *, asked: int
    ) -> Judgement:
        first = votes[0]
        place = {name: getattr(first, name) for name in _PLACE}
        key = (
            judge,
            asked,
            *((id(one.axes), id(one.hard_fails), one.defaulted, one.total, one.reason) for one in votes),
        )
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_CACHED:
                self._known.clear()
            # The votes are held, so that no other ones get their ids.
            known = self._known[key] = votes, self._made(combined, votes, asked)
        return replace(known[1], judge=judge, **place)

    def _made(self, combined: Combined | Unjudged, votes: Sequence[Judgement], asked: int) -> Judgement:
        if isinstance(combined, Unjudged):
            # A judge has a vote where more than half of its repeats have, which the detail says of the panel.
            judged = min(sum(one.judged for one in votes), asked)
            return Judgement(
                status="unjudged",
                reason=combined.reason.value,
                detail=combined.detail,
                votes=Votes(judged, max(asked, 1), None),
            )
        vote = combined.vote
        axes = dict(zip(self._rubric.axis_ids, vote.axes, strict=True))
        knows = combined.zeroed or not vote.unseen
        return Judgement(
            axes=axes,
            defaulted=tuple(name for name in self._rubric.axis_ids if name in vote.defaulted),
            hard_fails=_flags(self._rubric.hard_fail_ids, combined, votes),
            total=combined.total,
            total_confirmed=combined.total_confirmed,
            axis_total=combined.axis_total,
            applicable_total=combined.applicable_total,
            verdict=combined.outcome,
            differences=(),
            repairs=(),
            votes=Votes(combined.votes, combined.asked, combined.zeroed if knows else None),
        )


_PLACE = ("row", "case_id", "subject", "number", "title", "reply_key", "cluster", "reply", "conversation")


def _flags(names: Iterable[str], combined: Combined, votes: Sequence[Judgement]) -> Mapping[str, Flag]:
    """The hard fails with their votes. Most are NO in all of them."""
    said = {name for one in votes for name, flag in (one.hard_fails or {}).items() if flag.present or flag.quotes}
    said |= combined.vote.unseen
    none = _all_no(tuple(names), combined.asked)
    return {**none, **{name: _flag(name, combined, votes) for name in none if name in said}} if said else none


@lru_cache(maxsize=64)
def _all_no(names: tuple[str, ...], asked: int) -> Mapping[str, Flag]:
    """Every hard fail answered NO by all votes: one mapping for all such replies, which are then counted together."""
    return dict.fromkeys(names, Flag(present=False, votes=(0, asked)))


def _flag(name: str, combined: Combined, votes: Sequence[Judgement]) -> Flag:
    """A hard fail with its votes, and the words of all that named it."""
    given = [flag for one in votes if (flag := (one.hard_fails or {}).get(name)) is not None]
    yes = [flag for flag in given if flag.present]
    quotes = tuple(dict.fromkeys(quote for flag in yes or given for quote in flag.quotes))
    said = [flag.confirmed for flag in yes]
    confirmed = None if not said or (None in said and True not in said) else True in said
    present: bool | None = name in combined.vote.flags
    if not present and (name in combined.uncounted or name in combined.vote.unseen):
        present, confirmed = None, None
    return Flag(present, quotes, confirmed, (combined.yes.get(name, 0), combined.asked))


def replies_of(judgements: Iterable[Judgement], rubric: Rubric, plan: Mapping[str, Any]) -> Iterator[JudgedReply]:
    """The replies of a run with their votes combined."""
    return ReplyReader(rubric, Asked.by(plan)).replies(judgements)
