"""Chats that people export from an assistant: trees of messages, of which one branch is the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.facts import conversation_of, first_name
from iamhumans.subjects.shapes.messages import read_content, read_messages, said, voice_of
from iamhumans.subjects.shapes.said import Conversation, Said
from iamhumans.subjects.shapes.shape import Row, Shape

_HIDDEN_CONTENTS = (
    "thoughts",
    "reasoning_recap",
    "user_editable_context",
    "model_editable_context",
    "code",
    "execution_output",
    "tether_quote",
    "tether_browsing_display",
    "system_error",
    "sonic_webpage",
)
_HIDDEN_MARKS = (
    "is_visually_hidden_from_conversation",
    "is_user_system_message",
    "is_contextual_answers_system_message",
)


def _chatgpt(row: Row) -> Sequence[Conversation]:
    mapping = row["mapping"]
    if not isinstance(mapping, Mapping):
        raise InputError("`mapping` is not an object with the messages of a chat.")
    nodes = _branch(mapping, row.get("current_node"))
    read = [
        (_chatgpt_message(node["message"]), node["message"])
        for node in nodes
        if isinstance(node.get("message"), Mapping)
    ]
    messages = tuple(one for one, _ in read if one is not None)
    models = [
        _metadata(message).get("model_slug") for one, message in read if one is not None and one.voice == "assistant"
    ]
    named = next((model for model in reversed(models) if isinstance(model, str) and model), "")
    return [conversation_of(row, messages, subject=named)]


def _branch(mapping: Mapping[Any, Any], current: object) -> list[Mapping[str, Any]]:
    """The nodes from the root to the current one; without one, to the newest leaf."""
    if not isinstance(current, str) or current not in mapping:
        current = _newest_leaf(mapping)
    found: list[Mapping[str, Any]] = []
    seen: set[object] = set()
    while isinstance(current, str) and current in mapping and current not in seen:
        seen.add(current)
        node = mapping[current]
        if not isinstance(node, Mapping):
            break
        found.append(node)
        current = node.get("parent")
    return found[::-1]


def _newest_leaf(mapping: Mapping[Any, Any]) -> object:
    parents = {
        node.get("parent")
        for node in mapping.values()
        if isinstance(node, Mapping) and isinstance(node.get("parent"), str)
    }
    leaves = [(place, key) for place, key in enumerate(mapping) if key not in parents]

    def age(leaf: tuple[int, Any]) -> tuple[float, int]:
        node = mapping[leaf[1]]
        message = node.get("message") if isinstance(node, Mapping) else None
        time = message.get("create_time") if isinstance(message, Mapping) else None
        return (float(time) if isinstance(time, int | float) else -1.0, leaf[0])

    return max(leaves, key=age)[1] if leaves else None


def _metadata(message: Mapping[str, Any]) -> Mapping[str, Any]:
    found = message.get("metadata")
    return found if isinstance(found, Mapping) else {}


def _chatgpt_message(message: Mapping[str, Any]) -> Said | None:
    """A message as a user sees it; ``None`` for one that is hidden."""
    author, content, metadata = message.get("author"), message.get("content"), _metadata(message)
    voice = voice_of({"role": author.get("role"), "content": ""}) if isinstance(author, Mapping) else None
    if voice is None or not isinstance(content, Mapping):
        return None
    kind = content.get("content_type")
    text, reasoning, other = read_content(content.get("parts") or content.get("text") or content.get("result"))
    if voice == "system" or kind == "user_editable_context":
        return Said("system", text) if text else None
    hidden = any(metadata.get(mark) is True for mark in _HIDDEN_MARKS) or message.get("weight") == 0
    # What an assistant sends to a tool, or writes on another channel, is not shown as its message.
    elsewhere = message.get("recipient") not in (None, "all") or message.get("channel") not in (None, "final")
    if voice == "tool" or hidden or kind in _HIDDEN_CONTENTS or (voice == "assistant" and elsewhere):
        return None
    if voice == "user":
        return Said("user", said("user", text).text, other=other) if text or other else None
    found = said("assistant", text)
    details = metadata.get("finish_details")
    ending = details.get("type") if isinstance(details, Mapping) else ""
    return found._replace(
        reasoning="\n".join(filter(None, (reasoning, found.reasoning))),
        other=other,
        ending={"max_tokens": "length", "interrupted": "abort"}.get(str(ending), ""),
    )


def _claude(row: Row) -> Sequence[Conversation]:
    messages = row["chat_messages"]
    if not isinstance(messages, list):
        raise InputError("`chat_messages` is not a list of messages.")
    return [conversation_of(row, read_messages(_claude_branch(messages, row.get("current_leaf_message_uuid"))))]


def _claude_branch(messages: list[Any], leaf: object) -> list[Any]:
    """The messages that lead to the current one, where some were edited or asked for again."""
    known = {one.get("uuid"): one for one in messages if isinstance(one, Mapping) and isinstance(one.get("uuid"), str)}
    parents = [one.get("parent_message_uuid") for one in known.values()]
    if len(known) != len(messages) or len(set(map(str, parents))) == len(parents) or not any(parents):
        return messages
    current = leaf if isinstance(leaf, str) and leaf in known else messages[-1]["uuid"]
    found: list[Any] = []
    while isinstance(current, str) and current in known and len(found) <= len(messages):
        found.append(known[current])
        current = known[current].get("parent_message_uuid")
    return found[::-1]


def _tree(row: Row) -> Sequence[Conversation]:
    """A tree of OpenAssistant: the best-ranked reply at each level."""
    node: Any = row["prompt"]
    found: list[Any] = []
    while isinstance(node, Mapping) and len(found) < 1_000:
        found.append(node)
        replies = [one for one in node.get("replies") or [] if isinstance(one, Mapping)]
        node = (
            min(replies, key=lambda one: one["rank"] if isinstance(one.get("rank"), int) else 1_000)
            if replies
            else None
        )
    messages = read_messages([{"role": one.get("role"), "content": one.get("text")} for one in found])
    return [conversation_of(row, messages, id=first_name(row, ("message_tree_id", "id")))]


def _is_tree(row: Row) -> bool:
    return isinstance(row.get("prompt"), Mapping) and "replies" in row["prompt"]


SHAPES = (
    Shape(
        "chatgpt",
        "a ChatGPT export (conversations.json)",
        lambda row: isinstance(row.get("mapping"), Mapping),
        _chatgpt,
    ),
    Shape("claude", "a Claude export (conversations.json)", lambda row: "chat_messages" in row, _claude),
    Shape("oasst", "OpenAssistant message trees", _is_tree, _tree),
)
