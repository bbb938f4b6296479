"""Single values of an answer: a score, YES or NO, quotes, a key. Strict about meaning, forgiving about form.

The readers take a value, its name and a set to which they add what they repaired.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import Final

from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.text import YamlValue, one_line
from iamhumans.verdicts.verdict import Flag, Number, Outcome, Reason, Unjudged


class NotApplicable:
    """The type of :data:`NA`."""

    def __repr__(self) -> str:
        return "N/A"


NA: Final = NotApplicable()
"""The judge said that there is nothing to score."""
NULL_WORDS = {"", "~", "null", "none"}

_PLAIN_SCORES = {str(score): score for score in range(AXIS_MAXIMUM + 1)}
_NA = re.compile(r"(?:n/a|na|n\.a\.|not[ _]applicable)(?P<remark>\s*(?:\(|\s[-–—]\s).*)?", re.IGNORECASE | re.DOTALL)
_ANSWERS = {word: word in ("yes", "true", "y", "on") for word in ("yes", "true", "y", "on", "no", "false", "n", "off")}
# A number, perhaps with a scale or a remark behind a bracket or a spaced dash. It ends at a boundary, so that "1e1",
# "0x8" and "7-8" are no scores.
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
_TOTAL = re.compile(r"\s*(-?[0-9]{1,18}(?:\.[0-9]{1,18})?)\s*(?:/\s*100)?\s*")
_FULL_WIDTH = re.compile("[\uff01-\uff5e]+")
_YES, _NO = Flag(present=True), Flag(present=False)
_AROUND_KEYS = " \t*_`\"'“”‘’"
_KEY_JOINTS = re.compile(r"[\s\-]+")


@lru_cache(maxsize=256)
def plain_key(key: str) -> str:
    """A key without markup, in lower case: ``**Empathy-Fit**`` is ``empathy_fit``."""
    if not key.isascii():
        key = _visible(unicodedata.normalize("NFKC", key))
    return _KEY_JOINTS.sub("_", key.strip(_AROUND_KEYS).lower())


def read_score(value: YamlValue, name: str, repairs: set[str]) -> Number | NotApplicable | Unjudged:
    """A score from 0 to 10, N/A, or what is wrong with it."""
    if not isinstance(value, str):
        return Unjudged(Reason.NOT_A_NUMBER, f"{name} is a {kind_of(value)}, not a number")
    plain = _PLAIN_SCORES.get(value)
    if plain is not None:
        return plain
    text = narrow(value, repairs)
    if text.lower() in NULL_WORDS:
        return Unjudged(Reason.MISSING_AXIS, f"{name} has no score")
    not_applicable = _NA.fullmatch(text)
    if not_applicable and not _UNSURE_ABOUT_SCORE.search(not_applicable["remark"] or ""):
        repairs.update({"remark"} if not_applicable["remark"] else ())
        return NA
    match = _SCORE.fullmatch(text)
    if match is None:
        reason = Reason.OUT_OF_RANGE if _MANY_DIGITS.fullmatch(text) else Reason.NOT_A_NUMBER
        return Unjudged(reason, f"{name} is {shown(value)}, not a number from 0 to {AXIS_MAXIMUM}")
    remark = remark_of(match)
    if remark and _UNSURE_ABOUT_SCORE.search(remark):
        return Unjudged(Reason.NOT_A_NUMBER, f"{name} is {shown(value)}, which can be read in several ways")
    # Exact: as a float, 10.00000000000000001 would be 10 and inside the range.
    number = Fraction(match["number"].replace(",", "."))
    scale = match["scale"]
    if not 0 <= number <= AXIS_MAXIMUM or (scale is not None and int(scale) != AXIS_MAXIMUM):
        return Unjudged(Reason.OUT_OF_RANGE, f"{name} is {shown(value)}, outside 0 to {AXIS_MAXIMUM}")
    repairs.update({"decimal_comma"} if "," in match["number"] else ())
    repairs.update({"decimal_score"} if re.search("[.,]", match["number"]) else ())
    repairs.update({"out_of_ten"} if scale is not None else ())
    repairs.update({"remark"} if remark is not None or match["dot"] else ())
    return int(number) if number.denominator == 1 else float(number)


def read_flag(value: YamlValue, name: str, repairs: set[str]) -> Flag | Unjudged:
    """YES or NO, or what is wrong with it. A mapping ``{present, quotes}`` is read, too."""
    if isinstance(value, dict) and "present" in value:
        repairs.add("nested_flag")
        answer = read_flag(value["present"], name, repairs)
        quotes = read_quotes(value.get("quotes", value.get("quote", value.get("evidence", ""))))
        return answer if isinstance(answer, Unjudged) else Flag(answer.present, quotes if answer.present else ())
    if not isinstance(value, str):
        return Unjudged(Reason.BAD_FLAG, f"{name} is a {kind_of(value)}, not YES or NO")
    if value in ("NO", "YES"):
        return _YES if value == "YES" else _NO
    text = narrow(value, repairs)
    if text.lower() in NULL_WORDS:
        return Unjudged(Reason.MISSING_FLAG, f"{name} has no answer")
    match = _FLAG.fullmatch(text)
    if match is None or match["word"].lower() not in _ANSWERS:
        return Unjudged(Reason.BAD_FLAG, f"{name} is {shown(value)}, not YES or NO")
    remark = remark_of(match)
    if remark and _UNSURE_ABOUT_FLAG.search(remark):
        return Unjudged(Reason.BAD_FLAG, f"{name} is {shown(value)}, which can be read in several ways")
    repairs.update({"remark"} if remark is not None or match["dot"] else ())
    repairs.update({"flag_word"} if match["word"] not in ("YES", "NO") else ())
    return _YES if _ANSWERS[match["word"].lower()] else _NO


def read_total(value: YamlValue, _name: str, _repairs: set[str]) -> Number | None:
    """The judge's own total, where it is a number."""
    match = _TOTAL.fullmatch(value) if isinstance(value, str) else None
    number = float(match[1]) if match else None
    return int(number) if number is not None and number.is_integer() else number


def read_outcome(value: YamlValue, name: str, repairs: set[str]) -> Outcome | None:
    """The judge's own PASS or FAIL, where it is one of the two."""
    said = (read_word(value, name, repairs) or "").upper()
    return "PASS" if said == "PASS" else "FAIL" if said == "FAIL" else None


def read_word(value: YamlValue, _name: str, _repairs: set[str]) -> str | None:
    """A value without the blanks around it; ``None`` where it is empty or no text."""
    return value.strip() or None if isinstance(value, str) else None


READERS = {"case_id": read_word, "check": read_word, "total": read_total, "verdict": read_outcome}
"""How the values are read that every verdict has, whatever its rubric."""


def read_quotes(value: YamlValue) -> tuple[str, ...]:
    """The quotes of a piece of evidence: a string or a list of strings."""
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if isinstance(item, str) and item.strip())


def read_prose(value: YamlValue) -> str:
    """Running text; a list of sentences is joined."""
    return value.strip() if isinstance(value, str) else "\n".join(read_quotes(value))


def remark_of(match: re.Match[str]) -> str | None:
    """The remark behind a value, where the match has one."""
    return match["spaced"] if match["bracketed"] is None else match["bracketed"]


def narrow(value: str, repairs: set[str]) -> str:
    """Full-width letters, digits and signs as plain ones, without invisible characters and markup around them."""
    text = value
    if not text.isascii():
        visible = _visible(value)
        text = _FULL_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match[0]), visible)
        if text != visible:
            repairs.add("full_width")
    return text.strip().strip("*`_").strip()


def _visible(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character) != "Cf")


def kind_of(value: YamlValue) -> str:
    """What a value is, in a message."""
    return "list" if isinstance(value, list) else "mapping"


def shown(value: str) -> str:
    """A value in a message."""
    return f"`{one_line(value, 60)}`"
