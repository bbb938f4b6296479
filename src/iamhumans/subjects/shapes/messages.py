"""Messages in the dialects of providers, frameworks and exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.said import Said, Voice
from iamhumans.text import one_line
from iamhumans.text.reasoning import take_off_reasoning
from iamhumans.text.replies import seen_message

_VOICES: dict[str, Voice] = {
    **dict.fromkeys(
        [
            "user",
            "human",
            "humanmessage",
            "human_message",
            "prompter",
            "customer",
            "client",
            "visitor",
            "end_user",
            "enduser",
            "end-user",
            "usr",
            "usermessage",
            "user_message",
        ],
        "user",
    ),
    **dict.fromkeys(
        [
            "assistant",
            "model",
            "ai",
            "gpt",
            "bot",
            "chatbot",
            "chatgpt",
            "assistant_message",
            "assistantmessage",
            "aimessage",
            "aimessagechunk",
            "ai_message",
            "bing",
            "bard",
            "gemini",
            "claude",
            "llm",
            "agent",
            "bing_chat",
        ],
        "assistant",
    ),
    **dict.fromkeys(
        [
            "system",
            "developer",
            "root",
            "platform",
            "systemmessage",
            "system_message",
            "developermessage",
            "context",
            "instructions",
            "critic",
            "summary",
        ],
        "system",
    ),
    **dict.fromkeys(
        [
            "tool",
            "function",
            "tool_call",
            "tool_calls",
            "tool_response",
            "tool_result",
            "tool_use",
            "function_call",
            "function_response",
            "function_call_output",
            "observation",
            "ipython",
            "environment",
            "toolmessage",
            "functionmessage",
            "tool_message",
            "data",
            "event",
            "reasoning",
            "item_reference",
            "web_search_call",
            "file_search_call",
            "computer_call",
            "computer_call_output",
            "mcp_call",
            "mcp_list_tools",
            "mcp_approval_request",
            "code_interpreter_call",
            "image_generation_call",
            "local_shell_call",
            "local_shell_call_output",
            "custom_tool_call",
            "custom_tool_call_output",
            "remove",
            "removemessage",
        ],
        "tool",
    ),
}
_ROLE_KEYS = ("role", "from", "sender", "speaker", "author", "source")
_TEXT_KEYS = ("content", "parts", "value", "text", "message", "body", "utterance")
_PLAIN = frozenset(
    [
        "role",
        "from",
        "sender",
        "speaker",
        "content",
        "value",
        "text",
        "id",
        "uuid",
        "name",
        "createdAt",
        "created_at",
        "timestamp",
        "ts",
        "language",
        "turn_identifier",
        "toxic",
        "redacted",
        "weight",
        "index",
        "turn",
        "country",
        "state",
        "hashed_ip",
        "header",
        "openai_id",
        "temperature",
        "top_p",
    ]
)
"""What a message may have besides text without being more than text."""
_VISIBLE = ("text", "output_text", "input_text", "refusal", "message", "audio_transcription", "markdown", "paragraph")
_HIDDEN_WORDS = ("tool", "function", "call", "result", "think", "thought", "reason", "search", "exec", "citation")
_NAMES = {
    "an image": ("image", "picture", "photo"),
    "audio": ("audio", "voice"),
    "a video": ("video",),
    "a file": ("file", "document", "attachment", "pdf"),
    "a call of a tool": ("tool", "function", "call", "search", "exec", "result"),
}
_UNTYPED = {
    **dict.fromkeys(("toolUse", "toolResult", "functionCall", "functionResponse", "function_call"), "a call of a tool"),
    **dict.fromkeys(("function_response", "executableCode", "codeExecutionResult"), "a call of a tool"),
    **dict.fromkeys(("image", "image_url"), "an image"),
    **dict.fromkeys(("inlineData", "inline_data", "fileData", "file_data", "document", "video", "audio"), "a file"),
}
_MOST_LEVELS = 6
MAX_MESSAGES = 20_000


def read_messages(value: object) -> tuple[Said, ...]:
    """A list of messages. Raises InputError where it is none."""
    value = as_plain(value)
    if not isinstance(value, list | tuple):
        raise InputError("The conversation is not a list of messages.")
    if len(value) == 1 and isinstance(value[0], list | tuple):  # a batch of one, as LangChain writes it
        value = value[0]
    if len(value) > MAX_MESSAGES:
        raise InputError(f"The conversation has more than {MAX_MESSAGES:,} messages.")
    return tuple([read_message(message) for message in value])


def read_message(message: object) -> Said:
    """One message of any dialect. Raises InputError."""
    message = as_plain(message)
    if not is_object(message):
        raise InputError("A message is not an object with keys.")
    if len(message) == 2 and (plain := _plain(message)) is not None:
        return plain
    message = unwrapped(message)
    voice = voice_of(message)
    if voice is None:
        role = next((message[key] for key in _ROLE_KEYS if key in message), message.get("type"))
        raise InputError(f"A message has the role {one_line(str(role), 60)!r}.", fix="Use user, assistant or system.")
    if voice in ("tool", "system"):
        return _silent(voice, message)
    if _PLAIN.issuperset(message):
        content = next((message[key] for key in _TEXT_KEYS if message.get(key)), None)
        if isinstance(content, str):
            return said(voice, content)
    if voice == "assistant":
        return _assistant(message)
    text, _, other = _content_of(message)
    return Said(voice, whole(text), other=other)


def _plain(message: Mapping[str, Any]) -> Said | None:
    """A message of two keys, as most are, quickly; ``None`` for one of another form."""
    text, speaker = message.get("content"), message.get("role")
    if text is None:
        text, speaker = message.get("value"), message.get("from")
    voice = _VOICES.get(speaker) if type(speaker) is str else None
    return said(voice, text) if type(text) is str and voice in ("user", "assistant") else None


def said(voice: Voice, text: str) -> Said:
    """A text by somebody, without reasoning."""
    text = whole(text)
    if voice != "assistant":
        return Said(voice, text)
    seen = take_off_reasoning(text)
    return Said(voice, seen.text.strip() if seen.reasoning else seen.text, seen.reasoning, open=seen.open)


def _assistant(message: Mapping[str, Any]) -> Said:
    """A message of the assistant as a user sees it."""
    contents = [message[key] for key in _TEXT_KEYS if message.get(key) not in (None, "", [])]
    content = _checked(next(iter(contents), None))
    # Some exports have a text beside the parts that it is made of.
    parts = next((one for one in contents if isinstance(as_plain(one), list | tuple)), None)
    content = content if parts is None else as_plain(parts)
    seen = seen_message({**{key: value for key, value in message.items() if key not in _TEXT_KEYS}, "content": content})
    model = message.get("model")
    return Said(
        "assistant",
        whole(seen.text),
        reasoning=whole(seen.reasoning),
        other=(*seen.beside, *_attached(message)),
        model=whole(model) if isinstance(model, str) else "",
        ending=seen.word,
        found_in=seen.found_in,
        open=seen.open,
    )


def _checked(content: object) -> object:
    content = as_plain(content)
    if content is not None and not isinstance(content, str | list | tuple | Mapping):
        raise InputError("The content of a message is not text.")
    return content


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value has keys. Asking an abstract class is slow, and nearly all are dicts."""
    return type(value) is dict or isinstance(value, Mapping)


def unwrapped(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message inside of the forms in which LangChain and others store it."""
    for _ in range(_MOST_LEVELS):
        inner = message.get("kwargs") if "lc" in message else message.get("data")
        if is_object(inner) and ("lc" in message or isinstance(message.get("type"), str)):
            kind = message.get("type")
            name = message["id"][-1] if isinstance(message.get("id"), list) and message["id"] else kind
            message = {"role": name, **inner} if "role" not in inner else inner
            continue
        inner = message.get("message")
        if is_object(inner) and not any(key in message for key in ("content", "text", "value", "parts")):
            message = {**{key: message[key] for key in ("role", "author", "finish_reason") if key in message}, **inner}
            continue
        break
    return message


def voice_of(message: Mapping[str, Any]) -> Voice | None:
    """Who speaks, if the message says so."""
    for key in _ROLE_KEYS:
        role = message.get(key)
        if role is None:
            continue
        if is_object(role):
            role = role.get("role") or role.get("type")
        if isinstance(role, str) and (voice := _VOICES.get(role.strip().lower())) is not None:
            if key == "role" or any(name in message for name in _TEXT_KEYS):
                return voice
        elif key == "role" and role is not None:
            return None
    kind = message.get("type")
    if isinstance(kind, str) and (voice := _VOICES.get(kind.strip().lower())) is not None:
        return voice
    if isinstance(message.get("text"), str) and ("bot_id" in message or "user" in message or "subtype" in message):
        return "assistant" if message.get("bot_id") or message.get("subtype") == "bot_message" else "user"
    return None


def is_message(value: object) -> bool:
    """Whether a value is a message with a known speaker."""
    if not is_object(value):
        return False
    value = unwrapped(value)
    if voice_of(value) is None:
        return False
    return any(key in value for key in (*_TEXT_KEYS, "tool_calls", "function_call", "refusal")) or "type" in value


def is_messages(value: object) -> bool:
    """Whether a value is a list of messages."""
    value = as_plain(value)
    if isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], list | tuple):
        value = value[0]
    return isinstance(value, list | tuple) and bool(value) and all(map(is_message, value[:3]))


def text_of(content: object) -> str:
    """All that is text in a content, whoever sees it."""
    text, reasoning, _ = read_content(content)
    return text or reasoning


def _silent(voice: Voice, message: Mapping[str, Any]) -> Said:
    try:
        text = text_of(next((message[key] for key in _TEXT_KEYS if message.get(key)), ""))
    except InputError:
        text = ""
    return Said(voice, text)


def _content_of(message: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    found = [_checked(message[key]) for key in _TEXT_KEYS if message.get(key) not in (None, "", [])]
    parts = next((one for one in found if isinstance(one, list | tuple)), None)
    text, reasoning, other = read_content(parts if parts is not None else next(iter(found), None))
    return text, reasoning, (*other, *_attached(message))


def _attached(message: Mapping[str, Any]) -> tuple[str, ...]:
    attachments = [message.get(key) for key in ("attachments", "files", "experimental_attachments")]
    return ("a file",) if any(isinstance(one, list) and one for one in attachments) else ()


def read_content(content: object, depth: int = 0) -> tuple[str, str, tuple[str, ...]]:
    """The text of a content that a user would see, the reasoning in it, and the names of what else it holds."""
    content = as_plain(content)
    if content is None:
        return "", "", ()
    if isinstance(content, str):
        return content, "", ()
    if depth > _MOST_LEVELS:
        raise InputError("The content of a message is nested too deeply.")
    if isinstance(content, list | tuple):
        found = [read_content(part, depth + 1) for part in content if not isinstance(part, int | float)]
        texts = "\n".join(text for text, _, _ in found if text)
        reasoning = "\n".join(thought for _, thought, _ in found if thought)
        return texts, reasoning, tuple(dict.fromkeys(name for _, _, names in found for name in names))
    if isinstance(content, Mapping):
        return _part(content, depth)
    raise InputError("The content of a message is not text.")


def _part(part: Mapping[str, Any], depth: int) -> tuple[str, str, tuple[str, ...]]:
    kind = part.get("type") or part.get("content_type") or part.get("kind")
    name = kind.lower() if isinstance(kind, str) else ""
    if any(word in name for word in ("think", "thought", "reason")) or part.get("thought") is True:
        return "", _inner_text(part, depth), ()
    if "reasoningContent" in part:
        return "", _inner_text(part["reasoningContent"], depth), ()
    if not name:
        for key, what in _UNTYPED.items():
            if key in part:
                return "", "", (what,)
    if name in _VISIBLE or not any(word in name for word in (*_HIDDEN_WORDS, "image", "audio", "video", "file")):
        text = _inner_text(part, depth)
        if text or name in _VISIBLE or not name:
            return text, "", ()
    named = next((what for what, words in _NAMES.items() if any(word in name for word in words)), "")
    return "", "", (named,) if named else ()


def _inner_text(part: object, depth: int) -> str:
    """The text in a part: under ``text``, which may hold a ``value``, or under the other names that it has."""
    if not isinstance(part, Mapping):
        return part if isinstance(part, str) else ""
    for key in (
        "text",
        "content",
        "value",
        "refusal",
        "thinking",
        "thoughts",
        "reasoning",
        "reasoningText",
        "summary",
        "parts",
        "result",
    ):
        inner = as_plain(part.get(key))
        if isinstance(inner, str) and inner:
            return inner
        if isinstance(inner, Mapping | list | tuple) and inner and depth <= _MOST_LEVELS:
            text, reasoning, _ = read_content(inner, depth + 1)
            if text or reasoning:
                return text or reasoning
    return ""


def as_plain(value: Any) -> Any:
    """A value of a data frame (an array, a number of numpy) as one of Python."""
    if type(value) in (str, dict, list, int, float):
        return value
    return value.tolist() if hasattr(value, "tolist") and not isinstance(value, str | Mapping | Sequence) else value


def whole(text: str) -> str:
    """The text with a mark for each half of a surrogate pair, which JSON can carry and nothing else."""
    if text.isascii():  # most texts, and Python knows it without a look at them
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
