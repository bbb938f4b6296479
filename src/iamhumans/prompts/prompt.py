"""The prompt for one reply: built in, or from a user's template."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import takewhile

from iamhumans.cases import Case
from iamhumans.prompts.builtin import builtin_messages, fixed_part, wording_of_case_part
from iamhumans.prompts.messages import Message
from iamhumans.prompts.template import Template
from iamhumans.rubrics import Rubric


def judge_messages(
    rubric: Rubric,
    case: Case,
    reply: str,
    *,
    template: Template | None = None,
    persona: str | None = None,
    token: str | None = None,
) -> tuple[Message, ...]:
    """What a judge is sent for a reply.

    Args:
        rubric: What to judge by.
        case: What the reply answers.
        reply: The text to judge.
        template: A user's own template; the built-in prompt if not given.
        persona: What is true of the speaker.
        token: The check token that the verdict is to carry; a template with a format of its own does not ask for it.
    """
    if template is None:
        return builtin_messages(rubric, case, reply, persona=persona, token=token)
    return template.messages(rubric, case, reply, persona=persona, token=token)


def asks_for_token(template: Template | None) -> bool:
    """Whether the prompt asks for the check token."""
    return template is None or not template.has_own_format


def prompt_hash(rubric: Rubric, template: Template | None = None) -> str:
    """SHA-256 of all wording that is not the case's, the reply's or the persona's, in both messages."""
    content = f"{fixed_part(rubric)}\n{wording_of_case_part(rubric)}"
    if template is not None:
        content = f"{template.hash}\n{content}"
    return hashlib.sha256(content.encode()).hexdigest()


def fixed_text(rubric: Rubric, template: Template | None = None) -> str:
    """What is the same for every case, as it was written: the built-in first message, or the template."""
    return fixed_part(rubric) if template is None else template.text


def common_share(prompts: Sequence[Sequence[str]]) -> float:
    """Which share of the first prompt's characters begins every one of them: what a provider's prompt cache can hit.

    Args:
        prompts: Each as the contents of its messages, in order.
    """
    texts = ["\n".join(contents) for contents in prompts]
    # The smallest and the largest text differ no later than any other two.
    pairs = zip(min(texts), max(texts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) / len(texts[0])
