"""Which models belong to one family. A judge passes its own family's failures more often than it should.

Families are recognised by unambiguous names only: people ignore a warning that is often wrong.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_FAMILIES: Mapping[str, str] = {
    "anthropic claude": r"claude",
    "openai gpt": r"gpt(?!4all|-neo|-j)|chatgpt|o[134](?=-|$)",
    "google gemini": r"gemini",
    "google gemma": r"gemma|codegemma|shieldgemma",
    "meta llama": r"llama|codellama",
    "alibaba qwen": r"qwen|qwq|qvq",
    "deepseek": r"deepseek",
    "mistral": r"mistral|mixtral|ministral|magistral|codestral|devstral|pixtral",
    "xai grok": r"grok",
    "microsoft phi": r"phi(?=-?\d)",
    "cohere command": r"command(?=-[ar]\d*(?:-|$))|c4ai-command|aya",
    "amazon nova": r"nova(?=-(?:micro|lite|pro|premier)(?:-|$))",
    "moonshot kimi": r"kimi",
    "zhipu glm": r"glm|chatglm",
    "ibm granite": r"granite",
    "minimax": r"minimax",
}


def family_of(name: str) -> str | None:
    """The family of a model by its full name, such as ``anthropic claude``; ``None`` where it fits none or several."""
    # The model's own name is the last part; the parts before it are hosts. A skill follows a plus.
    own = name.casefold().partition("+")[0].rstrip("/").rpartition("/")[2]
    # A number may follow a name (llama3.1, qwen2.5), but no letter.
    found = [
        family
        for family, pattern in _FAMILIES.items()
        if re.search(rf"(?<![a-z0-9])(?:{pattern})(?![a-z])", own, re.ASCII)
    ]
    return found[0] if len(found) == 1 else None


class Kinship(NamedTuple):
    """A judge and a subject of one family."""

    judge: str
    subject: str
    family: str

    def __str__(self) -> str:
        """The warning."""
        return (
            f"The judge {self.judge} and the subject {self.subject} both belong to the family {self.family}. Judges"
            " often pass the failures of their own family. Use a second judge from another family."
        )


def kinships(plan: Mapping[str, Any], subjects: Iterable[str] = ()) -> tuple[Kinship, ...]:
    """The judges of a plan that share a family with its subject, or with ``subjects`` that came with the replies."""

    def family(described: Mapping[str, Any]) -> str | None:
        model = described.get("settings", {}).get("model")
        return family_of(model) if isinstance(model, str) else None

    named = {name: family_of(name) for name in subjects if name}
    named |= {subject["name"]: family(subject) for subject in plan.get("subjects", ())}
    pairs = ((judge, name) for judge in plan.get("judges", ()) for name in named)
    return tuple(
        Kinship(judge["name"], name, own) for judge, name in pairs if (own := named[name]) and own == family(judge)
    )
