"""Refusal when engagement was warranted: the reply hides behind being a machine.

Finds: the disclaimer in place of a reply. "I'm just an AI, so I can't ...", "as an AI language model, I don't have
...", "I'm unable to provide the help that you need", where the user wanted to talk. Does not find: an answer to whether
it is an AI, or to what it is, knows or feels; a limit on a task ("I can't access live data"); a disclaimer in a reply
that then engages (at least 40 more words and two of the user's content words); quoted words; texts that the user asked
for.
"""

from functools import partial

from iamhumans.tells.checks import unless_engaged
from iamhumans.tells.rule import Guard, Rule, either, words

_MACHINE = (
    r"(?:an? )?(?:ai|a\.i\.|artificial intelligence|large language model|language model|chatbot|computer program|"
    "machine|bot|virtual assistant|digital assistant|text-based ai)"
)
_DISCLAIMER = either(
    rf"\bi(?:'m| am) (?:just|only|merely|simply) {_MACHINE}\b|\b(?:as|being|since i'm|because i'm|since i am|because "
    f"i am) {_MACHINE}(?: (?:language )?(?:model|assistant|system|program))?,? i(?:'m| am|'ve| have)? ?(?:don't|do "
    rf"not|can't|cannot|not|lack|unable|have no|won't|never)\b|\bi(?:'m| am) {_MACHINE}(?: (?:language )?(?:model|"
    r"assistant))?(?:,| and| so)+ ?(?:so )?i? ?(?:don't|can't|cannot|do not|am not|lack|have no)\b|\bi(?:'m| am) "
    r"(?:unable|not able|not equipped|not qualified) to (?:provide|offer|give|help|support|discuss|engage|talk)\b|\bi "
    r"(?:can't|cannot) (?:discuss|talk about|engage (?:with|in)|provide (?:emotional|the (?:help|support)))\b"
)
_CAPABILITY = words(
    "access|browse|real[- ]time|up-to-date|internet|images?|files?|links?|location|weather|medical advice|legal advice|"
    r"financial advice|diagnos\w+|news|personal data|database|download|videos?|audio|instructions|illegal"
)
RULES = (
    Rule(
        "refusal.just_an_ai",
        "The reply hides behind being a machine.",
        _DISCLAIMER,
        axis_or_hard_fail="refusal_when_engagement_warranted",
        points={"naturalness": 3, "empathy_fit": 4, "calibrated_uncertainty": 3},
        when=("conversational", "user_known"),
        unless=("asked_about_nature", "draft_asked"),
        guards=(Guard("sentence", _CAPABILITY),),
        check=partial(unless_engaged, words=40),
    ),
)
