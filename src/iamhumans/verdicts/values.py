"""Single values of an answer: a score, YES or NO, quotes, a key. Strict about meaning, forgiving about form.

The readers take a value, its name and a set to which they add what they repaired.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from iamhumans.rubrics import AXIS_MAXIMUM, NOT_APPLICABLE
from iamhumans.text import YamlValue, one_line
from iamhumans.verdicts.verdict import Flag, Number, Outcome, Reason, Unjudged

ReadValue: TypeAlias = Callable[[YamlValue, str, set[str]], object]

NULL_WORDS = ("", "~", "null", "none")
CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")

_MARKUP = " \t\n*_`\"'“”‘’„«»「」"
_PICTURES = ("So", "Sk", "Mn", "Me", "Zs")
# The keys of an answer that is wrapped into an object.
_SCORE_KEYS = frozenset(["score", "value", "rating", "points", "grade"])
_SCALE_KEYS = frozenset(["max", "maximum", "out_of", "scale", "max_score"])
_FLAG_KEYS = frozenset(["present", "answer", "value", "result", "verdict", "flag", "detected", "triggered"])
_QUOTE_KEYS = frozenset(["quotes", "quote", "evidence", "examples", "example", "text"])
_KEY_JOINTS = re.compile(r"[\s\-]+")
_FULL_WIDTH = re.compile("[\uff01-\uff5e]+")
_TOTAL = re.compile(
    r"(-?[0-9]{1,18}(?:\.[0-9]{1,18})?)\s*(?:(?:/|out\s+of)\s*100|%)?(?:\s*[(\[].*|\s+[-–—:;,]\s.*)?", re.DOTALL
)
_OUTCOME = re.compile(
    r"(?P<word>pass|fail)(?:ed)?(?P<remark>\s*[(\[].*|\s*[-–—:;,.]\s.*|[.!])?", re.IGNORECASE | re.DOTALL
)
_BOTH = re.compile(r"\b(?:pass|fail|or)", re.IGNORECASE)


class Kind(NamedTuple):
    """One kind of answer: its form, what makes a remark behind it ambiguous, and what to say of another answer."""

    pattern: re.Pattern[str]  # with a group `remark`
    unsure: Callable[[re.Match[str]], bool]
    missing: Reason
    bad: Reason
    expected: str


_NUMBER_OR_DOUBT = re.compile(r"[0-9]|\b(?:or|to|maybe|perhaps)\b", re.IGNORECASE)
# Behind "8/10", "to" and "or" make a range only at the beginning.
_NUMBER_OR_DOUBT_OF_TEN = re.compile(r"[0-9]|^\W*(?:or|to)\b|\b(?:maybe|perhaps)\b", re.IGNORECASE)
# N/A counts as 10 in the total, so a remark may say so.
_ANOTHER_SCORE = re.compile(r"(?<![0-9])(?!10(?![0-9]))[0-9]|\b(?:maybe|perhaps)\b|^\W*or\b", re.IGNORECASE)


def _may_be_another_score(match: re.Match[str]) -> bool:
    doubt = _ANOTHER_SCORE if not match["number"] else _NUMBER_OR_DOUBT_OF_TEN if match["scale"] else _NUMBER_OR_DOUBT
    return doubt.search(match["remark"]) is not None


# A number ends at a boundary, so that "1e1", "0x8" and "7-8" are no scores.
_SCORE = Kind(
    re.compile(
        r"(?:n\s?/\s?a|na|n\.\s?a\.?|not[ _-]applicable|(?P<number>-?[0-9]++(?:[.,][0-9]++)?+)(?![0-9A-Za-z]|[.,][0-9])"
        r"(?:\s*(?:/|out\s+of)\s*(?P<scale>[0-9]++)(?:[.,]0++)?+(?![0-9A-Za-z]|[.,][0-9]))?)"
        r"(?P<remark>\s*[(\[].*|\s+[-–—:;,]\s.*|\s*[;:,.–—]\s.*|[.。])?",
        re.IGNORECASE | re.DOTALL,
    ),
    _may_be_another_score,
    Reason.MISSING_AXIS,
    Reason.NOT_A_NUMBER,
    f"not a number from 0 to {AXIS_MAXIMUM}",
)
REMARK = r"(?P<remark>\s*[(\[\"“'].*|\s*[-–—:;,、.。]\s.*|[.。])?"
_YES_WORDS = ("yes", "true", "y", "on", "present", "detected", "triggered")
_FLAG_DOUBT = re.compile(r"\b(?:yes|no|maybe|perhaps|or)\b", re.IGNORECASE)
_FLAG = Kind(
    re.compile(
        rf"(?P<word>{'|'.join(_YES_WORDS)}|no|false|n|off|absent|not\s(?:present|detected|triggered)){REMARK}",
        re.IGNORECASE | re.DOTALL,
    ),
    lambda match: _FLAG_DOUBT.search(match["remark"]) is not None,
    Reason.MISSING_FLAG,
    Reason.BAD_FLAG,
    "not YES or NO",
)
_PLAIN_SCORES: Mapping[str, Number | str] = {
    NOT_APPLICABLE: NOT_APPLICABLE,
    **{str(score): score for score in range(AXIS_MAXIMUM + 1)},
}
_PLAIN_FLAGS = {"NO": Flag(present=False), "YES": Flag(present=True)}


@lru_cache(maxsize=256)
def plain_key(key: str) -> str:
    """A key without markup, in lower case: ``**Empathy-Fit**`` is ``empathy_fit``."""
    if not key.isascii():
        key = unicodedata.normalize("NFKC", _visible(key))
    return _KEY_JOINTS.sub("_", key.strip(_MARKUP).lower())


def match_value(value: YamlValue, name: str, kind: Kind, repairs: set[str]) -> re.Match[str] | Unjudged:
    """A value in the form of its kind, or what is wrong with it."""
    if not isinstance(value, str):
        return _not_read(value, name, kind)
    text = _without_markup(value, repairs)
    if text.lower() in NULL_WORDS:
        return Unjudged(kind.missing, f"{name} has no value")
    match = kind.pattern.fullmatch(text)
    problem = kind.expected
    if match is not None:
        if not match["remark"]:
            return match
        if not kind.unsure(match):
            repairs.add("remark")
            return match
        problem = "which can be read in several ways"
    return Unjudged(kind.bad, f"{name} is `{one_line(value, 60)}`, {problem}")


def _not_read(value: YamlValue, name: str, kind: Kind) -> Unjudged:
    return Unjudged(kind.bad, f"{name} is a {'list' if isinstance(value, list) else 'mapping'}, {kind.expected}")


def _inside(value: dict[str, YamlValue], keys: frozenset[str], scales: frozenset[str], repairs: set[str]) -> YamlValue:
    """The answer in an object that holds one, with the scale that it names; the object itself if that is not sure."""
    found = [part for key, part in value.items() if plain_key(key) in keys]
    if len(found) != 1 or not isinstance(found[0], str):
        return value
    scale = [part for key, part in value.items() if plain_key(key) in scales and isinstance(part, str)]
    repairs.add("placement")
    return f"{found[0]}/{scale[0]}" if scale and found[0].strip().isdigit() else found[0]


def read_score(value: YamlValue, name: str, repairs: set[str]) -> Number | str | Unjudged:
    """A score from 0 to 10, ``N/A``, or what is wrong with it. An object ``{score, reason}`` is read, too."""
    if isinstance(value, dict):
        value = _inside(value, _SCORE_KEYS, _SCALE_KEYS, repairs)
    if isinstance(value, str) and value in _PLAIN_SCORES:
        return _PLAIN_SCORES[value]
    match = match_value(value, name, _SCORE, repairs)
    if isinstance(match, Unjudged):
        return match
    if match["number"] is None:
        return NOT_APPLICABLE
    # Exact: as a float, 10.00000000000000001 would be 10 and inside the range.
    number = Decimal(match["number"].replace(",", "."))
    if not 0 <= number <= AXIS_MAXIMUM or match["scale"] not in (None, str(AXIS_MAXIMUM)):
        return Unjudged(Reason.OUT_OF_RANGE, f"{name} is `{one_line(str(value), 60)}`, outside 0 to {AXIS_MAXIMUM}")
    if not match["number"].isdigit():
        repairs.add("decimal_score")
    if match["scale"]:
        repairs.add("out_of_ten")
    return int(number) if number == int(number) else float(number)


def read_flag(value: YamlValue, name: str, repairs: set[str]) -> Flag | Unjudged:
    """YES or NO, or what is wrong with it. An object ``{present, quotes}`` is read, too."""
    if isinstance(value, dict):
        inside = _inside(value, _FLAG_KEYS, frozenset(), repairs)
        answer = read_flag(inside, name, repairs) if isinstance(inside, str) else _not_read(inside, name, _FLAG)
        quotes = [part for key, part in value.items() if plain_key(key) in _QUOTE_KEYS]
        return (
            answer if isinstance(answer, Unjudged) else replace(answer, quotes=read_quotes(quotes[0] if quotes else ""))
        )
    if isinstance(value, str) and value in _PLAIN_FLAGS:
        return _PLAIN_FLAGS[value]
    match = match_value(value, name, _FLAG, repairs)
    if isinstance(match, Unjudged):
        return match
    if match["word"] not in _PLAIN_FLAGS:
        repairs.add("flag_word")
    return _PLAIN_FLAGS["YES" if match["word"].lower() in _YES_WORDS else "NO"]


def read_total(value: YamlValue, *_: object) -> Number | None:
    """The judge's own total, if it is a number."""
    match = _TOTAL.fullmatch(_without_markup(value, set())) if isinstance(value, str) else None
    number = float(match[1]) if match else None
    return int(number) if number is not None and number.is_integer() else number


def read_outcome(value: YamlValue, *_: object) -> Outcome | None:
    """The judge's own PASS or FAIL, if it is one of the two."""
    match = _OUTCOME.fullmatch(_without_markup(value, set())) if isinstance(value, str) else None
    if match is None or _BOTH.search(match["remark"] or ""):
        return None
    return "PASS" if match["word"].upper() == "PASS" else "FAIL"


def read_word(value: YamlValue, *_: object) -> str | None:
    """A value without the blanks around it; ``None`` if it is empty or no text."""
    return writable(value).strip() or None if isinstance(value, str) else None


def read_quotes(value: YamlValue, *_: object) -> tuple[str, ...]:
    """The quotes of a piece of evidence: a string or a list of strings."""
    items = value if isinstance(value, list) else [value]
    return tuple([writable(item) for item in items if isinstance(item, str) and item.strip()])


def read_prose(value: YamlValue, *_: object) -> str:
    """Running text; a list of sentences is joined."""
    return writable(value).strip() if isinstance(value, str) else "\n".join(read_quotes(value))


def writable(text: str) -> str:
    r"""The text without characters that came in as escapes (``\u0000``, half an emoji) and cannot be written."""
    return text if text.replace("\n", "").isprintable() else CONTROL_CHARACTERS.sub("", text)


def _without_markup(value: str, repairs: set[str]) -> str:
    text = value
    if not text.isascii():
        visible = _visible(value)
        text = _FULL_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match[0]), visible)
        plain = _without_pictures(text)
        if text != visible or plain.split() != text.split():
            repairs.add("characters")
        text = plain
    return text.strip().strip(_MARKUP)


def _without_pictures(text: str) -> str:
    """The text without emoji around it. They say nothing that the word between them does not say."""
    start, end = 0, len(text)
    while start < end and unicodedata.category(text[start]) in _PICTURES:
        start += 1
    while end > start and unicodedata.category(text[end - 1]) in _PICTURES:
        end -= 1
    return text[start:end] if text[start:end].strip() else text


def _visible(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character) != "Cf")
