"""Deterministic findings in a reply. A set of rules for each language; English so far."""

from iamhumans.tells.code_hash import hash_of_code
from iamhumans.tells.english import RULES
from iamhumans.tells.language import looks_english
from iamhumans.tells.moment import Moment, moment_of
from iamhumans.tells.rule import Rule
from iamhumans.tells.scan import find_tells
from iamhumans.tells.tell import MAX_QUOTE, Tell, quote_of

__all__ = [
    "MAX_QUOTE",
    "RULES",
    "Moment",
    "Rule",
    "Tell",
    "find_tells",
    "hash_of_code",
    "looks_english",
    "moment_of",
    "quote_of",
]
