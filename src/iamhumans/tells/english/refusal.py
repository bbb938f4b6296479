"""Refusal when engagement was warranted: the reply hides behind being a machine.

Objective:
    Find the disclaimer that stands where a reply should be.
Violates:
    "I'm just an AI, so I can't ...", "as an AI language model, I don't have ...", "I'm unable to provide the help
    that you need", in a talk that wanted a partner.
Does not violate:
    An answer to whether it is an AI, or to what it is, knows or feels; a limit named for a task ("I can't access
    live data"); a disclaimer in a reply that then engages (at least 40 further words and two of the user's words of
    content); quoted words; texts asked for.
Severity:
    4.
"""

from __future__ import annotations

from iamhumans.tells.content_words import content_words, shared_words
from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either, matches, words
from iamhumans.tells.reply_text import ReplyText

_MACHINE = (
    r"(?:an? )?(?:ai|a\.i\.|artificial intelligence|large language model|language model|chatbot|"
    r"computer program|machine|bot|virtual assistant|digital assistant|text-based ai)"
)
_DISCLAIMER = either(
    rf"\bi(?:'m| am) (?:just|only|merely|simply) {_MACHINE}\b",
    rf"\b(?:as|being|since i'm|because i'm|since i am|because i am) {_MACHINE}(?: (?:language )?(?:model|"
    rf"assistant|system|program))?,? i(?:'m| am|'ve| have)? ?(?:don't|do not|can't|cannot|not|lack|unable|"
    rf"have no|won't|never)\b",
    rf"\bi(?:'m| am) {_MACHINE}(?: (?:language )?(?:model|assistant))?(?:,| and| so)+ ?(?:so )?i? ?(?:don't|"
    rf"can't|cannot|do not|am not|lack|have no)\b",
    r"\bi(?:'m| am) (?:unable|not able|not equipped|not qualified) to (?:provide|offer|give|help|support|"
    r"discuss|engage|talk)\b",
    r"\bi (?:can't|cannot) (?:discuss|talk about|engage (?:with|in)|provide (?:emotional|the (?:help|support)))\b",
)
_CAPABILITY = words(
    "access", "browse", r"real[- ]time", "up-to-date", "internet", "images?", "files?", "links?", "location",
    "weather",
    "medical advice", "legal advice", "financial advice", "diagnos\\w+", "news", "personal data", "database",
    "download",
    "videos?", "audio", "instructions", "illegal",
)  # fmt: skip
_ENGAGED_WORDS = 40
_ENGAGED_SHARED = 2


def _wanted(moment: Moment) -> bool:
    return moment.conversational and not moment.asked_about_nature and not moment.draft_asked and bool(moment.user_text)


def _hides(reply: ReplyText, span: Span) -> bool:
    start, end = reply.sentence_of(span[0])
    if matches(_CAPABILITY, reply.folded[start:end]):
        return False
    rest = reply.folded[:start] + reply.folded[end:]
    shared = shared_words(content_words(rest), reply.moment.user_words)
    return len(rest.split()) < _ENGAGED_WORDS or len(shared) < _ENGAGED_SHARED


RULES = (
    Rule(
        "refusal.just_an_ai",
        "refusal_when_engagement_warranted",
        "The reply hides behind being a machine.",
        _DISCLAIMER,
        _wanted,
        _hides,
        severity=4,
    ),
)
