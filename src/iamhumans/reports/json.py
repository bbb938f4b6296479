"""A report as JSON: the same bytes for the same content."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from operator import attrgetter
from tempfile import SpooledTemporaryFile
from typing import Any, Self

from iamhumans.cases import Turn
from iamhumans.reports.headline import headline_document
from iamhumans.reports.panel import panel_document
from iamhumans.reports.report import Report
from iamhumans.reports.spread import spread_document
from iamhumans.text.json_text import json_text
from iamhumans.verdicts import Judgement
from iamhumans.verdicts.judgement import messages_of

_MOST_IN_MEMORY = 32_000_000
_PIECE = 1_000_000
_MOST_CACHED = 1_000
_PLACE = ("row", "case_id", "subject", "number", "judge", "repeat", "status", "reason", "detail")
_APART = (*_PLACE, "notes", "id", "lang", "reply", "conversation")
_LINE = "{" + "".join(f'"{name}": %s, ' for name in _PLACE) + '%s, "notes": %s%s}'
_OF_A_VOTE = ("repeat", "stated", "differences", "repairs", "notes", "reply", "conversation")
_place_of = attrgetter(*_PLACE)
_said_of = attrgetter(
    *("defaulted", "total", "total_confirmed", "axis_total", "applicable_total", "verdict", "stated"),
    *("differences", "repairs"),
)
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
"""What JSON need not escape."""


def report_json(report: Report, more: Mapping[str, Any] | None = None) -> Iterator[str]:
    """A report as one document, in pieces, with the judgements last, a line each.

    The figures need all judgements, so their lines wait in a temporary file where they are very many. Where replies
    have several votes, ``replies`` holds what the votes on each come to.

    Args:
        report: The report; of several judges it has a ``panel``.
        more: Other parts of the document.
    """
    with _Lines() as judgements, _Lines() as replies:
        known: dict[tuple[Any, ...], tuple[Judgement, str]] = {}
        for reply in report.replies():
            for one in reply.votes:
                judgements.add(_line(one, known, report.checked(one)))
            if reply.panel is not None:
                replies.add(reply_line(reply.combined))
        panel = {"panel": panel_document(report.panel)} if report.panel else {}
        spread = {"spread": spread_document(report.spread)} if report.spread else {}
        head = {**report.head(), "headline": headline_document(report), **spread}
        yield json_text({**head, **panel, **(more or {})}, indent=2).removesuffix("\n}")
        if report.digest.several:
            yield from replies.pieces("replies")
        yield from judgements.pieces("judgements")
    yield "\n}\n"


class _Lines:
    """The lines of a list, which wait in a temporary file where they are very many."""

    def __init__(self) -> None:
        # It is closed at the end of the block in which it is used.
        self._file = SpooledTemporaryFile(_MOST_IN_MEMORY, "w+", encoding="utf-8")  # noqa: SIM115
        self._separator = "\n    "

    def add(self, line: str) -> None:
        self._file.write(self._separator + line)
        self._separator = ",\n    "

    def pieces(self, name: str) -> Iterator[str]:
        """The list as a part of a document."""
        yield f',\n  "{name}": ['
        self._file.seek(0)
        yield from iter(partial(self._file.read, _PIECE), "")
        yield "\n  ]"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def reply_document(one: Judgement) -> dict[str, Any]:
    """What the votes on a reply come to."""
    return {name: value for name, value in one.to_dict().items() if name not in _OF_A_VOTE}


def reply_line(one: Judgement) -> str:
    """The same as a line."""
    return json_text(reply_document(one))


def _line(one: Judgement, known: dict[tuple[Any, ...], tuple[Judgement, str]], checked: Mapping[str, Any]) -> str:
    """The same as ``json_text(one.to_dict() | checked)`` in a quarter of the time. What is shared is written once."""
    key = (id(one.axes), id(one.hard_fails), _said_of(one))
    found = known.get(key)
    if found is None:
        if len(known) >= _MOST_CACHED:
            known.clear()
        verdict = {name: value for name, value in one.to_dict().items() if name not in _APART}
        # The judgement is stored as well, so that no other mapping can get the id of one of its own.
        found = known[key] = one, json_text(verdict)[1:-1]
    rest = _known(one) + _texts(one) + _more(checked)
    return _LINE % (*map(_json, _place_of(one)), found[1], _json(one.notes), rest)


def _known(one: Judgement) -> str:
    return "".join(
        f', "{name}": {_json(said)}' for name, said in (("id", one.id), ("lang", one.lang)) if said is not None
    )


def _texts(one: Judgement) -> str:
    if one.reply is None and one.conversation is None:
        return ""
    return f', "reply": {_json(one.reply)}, "conversation": {_conversation(one.conversation)}'


def _more(checked: Mapping[str, Any]) -> str:
    return f", {json_text(checked)[1:-1]}" if checked else ""


@lru_cache(maxsize=1_000)
def _conversation(turns: tuple[Turn, ...] | None) -> str:
    return json_text(messages_of(turns))


def _json(value: str | int | None) -> str:
    if isinstance(value, int):
        return str(value)
    return f'"{value}"' if value is not None and _PLAIN.fullmatch(value) else json_text(value)
