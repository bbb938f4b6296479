"""An input that sounds like a prompt and not like a person.

Objective:
    The suite asks how a reply behaves towards people. A message that could only be addressed to a program is answered
    by a program, and is rightly answered so.
Violates:
    "You are a helpful assistant", "As an AI, how would you", "Write a poem in the style of Keats", "Please provide a
    detailed explanation", "Compare and contrast the two", three numbered lines that each begin with a command, and what
    somebody forgot to fill in: `{{NAME}}`, `[insert city]`.
Does not violate:
    "you're a star", "write me something for her card, she hates poems", "can you explain what a lien is, my landlord
    put one on my van", a list that the user numbered, a message that is short and to the point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iamhumans.cases.style.model import Draft, Found, Said, quoted
from iamhumans.cases.style.words import lowered

_SENTENCE = r"(?:^|(?<=[.!?:\n]))\s*"
_COMMANDS = (
    "write|list|explain|describe|summari[sz]e|analy[sz]e|identify|compare|provide|include|use|ensure|make sure|avoid|"
    "create|generate|give|discuss|outline|define|evaluate|suggest|respond|rewrite|translate|do not|don't"
)
_ENGLISH = {
    "gives a program its part": _SENTENCE
    + r"(?:you are|you're|you will be|(?:i(?: want|'d like| would like| need) you to )?act as|imagine you are|"
    r"pretend (?:to be|that you are|you are|you're)) (?:an?|my|the) (?:\w+[ -]){0,2}?"
    r"(?:helpful|expert|experienced|professional|assistant|"
    r"chatbot|bot|ai|language model|therapist|coach|psychologist|counsell?or|listener|mentor|copywriter|"
    r"writer|companion|persona)\b",
    "speaks to an AI as an AI": r"\bas an? (?:ai|artificial intelligence|(?:large )?language model|chatbot|assistant)\b"
    r"|\byour (?:training data|system prompt|knowledge cut-?off)\b",
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
}
_ANY_LANGUAGE = {
    "has a place that was never filled in": r"\{\{?[ \w.-]{1,40}\}\}?|<\/?(?:context|input|user|instructions?|task|"
    r"question|document|system)>|\[(?:insert|your|name|user|city|date|topic|product|company)\b[^\]\n]{0,40}\]",
}
_PATTERNS = {
    in_english: {what: re.compile(pattern) for what, pattern in patterns.items()}
    for in_english, patterns in ((True, _ENGLISH), (False, _ANY_LANGUAGE))
}
_TASK_LINE = re.compile(rf"^[ \t]*(?:\d{{1,2}}[.)]|[-*•])[ \t]+(?:{_COMMANDS})\b", re.IGNORECASE | re.MULTILINE)
_TASKS = 3


def sounds_like_prompt(draft: Draft) -> Found:
    """The user's turns that only a program would be sent, one finding a turn."""
    for turn in draft.user_turns:
        for what, words in _found(turn.text, english=draft.conversation_in_english):
            problem = f"The user {what}: {quoted(words)}."
            fix = "Write what this person would type to somebody, and why they ask."
            yield Said(turn.line, problem, fix)
            break


def _found(text: str, *, english: bool) -> Iterator[tuple[str, str]]:
    """What is wrong, and the words."""
    lower = lowered(text)
    for in_english, patterns in _PATTERNS.items():
        if english or not in_english:
            matches = ((what, pattern.search(lower)) for what, pattern in patterns.items())
            yield from ((what, text[match.start() : match.end()].strip()) for what, match in matches if match)
    tasks = _TASK_LINE.findall(text) if english else []
    if len(tasks) >= _TASKS:
        yield "lists tasks", tasks[0].strip()
