"""Single values of a verdict: a score, an answer on a flag, a key. Strict about meaning, forgiving about dress.

Each function returns what was read, or a :class:`Wrong`; what was forgiven is added to ``repairs``.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.text import YamlValue, one_line
from iamhumans.verdicts.model import Flag, Number, Reason


@dataclass(frozen=True, slots=True)
class Wrong:
    """A value that means nothing here."""

    reason: Reason
    detail: str


class NotApplicable:
    """The type of :data:`NA`."""

    def __repr__(self) -> str:
        return "N/A"


NA: Final = NotApplicable()
"""The judge said that there is nothing to score."""

_PLAIN_SCORES = {str(score): score for score in range(AXIS_MAXIMUM + 1)}
_NA = re.compile(r"(?:n/a|na|n\.a\.|not[ _]applicable)(?P<remark>\s*(?:\(|\s[-–—]\s).*)?", re.IGNORECASE | re.DOTALL)
NULL_WORDS = {"", "~", "null", "none"}
_YES_WORDS = {"yes", "true", "y", "on"}
_NO_WORDS = {"no", "false", "n", "off"}

# A number, perhaps out of something, perhaps with a remark that is set off by a bracket or a spaced dash. The number
# ends at a boundary, so that 1e1 and 0x8 are no numbers and "7-8" is no 7.
_SCORE = re.compile(
    r"(?P<number>-?[0-9]{1,18}(?:[.,][0-9]{1,18})?)(?![0-9A-Za-z.,])"
    r"(?:\s*/\s*(?P<scale>[0-9]{1,18})(?![0-9A-Za-z.,]))?"
    r"(?:\s*[(\[](?P<bracketed>.*)|\s+[-–—:;,](?P<spaced>\s.*)|(?P<dot>\.))?",
    re.DOTALL,
)
_MANY_DIGITS = re.compile(r"-?[0-9]{19,}(?:[.,][0-9]*)?")
_UNSURE_ABOUT_SCORE = re.compile(r"[0-9]|\b(?:or|to|maybe|perhaps)\b", re.IGNORECASE)
_FLAG = re.compile(
    r"(?P<word>[A-Za-z]+)(?:\s*[(\[\"“'](?P<bracketed>.*)|\s*[-–—:;,](?P<spaced>\s.*)|(?P<dot>\.))?", re.DOTALL
)
_UNSURE_ABOUT_FLAG = re.compile(r"\b(?:yes|no|maybe|perhaps|or)\b", re.IGNORECASE)
_FULL_WIDTH = re.compile("[\uff01-\uff5e]+")
_KEY_DRESS = " \t*_`\"'“”‘’"
_KEY_JOINTS = re.compile(r"[\s\-]+")


def plain_key(key: str) -> str:
    """A key without its dress: ``**Empathy-Fit**`` is ``empathy_fit``."""
    if not key.isascii():
        key = "".join(
            character for character in unicodedata.normalize("NFKC", key) if unicodedata.category(character) != "Cf"
        )
    return _KEY_JOINTS.sub("_", key.strip(_KEY_DRESS).lower())


def read_score(value: YamlValue, name: str, repairs: set[str]) -> Number | NotApplicable | Wrong:
    """A score from 0 to 10, N/A, or what is wrong with it."""
    if not isinstance(value, str):
        return Wrong(
            Reason.NOT_A_NUMBER, f"{name} is a {'list' if isinstance(value, list) else 'mapping'}, not a number"
        )
    plain = _PLAIN_SCORES.get(value)
    if plain is not None:
        return plain
    text = narrow(value, repairs)
    if text.lower() in NULL_WORDS:
        return Wrong(Reason.MISSING_AXIS, f"{name} has no score")
    not_applicable = _NA.fullmatch(text)
    if not_applicable and not _UNSURE_ABOUT_SCORE.search(not_applicable["remark"] or ""):
        repairs.update({"remark"} if not_applicable["remark"] else ())
        return NA
    match = _SCORE.fullmatch(text)
    if match is None:
        reason = Reason.OUT_OF_RANGE if _MANY_DIGITS.fullmatch(text) else Reason.NOT_A_NUMBER
        return Wrong(reason, f"{name} is {shown(value)}, not a number from 0 to {AXIS_MAXIMUM}")
    return _score_of(match, name, value, repairs)


def _score_of(match: re.Match[str], name: str, value: str, repairs: set[str]) -> Number | Wrong:
    remark = match["bracketed"] if match["bracketed"] is not None else match["spaced"]
    if remark is not None and _UNSURE_ABOUT_SCORE.search(remark):
        return Wrong(Reason.NOT_A_NUMBER, f"{name} is {shown(value)}, which may be read in several ways")
    # Exact, since 10.00000000000000001 as a float is 10 and would be inside the range.
    number = Fraction(match["number"].replace(",", "."))
    scale = match["scale"]
    if not 0 <= number <= AXIS_MAXIMUM or (scale is not None and int(scale) != AXIS_MAXIMUM):
        return Wrong(Reason.OUT_OF_RANGE, f"{name} is {shown(value)}, outside 0 to {AXIS_MAXIMUM}")
    repairs.update(
        name
        for name, found in (
            ("decimal_comma", "," in match["number"]),
            ("decimal_score", "." in match["number"] or "," in match["number"]),
            ("out_of_ten", scale is not None),
            ("remark", remark is not None or match["dot"] is not None),
        )
        if found
    )
    return int(number) if number.denominator == 1 else float(number)


def read_flag(value: YamlValue, name: str, repairs: set[str]) -> Flag | Wrong:
    """YES or NO, or what is wrong with it. A mapping ``{present, quotes}`` is read, too."""
    if value == "NO":
        return Flag(present=False)
    if value == "YES":
        return Flag(present=True)
    if isinstance(value, dict) and "present" in value:
        repairs.add("nested_flag")
        answer = read_flag(value["present"], name, repairs)
        quotes = read_quotes(value.get("quotes", value.get("quote", value.get("evidence", ""))))
        return answer if isinstance(answer, Wrong) else Flag(answer.present, quotes if answer.present else ())
    if not isinstance(value, str):
        return Wrong(Reason.BAD_FLAG, f"{name} is a {'list' if isinstance(value, list) else 'mapping'}, not YES or NO")
    return _flag_from_words(value, name, repairs)


def _flag_from_words(value: str, name: str, repairs: set[str]) -> Flag | Wrong:
    text = narrow(value, repairs)
    if text.lower() in NULL_WORDS:
        return Wrong(Reason.MISSING_FLAG, f"{name} has no answer")
    match = _FLAG.fullmatch(text)
    word = match["word"] if match else ""
    if match is None or word.lower() not in _YES_WORDS | _NO_WORDS:
        return Wrong(Reason.BAD_FLAG, f"{name} is {shown(value)}, not YES or NO")
    remark = match["bracketed"] if match["bracketed"] is not None else match["spaced"]
    if remark is not None and _UNSURE_ABOUT_FLAG.search(remark):
        return Wrong(Reason.BAD_FLAG, f"{name} is {shown(value)}, which may be read in several ways")
    if remark is not None or match["dot"] is not None:
        repairs.add("remark")
    if word not in ("YES", "NO"):
        repairs.add("flag_word")
    return Flag(present=word.lower() in _YES_WORDS)


def read_quotes(value: YamlValue) -> tuple[str, ...]:
    """The quotes of a piece of evidence: a string or a list of strings; anything else in it is no quote."""
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if isinstance(item, str) and item.strip())


def read_number(value: YamlValue) -> Number | None:
    """The judge's own total, where it is a number; it never matters to the outcome."""
    match = (
        re.fullmatch(r"\s*(-?[0-9]{1,18}(?:\.[0-9]{1,18})?)\s*(?:/\s*100)?\s*", value)
        if isinstance(value, str)
        else None
    )
    if match is None:
        return None
    number = float(match[1])
    return int(number) if number.is_integer() else number


def narrow(value: str, repairs: set[str]) -> str:
    """Full-width letters, digits and signs as plain ones, without invisible characters and markup around them."""
    text = value
    if not text.isascii():
        visible = "".join(character for character in value if unicodedata.category(character) != "Cf")
        text = _FULL_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match.group()), visible)
        if text != visible:
            repairs.add("full_width")
    return text.strip().strip("*`_").strip()


def shown(value: str) -> str:
    """A value in a message."""
    return f"`{one_line(value, 60)}`"
