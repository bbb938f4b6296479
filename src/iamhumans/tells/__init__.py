"""Deterministic findings in a reply. A set of rules for each language; English so far."""

from iamhumans.tells.english import RULES
from iamhumans.tells.language import looks_english
from iamhumans.tells.moment import Moment, moment_of
from iamhumans.tells.rule import Rule
from iamhumans.tells.scan import find_tells
from iamhumans.tells.tell import MAX_QUOTE, Tell, quote_of
