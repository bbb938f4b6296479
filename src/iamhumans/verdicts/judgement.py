"""The public result of judging one reply, as the library, the journal and every output have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from iamhumans.text import for_markdown, json_text, one_line
from iamhumans.verdicts.verdict import Flag, Number, Outcome

if TYPE_CHECKING:
    from iamhumans.cases import Turn

Status = Literal["judged", "unjudged"]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Stated:
    """The total and the verdict that the judge itself stated. They are compared with ours and never used."""

    total: Number | None = None
    verdict: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Votes:
    """Of several votes on one reply: how many are verdicts, how many were asked for, and whether they zero it."""

    judged: int
    asked: int
    zeroed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict with its score, or unjudged with a reason. The fields have the names of the JSON lines.

    All fields that follow from a verdict are ``None`` if there is none, and otherwise those that the judge cannot see.

    Attributes:
        row, number, repeat: Which reply of the input, which of several replies to the case, and which of several
            independent judgements of the reply; each from 1.
        case_id, subject, judge: The case, who replied (empty if unknown), and the judge as the user named it.
        status, reason, detail: ``judged``, or ``unjudged`` with a reason from the closed list and the same in words.
        axes, defaulted: Scores from 0 to 10, and the axes that count as their default, since nothing was at stake.
        hard_fails: The answer on each hard fail, by its id.
        total: 0 to 100; 0 if a hard fail is present. ``total_confirmed`` ignores hard fails without a confirmed quote.
        axis_total: Ten times the mean of all axes, hard fails aside; ``applicable_total``: of the axes at stake.
        verdict: ``PASS`` or ``FAIL``.
        zeroed: Whether a hard fail makes the total 0; ``null`` where the judge cannot tell.
        stated, differences: What the judge itself stated, and which of it does not follow from its answers: ``total``,
            ``verdict``, or ``total_without_na`` for a total in which N/A was left out of the mean.
        repairs, notes: What was repaired in the form of the answer, and the judge's notes.
        title, reply_key, reasoning: The title of the case, the key of the reply in the journal, and the reasoning that
            was taken off the reply. Not part of the JSON line. In a run, `Run.replies()` has the reasoning.
        id, lang: The id that a row of a file has, and the language of the case. Part of the JSON line where known.
        reply, conversation: What was judged, and what it answers, where they were read. Part of the JSON line then.
        cluster: Of a reply without a case: which replies are of the same conversation. Not part of it either.
        votes: Where this is what several votes come to: how many they are. Then each hard fail has its votes as well.
    """

    row: int = 1
    case_id: str | None = None
    subject: str = ""
    number: int = 1
    judge: str = ""
    repeat: int = 1
    status: Status = "judged"
    reason: str | None = None
    detail: str | None = None
    axes: Mapping[str, Number | None] | None = None
    defaulted: tuple[str, ...] | None = None
    hard_fails: Mapping[str, Flag] | None = None
    total: int | None = None
    total_confirmed: int | None = None
    axis_total: int | None = None
    applicable_total: int | None = None
    verdict: Outcome | None = None
    stated: Stated | None = None
    differences: tuple[str, ...] | None = None
    repairs: tuple[str, ...] | None = None
    notes: str | None = None
    id: str | None = None
    lang: str | None = None
    title: str = field(default="", compare=False)
    reply_key: str = field(default="", compare=False)
    reply: str | None = field(default=None, compare=False)
    conversation: tuple[Turn, ...] | None = field(default=None, compare=False)
    reasoning: str = field(default="", compare=False)
    cluster: str = field(default="", compare=False)
    votes: Votes | None = None

    @property
    def judged(self) -> bool:
        """Whether there is a verdict."""
        return self.status == "judged"

    @property
    def zeroed(self) -> bool | None:
        """Whether a hard fail makes the total 0; ``None`` where there is no verdict, or where the judge cannot tell.

        Several votes may zero a reply without a hard fail on which most of them agree.
        """
        if self.votes is not None:
            return self.votes.zeroed
        if self.hard_fails is None:
            return None
        answers = [flag.present for flag in self.hard_fails.values()]
        return True if True in answers else None if None in answers else False

    @property
    def against(self) -> tuple[str, ...]:
        """The hard fails that speak against the reply: the present ones, or if votes zero it without one, all named."""
        if (present := self.present) or not self.zeroed:
            return present
        flags = (self.hard_fails or _NOTHING).items()
        return tuple(
            [
                name
                for name, flag in flags
                if flag.present is not None and (flag.quotes or (flag.votes and flag.votes[0]))
            ]
        )

    @property
    def present(self) -> tuple[str, ...]:
        """The hard fails that are answered with YES."""
        return tuple([name for name, flag in (self.hard_fails or _NOTHING).items() if flag.present])

    @property
    def not_counted(self) -> tuple[str, ...]:
        """The hard fails of which the judge found words, although its YES to them does not count."""
        flags = (self.hard_fails or _NOTHING).items()
        return tuple([name for name, flag in flags if flag.present is None and flag.quotes])

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """The hard fails that are answered with YES, without a quote that is in the reply."""
        return tuple(
            [name for name, flag in (self.hard_fails or _NOTHING).items() if flag.present and flag.confirmed is False]
        )

    @property
    def unseen(self) -> tuple[str, ...]:
        """The axes and hard fails that this judge cannot see."""
        axes = [name for name, value in (self.axes or _NOTHING).items() if value is None]
        return (*axes, *(name for name, flag in (self.hard_fails or _NOTHING).items() if flag.present is None))

    @property
    def at_stake(self) -> Mapping[str, Number]:
        """The axes that were scored and not defaulted."""
        axes, defaulted = self.axes or _NOTHING, self.defaulted or ()
        return {name: value for name, value in axes.items() if value is not None and name not in defaulted}

    def to_dict(self) -> dict[str, Any]:
        """The JSON line of the judgement."""
        line = {name: getattr(self, name) for name in _FIELDS}
        line |= {name: list(line[name]) for name in ("defaulted", "differences", "repairs") if line[name] is not None}
        line["axes"] = None if self.axes is None else dict(self.axes)
        if self.hard_fails is not None:
            line["hard_fails"] = {name: _flag(flag) for name, flag in self.hard_fails.items()}
        if self.votes is not None:
            line["votes"] = [self.votes.judged, self.votes.asked]
        line["stated"] = {"total": self.stated.total, "verdict": self.stated.verdict} if self.stated else None
        line |= {name: said for name in ("id", "lang") if (said := getattr(self, name)) is not None}
        if self.reply is not None or self.conversation is not None:
            line |= {"reply": self.reply, "conversation": messages_of(self.conversation)}
        return line

    def to_json(self) -> str:
        """The JSON line as text."""
        return json_text(self.to_dict())

    def to_markdown(self) -> str:
        """A heading with the outcome and a table of everything that the judge said."""
        rows = [f"| {for_markdown(name)} | {for_markdown(value)} |\n" for name, value in self._rows()]
        return f"**{for_markdown(self._headline())}**\n\n| criterion | answer |\n|---|---|\n{''.join(rows)}"

    def __repr__(self) -> str:
        """The outcome in one line."""
        return f"<Judgement {self._headline()}>"

    def _repr_html_(self) -> str:
        """The same as Markdown, for notebooks."""
        rows = [f"<tr><th>{_html(name)}</th><td>{_html(value)}</td></tr>" for name, value in self._rows()]
        return f"<div><strong>{_html(self._headline())}</strong><table>{''.join(rows)}</table></div>"

    def _headline(self) -> str:
        of = f" for {one_line(self.case_id, 60)}" if self.case_id else ""
        if not self.judged:
            return f"unjudged{of}: {self.reason}" + (f" ({one_line(self.detail, 120)})" if self.detail else "")
        if self.total is None:
            return f"no fault found{of}, by the criteria that this judge sees"
        found = f", hard fails: {', '.join(self.against)}" if self.against else ""
        applicable = "" if self.applicable_total is None else f", applicable total {self.applicable_total}"
        return f"{self.verdict}{of}: total {self.total}{applicable}{found}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        for name, score in (self.axes or _NOTHING).items():
            default = " (default)" if name in (self.defaulted or ()) else ""
            yield name, "not seen by this judge" if score is None else f"{score}{default}"
        for name, flag in (self.hard_fails or _NOTHING).items():
            quotes = "; ".join([f"“{one_line(quote, 200)}”" for quote in flag.quotes]) or "no quote"
            doubt = " (not confirmed)" if flag.confirmed is False else ""
            unseen = f"found, but it does not count: {quotes}" if flag.quotes else "not seen by this judge"
            votes = "" if flag.votes is None else f" ({flag.votes[0]} of {flag.votes[1]} votes)"
            yield name, {None: unseen, False: "NO", True: f"YES: {quotes}{doubt}"}[flag.present] + votes
        if self.notes:
            yield "notes", one_line(self.notes, 1000)


_ASIDE = ("id", "lang", "title", "reply_key", "reasoning", "reply", "conversation", "cluster", "votes")
_FIELDS = tuple(
    part
    for name in Judgement.__dataclass_fields__
    if name not in _ASIDE
    for part in (("zeroed", name) if name == "total" else (name,))
)


def _flag(flag: Flag) -> dict[str, Any]:
    votes = {} if flag.votes is None else {"votes": list(flag.votes)}
    return {"present": flag.present, "quotes": list(flag.quotes), "confirmed": flag.confirmed, **votes}


def messages_of(turns: Sequence[Turn] | None) -> list[dict[str, str]] | None:
    """Turns as messages with a role and content, as JSON has them."""
    return None if turns is None else [{"role": turn.speaker, "content": turn.text} for turn in turns]


def _html(text: str) -> str:
    return escape(one_line(text))
