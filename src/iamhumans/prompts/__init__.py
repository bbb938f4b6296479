"""Rubric, case and reply to messages; and two replies side by side.

Modules are loaded when something of theirs is first asked for: what a message is, is known without any rubric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iamhumans.loading import loaded_later
from iamhumans.prompts.messages import Answer, Message, Request, Role

if TYPE_CHECKING:
    from iamhumans.prompts.fence import encodable, fenced, on_one_line
    from iamhumans.prompts.prompt import asks_for_token, common_share, fixed_text, judge_messages, prompt_hash
    from iamhumans.prompts.side_by_side import side_by_side_hash, side_by_side_messages, side_by_side_text
    from iamhumans.prompts.template import PLACEHOLDERS, Template

__all__ = [
    "PLACEHOLDERS",
    "Answer",
    "Message",
    "Request",
    "Role",
    "Template",
    "asks_for_token",
    "common_share",
    "encodable",
    "fenced",
    "fixed_text",
    "judge_messages",
    "on_one_line",
    "prompt_hash",
    "side_by_side_hash",
    "side_by_side_messages",
    "side_by_side_text",
]

_LATER = {
    "fence": (
        "encodable",
        "fenced",
        "on_one_line",
    ),
    "prompt": (
        "asks_for_token",
        "common_share",
        "fixed_text",
        "judge_messages",
        "prompt_hash",
    ),
    "side_by_side": (
        "side_by_side_hash",
        "side_by_side_messages",
        "side_by_side_text",
    ),
    "template": (
        "PLACEHOLDERS",
        "Template",
    ),
}

__getattr__ = loaded_later(__name__, _LATER)
