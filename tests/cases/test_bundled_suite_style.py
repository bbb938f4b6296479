"""How the bundled suite is written: what its authors agreed on beyond the rules of style that every author can use."""

from __future__ import annotations

import re

from iamhumans.cases import bundled_suite
from iamhumans.cases.lint import lint
from iamhumans.cases.suite_files import bundled_suite_path

_SENTENCE = r"(?:^|(?<=[.!?:\n]))\s*"
PROMPTS = {
    "orders a text by its kind": _SENTENCE
    + r"(?:please |now )?(?:write|compose|generate|create|draft|produce) (?:me )?"
    r"(?:an?|the|\d+|two|three|four|five)[^.?!\n]{0,80}?(?:in the style of|in the voice of|that (?:explores|captures|"
    r"conveys|evokes)|from the perspective of|suitable for|of (?:about|around|approximately|no more than|at most|up to)"
    r" \d+ words)\b",
    "asks as a form does": r"\bplease (?:provide|ensure|include|generate|elaborate|respond with|be advised)\b"
    r"|\bprovide (?:me )?(?:with )?(?:an? )?(?:detailed|comprehensive|brief|concise|step-by-step)\b"
    r"|\byour (?:task|role|goal|objective) is to\b|\b(?:respond|answer|reply) (?:only )?(?:in|with|using|as) (?:json|"
    r"markdown|bullet points|a table|no more than|under|exactly|a maximum of)\b|\bthink step by step\b"
    r"|\bstep[- ]by[- ]step (?:guide|instructions|explanation)\b",
    "asks as an exam does": r"\b(?:compare and contrast|justify your (?:answer|reasoning)|in your own words|"
    r"define the terms?|with (?:relevant|specific|concrete) examples|critically (?:discuss|evaluate|assess|"
    r"analy[sz]e)|what are (?:the|some) (?:(?:(?:main|key|primary|most (?:important|common|effective)) )?"
    r"(?:advantages|aspects|benefits|causes|challenges|characteristics|components|differences|effects|elements|factors|"
    r"features|methods|principles|reasons|stages|steps|strategies|symptoms|techniques|types|ways)|pros and cons|"
    r"best ways|effective ways))\b|"
    + _SENTENCE
    + r"(?:discuss|evaluate|assess|outline|analy[sz]e|describe|explain) the (?:importance|"
    r"impact|effects?|role|significance|concept|differences?|advantages|benefits|causes|consequences|relationship)\b",
    "lists tasks": r"(?:^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?:write|list|explain|describe|summari[sz]e|analy[sz]e|"
    r"identify|compare|provide|include|use|ensure|make sure|avoid|create|generate|give|discuss|outline|define|evaluate|"
    r"suggest|respond|rewrite|translate|do not|don't)\b[^\n]*\n*){3}",
}
STOCK = re.compile(
    r"(?<![^\W_])(?:sarah|emily|elena|elara|chen|marcus|thorne|jane doe|john doe|john smith|barist[ao]s?|"
    r"golden retrievers?|lighthouse keepers?|mr\.? whiskers)(?:'s|’s)?(?![^\W_])",
    re.IGNORECASE,
)


def sounds_like_prompt(text: str) -> list[str]:
    return [what for what, pattern in PROMPTS.items() if re.search(pattern, text, re.IGNORECASE | re.MULTILINE)]


def test_the_bundled_suite_has_no_style_warning() -> None:
    assert [str(finding) for finding in lint([bundled_suite_path()], style=True).findings] == []


def test_no_user_of_the_bundled_suite_sounds_like_a_prompt() -> None:
    english = (case for case in bundled_suite().cases if case.lang.startswith("en"))
    turns = [turn.text for case in english for turn in case.conversation if turn.speaker == "user"]
    assert [text for text in turns if sounds_like_prompt(text)] == []


def test_no_stock_figure_is_in_the_bundled_suite() -> None:
    texts = [text for case in bundled_suite().cases for text in (case.title, *case.texts[::2])]
    assert [text for text in texts if STOCK.search(text)] == []


def test_a_message_for_a_program_and_a_stock_figure_would_be_found() -> None:
    assert sounds_like_prompt("Write a poem about a kettle in the style of Keats.")
    assert sounds_like_prompt("hello\n\n1. Write a greeting\n2. List three kettles\n3. Explain why")
    assert STOCK.search("it was Mrs Chen's")
