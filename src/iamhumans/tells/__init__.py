"""Deterministic findings in a reply: a rule's id and a span. A pack of rules a language; English so far."""

from iamhumans.tells.context import Moment, moment_of
from iamhumans.tells.english import RULES
from iamhumans.tells.language import looks_english
from iamhumans.tells.model import Rule, Tell
from iamhumans.tells.quotes import MAX_QUOTE, quote_of
from iamhumans.tells.scan import find_tells

__all__ = ["MAX_QUOTE", "RULES", "Moment", "Rule", "Tell", "find_tells", "looks_english", "moment_of", "quote_of"]
